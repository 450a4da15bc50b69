"""Rules: one that is made, and those of another study that are copied."""

from django import forms
from django.http import QueryDict

from judging.access import studies_for
from judging.models import Rule, Study, User
from judging.rules import enforcement


class RuleForm(forms.ModelForm):
    class Meta:
        model = Rule
        fields = ["signal", "threshold", "least", "action"]
        labels = {"signal": "What is looked at", "least": "In how many answers at least", "action": "What happens"}
        help_texts = {"threshold": "0.6 is 60 %; seconds, and answers in a row, as they are.", "least": "", "action": ""}

    def __init__(self, data: QueryDict | None = None, *, study: Study):
        super().__init__(data, instance=Rule(study=study), initial=enforcement.SUGGESTED[0])
        self.fields["action"].choices = [  # type: ignore[attr-defined]
            (action, words.capitalize()) for action, words in enforcement.ACTIONS.items()
        ]

    def clean(self) -> dict:
        if not self.errors:
            try:
                enforcement.check(Rule(study=self.instance.study, **self.cleaned_data))
            except enforcement.NoRule as error:
                self.add_error(error.field, str(error))
        return self.cleaned_data


class CopyForm(forms.Form):
    source = forms.ModelChoiceField(Study.objects.none(), empty_label=None, label="Rules of")

    def __init__(self, *args, study: Study, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        ruled = studies_for(user).filter(rules__ended__isnull=True, rules__isnull=False).exclude(pk=study.pk)
        self.fields["source"].queryset = ruled.distinct()  # type: ignore[attr-defined]

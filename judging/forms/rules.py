"""Rules: one that is made, and those of another study that are copied."""

from django import forms
from django.http import QueryDict
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from judging.access import studies_for
from judging.models import Rule, Study, User
from judging.rules import enforcement


class RuleForm(forms.ModelForm):
    class Meta:
        model = Rule
        fields = ["signal", "threshold", "least", "action"]
        labels = {
            "threshold": _("Threshold"),
            "signal": _("What is looked at"),
            "least": _("Answers needed first"),
            "action": _("What happens"),
        }
        help_texts = {"threshold": _("0.6 is 60 %; seconds, and answers in a row, as they are."), "least": "", "action": ""}

    def __init__(self, data: QueryDict | None = None, *, study: Study):
        super().__init__(data, instance=Rule(study=study), initial=enforcement.suggested(study)[0])
        self.fields["signal"].choices = [(signal, signal.label) for signal in Rule.signals_for(study)]  # type: ignore[attr-defined]
        self.fields["action"].choices = [  # type: ignore[attr-defined]
            (action, capfirst(_(words))) for action, words in enforcement.ACTIONS.items()
        ]

    def clean(self) -> dict:
        if not self.errors:
            enforcement.check(Rule(study=self.instance.study, **self.cleaned_data))
        return self.cleaned_data


class CopyForm(forms.Form):
    source = forms.ModelChoiceField(Study.objects.none(), empty_label=None, label=_("Rules of"))

    def __init__(self, *args, study: Study, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        ruled = studies_for(user).filter(rules__ended__isnull=True, rules__isnull=False).exclude(pk=study.pk)
        self.fields["source"].queryset = ruled.distinct()  # type: ignore[attr-defined]

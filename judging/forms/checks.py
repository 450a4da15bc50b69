"""Forms of checks: which items with known grades a study has, and how often workers meet them."""

from django import forms

from judging.access import qrels_for
from judging.models import Item, Qrels, Study, User

MOST = 500  # checks made at a time
ROLES = [
    (Item.Role.GOLD, "Gold, mixed in"),
    (Item.Role.TEST, "Qualification test, before the work"),
    (Item.Role.TRAINING, "Training, before the test"),
]


class HowOften(forms.ModelForm):
    class Meta:
        model = Study
        fields = ["gold_every", "pass_mark"]
        labels = {"gold_every": "Gold and attention checks, one in", "pass_mark": "Pass mark"}


class TakeForm(forms.Form):
    qrels = forms.ModelChoiceField(Qrels.objects.none(), empty_label=None, label="Grades from")
    role = forms.ChoiceField(choices=ROLES, label="Use them as")
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=20, label="How many")
    grade = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        label="Of which grade",
        help_text="Every grade: as many of each as there are.",
    )
    leeway = forms.IntegerField(
        min_value=0, max_value=9, initial=0, label="Leeway", help_text="Grades so far from the known one are right, too."
    )

    def __init__(self, *args, study: Study, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["qrels"].queryset = qrels_for(user).filter(collection=study.collection_id)  # type: ignore[attr-defined]
        self.fields["grade"].choices = [("", "Every grade in turn"), *grade_choices(study)]  # type: ignore[attr-defined]


class OwnForm(forms.Form):
    """The researcher's own grade of a document of the pool."""

    grade = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect, label="Your grade")
    role = forms.ChoiceField(choices=ROLES, label="Use it as", initial=Item.Role.GOLD)
    explanation = forms.CharField(
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label="Why",
        help_text="In training workers read it after their answer. Markdown.",
    )

    def __init__(self, *args, study: Study, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["grade"].choices = grade_choices(study)  # type: ignore[attr-defined]


def grade_choices(study: Study) -> list[tuple[int, str]]:
    return [(step["grade"], f"{step['grade']} {step['label']}") for step in study.scale]


class PromoteForm(forms.Form):
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=10, label="How many")


class AttentionForm(forms.Form):
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=5, label="How many")

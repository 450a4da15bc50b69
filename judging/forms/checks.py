"""Forms of checks: which items with known grades a study has, and how often workers meet them."""

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.access import qrels_for
from judging.models import Item, Qrels, Study, User

MOST = 500  # checks made at a time
ROLES = [
    (Item.Role.GOLD, _("Gold, mixed in")),
    (Item.Role.TEST, _("Qualification test, before the work")),
    (Item.Role.TRAINING, _("Training, before the test")),
]


class HowOften(forms.ModelForm):
    class Meta:
        model = Study
        fields = ["gold_every", "pass_mark"]
        labels = {"gold_every": _("Gold and attention checks, one in"), "pass_mark": _("Pass mark")}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.instance.compares:
            self.fields["gold_every"].label = _("Gold pairs, one in")
            self.fields["gold_every"].help_text = _("Of about one in so many pairs the better list is known. 0: none.")


class TakeForm(forms.Form):
    qrels = forms.ModelChoiceField(Qrels.objects.none(), empty_label=None, label=_("Grades from"))
    role = forms.ChoiceField(choices=ROLES, label=_("Use them as"))
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=20, label=_("How many"))
    grade = forms.TypedChoiceField(
        coerce=int,
        empty_value=None,
        required=False,
        label=_("Of which grade"),
        help_text=_("Every grade: as many of each as there are."),
    )
    leeway = forms.IntegerField(
        min_value=0,
        max_value=9,
        initial=0,
        label=_("Grades off that are still right"),
        help_text=_("Grades so far from the known one are right, too."),
    )

    def __init__(self, *args, study: Study, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["qrels"].queryset = qrels_for(user).filter(collection=study.collection_id)  # type: ignore[attr-defined]
        self.fields["grade"].choices = [("", _("Every grade in turn")), *grade_choices(study)]  # type: ignore[attr-defined]


class PairsForm(forms.Form):
    """Pairs of lists of which the better one is known by qrels."""

    qrels = forms.ModelChoiceField(Qrels.objects.none(), empty_label=None, label=_("Grades from"))
    role = forms.ChoiceField(choices=ROLES, label=_("Use them as"), initial=Item.Role.TRAINING)
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=5, label=_("How many"))

    def __init__(self, *args, study: Study, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["qrels"].queryset = qrels_for(user).filter(collection=study.collection_id)  # type: ignore[attr-defined]


class OwnForm(forms.Form):
    """The researcher's own grade of a document of the pool."""

    grade = forms.TypedChoiceField(coerce=int, widget=forms.RadioSelect, label=_("Your grade"))
    role = forms.ChoiceField(choices=ROLES, label=_("Use it as"), initial=Item.Role.GOLD)
    explanation = forms.CharField(
        required=False,
        max_length=5000,
        widget=forms.Textarea(attrs={"rows": 3}),
        label=_("Why"),
        help_text=_("In training workers read it after their answer. Markdown."),
    )

    def __init__(self, *args, study: Study, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["grade"].choices = grade_choices(study)  # type: ignore[attr-defined]


def grade_choices(study: Study) -> list[tuple[int, str]]:
    return [(step["grade"], f"{step['grade']} {step['label']}") for step in study.scale]


class PromoteForm(forms.Form):
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=10, label=_("How many"))


class AttentionForm(forms.Form):
    count = forms.IntegerField(min_value=1, max_value=MOST, initial=5, label=_("How many"))

"""The form of a graded study, and what those of both kinds share; what they ask becomes settled at launch."""

from dataclasses import asdict

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.access import collections_for
from judging.database.numbers import number_in
from judging.forms.list_fields import RowsField
from judging.forms.pay import PayForm
from judging.forms.pools import TagsField, TopicsField
from judging.forms.questions import question_forms
from judging.forms.refusals import refusals_in
from judging.models import Collection, Invite, Run, Study, User
from judging.models.question import check_together
from judging.models.study import HIGHEST_GRADE


class ScaleField(forms.CharField):
    """The grades, one per line: `2 Relevant: Answers a part of the need. | “Barn owls hunt voles.”`"""

    widget = forms.Textarea(attrs={"rows": 5, "class": "code"})

    def prepare_value(self, value):
        if isinstance(value, list):
            return "\n".join(map(self.line, value))
        return value

    def line(self, step: dict) -> str:
        text = f"{step['grade']} {step['label']}: {step['help']}".rstrip(": ")
        return f"{text} | {step['example']}" if step.get("example") else text

    def to_python(self, value):
        return [
            self.step(number, line)
            for number, line in enumerate((super().to_python(value) or "").splitlines(), 1)
            if line.strip()
        ]

    def step(self, number: int, line: str) -> dict:
        grade, __, rest = line.strip().partition(" ")
        rest, __, example = rest.partition("|")
        label, __, explanation = rest.partition(":")
        value = number_in(grade)
        if value is None or value > HIGHEST_GRADE or not label.strip():
            raise forms.ValidationError(
                _("Line %(number)s: expected a grade from 0 to %(highest)s and its label, as in “2 Relevant: Answers a part.”")
                % {"number": number, "highest": HIGHEST_GRADE}
            )
        step = {"grade": value, "label": label.strip()[:60], "help": explanation.strip()[:300]}
        return step | ({"example": example.strip()[:300]} if example.strip() else {})

    def validate(self, value):
        super().validate(value)
        grades = [step["grade"] for step in value]
        if len(grades) < 2:
            raise forms.ValidationError(_("A scale needs at least two grades."))
        if sorted(set(grades)) != grades:
            raise forms.ValidationError(_("List each grade once, the lowest first."))


PAY = ["pay_a_judgement", "pay_an_hour", "pay_screened_out", "currency"]
TIME = ["lease_minutes", "seconds_a_judgement", "least_seconds"]
WIDGETS = {
    "runs": forms.CheckboxSelectMultiple,
    "instructions": forms.Textarea(attrs={"rows": 12}),
    "consent": forms.Textarea(attrs={"rows": 4}),
}
LABELS = {
    "name": _("Name"), "instructions": _("Instructions"), "consent": _("Consent"), "runs": _("Runs"), "currency": _("Currency"),
    "lease_minutes": _("Minutes reserved"), "seconds_a_judgement": _("Seconds per judgement"),
    "least_seconds": _("Too fast below (seconds)"), "pay_a_judgement": _("Pay per judgement"), "pay_an_hour": _("Pay per hour"),
    "pay_screened_out": _("Pay for workers who are screened out"), "overlap": _("Workers per item"),
    "most_judgements": _("Items per worker"),
}  # fmt: skip
HELP_TEXTS = {
    "pay_a_judgement": _("Up to four decimals. Checks and surplus answers are paid alike."),
    "pay_an_hour": _("For the time that documents are in view, each up to five times as long as expected."),
    "pay_screened_out": _("Instead, for workers who do not pass the qualification test. 0: what they answered is paid as usual."),
}  # fmt: skip


class AnyStudyForm(PayForm):
    """What studies of both kinds ask."""

    without_runs = _("Choose at least one run: its best results become the pool.")

    def __init__(self, *args, collection: Collection, **kwargs):
        super().__init__(*args, **kwargs)
        self.instance.collection = collection
        self.fields["runs"].queryset = Run.objects.filter(collection=collection)  # type: ignore[attr-defined]
        self.fields["runs"].error_messages["required"] = self.without_runs
        self.fields["runs"].required = True
        for name in {"certainty", "least_seconds"} & set(self.fields):
            self.fields[name].required = False

    def clean_least_seconds(self) -> float:
        return self.given_or_usual("least_seconds")

    def given_or_usual(self, name: str) -> float:
        value = self.cleaned_data[name]
        return getattr(Study(), name) if value is None else value

    def clean_name(self) -> str:
        name = self.cleaned_data["name"]
        others = Study.objects.filter(collection=self.instance.collection, name=name).exclude(pk=self.instance.pk)
        if others.exists():
            raise forms.ValidationError(_("This collection already has a study of this name."))
        return name


POOL_LABELS = {
    "depth": _("Pool depth"), "topic_count": _("Number of topics, drawn at random"), "topic_seed": _("Seed of the draw"),
    "judgement_budget": _("Budget, in judgements"), "money_budget": _("Budget, in money"),
}  # fmt: skip
POOL_HELP = {
    "topic_count": _("Empty: all of them."),
    "judgement_budget": _("Checks included."),
    "money_budget": _("In the currency below, fees not included."),
}
POOL = ["runs", "depth", "topic_tags", "topic_numbers", "topic_count", "topic_seed", "judgement_budget", "money_budget"]


class StudyForm(AnyStudyForm):
    scale = ScaleField(
        label=_("Scale"),
        help_text=_(
            "One a line, the lowest first: its digit and label, after a colon when to give it, after a bar (|) an example."
        ),
    )
    topic_tags = TagsField(required=False, label=_("With one of these tags"), help_text=_("None ticked: whatever their tags."))
    topic_numbers = TopicsField(
        required=False, label=_("Only these topics"), help_text=_("Their numbers, one a line or with commas.")
    )

    class Meta:
        model = Study
        fields = [
            "name", *POOL, "overlap", "most_overlap", "certainty", "most_judgements",
            "instructions", "scale", "consent", *TIME, *PAY,
        ]  # fmt: skip
        field_classes = {"runs": RowsField}
        widgets = WIDGETS
        labels = LABELS | POOL_LABELS | {"most_overlap": _("Workers per item, at most"), "certainty": _("Certain enough to stop")}
        help_texts = HELP_TEXTS | POOL_HELP

    def __init__(self, data=None, *args, **kwargs):
        super().__init__(data, *args, **kwargs)
        self.questions = question_forms(data, self.instance.questions)
        collection = self.instance.collection
        self.fields["topic_numbers"].collection = collection  # type: ignore[attr-defined]
        self.fields["topic_tags"].offer(collection, self.instance.topic_tags)  # type: ignore[attr-defined]
        self.fields["topic_seed"].required = False
        for name in POOL if self.instance.chosen else []:
            del self.fields[name]

    @property
    def asks_more(self) -> bool:
        """Whether there is a further question, so that the form shows them at once."""
        return any(question.is_open for question in self.questions)

    def clean_topic_seed(self) -> int:
        seed = self.cleaned_data["topic_seed"]
        return self.instance.topic_seed if seed is None else seed

    def clean_certainty(self) -> float:
        return self.given_or_usual("certainty")

    def clean(self):
        cleaned = super().clean()
        if any(form.errors for form in self.questions):
            self.add_error(None, _("Look at the questions: something in them is wrong."))
            return cleaned
        asked = [form.question for form in self.questions if form.question]
        with refusals_in(self):
            check_together(asked, pays_each=bool(cleaned.get("pay_a_judgement")))
        self.instance.questions = [asdict(question) for question in asked]
        return cleaned


class InviteForm(forms.ModelForm):
    machines = forms.BooleanField(required=False)

    class Meta:
        model = Invite
        fields = ["label"]


class ChooseCollection(forms.Form):
    kind = forms.ChoiceField(
        choices=[
            (Study.Kind.GRADED, _("Graded: workers grade one document after the other")),
            (Study.Kind.SIDE_BY_SIDE, _("Side by side: workers compare two systems’ lists of results")),
        ],
        initial=Study.Kind.GRADED,
        widget=forms.RadioSelect,
        label=_("What workers do"),
    )
    collection = forms.ModelChoiceField(Collection.objects.none(), empty_label=None, label=_("Collection"))

    def __init__(self, *args, user: User, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["collection"].queryset = collections_for(user)  # type: ignore[attr-defined]

"""The form of a side-by-side study: what is compared, and what workers are asked about it."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.models import construct_instance
from django.utils.translation import gettext_lazy as _

from judging.forms.folded_settings import are_open
from judging.forms.list_fields import LinesField, RowsField
from judging.forms.studies import HELP_TEXTS, LABELS, TIME, WIDGETS, AnyStudyForm
from judging.models import Comparison, Study
from judging.models.comparison import MOST_DEPTH, MOST_MIRRORED

PAIRED = ["pairing", "baseline", "budget", "topics", "topic_count"]
ANSWERED = ["points", "both_bad", "marks_results", "reasons"]
COMPARED = ["question", *ANSWERED, "mirrored", *PAIRED]
MOST_REASONS = 9
LONGEST = 60


class PairStudyForm(AnyStudyForm):
    """A form for the study and its comparison at once."""

    without_runs = _("Choose at least two runs to compare.")
    reasons = LinesField(
        most=MOST_REASONS, longest=LONGEST, noun="reason",
        required=False, label=_("Reasons to tick"), help_text=_("One a line; workers may tick some, or none."),
    )  # fmt: skip
    mirrored = forms.IntegerField(
        min_value=0,
        max_value=int(100 * MOST_MIRRORED),
        label=_("Repeated with sides swapped, %"),
        help_text=_("Of a worker’s answers, with the sides of an earlier pair changed: who means it prefers the same list."),
    )

    class Meta:
        model = Study
        fields = [
            "name",
            "runs",
            "depth",
            "overlap",
            "most_judgements",
            "instructions",
            "consent",
            *TIME,
            "pay_a_judgement",
            "pay_an_hour",
            "currency",
        ]
        field_classes = {"runs": RowsField}
        widgets = WIDGETS
        labels = LABELS | {
            "depth": _("Results per list"),
            "overlap": _("Workers per pair"),
            "most_judgements": _("Pairs per worker"),
        }
        help_texts = HELP_TEXTS | {
            "runs": _("The runs whose lists are compared, two or more."),
            "lease_minutes": _("How long a pair is kept for a worker who does not answer."),
            "pay_an_hour": _("For the time that lists are in view, each pair up to five times as long as expected."),
            "depth": _("How many results of each run are shown."),
            "overlap": _("An even number has each list as often on the left as on the right."),
            "most_judgements": _("How many pairs one worker may judge. Empty: all."),
            "seconds_a_judgement": _("Expected for a pair of lists; the time planned before launch is made from it."),
        }

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        kept = Comparison.objects.filter(study=self.instance.pk).first() if self.instance.pk else None
        self.comparison = kept or Comparison()
        names = [name for name in COMPARED if name not in self.fields]
        texts: Any = {"labels": COMPARED_LABELS, "help_texts": COMPARED_HELP}
        self.fields |= forms.fields_for_model(Comparison, names, **texts)
        self.fields["baseline"].queryset = self.fields["runs"].queryset  # type: ignore[attr-defined]
        self.fields["baseline"].empty_label = _("Choose one")  # type: ignore[attr-defined]
        for name in COMPARED:
            self.initial.setdefault(name, getattr(self.comparison, f"{name}_id" if name == "baseline" else name))
        self.initial["mirrored"] = round(100 * self.comparison.mirrored)

    @property
    def chooses_pairs(self) -> bool:
        return are_open(self, usual(PAIRED))

    @property
    def chooses_answers(self) -> bool:
        return are_open(self, usual(ANSWERED))

    @property
    def asks_more(self) -> bool:
        return are_open(self, {"most_judgements": "", "mirrored": round(100 * Comparison().mirrored)})

    def clean_depth(self) -> int:
        depth = self.cleaned_data["depth"]
        if depth > MOST_DEPTH:
            raise ValidationError(_("At most %(most)s results per list: nobody compares more.") % {"most": MOST_DEPTH})
        return depth

    def clean_mirrored(self) -> float:
        return self.cleaned_data["mirrored"] / 100

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        runs, baseline = cleaned.get("runs"), cleaned.get("baseline")
        if runs is not None and len(runs) < 2:
            self.add_error("runs", self.without_runs)
        elif cleaned.get("pairing") == Comparison.Pairing.BASELINE and baseline and runs is not None and baseline not in runs:
            self.add_error("baseline", _("Choose one of the runs that are compared."))
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]
        construct_instance(self, self.comparison, COMPARED)
        try:
            self.comparison.full_clean(exclude=["study", *self.errors])
        except ValidationError as error:
            self._update_errors(error)  # type: ignore[attr-defined]

    def save(self, commit: bool = True) -> Study:
        study = super().save(commit)
        self.comparison.study = study
        self.comparison.save()
        return study


def usual(names: Iterable[str]) -> dict[str, Any]:
    return {name: getattr(Comparison(), name) for name in names}


COMPARED_LABELS = {
    "question": _("Question"), "baseline": _("Baseline"), "points": _("Answers"), "pairing": _("Which pairs"),
    "both_bad": _("“Both are bad” is an answer, too"), "marks_results": _("Workers may mark single results, too"),
    "budget": _("Budget, in judgements"), "topics": _("Which topics"), "topic_count": _("How many topics"),
}  # fmt: skip
COMPARED_HELP = {
    "both_bad": "",
    "marks_results": _("As relevant or bad, while comparing; that becomes graded evidence."),
    "baseline": _("With “every run with the baseline”."),
    "budget": _("With “as many pairs as the budget allows”, repeated ones included."),
    "topic_count": _("With a sample or the most different ones."),
}

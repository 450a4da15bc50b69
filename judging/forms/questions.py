"""The form of a question that a graded study asks besides the grade."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import forms
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from judging.forms.list_fields import LinesField
from judging.models import Question
from judging.models.question import LONGEST_NAME, LONGEST_OPTION, LONGEST_TEXT, MOST_OPTIONS, MOST_QUESTIONS


class QuestionForm(forms.Form):
    """One question; without a text it is none."""

    text = forms.CharField(max_length=LONGEST_TEXT, required=False, label=_("What workers are asked"))
    kind = forms.ChoiceField(choices=Question.Kind.choices, required=False, label=_("Answered by"))
    options = LinesField(
        most=MOST_OPTIONS, longest=LONGEST_OPTION, noun="answer", required=False, label=_("Answers to choose from"),
        help_text=_("One a line; grades the lowest first."),
    )  # fmt: skip
    by_subtopic = forms.BooleanField(required=False, label=_("Ask it for each of the topic’s subtopics"))
    required = forms.BooleanField(required=False, label=_("Must be answered"))
    name = forms.CharField(
        max_length=LONGEST_NAME, required=False, label=_("Called in files"), help_text=_("In files and qrels: “credible”.")
    )
    pay = forms.DecimalField(
        min_value=0,
        max_digits=7,
        decimal_places=4,
        required=False,
        label=_("Pay on top"),
        help_text=_("Where a judgement is paid."),
    )

    question: Question | None = None

    def __init__(self, data: Any = None, *, prefix: str, initial: Mapping[str, Any] | None = None):
        super().__init__(data, prefix=prefix, initial=dict(initial or {"required": True}))
        self.fields["options"].widget.attrs["rows"] = 4

    @property
    def is_open(self) -> bool:
        return bool(self["text"].value() or self.errors)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or self.cleaned_data
        text = cleaned.get("text", "")
        if not text or self.errors:
            return cleaned
        kind = cleaned["kind"] or Question.Kind.YES_NO
        chosen = kind in (Question.Kind.GRADES, Question.Kind.CHOICE)
        self.question = Question(
            name=cleaned["name"] or slugify(text)[:LONGEST_NAME].strip("-") or self.prefix or "",
            text=text,
            kind=kind,
            options=cleaned["options"] if chosen else [],
            by_subtopic=cleaned["by_subtopic"],
            required=cleaned["required"],
            pay=str(cleaned["pay"] or Decimal(0)),
        )
        self.question.check()
        return cleaned


def question_forms(data: Any, kept: list[dict[str, Any]]) -> list[QuestionForm]:
    """A form for each question that a study may ask; those that it asks come first."""
    initial: list[dict[str, Any] | None] = [*kept, *[None] * MOST_QUESTIONS]
    return [QuestionForm(data, prefix=f"question-{place + 1}", initial=initial[place]) for place in range(MOST_QUESTIONS)]

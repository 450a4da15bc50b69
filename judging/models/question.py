"""A question that a graded study asks of each document besides its grade. It is settled at launch, as the scale is."""

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext as _

MOST_QUESTIONS = 4  # besides the grade
MOST_OPTIONS = 11
LONGEST_NAME, LONGEST_TEXT, LONGEST_OPTION = 30, 200, 60
NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{LONGEST_NAME - 1}}}")


@dataclass(frozen=True)
class Question:
    """One entry of `Study.questions`. `name` is the question's in files and qrels; `pay` is on top of a judgement's."""

    class Kind(TextChoices):
        YES_NO = "yes_no", "Yes or no"
        GRADES = "grades", "Grades, the lowest first"
        CHOICE = "choice", "One of several answers"
        TEXT = "text", "A short text"

    name: str
    text: str
    kind: str = Kind.YES_NO
    options: list[str] = field(default_factory=list)
    by_subtopic: bool = False
    required: bool = True
    pay: str = "0"

    @property
    def is_graded(self) -> bool:
        """Whether replies are numbers, which can be settled as qrels."""
        return self.kind != self.Kind.TEXT

    @property
    def is_ticked(self) -> bool:
        """Whether a box is ticked where the reply is yes; left empty it is no."""
        return self.by_subtopic and self.kind == self.Kind.YES_NO

    @property
    def labels(self) -> list[str]:
        """What can be replied, by its number; nothing where a text is."""
        return [_("No"), _("Yes")] if self.kind == self.Kind.YES_NO else self.options

    @property
    def scale(self) -> list[dict[str, Any]]:
        """What can be replied, as a study has its grades."""
        return [{"grade": number, "label": label, "help": ""} for number, label in enumerate(self.labels)]

    def problem(self) -> tuple[str, str] | None:
        """What is wrong with it, as the name of a field and a sentence; None if nothing is."""
        if not NAME.fullmatch(self.name) or self.name == "grade":
            return "name", f"Expected up to {LONGEST_NAME} small letters, digits and hyphens, and not “grade”."
        if self.kind in (self.Kind.GRADES, self.Kind.CHOICE) and not 2 <= len(self.options) <= MOST_OPTIONS:
            return "options", f"Give 2 to {MOST_OPTIONS} answers to choose from, one a line."
        if len(set(self.options)) < len(self.options):
            return "options", "Each answer once."
        if self.by_subtopic and self.kind == self.Kind.TEXT:
            return "by_subtopic", "A text is asked for once a document: of each subtopic it would be more than anybody writes."
        if Decimal(self.pay) and not (self.required or self.is_ticked):
            return "pay", "What is paid for must be answered: make the question required."
        return None


def problem_among(questions: list[Question], *, pays_each: bool) -> str | None:
    """What is wrong with several questions together; `pays_each` is whether the study pays by the judgement."""
    if len(questions) > MOST_QUESTIONS:
        return f"At most {MOST_QUESTIONS} questions besides the grade."
    twice = [name for name, count in Counter(question.name for question in questions).items() if count > 1]
    if twice:
        return f"Two questions are called “{twice[0]}”. Give each a name of its own."
    if not pays_each and any(Decimal(question.pay) for question in questions):
        return "Questions bring something on top where workers are paid by the judgement. Choose that, or leave their pay empty."
    return None

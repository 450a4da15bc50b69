"""A question that a graded study asks of each document besides its grade. It is settled at launch, as the scale is."""

import re
from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from judging.errors import BadFields

MOST_QUESTIONS = 4  # besides the grade
MOST_OPTIONS = 11
LONGEST_NAME, LONGEST_TEXT, LONGEST_OPTION = 30, 200, 60
NAME = re.compile(rf"[a-z0-9][a-z0-9_-]{{0,{LONGEST_NAME - 1}}}")


@dataclass(frozen=True)
class Question:
    """One entry of `Study.questions`. `name` is the question's in files and qrels; `pay` is on top of a judgement's."""

    class Kind(TextChoices):
        YES_NO = "yes_no", gettext_lazy("Yes or no")
        GRADES = "grades", gettext_lazy("Grades, the lowest first")
        CHOICE = "choice", gettext_lazy("One of several answers")
        TEXT = "text", gettext_lazy("A short text")

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

    def check(self) -> None:
        """Refuse what cannot be asked so."""
        if not NAME.fullmatch(self.name) or self.name == "grade":
            unusable = _("Expected up to %(most)s small letters, digits and hyphens, and not “grade”.")
            raise BadFields(name=unusable % {"most": LONGEST_NAME})
        if self.kind in (self.Kind.GRADES, self.Kind.CHOICE) and not 2 <= len(self.options) <= MOST_OPTIONS:
            raise BadFields(options=_("Give 2 to %(most)s answers to choose from, one a line.") % {"most": MOST_OPTIONS})
        if len(set(self.options)) < len(self.options):
            raise BadFields(options=_("Each answer once."))
        if self.by_subtopic and self.kind == self.Kind.TEXT:
            many = _("A text is asked for once a document: of each subtopic it would be more than anybody writes.")
            raise BadFields(by_subtopic=many)
        if Decimal(self.pay) and not (self.required or self.is_ticked):
            raise BadFields(pay=_("What is paid for must be answered: make the question required."))


def check_together(questions: list[Question], *, pays_each: bool) -> None:
    """Refuse questions that do not go together; `pays_each` is whether the study pays by the judgement."""
    if len(questions) > MOST_QUESTIONS:
        raise BadFields(questions=_("At most %(most)s questions besides the grade.") % {"most": MOST_QUESTIONS})
    twice = [name for name, count in Counter(question.name for question in questions).items() if count > 1]
    if twice:
        raise BadFields(questions=_("Two questions are called “%(name)s”. Give each a name of its own.") % {"name": twice[0]})
    if not pays_each and any(Decimal(question.pay) for question in questions):
        unpaid = _(
            "Questions bring something on top where workers are paid by the judgement. Choose that, or leave their pay empty."
        )
        raise BadFields(questions=unpaid)

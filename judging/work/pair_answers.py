"""Answers about two lists: what workers can answer, and how what their pages send is read."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from judging.errors import Unacceptable
from judging.models import Comparison, Judgement, Preference

MOST_INTERACTIONS = 500
DOES = ("open", "close", "expand", "collapse", "scroll", "follow")
RELEVANT, BAD = 1, 0
LEFT = {
    "slightly": gettext_lazy("Left is slightly better"),
    "": gettext_lazy("Left is better"),
    "much": gettext_lazy("Left is much better"),
}
RIGHT = {
    "slightly": gettext_lazy("Right is slightly better"),
    "": gettext_lazy("Right is better"),
    "much": gettext_lazy("Right is much better"),
}
GRADE_LABELS = (  # those of `scale_of`, which are stored in English: pages translate them
    gettext_noop("Tie"),
    gettext_noop("First slightly better"),
    gettext_noop("First better"),
    gettext_noop("First much better"),
    gettext_noop("Second slightly better"),
    gettext_noop("Second better"),
    gettext_noop("Second much better"),
)
HOW_MUCH = {1: ["", "", ""], 2: ["", "", "much"], 3: ["", "slightly", "", "much"]}  # by the strength, then the step


@dataclass(frozen=True)
class PairAnswer:
    """An answer about two lists besides its grade, which is above 0 where the first list is better.

    Lists are the item's, whatever stood where: 0 is its first. `swapped`: the worker had that on the right.
    """

    swapped: bool
    both_bad: bool = False
    reasons: list[str] = field(default_factory=list)
    marks: list[list[int]] = field(default_factory=list)
    interactions: list[list[Any]] = field(default_factory=list)
    seen: list[list[int]] | None = None

    @property
    def says(self) -> tuple:
        """What is answered, without what was measured."""
        return self.both_bad, self.reasons, self.marks

    def store(self, judgement: Judgement) -> None:
        Preference.objects.create(judgement=judgement, **vars(self))


def stored_details(judgement: Judgement) -> tuple:
    kept = Preference.objects.get(judgement=judgement)
    return kept.both_bad, kept.reasons, kept.marks


def steps(comparison: Comparison) -> list[int]:
    """How much better the right list can be than the left one, from left to right; below 0 the left one is better."""
    strength = comparison.strength
    return [step for step in range(-strength, strength + 1) if step or comparison.has_ties]


def words(step: int, comparison: Comparison) -> str:
    """What a step is called."""
    if not step:
        return _("About the same")
    return str((LEFT if step < 0 else RIGHT)[HOW_MUCH[comparison.strength][abs(step)]])


def scale_of(comparison: Comparison) -> list[dict[str, Any]]:
    """The grades that answers come to, as a graded study has them: how much better the first list of an item is."""
    much = HOW_MUCH[comparison.strength]
    return [
        {
            "grade": grade,
            "label": f"{'First' if grade > 0 else 'Second'} {much[abs(grade)]} better".replace("  ", " ") if grade else "Tie",
        }
        for grade in range(-comparison.strength, comparison.strength + 1)
    ]


def as_seen(grade: int, *, swapped: bool) -> int:
    """The step that a grade was, and the grade that a step is: which of two lists stood on the right is all that differs."""
    return grade if swapped else -grade


def problem(grade: int | None, pair: PairAnswer | None, comparison: Comparison) -> str | None:
    """Why this is no answer, for the worker; None if it is one."""
    if pair is None:
        return _("This study compares two lists: say which is better.")
    if grade is not None and not is_allowed(grade, comparison, both_bad=pair.both_bad):
        return _("That is not one of this study's answers.")
    if grade is not None and pair.seen and not all(milliseconds for milliseconds, _results in pair.seen):
        return _("Look at both lists, then say which is better.")
    if grade is None and pair.both_bad:
        return _("Choose one answer: that both are bad, or that you can't judge.")
    return problem_beside(pair, comparison)


def problem_beside(pair: PairAnswer, comparison: Comparison) -> str | None:
    """What is wrong with an answer besides the choice of a list; None if nothing is."""
    if not set(pair.reasons) <= set(comparison.reasons):
        return _("One of the reasons is not one of this study's.")
    if pair.marks and not comparison.marks_results:
        return _("This study does not ask for single results.")
    return None


def is_allowed(grade: int, comparison: Comparison, *, both_bad: bool) -> bool:
    if both_bad:
        return grade == 0 and comparison.both_bad
    return grade in steps(comparison)


class NotReadable(Unacceptable):
    """What a page has sent is not what our pages send."""


def read_marks(text: str, *, swapped: bool, depth: int) -> list[list[int]]:
    """[[side, place, grade], …] with side 0 on the left, as [[list, place, grade], …]: one grade a result, in order."""
    marks = {
        (one_of_two(side) ^ swapped, checked_number(place, depth)): one_of_two(grade) for side, place, grade in rows_of(text, 3)
    }
    return [[*key, grade] for key, grade in sorted(marks.items())]


def read_interactions(text: str, *, swapped: bool, depth: int) -> list[list[Any]]:
    """[[milliseconds, what, side, place], …] as [[milliseconds, what, list, place], …], the first MOST_INTERACTIONS of them."""
    interactions = []
    for moment, what, side, place in rows_of(text, 4)[:MOST_INTERACTIONS]:
        if what not in DOES:
            raise NotReadable(what)
        interactions.append([checked_number(moment, 2**31), what, one_of_two(side) ^ swapped, checked_number(place, depth + 1)])
    return interactions


def read_seen(text: str, *, swapped: bool, depth: int) -> list[list[int]] | None:
    """[[milliseconds, results], …] of the left and the right list, with the item's first list in front. None: not measured."""
    if not text:
        return None
    sides = [
        [checked_number(milliseconds, 2**31), checked_number(results, depth + 1)] for milliseconds, results in rows_of(text, 2)
    ]
    if len(sides) != 2:
        raise NotReadable(text)
    return sides[::-1] if swapped else sides


def rows_of(text: str, width: int) -> list[list[Any]]:
    try:
        rows = json.loads(text or "[]")
    except (ValueError, RecursionError):
        raise NotReadable(text) from None
    if not isinstance(rows, list) or not all(isinstance(row, list) and len(row) == width for row in rows):
        raise NotReadable(text)
    return rows


def checked_number(value: Any, end: int) -> int:
    if type(value) is not int or not 0 <= value < end:
        raise NotReadable(value)
    return value


def one_of_two(value: Any) -> int:
    return checked_number(value, 2)


def chosen_reasons(reasons: Iterable[str], comparison: Comparison) -> list[str]:
    """The chosen reasons in the study's order, each once."""
    ticked = set(reasons)
    return [reason for reason in comparison.reasons if reason in ticked]

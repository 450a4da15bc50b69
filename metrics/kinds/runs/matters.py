"""The difference between two runs that matters: the reader says it, else the question on their systems, else it is as usual."""

import math
from typing import NamedTuple

from django.db.models import Q

from ireval.planning import WORTH_TELLING
from judging.access import hypotheses_for
from judging.models import Hypothesis, User
from judging.models.hypothesis import USUAL

MOST_ASKED = 20  # questions on one pair of systems that are looked through


class Matters(NamedTuple):
    """A difference that matters, and the question that said so; None where the reader did, or nobody."""

    difference: float
    hypothesis: Hypothesis | None = None


def what_matters(text: str, first: int, second: int, *, measure: str, user: User) -> Matters:
    """The difference to plan for between two runs by a measure."""
    if number := above_zero(text):
        return Matters(number)
    hypothesis = asked_of(first, second, measure=measure, user=user)
    return Matters(margin_of(hypothesis)["margin"], hypothesis) if hypothesis else Matters(WORTH_TELLING)


def asked_of(first: int, second: int, *, measure: str, user: User) -> Hypothesis | None:
    """The newest question of this reader on the systems of two runs, by this measure."""
    either = Q(a__versions__runs=first, b__versions__runs=second) | Q(a__versions__runs=second, b__versions__runs=first)
    asked = hypotheses_for(user).filter(either).order_by("-pk").distinct()[:MOST_ASKED]
    return next((hypothesis for hypothesis in asked if margin_of(hypothesis).get("measure") == measure), None)


def margin_of(hypothesis: Hypothesis) -> dict:
    """What the question expects of grades, whoever gave them."""
    return hypothesis.expectations.get("experts", USUAL["experts"])


def above_zero(text: str) -> float | None:
    """
    >>> above_zero("0,02"), above_zero("-1"), above_zero("nan"), above_zero("")
    (0.02, None, None, None)
    """
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if 0 < number < math.inf else None

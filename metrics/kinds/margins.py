"""The difference that matters between two systems: the reader says it, else the question on them, else it is as usual."""

import math
from typing import NamedTuple

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from ireval.planning import WORTH_TELLING
from judging.access import hypotheses_for, systems_for
from judging.models import Hypothesis, Run, User, Version
from judging.models.hypothesis import USUAL

MOST_ASKED = 20  # questions on one pair of systems that are looked through

# Of two things that are compared, the versions of systems that they belong to; None where nobody said which.
Versions = tuple[int | None, int | None]


class Matters(NamedTuple):
    """A difference that matters, and the question that said so; None where the reader did, or nobody."""

    difference: float
    hypothesis: Hypothesis | None = None

    @property
    def source(self) -> str:
        """Who said so, behind the difference in a sentence; empty where no question did."""
        if not self.hypothesis:
            return ""
        text = _("(what matters in the question %(question)s)")
        return f" {text % {'question': self.hypothesis.name}}"


def what_matters(kind: str, versions: Versions, *, user: User, measure: str = "", text: str = "") -> Matters:
    """What the reader said, else what the newest question expects of this kind of evidence; of grades by this measure."""
    if number := above_zero(text):
        return Matters(number)
    for hypothesis in asked_of(versions, user):
        expected = hypothesis.expectations.get(kind, USUAL[kind])
        if expected.get("measure", "") == measure:
            return Matters(expected["margin"], hypothesis)
    return Matters(WORTH_TELLING if measure else USUAL[kind]["margin"])


def asked_of(versions: Versions, user: User) -> list[Hypothesis]:
    """The questions of this reader on the systems of two versions, the newest first."""
    first, second = versions
    if not first or not second:
        return []
    either = Q(a__versions=first, b__versions=second) | Q(a__versions=second, b__versions=first)
    return list(hypotheses_for(user).filter(either).order_by("-pk").distinct()[:MOST_ASKED])


def way_to_verdict(versions: Versions, user: User) -> tuple[str, str] | None:
    """Where all evidence on two systems meets: an address, and what is to be had there.

    It is the newest question's verdict, else the form that asks whether the first is better. None where nobody said which systems
    these are, and for who may not ask about both.
    """
    if asked := asked_of(versions, user):
        return reverse("verdict", args=[asked[0].pk]), _("See the verdict by all evidence")
    own = Version.objects.filter(pk__in=filter(None, versions), system__in=systems_for(user))
    systems = dict(own.values_list("pk", "system"))
    first, second = (systems.get(version or 0) for version in versions)
    if not first or not second or first == second:
        return None
    return f"{reverse('verdict_new')}?a={second}&b={first}", _("Ask for a verdict by all evidence")


def versions_of_runs(first: int | None, second: int | None) -> Versions:
    """Of runs by their keys; None of a run that is gone."""
    versions = dict(Run.objects.filter(pk__in=[key for key in (first, second) if key]).values_list("pk", "version"))
    return versions.get(first or 0), versions.get(second or 0)


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

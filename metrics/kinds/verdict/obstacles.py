"""Obstacles: why the newest report of an experiment decides nothing in a verdict. Its own page says so, too."""

from django.utils.translation import gettext_lazy

from ireval.behaviour import definition_of
from judging.models import User
from metrics.kinds.ab.results import ABResults
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.models import Report

OBSTACLES = {
    "empty": gettext_lazy("it has nothing to compare yet"),
    "early": gettext_lazy("it is not to be read yet"),
    "flawed": gettext_lazy("what it found cannot be believed"),
    "undirected": gettext_lazy("its metric does not say which arm is better"),
}


def obstacle(report: Report, owner: User) -> str:
    """Which of OBSTACLES keeps a finished report of an experiment out of verdicts; empty where none does."""
    is_ab = report.kind == Report.Kind.AB
    results = ABResults(report, owner, {}) if is_ab else InterleavingResults(report, owner, {})
    if results.nothing or results.too_few:
        return "empty"
    if not results.may_be_read:
        return "early"
    if not isinstance(results, ABResults):
        return ""
    if results.is_flawed:
        return "flawed"
    return "undirected" if definition_of(results.metric).better == "unknown" else ""

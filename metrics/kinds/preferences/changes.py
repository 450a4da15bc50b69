"""What changed between two reports on a side-by-side study."""

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judging.models import User
from metrics.kinds.preferences.results import PreferenceResults
from metrics.kinds.studies import judgement_changes
from metrics.models import Report
from metrics.sentences import differ, listed, percent


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with: the fingerprint of the evidence, who leads, or the share of one of two systems."""
    results = PreferenceResults.of(report)
    leaders = [row["system"] for row in results.ladder if row["rank"] == 1]
    shares = {} if leaders else {duel["first"]: duel["score"]["value"] for duel in results.duels}
    return {**report.evidence, "leaders": leaders, "shares": shares}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        *judgement_changes(before, after, "answer"),
        _("another number of answers is wanted") if differ(before, after, "wanted") else "",
        in_the_lead(before["leaders"], after["leaders"]),
        *(share_change(before["shares"], system, share) for system, share in after["shares"].items()),
    ]


def in_the_lead(before: list[str], after: list[str]) -> str:
    """
    >>> in_the_lead(["alpha"], ["alpha", "beta"]), in_the_lead(["beta"], ["beta"]), in_the_lead([], ["beta"])
    ('alpha and beta are first (was alpha)', 'beta is still first', 'beta is first')
    """
    if not after:
        return ""
    names = {"names": listed(after), "before": listed(before)}
    if before == after:
        return ngettext("%(names)s is still first", "%(names)s are still first", len(after)) % names
    if not before:
        return ngettext("%(names)s is first", "%(names)s are first", len(after)) % names
    return ngettext("%(names)s is first (was %(before)s)", "%(names)s are first (was %(before)s)", len(after)) % names


def share_change(before: dict[str, float], system: str, share: float) -> str:
    """
    >>> share_change({"alpha": 0.54}, "beta", 0.61), share_change({"beta": 0.58}, "beta", 0.61), share_change({}, "beta", 0.61)
    ('beta gets 61 % of the votes, was 46 %', 'beta gets 61 % of the votes, was 58 %', 'beta gets 61 % of the votes')
    >>> share_change({"beta": 0.611}, "beta", 0.61)
    'beta still gets 61 % of the votes'
    """
    was, now = before.get(system, next((1 - other for other in before.values()), None)), percent(share)
    values = {"system": system, "share": now}
    if was is None:
        return _("%(system)s gets %(share)s of the votes") % values
    if percent(was) == now:
        return _("%(system)s still gets %(share)s of the votes") % values
    return _("%(system)s gets %(share)s of the votes, was %(before)s") % {**values, "before": percent(was)}

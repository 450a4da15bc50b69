"""What changed between two reports on a graded study."""

from typing import Any

from django.utils.translation import gettext as _

from judging.models import User
from metrics.kinds.quality.results import coefficients
from metrics.kinds.studies import judgement_changes
from metrics.models import Report
from metrics.sentences import decimal, differ


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with: the fingerprint of the evidence, and the coefficient to report."""
    every = coefficients(report)
    return {**report.evidence, "alpha": every[-1].value if every else None}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        *judgement_changes(before, after, "judgement"),
        _("other checks") if differ(before, after, "checks") else "",
        _("other rules") if differ(before, after, "rules", "least_seconds") else "",
        alpha_change(before["alpha"], after["alpha"]),
    ]


def alpha_change(before: float | None, after: float | None) -> str:
    """
    >>> alpha_change(0.55, 0.6123), alpha_change(0.55, 0.5501), alpha_change(None, 0.55)
    ('α 0.612, was 0.550', 'α still 0.550', 'α 0.550, was undefined')
    """
    was, now = as_alpha(before), as_alpha(after)
    if was == now:
        return _("α still %(now)s") % {"now": now}
    return _("α %(now)s, was %(was)s") % {"now": now, "was": was}


def as_alpha(value: float | None) -> str:
    return _("undefined") if value is None else decimal(value)

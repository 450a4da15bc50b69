"""What changed between two verdicts on a hypothesis."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext

from judging.models import User
from metrics.kinds.verdict.evidence import LABELS
from metrics.models import Report

SINGULAR = ("interleaving", "ab")


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with: by kind of evidence how many units there are, and their fingerprint."""
    result = report.result or {}
    lines = {answer["line"]["kind"]: answer["line"] for answer in result["answers"]}
    sources = {
        kind: {"n": lines[LABELS[kind]]["n"], "unit": lines[LABELS[kind]]["unit"], "facts": read}
        for kind, read in report.evidence.items()
    }
    return {"outcome": result["outcome"], "sources": sources}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Say what changed kind by kind, in the order of the table."""
    return [change_of(kind, before["sources"].get(kind), after["sources"].get(kind)) for kind in LABELS]


def change_of(kind: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """
    >>> few, many = {"n": 96, "unit": "votes", "facts": 1}, {"n": 1200, "unit": "votes", "facts": 2}
    >>> change_of("votes", few, many), change_of("ab", None, {"n": 9, "unit": "users", "facts": 1}), change_of("votes", few, few)
    ('side-by-side votes: 96 → 1,200', 'the A/B test is new', '')
    """
    if before == after:
        return ""
    label = gettext(LABELS[kind])
    if before is None or after is None:
        return came_or_went(kind, is_new=bool(after)) % {"kind": label}
    if before["n"] == after["n"]:
        return gettext("%(kind)s changed") % {"kind": label}
    unit = "" if LABELS[kind].endswith(after["unit"]) else f" {gettext(after['unit'])}"
    return f"{label}: {before['n']:,} → {after['n']:,}{unit}"


def came_or_went(kind: str, *, is_new: bool) -> str:
    if is_new:
        return gettext("%(kind)s is new") if kind in SINGULAR else gettext("%(kind)s are new")
    return gettext("%(kind)s is gone") if kind in SINGULAR else gettext("%(kind)s are gone")

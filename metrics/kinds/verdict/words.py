"""A verdict in words, and what changed between two of them."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import capfirst

from judging.models import User
from metrics.kinds.verdict.sources import LABELS
from metrics.models import EarlierAnswer, Report

SINGULAR = ("interleaving", "ab")


def sentence(report: Report, user: User) -> str:
    """The verdict in one sentence."""
    return (report.result or {}).get("sentence", "")


def change(before: EarlierAnswer, after: EarlierAnswer) -> str:
    """Say what changed in the evidence between two answers, kind by kind."""
    changes = [change_of(kind, before.evidence.get(kind), after.evidence.get(kind)) for kind in LABELS]
    if any(changes):
        return " ".join(filter(None, changes))
    if before.engine_version != after.engine_version:
        return f"The same evidence, computed by version {after.engine_version} of the engine."
    return "The same evidence."


def change_of(kind: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> str:
    """
    >>> few, many = {"n": 96, "unit": "votes", "facts": 1}, {"n": 1200, "unit": "votes", "facts": 2}
    >>> change_of("votes", few, many), change_of("ab", None, {"n": 9, "unit": "users", "facts": 1}), change_of("votes", few, few)
    ('Side-by-side votes: 96 → 1,200.', 'The A/B test is new.', '')
    """
    label, are = capfirst(LABELS[kind]), "is" if kind in SINGULAR else "are"
    if before == after:
        return ""
    if before is None or after is None:
        return f"{label} {are} {'new' if after else 'gone'}."
    if before["n"] == after["n"]:
        return f"{label} changed."
    unit = "" if label.endswith(after["unit"]) else f" {after['unit']}"
    return f"{label}: {before['n']:,} → {after['n']:,}{unit}."

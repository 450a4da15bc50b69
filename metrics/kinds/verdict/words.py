"""A verdict in words."""

import math

from django.utils.translation import gettext as _

from judging.models import User
from metrics.kinds.verdict.results import Row, VerdictResults
from metrics.models import Report
from metrics.sentences import decimal, decimals, signed


def sentence(report: Report, user: User) -> str:
    """The verdict in one sentence."""
    return in_one_sentence(VerdictResults(report)) if report.result else ""


def in_one_sentence(results: VerdictResults) -> str:
    """The verdict, with the difference, the interval and n of the first kind of evidence that says so; of two in conflict."""
    words = ("better", "worse") if results.outcome == "conflict" else (results.outcome,)
    first = [next((row for row in results.rows if row.word == word), None) for word in words]
    return " ".join([results.sentence, *(in_numbers(row) for row in first if row)])


def in_numbers(row: Row) -> str:
    """One kind's difference with the interval that its word rests on: where two one-sided tests gave it, that of both."""
    decision, line = row.decision, row.line
    low, high, level = decision.low, decision.high, decision.level
    if row.word in ("equal", "not worse", "not better"):
        (low, high), level = row.two_one_sided, 1 - 2 * decision.alpha
    words = {
        "kind": row.name,
        "value": signed(decision.value),
        "measure": row.measure,
        "low": decimal(low, decimals([low], 4)),
        "high": decimal(high, decimals([high], 4)),
        "level": f"{100 * level:.3g}",
        "n": f"{line.n:,}",
        "unit": row.unit,
    }
    text = _("By %(kind)s: %(value)s %(measure)s, n = %(n)s %(unit)s.")
    if not math.isnan(low):
        text = _("By %(kind)s: %(value)s %(measure)s (%(level)s %% interval %(low)s to %(high)s), n = %(n)s %(unit)s.")
    return text % words

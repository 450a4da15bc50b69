"""A verdict in words."""

import math
import re

from django.utils.translation import gettext as _

from judging.models import User
from metrics.kinds.verdict.results import Row, VerdictResults
from metrics.models import Report
from metrics.sentences import decimals


def sentence(report: Report, user: User) -> str:
    """The verdict in one sentence."""
    return in_one_sentence(VerdictResults(report)) if report.result else ""


def in_one_sentence(results: VerdictResults) -> str:
    """The verdict, with the difference, the interval and n of the first kind of evidence that says so; of two in conflict."""
    words = ("better", "worse") if results.outcome == "conflict" else (results.outcome,)
    first = [next((row for row in results.rows if row.word == word), None) for word in words]
    return " ".join([results.sentence, *(in_numbers(row) for row in first if row)])


def in_numbers(row: Row) -> str:
    decision, line = row.decision, row.line
    words = {
        "kind": row.name,
        "value": f"{decision.value:+.{decimals([decision.value], 4)}f}",
        "measure": row.measure,
        "low": f"{decision.low:.{decimals([decision.low], 4)}f}",
        "high": f"{decision.high:.{decimals([decision.high], 4)}f}",
        "level": f"{100 * decision.level:.3g}",
        "n": f"{line.n:,}",
        "unit": row.unit,
    }
    text = _("By %(kind)s: %(value)s %(measure)s, n = %(n)s %(unit)s.")
    if not math.isnan(decision.low):
        text = _("By %(kind)s: %(value)s %(measure)s (%(level)s %% interval %(low)s to %(high)s), n = %(n)s %(unit)s.")
    return re.sub(r"-(?=\d+\.\d{4})", "−", text % words)

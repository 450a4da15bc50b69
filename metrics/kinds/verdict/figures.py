"""The figure of a verdict: how often B beats A by each kind of evidence."""

from collections.abc import Mapping

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from metrics.figures.intervals import Intervals, Mark, Scale
from metrics.kinds.verdict.results import VerdictResults

SHARES = Scale(0.0, 1.0, (0.5,))


def forest(results: VerdictResults, origins: Mapping[str, str]) -> Intervals | None:
    """A mark for each kind of evidence, which leads to its origin; None without any."""
    marks = [
        Mark(
            f"{capfirst(row.name)}, {row.measure}", row.share.value, row.share.low, row.share.high, row.says,
            origins.get(row.kind, ""),
        )
        for row in results.rows
    ]  # fmt: skip
    hypothesis = results.report.subject
    title = _("How often %(b)s (B) beats %(a)s (A), from 0 to 1") % {"b": hypothesis.b, "a": hypothesis.a}
    return Intervals(title, marks, SHARES) if marks else None

"""A registry of all kinds of reports."""

from dataclasses import replace

from metrics.kinds.ab.parts import AB
from metrics.kinds.answers import keep_answers
from metrics.kinds.clicks.parts import CLICKS
from metrics.kinds.interleaving.parts import INTERLEAVING
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.runs.parts import RUNS
from metrics.kinds.verdict.parts import VERDICT
from metrics.models import Report
from metrics.pipeline import Kind

# What is kept is worded, and words are made of what the parts of the kinds give: so it is added here.
KINDS = {
    kind.name: replace(kind, keep_answers=keep_answers)
    for kind in (RUNS, QUALITY.kind, PREFERENCES.kind, AB, INTERLEAVING, CLICKS, VERDICT)
}


def kind_of(report_id: int) -> Kind | None:
    """The kind of a report; None if it was deleted meanwhile."""
    name = Report.objects.filter(pk=report_id).values_list("kind", flat=True).first()
    return KINDS[Report.Kind(name)] if name else None

"""A registry of all kinds of reports."""

from metrics.kinds.ab.parts import AB
from metrics.kinds.clicks.parts import CLICKS
from metrics.kinds.interleaving.parts import INTERLEAVING
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.runs.parts import RUNS
from metrics.kinds.verdict.parts import VERDICT
from metrics.models import Report
from metrics.pipeline import Kind

KINDS = {kind.name: kind for kind in (RUNS, QUALITY.kind, PREFERENCES.kind, AB, INTERLEAVING, CLICKS, VERDICT)}


def kind_of(report_id: int) -> Kind | None:
    """The kind of a report; None if it was deleted meanwhile."""
    name = Report.objects.filter(pk=report_id).values_list("kind", flat=True).first()
    return KINDS[Report.Kind(name)] if name else None

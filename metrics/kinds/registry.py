"""The kinds of reports as the pipeline computes them."""

from dataclasses import replace

from metrics.kinds.answers import keep_answers
from metrics.kinds.report_kinds import REPORT_KINDS
from metrics.models import Report
from metrics.pipeline import Kind

# What is kept is worded, and words are made of what the parts of the kinds give: so it is added here.
KINDS = {name: replace(entry.kind, keep_answers=keep_answers) for name, entry in REPORT_KINDS.items()}


def kind_of(report_id: int) -> Kind | None:
    """The kind of a report; None if it was deleted meanwhile."""
    name = Report.objects.filter(pk=report_id).values_list("kind", flat=True).first()
    return KINDS[Report.Kind(name)] if name else None

"""Files of an experiment's report, by its kind."""

from collections.abc import Mapping
from typing import Any

from django.utils.text import slugify

from judging.models import User
from metrics.downloads import File
from metrics.kinds.ab import files as ab
from metrics.kinds.ab.effects import ABResults
from metrics.kinds.interleaving import files as interleaving
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.models import Report


def results_for(report: Report, user: User, query: Mapping[str, Any]) -> ABResults | InterleavingResults:
    """The results of a finished report, as far as this reader may see them and as they chose to look at them."""
    return (InterleavingResults if report.kind == Report.Kind.INTERLEAVING else ABResults)(report, user, query)


def files_of(report: Report) -> dict[str, File]:
    return interleaving.FILES if report.kind == Report.Kind.INTERLEAVING else ab.FILES


def content_of(results: ABResults | InterleavingResults) -> dict[str, Any]:
    """All that the report says to its reader, ready for JSON; null is what is unknown."""
    return interleaving.content(results) if isinstance(results, InterleavingResults) else ab.content(results)


def filename(report: Report, kind: str) -> str:
    return f"{slugify(str(report.experiment)) or report.experiment_id}-{kind}"

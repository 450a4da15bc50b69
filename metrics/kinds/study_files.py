"""Files that reports on graded and on side-by-side studies share."""

from typing import Any

from django.utils.text import slugify

from metrics.downloads import json_of
from metrics.kinds.studies import summary
from metrics.models import Report


def as_json(report: Report, **by: list[dict[str, Any]]) -> str:
    """The whole report as JSON: its evidence, spec and results; `by` names its rows."""
    whole = {
        "study": report.study_id,
        "name": report.subject.name,
        "as_of": report.as_of,
        "engine": report.engine_version,
        "digest": report.digest,
        "evidence": report.evidence,
        **report.spec,
        **summary(report),
        **by,
    }
    return json_of(whole)


def filename(report: Report, kind: str) -> str:
    return f"{slugify(report.subject.name) or report.study_id}-{kind}"

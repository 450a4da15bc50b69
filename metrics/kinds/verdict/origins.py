"""Where the evidence of a verdict came from, for those who may see it there."""

from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from judging.access import experiments_for, qrels_for, studies_for
from judging.models import User
from judging.models.hypothesis import GRADED
from metrics.access import run_reports_for
from metrics.kinds.verdict.evidence import LABELS
from metrics.models import Report


def origins(report: Report, user: User) -> dict[str, str]:
    """The page of each kind of evidence, by its name in a verdict's rows; none of what the user may not see."""
    pages = {LABELS[kind]: origin(kind, keys, user) for kind, keys in report.spec["sources"].items()}
    return {label: page for label, page in pages.items() if page}


def origin(kind: str, keys: dict[str, Any], user: User) -> str:
    if kind in GRADED:
        return report_on(keys, user) or page_of("qrels", qrels_for(user).filter(pk=keys["qrels"]))
    if kind == "votes":
        return page_of("study_preferences", studies_for(user).filter(pk=keys["study"]))
    return page_of("experiment_report", experiments_for(user).filter(reports=keys["report"]))


def report_on(keys: dict[str, Any], user: User) -> str:
    """The newest report on both runs under these grades, where it shows these; empty if there is none that the user may see."""
    reports = run_reports_for(user).filter(state=Report.State.DONE)
    for side in "ab":
        reports = reports.filter(parts__qrels=keys["qrels"], parts__run=keys[side])
    report = reports.first()
    return f"{report.get_absolute_url()}?qrels={keys['qrels']}" if report else ""


def page_of(name: str, rows: QuerySet[Any]) -> str:
    pk = rows.values_list("pk", flat=True).first()
    return reverse(name, args=[pk]) if pk else ""

"""Freshness of verdicts: those on the systems of an experiment follow its report, also one that was finished meanwhile."""

from typing import Any

from django.db.models import QuerySet

from judging.models import Hypothesis, System
from metrics import pipeline
from metrics.kinds.experiment_reports import latest_reports, request_experiment_report
from metrics.kinds.verdict.evidence import OF_EXPERIMENTS, experiment_sources, experiments_between, sources
from metrics.kinds.verdict.parts import KIND, request_verdict
from metrics.models import UNFINISHED, Report


def hypotheses_with(**chosen: Any) -> QuerySet[Hypothesis]:
    """Hypotheses with all that asking for their verdicts reads."""
    return Hypothesis.objects.filter(**chosen).select_related("a__collection", "a__site", "b", "owner").order_by("pk")


def request_with_experiments(hypothesis: Hypothesis) -> None:
    """Ask for the reports that experiments on both systems lack; the verdict follows them. Without such, ask for it at once."""
    begun = experiments_between(hypothesis).filter(started__isnull=False)
    reports = [latest_reports(experiment).last or request_experiment_report(experiment) for experiment in begun]
    if not any(report.state in UNFINISHED for report in reports):
        request_verdict(hypothesis)


def follow(report: Report) -> None:
    """Ask anew for the verdicts on the systems of a finished experiment's report."""
    if not report.is_done or report.experiment is None:
        return
    systems = System.objects.filter(versions__arms__experiment=report.experiment)
    for hypothesis in hypotheses_with(a__in=systems, b__in=systems):
        if sources(hypothesis) or pipeline.latest_reports(KIND, hypothesis).report:
            request_verdict(hypothesis)


def catch_up(report: Report) -> None:
    """Ask anew for a verdict that had read its evidence before the report of an experiment was finished."""
    if not report.is_done or report.hypothesis is None:
        return
    read = {kind: keys for kind, keys in report.spec["sources"].items() if kind in OF_EXPERIMENTS}
    if read != {source.kind: source.keys for source in experiment_sources(report.hypothesis)}:
        request_verdict(report.hypothesis)

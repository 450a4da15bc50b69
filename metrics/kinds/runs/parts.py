"""Parts of the report on runs, one per run and qrels; all together give differences and rank correlations."""

from collections.abc import Iterator, Sequence

from django.utils import timezone

from ireval import ENGINE_VERSION
from metrics.kinds.runs import evidence
from metrics.kinds.runs.contrasts import DIFFERENCES, differences
from metrics.kinds.runs.correlation import ranking_correlations
from metrics.kinds.runs.curves import trace_curves
from metrics.kinds.runs.results import CURVES, VALUES
from metrics.kinds.runs.values import per_topic_values, summary
from metrics.models import Part, Report
from metrics.pipeline import Findings, Kind, Reading


def read(report: Report) -> Reading:
    """Make lost files of qrels anew; read nothing else, since runs and qrels never change and each part reads its own."""
    return Reading(as_of=timezone.now(), evidence={"made_anew": evidence.made_anew(report)})


def compute(parts: Sequence[Part]) -> Iterator[Findings]:
    """Evaluate one run, read once, under the qrels of each part."""
    run, spec = parts[0].run, parts[0].report.spec
    assert run
    ranking, duplicates = evidence.ranking(run), evidence.duplicates(spec)
    for part in parts:
        assert part.qrels
        grades = evidence.grades(part.qrels)
        values = per_topic_values(ranking, grades, spec, duplicates)
        curves = trace_curves(ranking, grades, spec, duplicates)
        yield Findings({"topics": len(values), "areas": curves.areas}, {VALUES: values, CURVES: curves.points})


def whole(report: Report) -> Findings:
    return Findings(summary(report) | {"rankings": ranking_correlations(report)}, {DIFFERENCES: differences(report)})


RUNS = Kind(Report.Kind.RUNS, read, compute, whole)


def is_complete(report: Report) -> bool:
    """Whether a finished report has all that is computed today; earlier versions had no curves, differences or agreement."""
    return has_curves(report) and has_differences(report) and has_agreement(report)


def is_current(report: Report) -> bool:
    """Whether asking the same question again would give the same report."""
    return report.engine_version == ENGINE_VERSION and is_complete(report)


def has_curves(report: Report) -> bool:
    return not report.parts.exclude(tables__name=CURVES).exists()


def has_differences(report: Report) -> bool:
    return report.tables.filter(part=None, name=DIFFERENCES).exists()


def has_agreement(report: Report) -> bool:
    return "rankings" in (report.result or {})

"""Asking for a study's report, whichever its kind: one answer at a time is computed, and the newest is kept."""

from typing import Any

from django.db import IntegrityError, transaction

from ireval import ENGINE_VERSION
from judging.models import Judgement, Outbox, Study
from metrics.kinds.quality.evidence import digest
from metrics.kinds.quality.kinds import kind_of
from metrics.models import StudyReport, StudyReportPart, StudyReportQuerySet

INTERVALS = {"confidence": 0.95, "resamples": 1000, "seed": 0}


def spec(study: Study) -> dict[str, Any]:
    return {"steps": list(kind_of(study).steps), "intervals": INTERVALS}


def request_study_report(study: Study) -> StudyReport:
    """The study's report: the one that is being computed, the newest if it is of today's evidence, or a new one."""
    standing = unfinished(study) or newest(study)
    if standing and (not standing.is_done or is_current(standing)):
        return standing
    try:
        return begin(study)
    except IntegrityError:  # somebody else asked at the same moment
        return unfinished(study) or begin(study)


@transaction.atomic
def begin(study: Study) -> StudyReport:
    report = StudyReport.objects.create(study=study, spec=spec(study), engine_version=ENGINE_VERSION)
    StudyReportPart.objects.bulk_create(StudyReportPart(report=report, step=step) for step in report.spec["steps"])
    StudyReport.objects.filter(study=study, state=StudyReport.State.FAILED).delete()
    Outbox.objects.post("metrics.tasks.compute_study_report", report=report.pk)
    return report


def reports(study: Study) -> StudyReportQuerySet:
    return StudyReport.objects.filter(study=study).with_progress().select_related("study")


def unfinished(study: Study) -> StudyReport | None:
    return reports(study).filter(state__in=StudyReport.UNFINISHED).first()


def failed(study: Study) -> StudyReport | None:
    """The one that failed, until somebody asks again."""
    return reports(study).filter(state=StudyReport.State.FAILED).first()


def newest(study: Study) -> StudyReport | None:
    """The newest finished one."""
    return reports(study).filter(state=StudyReport.State.DONE).first()


def has_answers(study: Study) -> bool:
    return Judgement.objects.filter(worker__study=study).exists()


def is_current(report: StudyReport) -> bool:
    """Whether asking today would give nothing else."""
    study = report.study
    return report.digest == digest(study, spec(study), kind_of(study).fingerprint(study))


def judged_since(report: StudyReport) -> int:
    return Judgement.objects.filter(worker__study=report.study_id, pk__gt=report.evidence["latest"]).count()

"""Steps of the report on a graded study: agreement of the workers, items, workers, and the effect on systems."""

from metrics.kinds.quality.agreement import agreement
from metrics.kinds.quality.effect import effect
from metrics.kinds.quality.evidence import evidence_of, fingerprint, read
from metrics.kinds.quality.items import items
from metrics.kinds.quality.workers import workers
from metrics.kinds.studies import StudyKind
from metrics.models import Report

STEPS = {"agreement": agreement, "items": items, "workers": workers, "effect": effect}
QUALITY = StudyKind(Report.Kind.QUALITY, STEPS, fingerprint, read, evidence_of)

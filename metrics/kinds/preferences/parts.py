"""Steps of the report on a side-by-side study: pairs of systems, all systems, the workers, and their behaviour."""

from metrics.kinds.preferences.behaviour import behaviour
from metrics.kinds.preferences.evidence import evidence_of, fingerprint, read
from metrics.kinds.preferences.ladder import systems
from metrics.kinds.preferences.pairs import pairs
from metrics.kinds.preferences.trust import trust
from metrics.kinds.studies import StudyKind
from metrics.models import Report

STEPS = {"pairs": pairs, "systems": systems, "trust": trust, "behaviour": behaviour}
PREFERENCES = StudyKind(Report.Kind.PREFERENCES, STEPS, fingerprint, read, evidence_of)

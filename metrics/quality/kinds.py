"""What a study's report consists of: studies that grade documents and those that compare lists have other evidence and steps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judging.models import Study
from metrics.models import StudyReport
from metrics.preferences import evidence as preferences
from metrics.preferences.behaviour import behaviour
from metrics.preferences.ladder import systems
from metrics.preferences.pairs import pairs
from metrics.preferences.trust import trust
from metrics.quality import evidence as quality
from metrics.quality.agreement import agreement
from metrics.quality.effect import effect
from metrics.quality.evidence import Part
from metrics.quality.items import items
from metrics.quality.workers import workers


@dataclass(frozen=True)
class Kind:
    """What is read of a study, how later evidence is told from it, and the steps that compute from it."""

    steps: dict[str, Callable[[Any], Part]]
    fingerprint: Callable[[Study], dict[str, Any]]
    read: Callable[[Study], dict[str, bytes]]
    evidence_of: Callable[[StudyReport], Any]


GRADED = Kind(
    {"agreement": agreement, "items": items, "workers": workers, "effect": effect},
    quality.fingerprint,
    quality.read,
    quality.evidence_of,
)
SIDE_BY_SIDE = Kind(
    {"pairs": pairs, "systems": systems, "trust": trust, "behaviour": behaviour},
    preferences.fingerprint,
    preferences.read,
    preferences.evidence_of,
)


def kind_of(study: Study) -> Kind:
    return SIDE_BY_SIDE if study.compares else GRADED

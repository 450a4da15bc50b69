"""What a study's report consists of: studies that grade documents and those that compare lists have other evidence and steps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from judging.models import Study
from metrics.kinds.preferences import evidence as preferences
from metrics.kinds.preferences.behaviour import behaviour
from metrics.kinds.preferences.ladder import systems
from metrics.kinds.preferences.pairs import pairs
from metrics.kinds.preferences.trust import trust
from metrics.kinds.quality import evidence as quality
from metrics.kinds.quality.agreement import agreement
from metrics.kinds.quality.effect import effect
from metrics.kinds.quality.evidence import Part
from metrics.kinds.quality.items import items
from metrics.kinds.quality.workers import workers
from metrics.models import StudyReport


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

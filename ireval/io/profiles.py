"""Profiles: the conventions in which evaluators of the same measures differ."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ireval.io.files import BadInput


@dataclass(frozen=True)
class Profile:
    """The conventions of an evaluator. Every result has the name of its profile.

    `score_type` is the precision in which scores are compared. `documents_at_recall(recall, relevant)` is how many relevant
    documents must be retrieved for that recall to count as reached (interpolated precision).
    """

    name: str
    summary: str
    score_type: type[np.floating]
    documents_at_recall: Callable[[float, NDArray[np.int64]], NDArray[np.float64]]


def _nine_tenths_up(recall: float, relevant: NDArray[np.int64]) -> NDArray[np.float64]:
    # In doubles with their rounding errors, as in trec_eval: .7 × 3 + .9 stays below 3.
    return np.floor(recall * relevant + 0.9)


def _rounded(recall: float, relevant: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.floor(recall * relevant + 0.5)


def _at_least(recall: float, relevant: NDArray[np.int64]) -> NDArray[np.float64]:
    # Without the tolerance, .1 × 30 = 3.0000000000000004 would need a fourth document.
    return np.ceil(recall * relevant - 1e-9)


PROFILES = {
    profile.name: profile
    for profile in (
        Profile(
            "trec_eval-9",
            "as trec_eval 9 does it: scores compared as 32-bit floats; recall r reached at ⌊r·R + .9⌋ relevant documents",
            np.float32,
            _nine_tenths_up,
        ),
        Profile(
            "trec_eval-10",
            "as trec_eval 10 does it: scores compared as doubles; recall r reached at r·R relevant documents, rounded",
            np.float64,
            _rounded,
        ),
        Profile(
            "textbook",
            "by the definitions: scores compared as doubles; recall r reached at ⌈r·R⌉ relevant documents",
            np.float64,
            _at_least,
        ),
    )
}
DEFAULT_PROFILE = "trec_eval-9"


def get_profile(name: str) -> Profile:
    """The profile of that name; BadInput names those that exist."""
    if name not in PROFILES:
        raise BadInput(f"there is no profile {name!r}; choose one of {', '.join(PROFILES)}")
    return PROFILES[name]

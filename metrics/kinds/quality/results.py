"""Results of a graded study's report, as pages, files and the API take them."""

from dataclasses import dataclass
from typing import Any

from metrics.kinds.studies import part
from metrics.models import Report


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of agreement; `value` is None where `undefined` says why. `caution` says how far to trust the interval."""

    name: str
    title: str
    value: float | None
    low: float | None
    high: float | None
    items: int
    labels: int
    undefined: str
    left_out: int
    topics: int = 0  # this and the next are not in reports of earlier versions
    caution: str = ""


def coefficients(report: Report) -> list[Coefficient]:
    return coefficients_in(part(report, "agreement"))


def coefficients_in(agreement: dict[str, Any]) -> list[Coefficient]:
    return [Coefficient(**row) for row in agreement["coefficients"]]

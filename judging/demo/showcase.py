"""Results of the demo as the first page draws them, before anybody has made one; a test compares them with the demo's reports."""

from typing import NamedTuple

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


class Line(NamedTuple):
    """A value and its interval, from 0 to 1; `apart` marks the one that stands out."""

    label: str | Promise
    value: float
    low: float | None = None
    high: float | None = None
    apart: bool = False

    @property
    def percent(self) -> dict[str, str]:
        """The same as places on a line: never localised, since a stylesheet's numbers have points."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        return {name: f"{100 * number:g}" for name, number in numbers.items() if number is not None}


VERDICT = (
    Line(_("Grades of experts"), 0.78, 0.58, 0.97),
    Line(_("Grades of workers"), 0.72, 0.52, 0.93),
    Line(_("Side-by-side votes"), 0.69, 0.5, 0.87),
    Line(_("Interleaving"), 0.63, 0.44, 0.82),
    Line(_("A/B test"), 0.64, 0.59, 0.7),
)
AGREEMENT = (0.22, 0.86, 0.83, 0.77, 0.69, 0.73)  # of each worker with the others; the first was excluded
WORKERS = (
    Line(_("w1, excluded"), AGREEMENT[0], apart=True),
    *(Line(f"w{number}", value) for number, value in enumerate(AGREEMENT[1:], start=2)),
)
SYSTEMS = (
    Line(_("four letters"), 0.72, 0.67, 0.78),
    Line(_("words"), 0.54, 0.42, 0.66),
    Line(_("titles alone"), 0.44, 0.32, 0.56),
)
ARMS = (Line(_("four letters"), 0.65), Line(_("words"), 0.48))
APART = Line(_("four letters"), 0.17, 0.11, 0.23)  # how much more searches end in a long click than by words
FIGURES = {"verdict": VERDICT, "workers": WORKERS, "systems": SYSTEMS, "arms": ARMS, "apart": APART}

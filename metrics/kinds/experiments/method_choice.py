"""The reader's choices in the address of a report, so that a link shows others the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from judging.models import Experiment

LARGEST_LIFT = 1000.0


@dataclass(frozen=True)
class Choice:
    """How the reader looks at an experiment.

    `looks` is the method of the intervals, `adjust` whether to adjust for behaviour before the experiment. `control` is the arm
    to compare with, `lift` the lift to plan for, in percent. `usual` is the choice of a reader who chose nothing.
    """

    looks: str
    adjust: bool
    control: str
    lift: float | None = None
    usual: "Choice | None" = None

    @classmethod
    def of(cls, experiment: Experiment, arms: Sequence[str], query: Mapping[str, Any]) -> Self:
        control = next((arm.name for arm in experiment.arms.all() if arm.is_control and arm.name in arms), arms[0])
        usual = cls(experiment.looks, adjust=bool(experiment.before_days), control=control)
        looks, other = query.get("looks", ""), query.get("control", "")
        return replace(
            usual,
            looks=looks if looks in Experiment.Looks.values else usual.looks,
            adjust=usual.adjust and query.get("adjust") != "0",
            control=str(other) if other in arms else control,
            lift=percent_in(query.get("lift")),
            usual=usual,
        )

    @property
    def always(self) -> bool:
        return self.looks == Experiment.Looks.ALWAYS_VALID

    @property
    def query(self) -> str:
        """The query string of an address, without what is as usual."""
        usual = self.usual or self
        chosen = {
            "looks": self.looks if self.looks != usual.looks else None,
            "adjust": "0" if self.adjust != usual.adjust else None,
            "control": self.control if self.control != usual.control else None,
            "lift": f"{self.lift:g}" if self.lift else None,
        }
        return "?" + urlencode({name: value for name, value in chosen.items() if value is not None})

    @property
    def fields(self) -> list[tuple[str, str]]:
        """The same as a form's hidden fields: name and value."""
        return parse_qsl(self.query[1:])

    def but(self, **other: Any) -> str:
        """The query string of this choice with some fields changed."""
        return replace(self, **other).query


def percent_in(text: Any) -> float | None:
    """A number above 0 and at most LARGEST_LIFT; None for any other text."""
    try:
        number = float(str(text).replace(",", ".").removesuffix("%"))
    except ValueError:
        return None
    return number if 0 < number <= LARGEST_LIFT else None

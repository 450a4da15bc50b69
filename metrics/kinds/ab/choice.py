"""What a reader chooses in the address of a report, so that a link shows others the same."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self
from urllib.parse import parse_qsl, urlencode

from judging.models import Experiment

LARGEST_LIFT = 1000.0


@dataclass(frozen=True)
class Choice:
    """By which method intervals are made, whether by what users did before, against which arm, and which lift is to be planned
    for, in percent; `usual` is what nobody chose."""

    looks: str
    adjust: bool
    control: str
    lift: float | None = None
    usual: "Choice | None" = None

    @classmethod
    def of(cls, experiment: Experiment, arms: Sequence[str], given: Mapping[str, Any]) -> Self:
        control = next((arm.name for arm in experiment.arms.all() if arm.is_control and arm.name in arms), arms[0])
        usual = cls(experiment.looks, adjust=bool(experiment.before_days), control=control)
        looks, other = given.get("looks", ""), given.get("control", "")
        return replace(
            usual,
            looks=looks if looks in Experiment.Looks.values else usual.looks,
            adjust=usual.adjust and given.get("adjust") != "0",
            control=str(other) if other in arms else control,
            lift=percent_in(given.get("lift")),
            usual=usual,
        )

    @property
    def always(self) -> bool:
        return self.looks == Experiment.Looks.ALWAYS_VALID

    @property
    def query(self) -> str:
        """For an address; what is as usual is left out."""
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
        """The same for a form."""
        return parse_qsl(self.query[1:])

    def but(self, **other: Any) -> str:
        """The address of the same with something else."""
        return replace(self, **other).query


def percent_in(text: Any) -> float | None:
    """Above 0 and not absurd, or none."""
    try:
        number = float(str(text).replace(",", ".").removesuffix("%"))
    except ValueError:
        return None
    return number if 0 < number <= LARGEST_LIFT else None

"""The catalogue of measures: what each is called, means, takes and cites. Every measure enters itself here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .rankings import Rankings

Value = int | float | str
Aggregate = Literal["mean", "sum", "geometric mean"]

# trec_eval's own list of cutoffs, which a name without any stands for.
USUAL_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


class BadMeasure(ValueError):
    """A measure that does not exist, or that was given what it does not take."""


@dataclass(frozen=True)
class Parameter:
    """Something a measure can be told: a number of type `kind` from `low` to `high`.

    `default` is used when it is left out; None there means that the measure decides, and says how in `meaning`.
    A default that not everybody knows is always printed. One that follows the evaluation is its lowest relevant grade.
    """

    name: str
    meaning: str
    kind: type
    low: float
    high: float
    default: Value | None = None
    required: bool = False
    always_printed: bool = False
    follows_evaluation: bool = False

    def accept(self, value: Value) -> Value:
        """The value as this parameter's type; BadMeasure says what was expected instead."""
        if isinstance(value, str) or (self.kind is int and value != int(value)):
            raise BadMeasure(f"{self.name} is {value!r}; expected {self.expected}")
        if not self.low <= value <= self.high:
            raise BadMeasure(f"{self.name} is {value}; expected {self.expected}")
        return self.kind(value)

    @property
    def expected(self) -> str:
        noun = "a whole number" if self.kind is int else "a number"
        return f"{noun} from {self.low:g} to {self.high:g}" if self.high < DEEPEST else f"{noun} of at least {self.low:g}"


DEEPEST = 10**9
CUTOFF = Parameter("cutoff", "only the first k documents are looked at", int, 1, DEEPEST)
NEEDED_CUTOFF = Parameter("cutoff", "only the first k documents are looked at", int, 1, DEEPEST, required=True)
REL = Parameter(
    "rel", "lowest relevant grade; if not given, the evaluation's (trec_eval -l)", int, -127, 127, follows_evaluation=True
)


@dataclass(frozen=True)
class Kind:
    """One measure with all its parameters open, such as P@k.

    `compute(rankings, **parameters)` returns one value a topic of `rankings.qrels`, in that order. `at` is what follows the @
    in its name. `trec` is its name in trec_eval, `trec_at` its name there when it has a cutoff, `trec_values` the cutoffs that
    the latter stands for when it is given none. A `whole` measure counts; one `only_over_all` says nothing of a single topic,
    and trec_eval does not print it there.
    """

    name: str
    title: str
    formula: str
    citation: str
    looks_at: Literal["set", "rank"]
    gains: Literal["binary", "graded"]
    degenerate: str
    compute: Callable[..., np.ndarray]
    at: Parameter | None = None
    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[str, ...] = ()
    trec: str | None = None
    trec_at: str | None = None
    trec_values: tuple[Value, ...] = ()
    aggregate: Aggregate = "mean"
    whole: bool = False
    only_over_all: bool = False
    range: tuple[float, float] = (0.0, 1.0)

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        return (*((self.at,) if self.at else ()), *self.parameters)

    def __call__(self, **values: Value) -> "Measure":
        """The measure with these parameters: MEASURES["P"](cutoff=10). BadMeasure if it does not take them."""
        known = {parameter.name: parameter for parameter in self.all_parameters}
        for name in values.keys() - known.keys():
            raise BadMeasure(f"{self.name} takes no {name}; it takes {', '.join(known) or 'nothing'}")
        for parameter in known.values():
            if parameter.required and parameter.name not in values:
                raise BadMeasure(f"{self.name} needs a {parameter.name}: {self.example}")
        return Measure(self, tuple((name, known[name].accept(values[name])) for name in known if name in values))

    @property
    def example(self) -> str:
        if not self.at or not self.at.required:
            return self.name
        return f"{self.name}@{10 if self.at.kind is int else 0.1}"


@dataclass(frozen=True)
class Measure:
    """A measure with its parameters fixed, such as P@10. Equal measures print the same and count as one."""

    kind: Kind
    given: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        """The canonical name: ir_measures' way of writing it.

        >>> str(MEASURES["nDCG"](cutoff=10)), str(MEASURES["AP"](rel=2)), str(MEASURES["RBP"]())
        ('nDCG@10', 'AP(rel=2)', 'RBP(p=0.8)')
        """
        inside = ",".join(f"{p.name}={self.values[p.name]:g}" for p in self.kind.parameters if self._is_printed(p))
        at = self.kind.at and self.values[self.kind.at.name]
        return self.kind.name + (f"({inside})" if inside else "") + ("" if at is None else f"@{at:g}")

    def __hash__(self) -> int:
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def _is_printed(self, parameter: Parameter) -> bool:
        value = self.values[parameter.name]
        return value is not None and (parameter.always_printed or value != parameter.default)

    @property
    def values(self) -> dict[str, Any]:
        return {parameter.name: parameter.default for parameter in self.kind.all_parameters} | dict(self.given)

    @property
    def trec_name(self) -> str | None:
        """What trec_eval calls it, or None if it does not offer it.

        >>> MEASURES["nDCG"](cutoff=10).trec_name, MEASURES["IPrec"](recall=0.1).trec_name
        ('ndcg_cut_10', 'iprec_at_recall_0.10')
        """
        values, at = self.values, self.kind.at
        if any(values[parameter.name] != parameter.default for parameter in self.kind.parameters):
            return None
        if at is None or values[at.name] is None:
            return self.kind.trec
        digits = "d" if at.kind is int else "3.2f"
        return self.kind.trec_at and f"{self.kind.trec_at}_{values[at.name]:{digits}}"

    def __call__(self, rankings: Rankings, relevant_from: int = 1) -> np.ndarray:
        """One value a topic of `rankings.qrels`. `relevant_from` is the lowest relevant grade unless the measure names one."""
        values = self.values
        for parameter in self.kind.parameters:
            if parameter.follows_evaluation and values[parameter.name] is None:
                values[parameter.name] = relevant_from
        return self.kind.compute(rankings, **values)


MEASURES: dict[str, Kind] = {}


def measure(name: str, **description: Any) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Enter a function into the catalogue as the measure of that name; the fields of Kind describe it."""

    def enter(compute: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        assert name not in MEASURES, f"{name} is in the catalogue already"
        MEASURES[name] = Kind(name=name, compute=compute, **description)
        return compute

    return enter

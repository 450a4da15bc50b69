"""The catalogue of measures: names, meanings, parameters and citations. Every measure registers itself here."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np

from ireval.io.files import BadInput
from ireval.measures.rankings import Rankings

Pairs = tuple[tuple[int, float], ...]
Value = int | float | str | Pairs
Argument = Value | Mapping[float, float]
Aggregate = Literal["mean", "sum", "geometric mean", "weighted mean"]

# trec_eval's own list of cutoffs, which a name without any stands for.
USUAL_CUTOFFS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


class BadMeasure(BadInput):
    """A measure that does not exist, or that was given what it does not take."""


DEEPEST = 10**9


@dataclass(frozen=True)
class Parameter:
    """A parameter of a measure. It is a number of type `kind` from `low` to `high`, one of `choices` (kind str), or a truth.

    With kind dict it is such a number for each of several grades, stored as pairs by ascending grade. `default` is used when it
    is left out; None there means that the measure decides, as `meaning` says. `always_printed`: names show the default, too.
    `follows_evaluation`: the default is the evaluation's lowest relevant grade. `only_with` is another parameter and the value
    that it must have if this one is given. `example` stands in names that show how a required parameter is written.
    """

    name: str
    meaning: str
    kind: type
    low: float = 0
    high: float = DEEPEST
    default: Value | None = None
    choices: tuple[str, ...] = ()
    required: bool = False
    always_printed: bool = False
    follows_evaluation: bool = False
    only_with: tuple[str, str] | None = None
    example: int = 10

    def accept(self, value: Argument) -> Value:
        """The value, converted to this parameter's type; BadMeasure if it is not valid."""
        if self.kind is bool:
            return self.truth(value)
        if self.kind is str:
            return self.word(value)
        if self.kind is dict:
            return self.pairs(value)
        return self.number(value)

    def truth(self, value: Argument) -> bool:
        if str(value).casefold() not in ("true", "false"):
            raise self.refusal(value)
        return str(value).casefold() == "true"

    def word(self, value: Argument) -> str:
        if not isinstance(value, str) or value.casefold() not in self.choices:
            raise self.refusal(value)
        return value.casefold()

    def number(self, value: Argument) -> int | float:
        kind = float if self.kind is dict else self.kind
        if not isinstance(value, int | float) or not self.low <= value <= self.high or kind(value) != value:
            raise self.refusal(value)
        return kind(value)

    def pairs(self, value: Argument) -> Pairs:
        if isinstance(value, tuple):
            value = dict(value)
        if not isinstance(value, Mapping) or not value:
            raise self.refusal(value)
        return tuple(sorted((GRADE.number(grade), self.number(worth)) for grade, worth in value.items()))  # type: ignore[misc]

    def refusal(self, value: Argument) -> BadMeasure:
        shown = written(value) if isinstance(value, int | float) else repr(value)
        return BadMeasure(f"{self.name} is {shown}; expected {self.expected}")

    @property
    def expected(self) -> str:
        if self.kind is bool:
            return "True or False"
        if self.kind is str:
            return " or ".join(map(repr, self.choices))
        noun = "a whole number" if self.kind is int else "a number"
        span = f"{noun} from {self.low:g} to {self.high:g}" if self.high < DEEPEST else f"{noun} of at least {self.low:g}"
        return f"{span} for each of some grades, as in {{1:3.5,2:9}}" if self.kind is dict else span


def written(value: Value) -> str:
    """A value as it stands in names: all significant digits, no exponent.

    >>> written(0.00001), written(1.0), written(10_000_000), written("jk"), written(((1, 3.5), (2, 9.0)))
    ('0.00001', '1', '10000000', "'jk'", '{1:3.5,2:9}')
    """
    if isinstance(value, str):
        return f"'{value}'"
    if isinstance(value, tuple):
        return "{" + ",".join(f"{grade}:{written(worth)}" for grade, worth in value) + "}"
    return str(value) if isinstance(value, int) else np.format_float_positional(value, trim="-")


GRADE = Parameter("grade", "a grade", int, -127, 127)
CUTOFF = Parameter("cutoff", "only the first k documents are looked at", int, 1, DEEPEST)
NEEDED_CUTOFF = Parameter("cutoff", "only the first k documents are looked at", int, 1, DEEPEST, required=True)
REL = Parameter(
    "rel", "lowest relevant grade; if not given, the evaluation's (trec_eval -l)", int, -127, 127, follows_evaluation=True
)
JUDGED_ONLY = Parameter("judged_only", "leave out documents that are not judged; the others move up", bool, default=False)
AVERAGE = Parameter(
    "average",
    "over topics: macro is the mean of each topic's ratio, micro the ratio of the two means",
    str,
    default="macro",
    choices=("macro", "micro"),
)


@dataclass(frozen=True)
class Kind:
    """One measure with all its parameters open, such as P@k.

    - compute(rankings, **parameters): returns one value per topic of `rankings.qrels`, in their order.
    - at: the parameter that follows the @ in the name.
    - trec: the name in trec_eval; trec_at: the name there with a cutoff. trec_values are the cutoffs that `trec_at` stands for
      without one. trec_parameters are the parameters behind the dot, where these are no cutoffs.
    - whole: the measure counts, so that its values are whole numbers.
    - only_over_all: the measure is undefined for a single topic, and trec_eval does not print it there.
    - better: the direction of better runs; "neither" for a measure of amounts, or of how far to trust another.
    - divides_by: for a ratio that takes AVERAGE, the measure that is its denominator and weighs topics in the ratio of two means.
    - by_intent: the measure uses subtopics; others use the highest grade that a document has in any.

    Every measure also takes JUDGED_ONLY.
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
    trec_parameters: tuple[str, ...] = ()
    aggregate: Aggregate = "mean"
    whole: bool = False
    only_over_all: bool = False
    range: tuple[float, float] = (0.0, 1.0)
    better: Literal["higher", "lower", "neither"] = "higher"
    divides_by: str | None = None
    by_intent: bool = False

    @property
    def all_parameters(self) -> tuple[Parameter, ...]:
        """The parameters, the one after the @ first."""
        return (*((self.at,) if self.at else ()), *self.parameters)

    def __call__(self, **values: Argument) -> "Measure":
        """The measure with these parameters: MEASURES["P"](cutoff=10). BadMeasure if it does not take them."""
        parameters = {parameter.name: parameter for parameter in self.all_parameters}
        for name in values.keys() - parameters.keys() - {JUDGED_ONLY.name}:
            raise BadMeasure(f"{self.name} takes no {name}; it takes {', '.join(parameters) or 'nothing'}")
        parameters[JUDGED_ONLY.name] = JUDGED_ONLY
        accepted = {name: parameter.accept(values[name]) for name, parameter in parameters.items() if name in values}
        for parameter in parameters.values():
            self.check(parameter, accepted)
        return Measure(self.averaging(accepted), tuple(accepted.items()))

    def check(self, parameter: Parameter, accepted: dict[str, Value]) -> None:
        """BadMeasure for a parameter that is missing, or given without the one it goes with."""
        if parameter.required and parameter.name not in accepted:
            raise BadMeasure(f"{self.name} needs a {parameter.name}: {self.example}")
        if parameter.only_with and parameter.name in accepted:
            other, needed = parameter.only_with
            if accepted.get(other) != needed:
                raise BadMeasure(f"{parameter.name} goes with {other}={needed!r} only")

    def averaging(self, accepted: dict[str, Value]) -> "Kind":
        """This kind, with the way in which these parameters average it over topics."""
        return replace(self, aggregate="weighted mean") if accepted.get(AVERAGE.name) == "micro" else self

    @property
    def largest_difference(self) -> float:
        """The most by which two values can differ; infinite where the collection sets the limit.

        >>> MEASURES["nDCG"].largest_difference, MEASURES["Utility"].largest_difference, MEASURES["DCG"].largest_difference
        (1.0, inf, inf)
        """
        low, high = self.range
        return high - low if high < DEEPEST else math.inf

    @property
    def asks(self) -> list[Parameter]:
        """What the measure must be told besides its cutoff, such as the size of the collection."""
        return [parameter for parameter in self.parameters if parameter.required]

    @property
    def example(self) -> str:
        """The shortest name of a measure of this kind.

        >>> MEASURES["AP"].example, MEASURES["P"].example, MEASURES["Fallout"].example
        ('AP', 'P@10', 'Fallout(documents=1000)')
        """
        inside = ",".join(f"{parameter.name}={parameter.example}" for parameter in self.asks)
        at = f"@{10 if self.at.kind is int else 0.1}" if self.at and self.at.required else ""
        return self.name + (f"({inside})" if inside else "") + at


@dataclass(frozen=True, repr=False)
class Measure:
    """A measure with its parameters fixed, such as P@10. Equal measures print the same and count as one."""

    kind: Kind
    given: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        """The canonical name, written as ir_measures does.

        >>> str(MEASURES["nDCG"](cutoff=10)), str(MEASURES["AP"](rel=2)), str(MEASURES["RBP"]())
        ('nDCG@10', 'AP(rel=2)', 'RBP(p=0.8)')
        """
        return self._name

    __repr__ = __str__  # results that hold measures are printed in notebooks

    @cached_property
    def _name(self) -> str:
        values = self.values
        printed = [parameter for parameter in (*self.kind.parameters, JUDGED_ONLY) if self._is_printed(parameter)]
        inside = ",".join(f"{parameter.name}={written(values[parameter.name])}" for parameter in printed)
        at = values[self.kind.at.name] if self.kind.at else None
        return self.kind.name + (f"({inside})" if inside else "") + ("" if at is None else f"@{written(at)}")

    def __hash__(self) -> int:
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def _is_printed(self, parameter: Parameter) -> bool:
        value = self.values[parameter.name]
        return value is not None and (parameter.always_printed or value != parameter.default)

    @cached_property
    def values(self) -> dict[str, Any]:
        """Every parameter with its value, given or default."""
        parameters = (*self.kind.all_parameters, JUDGED_ONLY)
        return {parameter.name: parameter.default for parameter in parameters} | dict(self.given)

    @cached_property
    def trec_name(self) -> str | None:
        """The name in trec_eval; None if it lacks the measure.

        >>> [MEASURES["nDCG"](cutoff=10).trec_name, MEASURES["IPrec"](recall=0.1).trec_name, MEASURES["Utility"](a=2).trec_name]
        ['ndcg_cut_10', 'iprec_at_recall_0.10', 'utility_2,-1,0,0']
        """
        values, at = self.values, self.kind.at
        parameters = (*self.kind.parameters, JUDGED_ONLY)
        changed = [parameter for parameter in parameters if values[parameter.name] != parameter.default]
        if at is None or values[at.name] is None:
            return self.kind.trec and self._with_parameters(self.kind.trec, changed)
        if changed:
            return None
        digits = "d" if at.kind is int else "3.2f"
        return self.kind.trec_at and f"{self.kind.trec_at}_{values[at.name]:{digits}}"

    def _with_parameters(self, name: str, changed: list[Parameter]) -> str | None:
        """The name as trec_eval prints it with parameters: utility_2,-1,0,0, or gains of ndcg, ndcg_1=3.5,2=9.

        None for other parameters, and for gains of grades below 0.
        """
        if not changed:
            return name
        if {parameter.name for parameter in changed} <= set(self.kind.trec_parameters):
            return name + "_" + ",".join(written(self.values[parameter]) for parameter in self.kind.trec_parameters)
        pairs = self.values[changed[0].name]
        if [parameter.kind for parameter in changed] != [dict] or pairs[0][0] < 0:
            return None
        return name + "_" + ",".join(f"{grade}={written(worth)}" for grade, worth in pairs)

    @property
    def weight(self) -> "Measure | None":
        """The measure that weighs topics in a weighted mean.

        >>> str(MEASURES["nDCG"](cutoff=10, average="micro").weight)
        'IDCG@10'
        """
        if self.kind.aggregate != "weighted mean" or self.kind.divides_by is None:
            return None
        return MEASURES[self.kind.divides_by](**{name: value for name, value in self.given if name != AVERAGE.name})

    def __call__(self, rankings: Rankings, relevant_from: int = 1) -> np.ndarray:
        """One value per topic of `rankings.qrels`; `relevant_from` is the lowest relevant grade unless the measure has one."""
        values = {name: value for name, value in self.values.items() if name not in (AVERAGE.name, JUDGED_ONLY.name)}
        for parameter in self.kind.parameters:
            if parameter.follows_evaluation and values[parameter.name] is None:
                values[parameter.name] = relevant_from
        return self.kind.compute(rankings.condensed() if self.values[JUDGED_ONLY.name] else rankings, **values)


MEASURES: dict[str, Kind] = {}


def measure(name: str, **description: Any) -> Callable[[Callable[..., np.ndarray]], Callable[..., np.ndarray]]:
    """Register a function as the measure called `name`; the description has the fields of Kind."""

    def register(compute: Callable[..., np.ndarray]) -> Callable[..., np.ndarray]:
        assert name not in MEASURES, f"{name} is in the catalogue already"
        MEASURES[name] = Kind(name=name, compute=compute, **description)
        return compute

    return register

"""An experiment: who was in which arm, and what they did there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.arrays import Floats, Ints
from ireval.experiments.moments import Moments, moments_of, moments_of_counts
from ireval.io.cells import FILL_IN, require_cells, require_columns
from ireval.io.files import BadInput
from ireval.io.frames import Frame, as_table
from ireval.labels.labels import texts

Kind = Literal["mean", "proportion", "ratio"]
KINDS: tuple[Kind, ...] = ("mean", "proportion", "ratio")
# How the columns that belong to a metric end: its denominator, and the same two of the time before the experiment.
PER, BEFORE = "__per", "__before"
ENDINGS = (PER + BEFORE, BEFORE, PER)
UNIT, ARM, N = "unit", "arm", "n"
# Squares of larger numbers, summed up, would leave what a double can hold.
LARGEST = 1e100


class BadExperiment(BadInput):
    """An experiment of which what was asked cannot be computed, and why."""


class Observed(NamedTuple):
    """What N units did by one metric: `values` (N,); for a ratio its denominators `per` (N,), such as searches where values are
    clicks; and of the time before the experiment the same, `before` and `before_per`."""

    values: ArrayLike
    per: ArrayLike | None = None
    before: ArrayLike | None = None
    before_per: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric in every arm: `moments`, one an arm, of the columns value, per, before, before_per, as far as there are any."""

    name: str
    kind: Kind
    moments: tuple[Moments, ...]
    before: Literal["none", "mean", "ratio"] = "none"


@dataclass(frozen=True, eq=False)
class Experiment:
    """`arms` in alphabetical order, `n` units in each, (A,), and their `metrics`. `crossed` names the units that were in two arms
    or more, in alphabetical order; none of them counts anywhere."""

    arms: tuple[str, ...]
    n: Ints
    metrics: tuple[Metric, ...]
    crossed: tuple[str, ...] = ()

    def number_of(self, arm: str) -> int:
        if arm not in self.arms:
            raise BadExperiment(f"there is no arm {arm}; expected one of {', '.join(self.arms)}")
        return self.arms.index(arm)

    @cached_property
    def control(self) -> str:
        """The arm called control, in whichever case, else the first."""
        return next((arm for arm in self.arms if arm.lower() == "control"), self.arms[0])

    def merged(self, other: "Experiment") -> "Experiment":
        """With the units of another part of the same experiment, no unit being in both parts: nobody can tell any more.
        BadExperiment for other arms or metrics."""
        shapes = [[(one.name, one.before, len(one.moments[0].mean)) for one in part.metrics] for part in (self, other)]
        if self.arms != other.arms or shapes[0] != shapes[1]:
            raise BadExperiment("parts of one experiment have the same arms and metrics")
        metrics = tuple(together(one, two) for one, two in zip(self.metrics, other.metrics, strict=True))
        return Experiment(self.arms, self.n + other.n, metrics, tuple(sorted({*self.crossed, *other.crossed})))


def together(one: Metric, other: Metric) -> Metric:
    moments = tuple(first.merged(second) for first, second in zip(one.moments, other.moments, strict=True))
    return replace(one, kind=one.kind if one.kind == other.kind else "mean", moments=moments)


def experiment_from(arm: ArrayLike, arms: Sequence[str], metrics: Mapping[str, Observed]) -> Experiment:
    """An experiment from arrays: `arm` (N,) has each unit's number in `arms`; `metrics` what they did, by name.

    Every unit stands once. A metric with denominators is a ratio, one that is 0 or 1 everywhere a proportion, any other a mean.
    NaN in `before` is a unit that nobody knew before and counts as 0. BadExperiment for fewer than two arms or metrics none,
    arrays of other lengths, numbers that are not finite and denominators below 0.

    >>> found = experiment_from([0, 0, 1, 1], ["old", "new"], {"clicked": Observed([0, 1, 1, 1])})
    >>> found.arms, found.n.tolist(), found.metrics[0].kind, found.control
    (('new', 'old'), [2, 2], 'proportion', 'new')
    """
    names = tuple(sorted(arms))
    if len(set(names)) != len(names) or len(names) < 2:
        raise BadExperiment(f"an experiment has two arms or more, each with a name of its own; found {len(set(names))}")
    given = np.asarray(arm, np.int64)
    if len(given) and (given.min() < 0 or given.max() >= len(names)):
        raise BadExperiment(f"arms are numbers from 0 to {len(names) - 1}")
    codes = np.array([names.index(one) for one in arms], np.int64)[given]
    if not metrics:
        raise BadExperiment("there is no metric; expected one or more")
    rows = [np.flatnonzero(codes == one) for one in range(len(names))]
    found = tuple(metric_of(name, observed, rows, len(codes)) for name, observed in metrics.items())
    return Experiment(names, np.bincount(codes, minlength=len(names)), found)


def metric_of(name: str, observed: Observed, rows: Sequence[Ints], n: int) -> Metric:
    if observed.before_per is not None and observed.before is None:
        raise BadExperiment(f"metric {name} has denominators of the time before, and no values")
    given = [None if one is None else np.asarray(one, np.float64) for one in observed]
    given[2:] = [None if one is None else np.where(np.isnan(one), 0.0, one) for one in given[2:]]
    columns = [one for one in given if one is not None]
    if any(one.shape != (n,) for one in columns):
        raise BadExperiment(f"metric {name} has not one number a unit, {n}")
    if not all((np.abs(one) <= LARGEST).all() for one in columns):
        raise BadExperiment(f"metric {name} has a number that is not finite, or beyond {LARGEST:g}")
    if any(one is not None and (one < 0).any() for one in (given[1], given[3])):
        raise BadExperiment(f"metric {name} has a denominator below 0")
    values, per, before, before_per = given
    binary = per is None and values is not None and bool(np.isin(values, (0, 1)).all())
    kind: Kind = "proportion" if binary else "mean" if per is None else "ratio"
    moments = tuple(moments_of([one[chosen] for one in columns]) for chosen in rows)
    return Metric(name, kind, moments, "none" if before is None else "mean" if before_per is None else "ratio")


def experiment_from_counts(arms: Sequence[str], n: ArrayLike, conversions: Mapping[str, ArrayLike]) -> Experiment:
    """An experiment from its counts: `n` (A,) units in each of the arms and how many of them converted, (A,), by metric.

    BadExperiment for fewer than two arms, counts that are none, and more conversions than units.

    >>> found = experiment_from_counts(["a", "b"], [100, 110], {"bought": [10, 20]})
    >>> [moments.mean.round(4).tolist() for moments in found.metrics[0].moments]
    [[0.1], [0.1818]]
    """
    if len(set(arms)) != len(arms) or len(arms) < 2:
        raise BadExperiment(f"an experiment has two arms or more, each with a name of its own; found {len(set(arms))}")
    order = sorted(range(len(arms)), key=lambda one: arms[one])
    units = as_counts(n, N)[order]
    metrics = []
    for name, given in conversions.items():
        counts = as_counts(given, name)[order]
        if (counts > units).any():
            raise BadExperiment(f"{name} has more conversions than there are units")
        moments = tuple(moments_of_counts(int(one), int(count)) for one, count in zip(units, counts, strict=True))
        metrics.append(Metric(name, "proportion", moments))
    if not metrics:
        raise BadExperiment("there is no metric; expected a column of conversions")
    return Experiment(tuple(arms[one] for one in order), units, tuple(metrics))


def as_counts(numbers: ArrayLike, name: str) -> Ints:
    found = np.asarray(numbers, np.float64)
    if not np.isfinite(found).all() or (found < 0).any() or (found % 1).any():
        raise BadExperiment(f"{name} holds whole numbers from 0")
    return found.astype(np.int64)


def experiment_of(frame: Frame, metrics: Sequence[str] | None = None) -> Experiment:
    """An experiment from a frame of polars or pandas: unit, arm and metrics, by unit; or arm, n and conversions, by arm.

    Of the metric `clicks`, `clicks__per` holds denominators, `clicks__before` what the unit did before the experiment and
    `clicks__per__before` its denominators then; there an empty cell is a unit nobody knew before, and counts as 0. `metrics`
    names those that count, else every further column is one.
    A unit in two arms is left out and named in `crossed`. BadExperiment for a unit that stands twice in one arm, empty cells,
    what is no number, and whatever `experiment_from` refuses.

    >>> rows = [("u1", "a", 1.0), ("u2", "b", 3.0), ("u3", "a", 2.0), ("u3", "b", 2.0), ("u4", "b", 0.5)]
    >>> found = experiment_of(pl.DataFrame(rows, schema=["unit", "arm", "clicks"], orient="row"))
    >>> found.n.tolist(), found.crossed
    ([1, 2], ('u3',))
    """
    table = as_table(frame, BadExperiment)
    chosen = metric_columns(table.columns, metrics)
    keys = (ARM,) if N in table.columns and UNIT not in table.columns else (UNIT, ARM)
    require_cells(table, keys, BadExperiment)
    table = table.with_columns(texts(table[column]).str.strip_chars().alias(column) for column in keys)
    if table.is_empty():
        raise BadExperiment("there are no rows")
    if UNIT not in table.columns:
        counts = {name: numbers_of(table, columns[0]) for name, columns in chosen.items()}
        return experiment_from_counts(table[ARM].to_list(), numbers_of(table, N), counts)
    for column in [column for columns in chosen.values() for column in columns if column in table.columns]:
        numbers_of(table, column)  # a refusal names the row in the whole table
    kept, crossed = without_crossed(table)
    arms = tuple(table[ARM].unique().sort().to_list())
    codes = kept[ARM].cast(pl.Enum(list(arms))).to_physical().to_numpy()
    observed = {name: observed_in(kept, columns) for name, columns in chosen.items()}
    return replace(experiment_from(codes, arms, observed), crossed=crossed)


def observed_in(frame: pl.DataFrame, columns: tuple[str, str, str, str]) -> Observed:
    per, before, before_per = (numbers_of(frame, one) if one in frame.columns else None for one in columns[1:])
    return Observed(numbers_of(frame, columns[0]), per, before, before_per)


def without_crossed(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows of units that were in one arm, and the names of the others."""
    twice = frame[UNIT].is_duplicated()
    more = frame.filter(twice)
    again = frame.select(UNIT, ARM).with_row_index("row", offset=1).filter(~pl.struct(UNIT, ARM).is_first_distinct())
    if len(again):
        row, unit, arm = again.row(0)
        raise BadExperiment(f"row {row:,}: columns unit and arm: unit {unit} stands in arm {arm} twice: keep one of the rows")
    return frame.filter(~twice), tuple(more[UNIT].unique().sort().to_list())


def metric_columns(present: Sequence[str], metrics: Sequence[str] | None = None) -> dict[str, tuple[str, str, str, str]]:
    """Of each metric the names that its four columns have, or would have. BadExperiment where the table does not fit.

    >>> metric_columns(["unit", "arm", "ctr", "ctr__per"])
    {'ctr': ('ctr', 'ctr__per', 'ctr__before', 'ctr__per__before')}
    """
    if ARM not in present or (UNIT not in present and N not in present):
        raise BadExperiment(f"has columns {', '.join(present)}; expected unit, arm and metrics, or arm, n and conversions")
    others = [column for column in present if column not in {ARM, UNIT if UNIT in present else N}]
    names = [column for column in others if not column.endswith(ENDINGS)] if metrics is None else list(metrics)
    if lacking := [name for name in names if name not in others]:
        raise BadExperiment(f"there is no metric {lacking[0]}; expected some of {', '.join(others)}")
    found = {name: (name, name + PER, name + BEFORE, name + PER + BEFORE) for name in names}
    known = {column for columns in found.values() for column in columns}
    if metrics is None and (stray := [column for column in others if column not in known]):
        raise BadExperiment(f"column {stray[0]} belongs to a metric that is not there")
    if lonely := [one for one, _, before, per in found.values() if per in others and before not in others]:
        raise BadExperiment(f"{found[lonely[0]][3]} needs {found[lonely[0]][2]} beside it")
    if UNIT not in present and (stray := [column for column in others if column in known and column not in found]):
        raise BadExperiment(f"column {stray[0]} needs a row a unit")
    if not found:
        raise BadExperiment("there is no metric; expected a column besides unit and arm")
    return found


def numbers_of(frame: pl.DataFrame, column: str) -> Floats:
    """NaN for empty cells of the time before, which are allowed."""
    require_columns(frame, [column], BadExperiment)
    given = frame[column]
    if given.dtype == pl.String:
        given = given.str.strip_chars().replace("", None)
    numbers = given.cast(pl.Float64, strict=False)
    bad = (given.is_not_null() | (not column.endswith(BEFORE))) & ~numbers.is_finite().fill_null(value=False)
    if bad.any():
        text, row = given.filter(bad)[0], (bad.arg_max() or 0) + 1
        complaint = complaint_about_number("" if text is None else str(text))
        raise BadExperiment(f"row {row:,}: column {column} {complaint}: {FILL_IN}")
    return numbers.fill_null(np.nan).to_numpy().astype(np.float64)


def complaint_about_number(text: str) -> str:
    return f'is "{text[:50]}"; expected a number' if text else "is empty; expected a number"

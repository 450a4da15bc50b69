"""Experiments: which units were in which arm, and what they did there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import ArrayLike

from ireval.arrays import Floats, Ints
from ireval.experiments.moments import Moments, moments_of, moments_of_counts
from ireval.io.arguments import as_numbers, is_name_in, require_type
from ireval.io.cells import FILL_IN, require_cells, require_columns, shown
from ireval.io.files import BadInput
from ireval.labels.labels import texts

Kind = Literal["mean", "proportion", "ratio"]
KINDS: tuple[Kind, ...] = ("mean", "proportion", "ratio")
# Endings of the columns of a metric: its denominator, and both columns of the time before the experiment.
PER, BEFORE = "__per", "__before"
ENDINGS = (PER + BEFORE, BEFORE, PER)
UNIT, ARM, N = "unit", "arm", "n"
# Sums of squares of larger numbers would exceed a double.
LARGEST = 1e100


class BadExperiment(BadInput):
    """An experiment from which nothing can be computed, and why."""


class Observed(NamedTuple):
    """One metric of N units; (N,) each.

    `values` are the numerators and, for a ratio, `per` the denominators, such as clicks and searches. `before` and `before_per`
    are those of the time before the experiment.
    """

    values: ArrayLike
    per: ArrayLike | None = None
    before: ArrayLike | None = None
    before_per: ArrayLike | None = None


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric in every arm: `moments`, one per arm, of those columns that it has of value, per, before, before_per."""

    name: str
    kind: Kind
    moments: tuple[Moments, ...]
    before: Literal["none", "mean", "ratio"] = "none"


@dataclass(frozen=True, eq=False)
class Experiment:
    """The `arms` in alphabetical order, `n` units in each, (A,), and their `metrics`.

    `crossed` are the units that were in several arms, in alphabetical order; they do not count.
    """

    arms: tuple[str, ...]
    n: Ints
    metrics: tuple[Metric, ...]
    crossed: tuple[str, ...] = ()

    def number_of(self, arm: str) -> int:
        """The place of an arm in `arms`; BadExperiment if it is none."""
        if not is_name_in(arm, self.arms):
            raise BadExperiment(f"there is no arm {arm}; expected one of {', '.join(self.arms)}")
        return self.arms.index(arm)

    @cached_property
    def control(self) -> str:
        """The arm called control, in any case, or else the first."""
        return next((arm for arm in self.arms if arm.lower() == "control"), self.arms[0])

    def merged(self, other: "Experiment") -> "Experiment":
        """Add the units of another part of the same experiment; no unit may be in both, which is not checked.

        BadExperiment for other arms or metrics.
        """
        shapes = [
            [(metric.name, metric.before, len(metric.moments[0].mean)) for metric in part.metrics] for part in (self, other)
        ]
        if self.arms != other.arms or shapes[0] != shapes[1]:
            raise BadExperiment("parts of one experiment have the same arms and metrics")
        metrics = tuple(together(*pair) for pair in zip(self.metrics, other.metrics, strict=True))
        return Experiment(self.arms, self.n + other.n, metrics, tuple(sorted({*self.crossed, *other.crossed})))


def together(first: Metric, second: Metric) -> Metric:
    moments = tuple(arm.merged(other) for arm, other in zip(first.moments, second.moments, strict=True))
    return replace(first, kind=first.kind if first.kind == second.kind else "mean", moments=moments)


def experiment_from(arm: ArrayLike, arms: Sequence[str], metrics: Mapping[str, Observed]) -> Experiment:
    """An experiment from arrays: `arm` (N,) is each unit's number in `arms`; `metrics` are named.

    Every unit stands once. A metric with denominators is a ratio, one that is 0 or 1 everywhere a proportion, any other a mean.
    NaN in `before` is a unit that was not known before, and counts as 0. BadExperiment for fewer than two arms, no metrics,
    arrays of other lengths, numbers that are not finite, and denominators below 0.

    >>> experiment = experiment_from([0, 0, 1, 1], ["old", "new"], {"clicked": Observed([0, 1, 1, 1])})
    >>> experiment.arms, experiment.n.tolist(), experiment.metrics[0].kind, experiment.control
    (('new', 'old'), [2, 2], 'proportion', 'new')
    """
    require_arms(arms)
    require_type("metrics", metrics, Mapping, "{metric: Observed}", BadExperiment)
    names = tuple(sorted(arms))
    numbers = as_numbers("arm", arm, BadExperiment)
    if numbers.ndim > 1 or not ((numbers >= 0) & (numbers < len(names)) & (numbers % 1 == 0)).all():
        raise BadExperiment(f"arms are numbers from 0 to {len(names) - 1}")
    codes = np.array([names.index(name) for name in arms], np.int64)[numbers.astype(np.int64)]
    if not metrics:
        raise BadExperiment("there is no metric; expected one or more")
    rows = [np.flatnonzero(codes == code) for code in range(len(names))]
    metrics_by_arm = tuple(metric_of(name, observed, rows, len(codes)) for name, observed in metrics.items())
    return Experiment(names, np.bincount(codes, minlength=len(names)), metrics_by_arm)


def metric_of(name: str, observed: Observed, rows: Sequence[Ints], n: int) -> Metric:
    require_type(f"metric {name}", observed, Observed, "Observed", BadExperiment)
    if observed.before_per is not None and observed.before is None:
        raise BadExperiment(f"metric {name} has denominators of the time before, and no values")
    arrays = [None if column is None else as_numbers(f"metric {name}", column, BadExperiment) for column in observed]
    arrays[2:] = [None if column is None else np.where(np.isnan(column), 0.0, column) for column in arrays[2:]]
    columns = [column for column in arrays if column is not None]
    if any(column.shape != (n,) for column in columns):
        raise BadExperiment(f"metric {name} has not one number a unit, {n}")
    if not all((np.abs(column) <= LARGEST).all() for column in columns):
        raise BadExperiment(f"metric {name} has a number that is not finite, or beyond {LARGEST:g}")
    if any(column is not None and (column < 0).any() for column in (arrays[1], arrays[3])):
        raise BadExperiment(f"metric {name} has a denominator below 0")
    values, per, before, before_per = arrays
    binary = per is None and values is not None and bool(np.isin(values, (0, 1)).all())
    kind: Kind = "proportion" if binary else "mean" if per is None else "ratio"
    moments = tuple(moments_of([column[chosen] for column in columns]) for chosen in rows)
    return Metric(name, kind, moments, "none" if before is None else "mean" if before_per is None else "ratio")


def experiment_from_counts(arms: Sequence[str], n: ArrayLike, conversions: Mapping[str, ArrayLike]) -> Experiment:
    """An experiment from its counts: `n` (A,) units in each of the arms and how many of them converted, (A,), by metric.

    BadExperiment for fewer than two arms, counts that are no whole numbers from 0, one per arm, and more conversions than units.

    >>> experiment = experiment_from_counts(["a", "b"], [100, 110], {"bought": [10, 20]})
    >>> [moments.mean.round(4).tolist() for moments in experiment.metrics[0].moments]
    [[0.1], [0.1818]]
    """
    require_arms(arms)
    require_type("conversions", conversions, Mapping, "{metric: how many converted in each arm}", BadExperiment)
    order = sorted(range(len(arms)), key=lambda number: arms[number])
    units = as_counts(n, N, len(arms))[order]
    metrics = []
    for name, converted in conversions.items():
        counts = as_counts(converted, name, len(arms))[order]
        if (counts > units).any():
            raise BadExperiment(f"{name} has more conversions than there are units")
        moments = tuple(moments_of_counts(int(n_arm), int(count)) for n_arm, count in zip(units, counts, strict=True))
        metrics.append(Metric(name, "proportion", moments))
    if not metrics:
        raise BadExperiment("there is no metric; expected a column of conversions")
    return Experiment(tuple(arms[number] for number in order), units, tuple(metrics))


def require_arms(arms: Sequence[str]) -> None:
    require_type("arms", arms, (list, tuple), "a list of the arms' names", BadExperiment)
    if strange := next((name for name in arms if not isinstance(name, str)), None):
        raise BadExperiment(f"an arm is {shown(strange)}; expected its name")
    if len(set(arms)) != len(arms) or len(arms) < 2:
        raise BadExperiment(f"an experiment has two arms or more, each with a name of its own; found {len(set(arms))}")


def as_counts(numbers: ArrayLike, name: str, arms: int) -> Ints:
    counts = as_numbers(name, numbers, BadExperiment)
    if counts.shape != (arms,):
        raise BadExperiment(f"{name} is {shown(numbers)}; expected a number for each of the {arms} arms")
    if not np.isfinite(counts).all() or (counts < 0).any() or (counts % 1).any():
        raise BadExperiment(f"{name} holds whole numbers from 0")
    return counts.astype(np.int64)


def experiment_in_table(table: pl.DataFrame, metrics: Sequence[str] | None = None) -> Experiment:
    """The experiment of a table of units or of arms, checked as experiment_of says."""
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
    per, before, before_per = (numbers_of(frame, column) if column in frame.columns else None for column in columns[1:])
    return Observed(numbers_of(frame, columns[0]), per, before, before_per)


def without_crossed(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The rows of units that were in a single arm, and the names of the other units."""
    twice = frame[UNIT].is_duplicated()
    more = frame.filter(twice)
    again = frame.select(UNIT, ARM).with_row_index("row", offset=1).filter(~pl.struct(UNIT, ARM).is_first_distinct())
    if len(again):
        row, unit, arm = again.row(0)
        raise BadExperiment(f"row {row:,}: columns unit and arm: unit {unit} stands in arm {arm} twice: keep one of the rows")
    return frame.filter(~twice), tuple(more[UNIT].unique().sort().to_list())


def metric_columns(present: Sequence[str], metrics: Sequence[str] | None = None) -> dict[str, tuple[str, str, str, str]]:
    """The names of the four columns that each metric may have. BadExperiment if the table does not fit.

    >>> metric_columns(["unit", "arm", "ctr", "ctr__per"])
    {'ctr': ('ctr', 'ctr__per', 'ctr__before', 'ctr__per__before')}
    """
    if ARM not in present or (UNIT not in present and N not in present):
        raise BadExperiment(f"has columns {', '.join(present)}; expected unit, arm and metrics, or arm, n and conversions")
    others = [column for column in present if column not in {ARM, UNIT if UNIT in present else N}]
    names = [column for column in others if not column.endswith(ENDINGS)] if metrics is None else list(metrics)
    if lacking := [name for name in names if name not in others]:
        raise BadExperiment(f"there is no metric {lacking[0]}; expected some of {', '.join(others)}")
    columns_of_metric = {name: (name, name + PER, name + BEFORE, name + PER + BEFORE) for name in names}
    belonging = {column for columns in columns_of_metric.values() for column in columns}
    if metrics is None and (stray := [column for column in others if column not in belonging]):
        raise BadExperiment(f"column {stray[0]} belongs to a metric that is not there")
    if lonely := [metric for metric, _, before, per in columns_of_metric.values() if per in others and before not in others]:
        raise BadExperiment(f"{columns_of_metric[lonely[0]][3]} needs {columns_of_metric[lonely[0]][2]} beside it")
    if UNIT not in present and (
        stray := [column for column in others if column in belonging and column not in columns_of_metric]
    ):
        raise BadExperiment(f"column {stray[0]} needs one row per unit")
    if not columns_of_metric:
        raise BadExperiment("there is no metric; expected a column besides unit and arm")
    return columns_of_metric


def numbers_of(frame: pl.DataFrame, column: str) -> Floats:
    """A column as numbers, (N,); NaN for empty cells, which only the time before may have, and for its NaN."""
    require_columns(frame, [column], BadExperiment)
    cells = frame[column]
    if cells.dtype.is_float() and column.endswith(BEFORE):
        cells = cells.fill_nan(None)
    if cells.dtype == pl.String:
        cells = cells.str.strip_chars().replace("", None)
    numbers = cells.cast(pl.Float64, strict=False)
    bad = (cells.is_not_null() | (not column.endswith(BEFORE))) & ~numbers.is_finite().fill_null(value=False)
    if bad.any():
        text, row = cells.filter(bad)[0], (bad.arg_max() or 0) + 1
        complaint = complaint_about_number("" if text is None else str(text))
        raise BadExperiment(f"row {row:,}: column {column} {complaint}: {FILL_IN}")
    return numbers.fill_null(np.nan).to_numpy().astype(np.float64)


def complaint_about_number(text: str) -> str:
    return f'is "{text[:50]}"; expected a number' if text else "is empty; expected a number"

"""Tables of a report's page: sorted as the reader chose, with the best of each column marked."""

from collections.abc import Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace

import polars as pl
from django.http import QueryDict

from metrics.kinds.runs.results import Estimate, Outcome, lowest_if_none, sign_of, values_of_runs
from metrics.models import Report
from metrics.sentences import decimal, in_brackets, with_minus

# The two sides of an interval differ by less than this unless one is cut off.
CUT_OFF = 1e-6
# Nobody looks through more bars or rows of differences.
MOST_DIFFERENCES = 500


@dataclass(frozen=True)
class Heading:
    """A column's heading: a link that sorts by it, the direction it is sorted in now, and whether it holds names."""

    label: str
    href: str
    direction: str
    is_of_names: bool


@dataclass(frozen=True)
class Cell:
    text: str
    half: str
    interval: str
    best: bool


@dataclass(frozen=True)
class RunLine:
    outcome: Outcome
    cells: list[Cell]

    @property
    def judged(self) -> str:
        return number(self.outcome.judged)


@dataclass(frozen=True)
class TopicCell:
    """One run's value for one topic; `run` only where there is a ranking to look at behind it."""

    value: float | None
    run: int | None
    best: bool
    worst: bool


@dataclass(frozen=True)
class TopicLine:
    topic: str
    mean: float | None
    spread: float | None
    cells: list[TopicCell]


def headings(
    query: QueryDict, parameter: str, labels: Mapping[str, str], current: str, anchor: str, *, names: Container[str] = ()
) -> list[Heading]:
    """Links that sort by each column: numbers fall at the first click; `names` and the first column, which are text, rise."""
    first = next(iter(labels))
    columns = []
    for key, label in labels.items():
        rising, falling, is_of_names = key, f"-{key}", key == first or key in names
        turned = {rising: falling, falling: rising}.get(current, rising if is_of_names else falling)
        link = query.copy()
        link.pop("page", None)
        link[parameter] = turned
        direction = {rising: "ascending", falling: "descending"}.get(current, "")
        columns.append(Heading(label, f"?{link.urlencode()}#{anchor}", direction, is_of_names))
    return columns


def chosen_order(query: QueryDict, parameter: str, keys: Iterable[str], default: str) -> str:
    """The order that the query string names, or the default where it names none of the columns."""
    order = query.get(parameter, default)
    return order if order.removeprefix("-") in set(keys) else default


def lines(runs: Sequence[Outcome], measures: Sequence[str], order: str, ranked: Iterable[str]) -> list[RunLine]:
    """One line per run, with the best of each `ranked` measure marked: all that are equal to it in the digits shown."""
    best = {name: best_of((run.means[name].mean for run in runs), name) for name in ranked} if len(runs) > 1 else {}
    column = order.removeprefix("-")
    in_order = sorted(runs, key=lambda run: sort_key(run, column), reverse=order.startswith("-"))
    in_order.sort(key=lambda run: column in run.means and run.means[column].mean is None)  # last, whichever way it is sorted
    return [RunLine(run, [cell(run.means[measure], measure, best.get(measure)) for measure in measures]) for run in in_order]


def best_at_the_top(measure: str) -> str:
    return measure if sign_of(measure) < 0 else f"-{measure}"


def cell(estimate: Estimate, measure: str, best: float | None) -> Cell:
    is_best = estimate.mean is not None and rounded(estimate.mean) == best
    return Cell(number(estimate.mean), ends(estimate), interval(estimate), is_best)


def best_of(numbers: Iterable[float | None], measure: str) -> float | None:
    sign = sign_of(measure)
    return max((rounded(number) for number in numbers if number is not None), key=lambda number: sign * number, default=None)


def number(value: float | None) -> str:
    """The value with four decimals, as is usual; sums are whole numbers.

    >>> number(0.53377), number(30000), number(None)
    ('0.5338', '30,000', '–')
    """
    return with_minus(f"{value:,}") if isinstance(value, int) else decimal(value, 4)


def interval(estimate: Estimate) -> str:
    return in_brackets(estimate.low, estimate.high, 4, nulls=())


def ends(estimate: Estimate) -> str:
    """Half the width of the interval; both ends where the measure's range cuts one off.

    >>> ends(Estimate(0.5, 0.375, 0.625)), ends(Estimate(0.5, 0.0, 0.75)), ends(Estimate(0.5, None, None))
    ('±0.125', '0.000–0.750', '')
    """
    if estimate.mean is None or estimate.low is None or estimate.high is None:
        return ""
    below, above = estimate.mean - estimate.low, estimate.high - estimate.mean
    return f"±{decimal(above)}" if abs(above - below) < CUT_OFF else f"{decimal(estimate.low)}–{decimal(estimate.high)}"


def sort_key(outcome: Outcome, column: str) -> tuple:
    if column == "run":
        return (outcome.name.lower(),)
    if column == "topics":
        return (outcome.topics, outcome.name)
    return (lowest_if_none(outcome.judged if column == "judged" else outcome.means[column].mean), outcome.name)


def rounded(value: float) -> float:
    return round(value, 4)


def in_order(values: pl.DataFrame, order: str) -> pl.DataFrame:
    """Per-topic values of several runs with their `mean` and `spread`, sorted by topic, mean, spread or a run."""
    runs = pl.exclude("topic")
    frame = values.with_columns(mean=pl.mean_horizontal(runs), spread=pl.max_horizontal(runs) - pl.min_horizontal(runs))
    number = pl.col("topic").cast(pl.Int64, strict=False)
    column, falling = order.removeprefix("-"), order.startswith("-")
    if column == "topic":
        return frame.sort(number, "topic", descending=falling, nulls_last=True)
    return frame.sort(pl.col(column), number, "topic", descending=[falling, False, False], nulls_last=True)


def differences_by_topic(report: Report, qrels: int, pair: tuple[Outcome, Outcome], measure: str) -> pl.DataFrame:
    """One row per topic that both runs count: topic, first, second, and the difference of these two values."""
    first, second = (run.run for run in pair)
    frame = values_of_runs(report, qrels=qrels, runs=[first, second], measure=measure).frame
    both = in_order(frame.drop_nulls().rename({str(first): "first", str(second): "second"}), "topic")
    return both.with_columns(difference=both["first"] - both["second"])


def topics_shown(differences: pl.DataFrame, sorted_by: str) -> pl.DataFrame:
    """The topics that differ most, at most MOST_DIFFERENCES."""
    if differences.height > MOST_DIFFERENCES:
        differences = differences.filter(differences["difference"].abs().rank("ordinal", descending=True) <= MOST_DIFFERENCES)
    return differences if sorted_by == "topic" else differences.sort("difference", descending=True, maintain_order=True)


def topic_lines(frame: pl.DataFrame, runs: Sequence[int], without: Set[tuple[str, int]], measure: str) -> list[TopicLine]:
    """One line per topic; `without` has each (topic, run) that has no ranking."""
    sign = sign_of(measure)
    return [topic_line(row, runs, without, sign) for row in frame.iter_rows(named=True)]


def topic_line(row: dict, runs: Sequence[int], without: Set[tuple[str, int]], sign: int) -> TopicLine:
    values = {run: row[str(run)] for run in runs}
    signed = [sign * rounded(value) for value in values.values() if value is not None]
    best, worst = (sign * max(signed), sign * min(signed)) if signed else (None, None)
    cells = [topic_cell(value, run, best, worst) for run, value in values.items()]
    cells = [replace(cell, run=None) if (row["topic"], cell.run) in without else cell for cell in cells]
    return TopicLine(row["topic"], row["mean"], row["spread"], cells)


def topic_cell(value: float | None, run: int, best: float | None, worst: float | None) -> TopicCell:
    """One run's cell; none is best or worst where all are equal."""
    if value is None or best == worst:
        return TopicCell(value, None if value is None else run, best=False, worst=False)
    return TopicCell(value, run, best=rounded(value) == best, worst=rounded(value) == worst)

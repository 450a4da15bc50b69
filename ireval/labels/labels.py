"""Labels that workers gave to items, as integer codes."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Real
from typing import Any

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.io.cells import Place, require_cells, row_place, shown
from ireval.io.files import BadInput
from ireval.significance.scores import as_number

# The code of an unknown label: that of an item without gold, or of one whose votes tie.
UNKNOWN = -1


class BadLabels(BadInput):
    """Labels from which nothing can be computed, and why."""


@dataclass(frozen=True, eq=False)
class Labels:
    """N labels in the order in which they were given.

    `item`, `worker` and `label` (N,) are codes into the I `items`, the W `workers` and the K `values`. If `ordered`, `values`
    ascend: numbers always do, texts only if the caller named their order. `topic` (I,) are codes of the items' topics, or of any
    other groups within which items are alike; None where they are not known.
    """

    item: Ints
    worker: Ints
    label: Ints
    items: tuple[str, ...]
    workers: tuple[str, ...]
    values: tuple[str, ...]
    ordered: bool
    topic: Ints | None = None

    def __len__(self) -> int:
        return len(self.label)

    @cached_property
    def counts(self) -> Ints:
        """How often each item has each value, (I, K)."""
        k = len(self.values)
        return np.bincount(self.item * k + self.label, minlength=len(self.items) * k).reshape(-1, k)

    @cached_property
    def numbers(self) -> Floats:
        """The values as numbers, (K,); BadLabels where one is no number."""
        numbers = np.array([as_number(value) for value in self.values], np.float64)
        if np.isnan(numbers).any():
            raise BadLabels(f"the label {self.values[int(np.isnan(numbers).argmax())]} is no number")
        return numbers

    @cached_property
    def has_numbers(self) -> bool:
        """Whether all values are numbers."""
        return not np.isnan([as_number(value) for value in self.values]).any()

    def require_order(self, what: str) -> None:
        """BadLabels, which names `what` needs it, if the values have no order."""
        if not self.ordered:
            raise BadLabels(f"{what} needs labels in an order: numbers, or values named from the lowest to the highest")

    def covering(self, more: Iterable[str]) -> "Labels":
        """The same labels on a scale extended by these values. BadLabels if texts would lose their order."""
        missing = sorted(set(more) - set(self.values))
        if not missing:
            return self
        values, ordered = scale([*self.values, *missing])
        if self.ordered and not ordered:
            raise BadLabels(f"{missing[0]} is none of the labels {', '.join(self.values)}")
        places = np.array([values.index(value) for value in self.values], np.int64)
        return replace(self, label=places[self.label], values=values, ordered=ordered)


def labels_in_table(table: pl.DataFrame, values: Sequence[Any] | None = None, place: Place = row_place) -> Labels:
    """The labels of a table with item, worker and label, checked as labels_of says. `place` names a row in complaints."""
    has_topics = "topic" in table.columns
    require_cells(table, ("item", "worker", "label", *(["topic"] if has_topics else [])), BadLabels, place)
    if table.is_empty():
        raise BadLabels("there are no labels")
    item, items = coded(texts(table["item"]))
    worker, workers = coded(texts(table["worker"]))
    label_texts = texts(table["label"])
    used, ordered = scale(label_texts.unique().to_list()) if values is None else (as_texts(values), True)
    if len(set(used)) < len(used):
        raise BadLabels("the scale names a value twice; expected each once")
    label = coded_as(label_texts, used, place)
    if again := repetition(item * len(workers) + worker):
        row, first = again
        who = f"columns item and worker have worker {workers[worker[row]]} label item {items[item[row]]} again"
        raise BadLabels(f"{place(row)}: {who}; row {first + 1:,} has it: keep one of them")
    topic = topics_of_items(texts(table["topic"]), item, items) if has_topics else None
    return Labels(item, worker, label, items, workers, used, ordered, topic)


def topics_of_items(column: pl.Series, item: Ints, items: Sequence[str]) -> Ints:
    """Codes of the items' topics, (I,), from the topic of each label; BadLabels where an item has two."""
    topic, topics = coded(column)
    of_item = np.empty(len(items), np.int64)
    of_item[item[::-1]] = topic[::-1]  # the first label of an item is the last to be written
    strange = np.flatnonzero(of_item[item] != topic)
    if len(strange):
        row = int(strange[0])
        first, name = topics[of_item[item[row]]], items[item[row]]
        raise BadLabels(
            f"row {row + 1:,}: column topic has {topics[topic[row]]} for item {name}, which is of topic {first} above"
        )
    return of_item


def repetition(codes: Ints) -> tuple[int, int] | None:
    """The first row, from 0, that repeats a code, and the row that it repeats; None if no row does.

    >>> repetition(np.array([4, 2, 4])), repetition(np.array([4, 2]))
    ((2, 0), None)
    """
    once = pl.Series(codes).is_first_distinct()
    if once.all():
        return None
    row = int((~once).arg_max() or 0)
    return row, int((codes == codes[row]).argmax())


def gold_in_table(table: pl.DataFrame, labels: Labels, place: Place = row_place) -> Ints:
    """The codes of the items' true labels, (I,), of a table with item and label, checked as gold_of says."""
    require_cells(table, ("item", "label"), BadLabels, place)
    items = texts(table["item"])
    if again := repetition(coded(items)[0]):
        row, first = again
        raise BadLabels(f"{place(row)}: column item: item {items[row]} has two gold labels; row {first + 1:,} has the other")
    codes = coded_as(texts(table["label"]), labels.values, place)
    gold = pl.DataFrame({"item": items, "gold": codes})
    every = pl.DataFrame({"item": labels.items}, schema={"item": pl.String})
    joined = every.join(gold, on="item", how="left", maintain_order="left")
    return joined["gold"].fill_null(UNKNOWN).to_numpy().astype(np.int64)


def texts(column: pl.Series) -> pl.Series:
    """A column as text, with whole numbers without a decimal point however they were stored.

    >>> texts(pl.Series([2.0, 2.5, None])).to_list(), texts(pl.Series([True, False])).to_list()
    (['2', '2.5', None], ['1', '0'])
    """
    if column.dtype == pl.Boolean:
        return column.cast(pl.Int64).cast(pl.String)
    if not column.dtype.is_float():
        return column.cast(pl.String)
    whole = column.cast(pl.Int64, strict=False)  # null where more than 64 bits are needed
    is_whole = ((column % 1 == 0) & whole.is_not_null()).fill_null(value=False)
    return whole.cast(pl.String).zip_with(is_whole, column.cast(pl.String))


def is_nan(value: object) -> bool:
    return isinstance(value, float) and np.isnan(value)


def as_texts(values: Sequence[object]) -> tuple[str, ...]:
    """The values of a scale as a column of labels has them.

    >>> as_texts([0, 2, 2.5]), as_texts([0.0, 1.0]), as_texts(["0", 1])
    (('0', '2', '2.5'), ('0', '1'), ('0', '1'))
    """
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray | pl.Series):
        raise BadLabels(f"the values are {shown(values)}; expected the scale, a list from the lowest to the highest")
    if strange := [value for value in values if not isinstance(value, str | bool | Real) or is_nan(value)]:
        raise BadLabels(f"a value of the scale is {shown(strange[0])}; expected text or a number: leave it out")
    return tuple(value if isinstance(value, str) else number_as_text(value) for value in values)


def number_as_text(value: Any) -> str:
    return str(int(value)) if isinstance(value, Integral) else str(texts(pl.Series([value]))[0])


def coded(column: pl.Series) -> tuple[Ints, tuple[str, ...]]:
    """Codes in the order of first appearance, (N,), and the names that they stand for."""
    names = column.unique(maintain_order=True)
    return column.cast(pl.Enum(names)).to_physical().to_numpy().astype(np.int64), tuple(names.to_list())


def coded_as(column: pl.Series, values: Sequence[str], place: Place) -> Ints:
    if (strange := ~column.is_in(list(values))).any():
        row = strange.arg_max() or 0
        raise BadLabels(f"{place(row)}: the label {column[row]} is none of {', '.join(values)}")
    return column.cast(pl.Enum(list(values))).to_physical().to_numpy().astype(np.int64)


def scale(values: Iterable[str]) -> tuple[tuple[str, ...], bool]:
    """The values sorted, and whether that is a meaningful order: numbers by size are, texts by alphabet are not.

    >>> scale(["10", "9", "0"]), scale(["relevant", "not"])
    ((('0', '9', '10'), True), (('not', 'relevant'), False))
    """
    names = list(values)
    numbers = [as_number(value) for value in names]
    if any(np.isnan(numbers)):
        return tuple(sorted(names)), False
    if len(set(numbers)) < len(numbers):
        twice = next(number for number in numbers if numbers.count(number) > 1)
        forms = " and ".join(sorted(name for name, number in zip(names, numbers, strict=True) if number == twice))
        raise BadLabels(f"the label {twice:g} is written in more than one way, {forms}: write it in one")
    return tuple(value for _, value in sorted(zip(numbers, names, strict=True))), True

"""Experiments as they stood at several moments, computed from the changes between one moment and the next."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.behaviour.part import Amounts, Totals, changes
from ireval.clicks.sessions import Bools
from ireval.experiments.moments import Moments
from ireval.experiments.observations import Experiment, Kind, Metric

# A sum of squares less than this share of the sum that it was computed from is rounding error.
ROUNDING = 1e-12

Before = Literal["none", "mean", "ratio"]


class LookCells(NamedTuple):
    """C cells: what a unit did between two looks. Sorted by look and arm, except `starts`, which are in order of the amounts.

    `counted` (amounts,) are the amounts before the last look, `starts` (C,) where each cell begins in these, `order` (C,) sorts
    the cells. `unit` (C,) is the unit of each, `new` (C,) whether it is the unit's first cell. Those of a look and arm lie
    between two `ends`, (L · A + 1,).
    """

    counted: Bools
    starts: Ints
    order: Ints
    unit: Ints
    new: Bools
    ends: Ints


class Sums(NamedTuple):
    """The number of units `n` of each look and arm, (L, A), with `sums` (L, A, K) and sums of `products` (L, A, K, K).

    Values are shifted. `others` (L,) counts the units with a value other than 0 and 1, where the values have no denominators.
    """

    n: Ints
    sums: Floats
    products: Floats
    others: Ints


def experiments_at(
    looks: Sequence[int], arm: Ints, arms: Sequence[str], amounts: Mapping[str, Amounts], before: Mapping[str, Totals]
) -> list[Experiment]:
    """The experiment at each of the `looks`, in order of time: of the units with records before it, by what they did until then.

    `arm` (U,) are numbers of `arms`; `before` is what the units did before the start.
    """
    names = tuple(sorted(arms))
    codes = np.array([names.index(name) for name in arms], np.int64)[arm]
    moments, cells = np.array(looks, np.int64), {}
    metrics: list[list[Metric]] = [[] for _ in looks]
    n = np.zeros((len(looks), len(names)), np.int64)
    for name, amount in amounts.items():
        if amount.source not in cells:
            cells[amount.source] = cells_of(amount, moments, codes, len(names))
        columns, was = [amount.values] + ([] if amount.per is None else [amount.per]), before.get(name)
        constant = [] if was is None else [column for column in was if column is not None]
        shift, sums = sums_of(cells[amount.source], columns, constant, codes, n.shape)
        n = sums.n
        kept: Before = "none" if was is None else "mean" if was.per is None else "ratio"
        for look, (parts, moments_of_arms) in enumerate(zip(metrics, moments_at(sums, shift), strict=True)):
            kind: Kind = "ratio" if amount.per is not None else "mean" if sums.others[look] else "proportion"
            parts.append(Metric(name, kind, moments_of_arms, kept))
    return [Experiment(names, n[look], tuple(parts)) for look, parts in enumerate(metrics)]


def cells_of(amounts: Amounts, looks: Ints, arm: Ints, arms: int) -> LookCells:
    look = np.searchsorted(looks, amounts.time, side="right")
    counted = look < len(looks)
    unit, look = amounts.unit[counted], look[counted]
    starts = np.flatnonzero(changes(unit) | changes(look))
    unit, look = unit[starts], look[starts]
    group = look * arms + arm[unit]
    order = np.argsort(group.astype(np.int16 if len(looks) * arms < 30_000 else np.int64), kind="stable")
    ends = np.searchsorted(group[order], np.arange(len(looks) * arms + 1))
    return LookCells(counted, starts, order, unit[order], changes(unit)[order], ends)


def sums_of(
    cells: LookCells, columns: list[Floats], constant: list[Floats], arm: Ints, shape: tuple[int, int]
) -> tuple[Floats, Sums]:
    """A shift, (K,), and the shifted sums at each look, from the changes of each unit. Sums near 0 are exact."""
    units, k = len(arm), len(columns) + len(constant)
    state = np.zeros((k, units))
    if constant:
        state[len(columns) :] = constant
    changed = np.stack([cell_sums(column[cells.counted], cells)[cells.order] for column in columns])
    total = np.array([*(column.sum() for column in changed), *(column.sum() for column in constant)])
    shift = np.rint(total / max(1, units))
    steps = Sums(np.zeros(shape, np.int64), np.zeros((*shape, k)), np.zeros((*shape, k, k)), np.zeros(shape[0], np.int64))
    for number in range(shape[0] * shape[1]):
        chosen = slice(cells.ends[number], cells.ends[number + 1])
        look, unit, new = number // shape[1], cells.unit[chosen], cells.new[chosen]
        at = look, number % shape[1]
        old = state[:, unit]
        now = old.copy()
        now[: len(columns)] += changed[:, chosen]
        state[: len(columns), unit] = now[: len(columns)]
        old = old[:, ~new]
        steps.n[at] = new.sum()
        if len(columns) == 1:
            steps.others[look] += not_binary(now[0]) - not_binary(old[0])
        now -= shift[:, None]
        old -= shift[:, None]
        steps.sums[at] = now.sum(axis=1) - old.sum(axis=1)
        steps.products[at] = now @ now.T - old @ old.T
    return shift, Sums(*(step.cumsum(axis=0) for step in steps))


def cell_sums(values: Floats, cells: LookCells) -> Floats:
    return np.add.reduceat(values, cells.starts) if len(cells.starts) else np.zeros(0)


def not_binary(values: Floats) -> int:
    return int(((values != 0) & (values != 1)).sum())


def moments_at(sums: Sums, shift: Floats) -> Iterator[tuple[Moments, ...]]:
    """The moments of every arm at each look."""
    n = np.maximum(sums.n, 1)[:, :, None]
    mean = np.where(sums.n[:, :, None] > 0, shift + sums.sums / n, 0)
    apart = sums.products - sums.sums[:, :, :, None] * sums.sums[:, :, None, :] / n[:, :, :, None]
    same = np.diagonal(apart, axis1=2, axis2=3) <= ROUNDING * np.diagonal(sums.products, axis1=2, axis2=3)
    apart[same[:, :, :, None] | same[:, :, None, :]] = 0
    for counts, means, spreads in zip(sums.n, mean, apart, strict=True):
        yield tuple(Moments(int(count), *rest) for count, *rest in zip(counts, means, spreads, strict=True))

"""An experiment as it stood at several moments, reckoned from what changed between one and the next."""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

import numpy as np

from ireval.arrays import Floats, Ints
from ireval.behaviour.part import Amounts, Totals, changes
from ireval.clicks.sessions import Bools
from ireval.experiments.moments import Moments
from ireval.experiments.observations import Experiment, Kind, Metric

# A sum of squares less than this part of what it was reckoned from is nothing but rounding.
ROUNDING = 1e-12

Before = Literal["none", "mean", "ratio"]


class Cells(NamedTuple):
    """What one unit did from one look to the next, a cell each, sorted by look and arm: `unit` (C,), whether it is `new`, where
    its amounts begin in those that count (`starts`, in their order, by `order`), and where each look and arm's cells begin and
    end: `ends` (L · A + 1,)."""

    counted: Bools
    starts: Ints
    order: Ints
    unit: Ints
    new: Bools
    ends: Ints


class Sums(NamedTuple):
    """Of the units of each look and arm, less some shift: `n` (L, A), sums (L, A, K), of products (L, A, K, K), and how many of
    the units have a value besides 0 and 1, (L,)."""

    n: Ints
    sums: Floats
    products: Floats
    others: Ints


def experiments_at(
    looks: Sequence[int], arm: Ints, arms: Sequence[str], amounts: Mapping[str, Amounts], before: Mapping[str, Totals]
) -> list[Experiment]:
    """At each of the `looks`, in order of time, the experiment of those units (U,) to which something has happened before it,
    with what adds up to their values until then; `arm` (U,) has numbers of `arms`, `before` what they did before the start."""
    names = tuple(sorted(arms))
    codes = np.array([names.index(one) for one in arms], np.int64)[arm]
    moments, cells = np.array(looks, np.int64), {}
    found: list[list[Metric]] = [[] for _ in looks]
    n = np.zeros((len(looks), len(names)), np.int64)
    for name, given in amounts.items():
        if given.source not in cells:
            cells[given.source] = cells_of(given, moments, codes, len(names))
        columns, was = [given.values] + ([] if given.per is None else [given.per]), before.get(name)
        constant = [] if was is None else [one for one in was if one is not None]
        shift, sums = sums_of(cells[given.source], columns, constant, codes, n.shape)
        n = sums.n
        kept: Before = "none" if was is None else "mean" if was.per is None else "ratio"
        for look, parts in enumerate(found):
            kind: Kind = "ratio" if given.per is not None else "mean" if sums.others[look] else "proportion"
            parts.append(Metric(name, kind, tuple(moments_at(sums, shift, look, one) for one in range(len(names))), kept))
    return [Experiment(names, n[look], tuple(parts)) for look, parts in enumerate(found)]


def cells_of(amounts: Amounts, looks: Ints, arm: Ints, arms: int) -> Cells:
    look = np.searchsorted(looks, amounts.time, side="right")
    counted = look < len(looks)
    unit, look = amounts.unit[counted], look[counted]
    starts = np.flatnonzero(changes(unit) | changes(look))
    unit, look = unit[starts], look[starts]
    group = look * arms + arm[unit]
    order = np.argsort(group.astype(np.int16 if len(looks) * arms < 30_000 else np.int64), kind="stable")
    ends = np.searchsorted(group[order], np.arange(len(looks) * arms + 1))
    return Cells(counted, starts, order, unit[order], changes(unit)[order], ends)


def sums_of(
    cells: Cells, columns: list[Floats], constant: list[Floats], arm: Ints, shape: tuple[int, int]
) -> tuple[Floats, Sums]:
    """How the sums move with each unit that comes, or changes. The shift keeps them near 0, where they are exact."""
    units, k = len(arm), len(columns) + len(constant)
    state = np.zeros((k, units))
    if constant:
        state[len(columns) :] = constant
    changed = np.stack([added(one[cells.counted], cells)[cells.order] for one in columns])
    total = np.array([*(one.sum() for one in changed), *(one.sum() for one in constant)])
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
        steps.others[look] += not_binary(now[0]) - not_binary(old[0])
        now -= shift[:, None]
        old -= shift[:, None]
        steps.sums[at] = now.sum(axis=1) - old.sum(axis=1)
        steps.products[at] = now @ now.T - old @ old.T
    return shift, Sums(*(one.cumsum(axis=0) for one in steps))


def added(values: Floats, cells: Cells) -> Floats:
    return np.add.reduceat(values, cells.starts) if len(cells.starts) else np.zeros(0)


def not_binary(values: Floats) -> int:
    return int(((values != 0) & (values != 1)).sum())


def moments_at(sums: Sums, shift: Floats, look: int, arm: int) -> Moments:
    n, total, products = int(sums.n[look, arm]), sums.sums[look, arm], sums.products[look, arm]
    if not n:
        return Moments(0, np.zeros(len(total)), np.zeros((len(total), len(total))))
    apart = products - np.outer(total, total) / n
    same = np.diagonal(apart) <= ROUNDING * np.diagonal(products)
    apart[same] = 0
    apart[:, same] = 0
    return Moments(n, shift + total / n, apart)

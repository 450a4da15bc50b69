"""python -m ireval correlate: two runs, or two tables of systems and scores, in; how alike they order out."""

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import polars.selectors as cs

from ireval import ENGINE_VERSION, Interval, mean_interval
from ireval.cli.output import aligned, known, shown
from ireval.correlation.lists import DEFAULT_DEPTH, DEFAULT_P
from ireval.correlation.ordering_files import read_ordering
from ireval.correlation.orderings import METHODS, correlate, correlate_runs
from ireval.io.csv_rows import csv_of
from ireval.io.files import name_of
from ireval.significance import BadComparison

COUNTS = ("n", "only_first", "only_second")


@dataclass(frozen=True)
class Correlated:
    """A row for each topic of two runs, or the one row of two tables; `by_topic` tells which."""

    files: tuple[str, str]
    methods: list[str]
    values: pl.DataFrame
    by_topic: bool
    p: float
    depth: int

    def means(self) -> dict[str, tuple[Interval, int]]:
        """Each method's mean over the topics where it says something, and how many these are."""
        known_values = {method: self.values[method].drop_nans().to_numpy() for method in self.methods}
        return {method: (mean_interval(values), len(values)) for method, values in known_values.items()}

    def title(self, method: str) -> str:
        return {"rbo": f"rbo(p={self.p:g})", "overlap": f"overlap@{self.depth}"}.get(method, method)


def add_correlate(command: argparse.ArgumentParser) -> None:
    command.add_argument("first", metavar="A", help="a run, or CSV or Parquet with columns system and score; truth of tau_ap")
    command.add_argument("second", metavar="B", help='another of the same kind; "-" is standard input')
    command.add_argument("--method", dest="methods", choices=METHODS, action="append", help="several may be named (default all)")
    command.add_argument("--p", type=float, default=DEFAULT_P, help="persistence of rbo (default %(default)s)")
    command.add_argument("--depth", metavar="K", type=int, default=DEFAULT_DEPTH, help="of overlap (default %(default)s)")
    command.add_argument("--format", choices=SHOWN, default="table", help="default %(default)s")
    command.set_defaults(command=correlate_orderings)


def correlate_orderings(options: argparse.Namespace) -> None:
    """Correlate two orderings: the rankings of two runs, topic by topic and their mean, or two tables of systems and scores."""
    if not 0 < options.p < 1:
        raise BadComparison(f"--p is {options.p:g}; expected a number between 0 and 1")
    if options.depth < 1:
        raise BadComparison(f"--depth is {options.depth}; expected a whole number from 1")
    methods = options.methods or list(METHODS)
    first, second = read_ordering(options.first), read_ordering(options.second)
    if isinstance(first, dict) and isinstance(second, dict):
        found = [correlate(first, second, method, p=options.p, depth=options.depth) for method in methods]
        counts = {"n": found[0].n, "only_first": found[0].only_first, "only_second": found[0].only_second}
        values = pl.DataFrame([{**counts, **{method: one.value for method, one in zip(methods, found, strict=True)}}])
    elif isinstance(first, pl.DataFrame) and isinstance(second, pl.DataFrame):
        values = correlate_runs(first, second, methods, p=options.p, depth=options.depth)
    else:
        run, table = (options.first, options.second) if isinstance(second, dict) else (options.second, options.first)
        raise BadComparison(f"{name_of(run)} is a run and {name_of(table)} a table of systems; expected two of the same kind")
    files = (options.first, options.second)
    print(SHOWN[options.format](Correlated(files, methods, values, "topic" in values.columns, options.p, options.depth)))


def as_table(found: Correlated) -> str:
    table = [["topic", "n", "only A", "only B", *map(found.title, found.methods)]]
    table += [
        [row.get("topic", ""), *(str(row[name]) for name in COUNTS), *(decimals(row[method]) for method in found.methods)]
        for row in found.values.iter_rows(named=True)
    ]
    head = f"A {found.files[0]}, B {found.files[1]}"
    if not found.by_topic:
        return "\n".join([f"{head}: systems", *aligned([row[1:] for row in table]), ""])
    means = found.means().values()
    table.append(["mean", "", "", "", *(decimals(mean.mean) for mean, _ in means)])
    table.append(["  95 % from", "", "", "", *(decimals(mean.low) for mean, _ in means)])
    table.append(["  to", "", "", "", *(decimals(mean.high) for mean, _ in means)])
    table.append(["  topics", "", "", "", *(str(count) for _, count in means)])
    return "\n".join([f"{head}: {len(found.values)} topics in both", *aligned(table), ""])


def decimals(number: float) -> str:
    return "" if known(number) is None else shown(number)


def as_json(found: Correlated) -> str:
    """One object, whose NaN is null."""
    rows = [
        {found.title(name): known(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in found.values.iter_rows(named=True)
    ]
    content: dict[str, Any] = {"first": found.files[0], "second": found.files[1], "engine": ENGINE_VERSION}
    if found.by_topic:
        content["means"] = {
            found.title(method): {"value": known(mean.mean), "low": known(mean.low), "high": known(mean.high), "n": n}
            for method, (mean, n) in found.means().items()
        }
        content["per_topic"] = rows
    else:
        content |= rows[0]
    return json.dumps(content, ensure_ascii=False)


def as_csv(found: Correlated) -> str:
    """A row a topic, and one of means called "all"; a single row for tables."""
    titles = [found.title(method) for method in found.methods]
    rows: list[Sequence[object]] = [["topic", *COUNTS, *titles] if found.by_topic else [*COUNTS, *titles]]
    rows += found.values.with_columns(cs.float().fill_nan(None)).rows()
    if found.by_topic:
        rows.append(["all", "", "", "", *(known(mean.mean) for mean, _ in found.means().values())])
    return csv_of(*rows).rstrip("\n")


SHOWN: dict[str, Callable[[Correlated], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

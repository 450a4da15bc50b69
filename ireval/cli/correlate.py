"""The command correlate: from two runs, or two tables of systems and scores, to the correlation of their orders."""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
import polars.selectors as cs

from ireval import ENGINE_VERSION, Interval, mean_interval
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned, none_if_nan, shown
from ireval.correlation.lists import DEFAULT_DEPTH, DEFAULT_P
from ireval.correlation.ordering_files import read_ordering
from ireval.correlation.orderings import METHODS, correlate, correlate_runs
from ireval.correlation.rank_tables import rank_pairs, rank_table
from ireval.io.csv_rows import csv_of, csv_of_frame
from ireval.io.files import name_of
from ireval.significance import BadComparison

COUNTS = ("n", "only_first", "only_second")
# The lowest and highest values; of the others −1 and 1.
RANGES = {"rbo": (0, 1), "overlap": (0, 1)}


@dataclass(frozen=True)
class Correlated:
    """The values of the methods: one row per topic of two runs (`by_topic`), or a single row of two tables."""

    files: tuple[str, str]
    methods: list[str]
    values: pl.DataFrame
    by_topic: bool
    p: float
    depth: int

    def means(self) -> dict[str, tuple[Interval, int]]:
        """Each method's mean over the topics where it is defined, and the number of these topics."""
        defined = {method: self.values[method].drop_nans().to_numpy() for method in self.methods}
        return {
            method: (mean_interval(values, bounds=RANGES.get(method, (-1, 1))), len(values)) for method, values in defined.items()
        }

    def title(self, method: str) -> str:
        return {"rbo": f"rbo(p={self.p:g})", "overlap": f"overlap@{self.depth}"}.get(method, method)


# What a file holds: a table's scores, or the documents of a run's topic in their order.
Things = Mapping[str, float] | Sequence[str]


def add_correlate(command: argparse.ArgumentParser) -> None:
    command.add_argument("first", metavar="A", help="a run, or CSV or Parquet with columns system and score; truth of tau_ap")
    command.add_argument("second", metavar="B", help='another of the same kind; "-" is standard input')
    command.add_argument("--method", dest="methods", choices=METHODS, action="append", help="several may be named (default all)")
    command.add_argument("--p", type=float, default=DEFAULT_P, help="persistence of rbo (default %(default)s)")
    command.add_argument("--depth", metavar="K", type=int, default=DEFAULT_DEPTH, help="of overlap (default %(default)s)")
    command.add_argument(
        "--list",
        dest="listed",
        choices=LISTED,
        help="instead of a coefficient: the ranks of each thing in both, all pairs, or those in a different order",
    )
    command.add_argument("--topic", metavar="ID", help="of two runs, with --list")
    command.add_argument("--top", metavar="K", type=whole_number(1), help="with --list, only the first K of A")
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
    if options.listed:
        list_things(options, of_topic(first, options.first, options), of_topic(second, options.second, options))
        return
    if options.topic is not None or options.top is not None:
        raise BadComparison("--topic and --top go with --list")
    if isinstance(first, dict) and isinstance(second, dict):
        correlations = [correlate(first, second, method, p=options.p, depth=options.depth) for method in methods]
        counts = {"n": correlations[0].n, "only_first": correlations[0].only_first, "only_second": correlations[0].only_second}
        values = pl.DataFrame(
            [{**counts, **{method: correlation.value for method, correlation in zip(methods, correlations, strict=True)}}]
        )
    elif isinstance(first, pl.DataFrame) and isinstance(second, pl.DataFrame):
        values = correlate_runs(first, second, methods, p=options.p, depth=options.depth)
    else:
        run, table = (options.first, options.second) if isinstance(second, dict) else (options.second, options.first)
        raise BadComparison(f"{name_of(run)} is a run and {name_of(table)} a table of systems; expected two of the same kind")
    files = (options.first, options.second)
    print(SHOWN[options.format](Correlated(files, methods, values, "topic" in values.columns, options.p, options.depth)))


def list_things(options: argparse.Namespace, first: Things, second: Things) -> None:
    """Print where both orderings put each thing, or which pairs of things they order alike."""
    things = rank_table(first, second)["thing"].to_list()[: options.top]
    table = LISTED[options.listed](kept(first, things), kept(second, things))
    if options.format == "json":
        print(json.dumps(table.to_dicts(), ensure_ascii=False))
    elif options.format == "csv":
        print(csv_of_frame(table, to_the_letter=("thing", "upper", "lower")), end="")
    else:
        cells = [[f"{value:g}" if isinstance(value, float) else value for value in row] for row in table.rows()]
        print("\n".join([f"A {options.first}, B {options.second}: {counts(table)}", *aligned([table.columns, *cells]), ""]))


def kept(ordering: Things, things: Sequence[str]) -> Things:
    """The ordering of these things only, so that their ranks run from 1."""
    if isinstance(ordering, Mapping):
        return {thing: ordering[thing] for thing in things}
    chosen = set(things)
    return [thing for thing in ordering if thing in chosen]


def of_topic(ordering: pl.DataFrame | dict[str, float], path: str, options: argparse.Namespace) -> Things:
    """A table of systems as it is, or a run's documents of the topic that was named, in the evaluator's order."""
    if isinstance(ordering, dict):
        return ordering
    if options.topic is None:
        raise BadComparison(f"{name_of(path)} is a run: name one of its topics with --topic")
    documents = ordering.filter(pl.col("topic") == options.topic).sort("rank")["docno"].to_list()
    if not documents:
        raise BadComparison(f"{name_of(path)} has no topic {options.topic}")
    return documents


def counts(table: pl.DataFrame) -> str:
    if "difference" in table.columns:
        squares = table.select(pl.col("difference").pow(2).sum()).item()
        return f"{len(table)} in both, Σ|d| = {table['difference'].abs().sum():g}, Σd² = {squares:g}"
    how_many = dict(table["agreement"].value_counts().iter_rows())
    return ", ".join(f"{how_many.get(agreement, 0)} {agreement}" for agreement in ("concordant", "discordant", "tied")) + " pairs"


def discordant_pairs(first: Things, second: Things) -> pl.DataFrame:
    return rank_pairs(first, second).filter(pl.col("agreement") == "discordant")


LISTED: dict[str, Callable[[Things, Things], pl.DataFrame]] = {
    "ranks": rank_table,
    "pairs": rank_pairs,
    "discordant": discordant_pairs,
}


def as_table(correlated: Correlated) -> str:
    table = [["topic", "n", "only A", "only B", *map(correlated.title, correlated.methods)]]
    table += [
        [row.get("topic", ""), *(str(row[name]) for name in COUNTS), *(decimals(row[method]) for method in correlated.methods)]
        for row in correlated.values.iter_rows(named=True)
    ]
    head = f"A {correlated.files[0]}, B {correlated.files[1]}"
    if not correlated.by_topic:
        return "\n".join([f"{head}: systems", *aligned([row[1:] for row in table]), ""])
    means = correlated.means().values()
    table.append(["mean", "", "", "", *(decimals(mean.mean) for mean, _ in means)])
    table.append(["  95 % from", "", "", "", *(decimals(mean.low) for mean, _ in means)])
    table.append(["  to", "", "", "", *(decimals(mean.high) for mean, _ in means)])
    table.append(["  topics", "", "", "", *(str(count) for _, count in means)])
    return "\n".join([f"{head}: {len(correlated.values)} topics in both", *aligned(table), ""])


def decimals(number: float) -> str:
    return "" if none_if_nan(number) is None else shown(number)


def as_json(correlated: Correlated) -> str:
    """One JSON object, in which NaN is null."""
    rows = [
        {correlated.title(name): none_if_nan(value) if isinstance(value, float) else value for name, value in row.items()}
        for row in correlated.values.iter_rows(named=True)
    ]
    content: dict[str, Any] = {"first": correlated.files[0], "second": correlated.files[1], "engine": ENGINE_VERSION}
    if correlated.by_topic:
        content["means"] = {
            correlated.title(method): {
                "value": none_if_nan(mean.mean),
                "low": none_if_nan(mean.low),
                "high": none_if_nan(mean.high),
                "n": n,
            }
            for method, (mean, n) in correlated.means().items()
        }
        content["per_topic"] = rows
    else:
        content |= rows[0]
    return json.dumps(content, ensure_ascii=False)


def as_csv(correlated: Correlated) -> str:
    """One row per topic, and one of means called "all"; a single row for tables."""
    titles = [correlated.title(method) for method in correlated.methods]
    rows: list[Sequence[object]] = [["topic", *COUNTS, *titles] if correlated.by_topic else [*COUNTS, *titles]]
    rows += correlated.values.with_columns(cs.float().fill_nan(None)).rows()
    if correlated.by_topic:
        rows.append(["all", "", "", "", *(none_if_nan(mean.mean) for mean, _ in correlated.means().values())])
    return csv_of(*rows).rstrip("\n")


SHOWN: dict[str, Callable[[Correlated], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

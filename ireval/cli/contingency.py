"""The command contingency: which documents of each topic were retrieved, and which are relevant, and what follows from both."""

import argparse
import json
from collections.abc import Callable, Iterable

import polars as pl

from ireval import ENGINE_VERSION, BadInput, Qrels, Rankings, contingency, coverage_and_novelty, read_qrels
from ireval.cli.evaluate import add_rules, rankings_by, rules_of, whole_number
from ireval.cli.output import aligned
from ireval.curves.curves import counted_topics
from ireval.io.csv_rows import csv_of_frame
from ireval.io.files import name_of

COUNTS = ("relevant_retrieved", "other_retrieved", "relevant_missed", "other_missed", "known", "known_retrieved", "new_retrieved")
SHARES = ("precision", "recall", "fallout", "generality", "coverage", "novelty")


def add_contingency(command: argparse.ArgumentParser) -> None:
    command.add_argument("qrels", metavar="QRELS", help="judgements, in any format that evaluate reads")
    command.add_argument("run", metavar="RUN", help='TREC or Parquet, compressed or not; "-" is standard input')
    command.add_argument("--topic", metavar="ID", help="of this topic alone, as a table of two by two (default all)")
    command.add_argument(
        "--documents",
        metavar="N",
        type=whole_number(1),
        help="size of the collection, for its fourth cell, fallout and generality",
    )
    command.add_argument(
        "--known", metavar="FILE", help="documents that the reader knew before, as qrels with grades from 1: coverage and novelty"
    )
    add_rules(command)
    command.add_argument("--format", choices=SHOWN, default="table", help="default %(default)s")
    command.set_defaults(command=show_contingency)


def show_contingency(options: argparse.Namespace) -> None:
    """Count what was retrieved and what is relevant, topic by topic; what is not judged is not relevant. Prints the counts,
    precision and recall, with the size of the collection fallout and generality, with what is known coverage and novelty."""
    rankings = rankings_by(options, options.run, Qrels(read_qrels(options.qrels), duplicates=options.duplicates))
    counted = counted_topics(rankings, rules_of(options)["topics"])
    table = with_shares(rankings, options, options.relevant_from).filter(pl.Series(counted))
    if options.topic is not None:
        table = table.filter(pl.col("topic") == options.topic)
    if table.is_empty():
        wanted = "no topic" if options.topic is None else f"no topic {options.topic}"
        raise BadInput(f"{name_of(options.run)} and the qrels share {wanted}; -c counts those of the qrels as 0")
    print(SHOWN[options.format](table, options))


def with_shares(rankings: Rankings, options: argparse.Namespace, rel: int) -> pl.DataFrame:
    """One row per topic of the qrels: topic, those of COUNTS that are known and then those of SHARES; null where undefined."""
    table = contingency(rankings, documents=options.documents, rel=rel)
    hits, others, missed = (pl.col(name) for name in COUNTS[:3])
    table = table.with_columns(precision=ratio(hits, hits + others), recall=ratio(hits, hits + missed))
    if options.documents is None:
        table = table.drop("other_missed")
    else:
        not_relevant = others + pl.col("other_missed")
        table = table.with_columns(fallout=ratio(others, not_relevant), generality=(hits + missed) / options.documents)
    if options.known is not None:
        table = table.join(coverage_and_novelty(rankings, known=options.known, rel=rel), on="topic", maintain_order="left")
    return table.select("topic", *(name for name in (*COUNTS, *SHARES) if name in table.columns))


def ratio(part: pl.Expr, whole: pl.Expr) -> pl.Expr:
    return pl.when(whole > 0).then(part / whole)


def over_topics(table: pl.DataFrame) -> pl.DataFrame:
    """One row: sums of the counts, and means of the shares over the topics where they are defined."""
    sums = [pl.col(name).sum() if name in COUNTS else pl.col(name).mean() for name in table.columns[1:]]
    return table.select(pl.lit("all").alias("topic"), *sums)


def as_table(table: pl.DataFrame, options: argparse.Namespace) -> str:
    of = f"{len(table)} topics" if options.topic is None else f"topic {options.topic}"
    lines = aligned_rows(table) if options.topic is None else square(table)
    return "\n".join([f"{options.run}: {of}, relevant from grade {options.relevant_from}", *lines, ""])


def aligned_rows(table: pl.DataFrame) -> Iterable[str]:
    rows = [*table.rows(), *over_topics(table).rows()]
    return aligned([[name.replace("_", " ") for name in table.columns], *map(written, rows)])


def square(table: pl.DataFrame) -> list[str]:
    """The table of one topic as textbooks draw it, and its shares below."""
    (row,) = table.rows(named=True)
    cells = [
        ["", "relevant", "not relevant"],
        ["retrieved", str(row["relevant_retrieved"]), str(row["other_retrieved"])],
        ["not retrieved", str(row["relevant_missed"]), str(row.get("other_missed", "?"))],
    ]
    shares = [[name, *written([row[name]])] for name in SHARES if name in row]
    return [*aligned(cells), *aligned(shares)]


def written(row: Iterable[object]) -> list[str]:
    return ["" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value) for value in row]


def as_json(table: pl.DataFrame, options: argparse.Namespace) -> str:
    content = {
        "run": options.run,
        "relevant_from": options.relevant_from,
        "documents": options.documents,
        "engine": ENGINE_VERSION,
        "n": len(table),
        "all": {name: value for name, value in over_topics(table).row(0, named=True).items() if name != "topic"},
        "per_topic": table.to_dicts(),
    }
    return json.dumps(content, ensure_ascii=False)


def as_csv(table: pl.DataFrame, options: argparse.Namespace) -> str:
    """One row per topic, and unless there is only one a last row called "all"."""
    rows = table if options.topic is not None else pl.concat([table, over_topics(table)], how="vertical_relaxed")
    return csv_of_frame(rows, to_the_letter=("topic",)).rstrip("\n")


SHOWN: dict[str, Callable[[pl.DataFrame, argparse.Namespace], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

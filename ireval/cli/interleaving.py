"""python -m ireval interleaving: credit of interleaved systems in; which one people prefer, and how sure that is, out."""

import argparse
import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import polars as pl

from ireval import ENGINE_VERSION
from ireval.cli.compare import as_p, decimals, share
from ireval.cli.evaluate import whole
from ireval.cli.experiment import between
from ireval.cli.output import aligned
from ireval.experiments import DEFAULT_PLANNED, BadExperiment
from ireval.interleaving import BYS, VOTERS, Credits, Multileaving, compare_multileaved, credit_table, read_credits
from ireval.io.csv_rows import csv_of_frame
from ireval.io.plain import plain


class Asked:
    """What was asked of which impressions, computed when it is needed."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.credits: Credits = read_credits(options.file, systems=options.systems)

    @cached_property
    def found(self) -> Multileaving:
        options, given = self.options, self.credits
        how = {"voter": options.voter, "by": options.by, "confidence": options.confidence, "planned": options.planned}
        return compare_multileaved(given.user, given.query, given.credit, **how)

    @cached_property
    def queries(self) -> pl.DataFrame | None:
        """Of two systems."""
        credit = list(self.credits.credit.values())
        return credit_table(self.credits.query, *credit) if len(credit) == 2 else None


def add_interleaving(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file",
        metavar="FILE",
        help='CSV or Parquet with user, query and the credit of each system, a row an impression; "-" is standard input',
    )
    command.add_argument("--systems", metavar="NAME", nargs="+", help="only these columns (default: all but user and query)")
    command.add_argument("--by", choices=BYS, default="wins", help=BY_HELP)
    command.add_argument("--voter", choices=VOTERS, default="impression", help="who votes once (default %(default)s)")
    command.add_argument("--planned", metavar="N", type=whole(1), default=DEFAULT_PLANNED, help=PLANNED_HELP)
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument("--table", choices=TABLES, default="pairs", help="which one as CSV (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s")
    command.set_defaults(command=show_interleaving)


BY_HELP = "what the score is of: impressions won, or parts of all credit, as the probabilistic method needs (default %(default)s)"
PLANNED_HELP = "votes, as independent ones count, at which always-valid intervals are narrowest (default %(default)s)"


def show_interleaving(options: argparse.Namespace) -> None:
    """Say which of two or more interleaved systems people prefer: an impression is won by the system with more credit. Each pair
    has its score, 1 for a win and a half for a tie, less a half (delta), with an interval and p that allow for users and queries
    being alike, p corrected for all pairs, and the same for any number of looks before the end. Of more than two systems the
    ranks that this leaves possible."""
    print(FORMATS[options.format](Asked(options)))


VOTING = {
    "impression": "impressions vote; interval and p robust to users and queries that are alike",
    "query": "queries vote, once each; nothing allows for users who are alike",
    "user": "users vote, once each",
}
PARTS = "the first's part of the credit of both; interval and p robust to users and queries that are alike"


def as_table(asked: Asked) -> str:
    sections = [heading, pair_lines, always_lines, user_lines]
    sections += [standing_lines] if len(asked.credits.systems) > 2 else []
    return "\n".join(line for section in sections for line in section(asked))


def heading(asked: Asked) -> Iterator[str]:
    found, given = asked.found, asked.credits
    known = f"{given.user.n_unique():,} users, {given.query.n_unique():,} queries"
    without = f"{found.without_credit:,} without any credit"
    yield f"{asked.options.file}: {found.impressions:,} impressions of {known}, {len(given.systems)} systems, {without}"


def pair_lines(asked: Asked) -> Iterator[str]:
    yield f"  {PARTS if asked.options.by == 'credit' else VOTING[asked.options.voter]}; delta is the score less a half"
    table = [["first", "second", "n", "won", "tied", "lost", "delta", interval_title(asked), "p", "Holm", "design effect"]]
    for pair in asked.found.pairs:
        one = pair.found
        counts = [f"{count:,}" for count in (one.n, one.wins, one.ties, one.losses)]
        ends = [decimals(one.delta), between(one.delta_low, one.delta_high)]
        p = [as_p(one.score.p), as_p(pair.holm), decimals(one.design_effect, 2)]
        table.append([pair.first, pair.second, *counts, *ends, *p])
    yield from aligned(table)
    for pair in asked.found.pairs:
        if why := pair.found.score.undefined:
            yield f"  {pair.first}, {pair.second}: no interval because {why}"
    yield ""


def always_lines(asked: Asked) -> Iterator[str]:
    yield f"  the same however often one looks (asymptotic confidence sequence, N* = {asked.options.planned:,})"
    table = [["first", "second", "delta", interval_title(asked), "p", "Holm"]]
    for pair in asked.found.pairs:
        one = pair.found
        ends = between(one.always_low, one.always_high)
        table.append([pair.first, pair.second, decimals(one.delta), ends, as_p(one.always_p), as_p(pair.always_holm)])
    yield from aligned(table)
    yield ""


def user_lines(asked: Asked) -> Iterator[str]:
    yield "  users, one vote each: sign tests, exact p; ties dropped, split and kept"
    table = [["first", "second", "won", "tied", "lost", "dropped", "split", "kept"]]
    for pair in asked.found.pairs:
        one = pair.found.by_users
        counts = [f"{count:,}" for count in (one.wins, one.ties, one.losses)]
        table.append([pair.first, pair.second, *counts, *map(as_p, (one.dropped, one.split, one.kept))])
    yield from aligned(table)


def standing_lines(asked: Asked) -> Iterator[str]:
    yield ""
    yield "  ranks by the mean score against each other system, and those that Holm's tests leave possible"
    table = [["rank", "possible", "system", "score", "credit"]]
    for one in asked.found.standings:
        table.append([str(one.rank), f"{one.rank_low}–{one.rank_high}", one.system, decimals(one.score), f"{one.credit:,.1f}"])
    yield from aligned(table)


def interval_title(asked: Asked) -> str:
    return f"{100 * asked.options.confidence:g} % interval"


def pair_table(asked: Asked) -> pl.DataFrame:
    return pl.DataFrame([row_of(*pair) for pair in asked.found.pairs], infer_schema_length=None, nan_to_null=True)


def row_of(first: str, second: str, found: Any, holm: float, always_holm: float) -> dict[str, Any]:
    row = {"first": first, "second": second, **found._asdict()}
    score, by_users = row.pop("score"), row.pop("by_users")
    row |= {"score": score.value, "error": score.error, "p": score.p, "holm": holm, "always_holm": always_holm}
    return row | {f"users_{name}": value for name, value in by_users._asdict().items() if name != "unit"}


def query_table(asked: Asked) -> pl.DataFrame:
    if asked.queries is None:
        raise BadExperiment("queries are of two systems; name them with --systems")
    return asked.queries


TABLES: dict[str, Callable[[Asked], pl.DataFrame]] = {
    "pairs": pair_table,
    "systems": lambda asked: pl.DataFrame([one._asdict() for one in asked.found.standings]),
    "queries": query_table,
}


def as_csv(asked: Asked) -> str:
    return csv_of_frame(TABLES[asked.options.table](asked)).rstrip("\n")


def as_json(asked: Asked) -> str:
    """One object, whose NaN is null."""
    options, found = asked.options, asked.found
    content: dict[str, Any] = {
        "file": options.file,
        "engine": ENGINE_VERSION,
        **{name: getattr(options, name) for name in ("by", "voter", "confidence", "planned")},
        "systems": asked.credits.systems,
        "impressions": found.impressions,
        "without_credit": found.without_credit,
        "pairs": found.pairs,
        "standings": found.standings,
        **({} if asked.queries is None else {"queries": asked.queries}),
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[Asked], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

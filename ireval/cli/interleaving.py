"""The command interleaving: from credit of interleaved systems to which one people prefer, and how sure that is."""

import argparse
import json
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import polars as pl

from ireval import ENGINE_VERSION
from ireval.cli.compare import as_p, decimals, share
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned, between, interval_title, option_values
from ireval.experiments import DEFAULT_PLANNED, BadExperiment
from ireval.interleaving import BYS, VOTERS, Credits, Multileaving, compare_multileaved, credit_table, read_credits
from ireval.io.csv_rows import csv_of_frame
from ireval.io.plain import plain


class InterleavingAnalysis:
    """The results for interleaved impressions by the command's options, each computed when it is first used."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.credits: Credits = read_credits(options.file, systems=options.systems)

    @cached_property
    def comparison(self) -> Multileaving:
        options, credits = self.options, self.credits
        how = {"voter": options.voter, "by": options.by, "confidence": options.confidence, "planned": options.planned}
        return compare_multileaved(credits, **how)

    @cached_property
    def queries(self) -> pl.DataFrame | None:
        """Credit per query; None for more than two systems."""
        return credit_table(self.credits) if len(self.credits.systems) == 2 else None


def add_interleaving(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file",
        metavar="FILE",
        help='CSV or Parquet with user, query and the credit of each system, a row an impression; "-" is standard input',
    )
    command.add_argument("--systems", metavar="NAME", nargs="+", help="only these columns (default: all but user and query)")
    command.add_argument("--by", choices=BYS, default="wins", help=BY_HELP)
    command.add_argument("--voter", choices=VOTERS, default="impression", help="who votes once (default %(default)s)")
    command.add_argument("--planned", metavar="N", type=whole_number(1), default=DEFAULT_PLANNED, help=PLANNED_HELP)
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument("--table", choices=TABLES, default="pairs", help="which one as CSV (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s")
    command.set_defaults(command=show_interleaving)


BY_HELP = "what the score is of: impressions won, or parts of all credit, as the probabilistic method needs (default %(default)s)"
PLANNED_HELP = "votes, as independent ones count, at which always-valid intervals are narrowest (default %(default)s)"


def show_interleaving(options: argparse.Namespace) -> None:
    """Say which of two or more interleaved systems people prefer: an impression is won by the system with more credit. Each pair
    has its score, 1 for a win and a half for a tie, less a half (delta). Interval and p allow for users and queries being alike;
    p is also corrected for all pairs. The same is given for any number of looks before the end. For more than two systems there
    are also the ranks that this leaves possible."""
    print(FORMATS[options.format](InterleavingAnalysis(options)))


VOTING = {
    "impression": "impressions vote; interval and p robust to users and queries that are alike",
    "query": "queries vote, once each; nothing allows for users who are alike",
    "user": "users vote, once each",
}
PARTS = "the first's part of the credit of both; interval and p robust to users and queries that are alike"


def as_table(analysis: InterleavingAnalysis) -> str:
    sections = [heading, pair_lines, always_lines, user_lines]
    sections += [standing_lines] if len(analysis.credits.systems) > 2 else []
    return "\n".join(line for section in sections for line in section(analysis))


def heading(analysis: InterleavingAnalysis) -> Iterator[str]:
    comparison, credits = analysis.comparison, analysis.credits
    users, queries = (pl.Series(names).n_unique() for names in (credits.user, credits.query))
    counts = f"{users:,} users, {queries:,} queries, {len(credits.systems)} systems"
    without = f"{comparison.without_credit:,} without any credit"
    yield f"{analysis.options.file}: {comparison.impressions:,} impressions of {counts}, {without}"


def pair_lines(analysis: InterleavingAnalysis) -> Iterator[str]:
    yield f"  {PARTS if analysis.options.by == 'credit' else VOTING[analysis.options.voter]}; delta is the score less a half"
    table = [
        ["first", "second", "n", "won", "tied", "lost", "delta", interval_title(analysis.options), "p", "Holm", "design effect"]
    ]
    for pair in analysis.comparison.pairs:
        result = pair.analysis
        counts = [f"{count:,}" for count in (result.n, result.wins, result.ties, result.losses)]
        ends = [decimals(result.delta), between(result.delta_low, result.delta_high)]
        p = [as_p(result.score.p), as_p(pair.holm), decimals(result.design_effect, 2)]
        table.append([pair.first, pair.second, *counts, *ends, *p])
    yield from aligned(table)
    for pair in analysis.comparison.pairs:
        if why := pair.analysis.score.undefined:
            yield f"  {pair.first}, {pair.second}: no interval because {why}"
    yield ""


def always_lines(analysis: InterleavingAnalysis) -> Iterator[str]:
    yield f"  the same however often one looks (asymptotic confidence sequence, N* = {analysis.options.planned:,})"
    table = [["first", "second", "delta", interval_title(analysis.options), "p", "Holm"]]
    for pair in analysis.comparison.pairs:
        result = pair.analysis
        ends = between(result.always_low, result.always_high)
        table.append([pair.first, pair.second, decimals(result.delta), ends, as_p(result.always_p), as_p(pair.always_holm)])
    yield from aligned(table)
    yield ""


def user_lines(analysis: InterleavingAnalysis) -> Iterator[str]:
    yield "  users, one vote each: sign tests, exact p; ties dropped, split and kept"
    table = [["first", "second", "won", "tied", "lost", "dropped", "split", "kept"]]
    for pair in analysis.comparison.pairs:
        users = pair.analysis.by_users
        counts = [f"{count:,}" for count in (users.wins, users.ties, users.losses)]
        table.append([pair.first, pair.second, *counts, *map(as_p, (users.dropped, users.split, users.kept))])
    yield from aligned(table)


def standing_lines(analysis: InterleavingAnalysis) -> Iterator[str]:
    yield ""
    yield "  ranks by the mean score against each other system, and those that Holm's tests leave possible"
    table = [["rank", "possible", "system", "score", "credit"]]
    for standing in analysis.comparison.standings:
        table.append(
            [
                str(standing.rank),
                f"{standing.rank_low}–{standing.rank_high}",
                standing.system,
                decimals(standing.score),
                f"{standing.credit:,.1f}",
            ]
        )
    yield from aligned(table)


def pair_table(analysis: InterleavingAnalysis) -> pl.DataFrame:
    return pl.DataFrame([row_of(*pair) for pair in analysis.comparison.pairs], infer_schema_length=None, nan_to_null=True)


def row_of(first: str, second: str, result: Any, holm: float, always_holm: float) -> dict[str, Any]:
    row = {"first": first, "second": second, **result._asdict()}
    score, by_users = row.pop("score"), row.pop("by_users")
    row |= {"score": score.value, "error": score.error, "p": score.p, "holm": holm, "always_holm": always_holm}
    return row | {f"users_{name}": value for name, value in by_users._asdict().items() if name != "unit"}


def query_table(analysis: InterleavingAnalysis) -> pl.DataFrame:
    if analysis.queries is None:
        raise BadExperiment("queries are of two systems; name them with --systems")
    return analysis.queries


TABLES: dict[str, Callable[[InterleavingAnalysis], pl.DataFrame]] = {
    "pairs": pair_table,
    "systems": lambda analysis: pl.DataFrame([standing._asdict() for standing in analysis.comparison.standings]),
    "queries": query_table,
}


def as_csv(analysis: InterleavingAnalysis) -> str:
    return csv_of_frame(TABLES[analysis.options.table](analysis)).rstrip("\n")


def as_json(analysis: InterleavingAnalysis) -> str:
    """One JSON object, in which NaN is null."""
    options, comparison = analysis.options, analysis.comparison
    content: dict[str, Any] = {
        "file": options.file,
        "engine": ENGINE_VERSION,
        **option_values(options, "by", "voter", "confidence", "planned"),
        "systems": analysis.credits.systems,
        "impressions": comparison.impressions,
        "without_credit": comparison.without_credit,
        "pairs": comparison.pairs,
        "standings": comparison.standings,
        **({} if analysis.queries is None else {"queries": analysis.queries}),
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[InterleavingAnalysis], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

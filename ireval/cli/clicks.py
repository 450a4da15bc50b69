"""The command clicks: from a log of queries and clicks to click-through rates, preferences and click models."""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import polars as pl

from ireval import ENGINE_VERSION
from ireval.cli.compare import decimals, share
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned, interval_title, option_values
from ireval.clicks import (
    BASELINE,
    MODELS,
    RULES,
    BadClicks,
    ClickModel,
    HeldOut,
    Rate,
    click_preferences,
    coec,
    ctr_by_rank,
    fit,
    held_out,
    held_out_on,
    perplexity_table,
    rates,
    read_clicks,
)
from ireval.io.csv_rows import csv_of_frame
from ireval.io.plain import plain

# Documents and preferences that a table shows; CSV and JSON have all.
SHOWN_ROWS = 20
FITTED = tuple(name for name in MODELS if name != BASELINE)


class ClickAnalysis:
    """The results for a log by the command's options, each computed when it is first used."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.sessions, self.deviations = read_clicks(options.log)

    @cached_property
    def ranks(self) -> pl.DataFrame:
        """Click-through rates by rank, with the chosen model's chances by rank."""
        rates = ctr_by_rank(self.sessions, confidence=self.options.confidence)
        return rates.with_columns(pl.Series(self.model.name, self.model.by_rank))

    @cached_property
    def rates(self) -> list[Rate]:
        return rates(self.sessions, self.options.k, confidence=self.options.confidence)

    @cached_property
    def preferences(self) -> pl.DataFrame:
        return click_preferences(self.sessions, self.options.rule)

    @cached_property
    def model(self) -> ClickModel:
        options = self.options
        return fit(self.sessions, options.model, prior=options.prior, confidence=options.confidence)

    @cached_property
    def documents(self) -> pl.DataFrame:
        """The chosen model's table, with clicks over expected clicks; most shown first."""
        expected = coec(self.sessions).select("query", "document", "clicks", "expected", "coec", "shrunk")
        pairs = self.model.pairs.join(expected, on=["query", "document"], how="left", maintain_order="left")
        return pairs.sort("shown", "query", "document", descending=[True, False, False])

    @cached_property
    def held_out(self) -> list[HeldOut]:
        """On the sessions of --test, or on some of the log. Empty where there are too few to hold any out."""
        options = self.options
        if options.test:
            test = read_clicks(options.test)[0]
            return held_out_on(self.sessions, test, FITTED, prior=options.prior, confidence=options.confidence)
        how = {"share": options.held_out, "seed": options.seed, "prior": options.prior, "confidence": options.confidence}
        try:
            return held_out(self.sessions, FITTED, **how)
        except BadClicks:
            return []


def above_zero(text: str) -> float:
    if not 0 < (number := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return number


def add_clicks(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "log",
        metavar="FILE",
        help='UBI queries and events, NDJSON or Parquet, or a log in Yandex\'s format; compressed or not; "-" is standard input',
    )
    command.add_argument("--test", metavar="FILE", help="a log that the models are tested on, instead of a share held out")
    command.add_argument("--rule", choices=RULES, default="skip-above", help="of preferences (default %(default)s)")
    command.add_argument("--model", choices=FITTED, default="position-based", help="of clicks (default %(default)s)")
    command.add_argument(
        "--k", metavar="K", type=whole_number(1), default=10, help="of the click-through rate (default %(default)s)"
    )
    command.add_argument("--prior", metavar="N", type=above_zero, default=1.0, help="of attractiveness (default %(default)s)")
    command.add_argument("--held-out", metavar="SHARE", type=share, default=0.25, help="of sessions (default %(default)s)")
    command.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="of what is held out (default %(default)s)")
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument("--table", choices=TABLES, default="ranks", help="which one as CSV (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s")
    command.set_defaults(command=show_clicks)


def show_clicks(options: argparse.Namespace) -> None:
    """Say what people clicked: click-through rates by rank and of impressions. Also which documents they prefer by one of
    Joachims's rules. A click model says how attractive documents are, whatever the rank where they were shown. Click models are
    tested on sessions that they have not seen, against the click-through rates of ranks."""
    print(FORMATS[options.format](ClickAnalysis(options)))


def as_table(analysis: ClickAnalysis) -> str:
    parts = [heading(analysis), deviation_lines(analysis), rate_lines(analysis), rank_lines(analysis)]
    parts += [preference_lines(analysis), held_out_lines(analysis), document_lines(analysis)]
    return "\n".join(line for part in parts for line in part)


def heading(analysis: ClickAnalysis) -> Iterator[str]:
    sessions = analysis.sessions
    clicks = int(sessions.total_clicks.sum())
    counts = f"{len(set(sessions.query.tolist())):,} queries, {len(set(sessions.session.tolist())):,} sessions"
    yield f"{analysis.options.log}: {len(sessions):,} impressions of {counts}, {clicks:,} clicks"


def deviation_lines(analysis: ClickAnalysis) -> Iterator[str]:
    for deviation in analysis.deviations.entries:
        yield f"  {deviation.cases:,} {deviation.meaning}" + (f" (first: line {deviation.line:,})" if deviation.line else "")
    yield ""


def rate_lines(analysis: ClickAnalysis) -> Iterator[str]:
    table = [["impressions", "n", "value", interval_title(analysis.options)]]
    table += [[rate.title, f"{rate.n:,}", decimals(rate.value), between(rate.low, rate.high)] for rate in analysis.rates]
    yield from aligned(table)
    yield ""


def rank_lines(analysis: ClickAnalysis) -> Iterator[str]:
    model = analysis.model
    by_rank = {"position-based": "examined", "dependent-click": "goes on"}.get(model.name)
    table = [["rank", "shown", "clicked", "ctr", interval_title(analysis.options), *([by_rank] if by_rank else [])]]
    for row in analysis.ranks.iter_rows(named=True):
        counts = [str(row["rank"]), f"{row['shown']:,}", f"{row['clicked']:,}"]
        own = [decimals(row[model.name])] if by_rank else []
        table.append([*counts, decimals(row["ctr"]), between(row["low"], row["high"]), *own])
    yield from aligned(table)
    yield ""


def preference_lines(analysis: ClickAnalysis) -> Iterator[str]:
    preferences = analysis.preferences
    yield f"  {RULES[analysis.options.rule][0]}: {len(preferences):,} preferences, said {preferences['count'].sum():,} times"
    table = [["query", "preferred", "over", "count", "against"]]
    table += [[str(cell) for cell in row] for row in preferences.head(SHOWN_ROWS).rows()]
    yield from aligned(table)
    yield ""


def held_out_lines(analysis: ClickAnalysis) -> Iterator[str]:
    if not analysis.held_out:
        yield "  too few sessions to hold any out"
        yield ""
        return
    where = f"of {analysis.options.test}" if analysis.options.test else "held out"
    yield f"  {analysis.held_out[0].impressions:,} impressions {where}; gain in log likelihood per impression over {BASELINE}"
    table = [["model", "perplexity", "log likelihood", "gain", interval_title(analysis.options)]]
    for result in analysis.held_out:
        gain = (
            ["", ""]
            if result.model.name == BASELINE
            else [decimals(result.gain.value), between(result.gain.low, result.gain.high)]
        )
        table.append([result.model.title, decimals(result.perplexity), f"{result.log_likelihood:.1f}", *gain])
    yield from aligned(table)
    yield ""


def document_lines(analysis: ClickAnalysis) -> Iterator[str]:
    model, has_satisfaction = analysis.model, "satisfaction" in analysis.model.pairs.columns
    rounds = f", {model.rounds:,} rounds of EM{'' if model.converged else ', which had not ended'}" if model.rounds else ""
    yield f"  {model.title}{rounds}; {len(analysis.documents):,} documents of queries"
    if model.note:
        yield f"  {model.note}"
    columns = [
        "shown",
        "support",
        "attractive",
        interval_title(analysis.options),
        *(["satisfying"] if has_satisfaction else []),
        "coec",
        "shrunk",
    ]
    table = [["query", "document", *columns]]
    for row in analysis.documents.head(SHOWN_ROWS).iter_rows(named=True):
        own = [decimals(row["attractiveness"]), between(row["low"], row["high"])]
        own += [decimals(row["satisfaction"])] if has_satisfaction else []
        ratio = ["" if row[name] is None else decimals(row[name]) for name in ("coec", "shrunk")]
        table.append([row["query"], row["document"], f"{row['shown']:,}", f"{row['support']:,.1f}", *own, *ratio])
    yield from aligned(table)


def between(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def as_csv(analysis: ClickAnalysis) -> str:
    return csv_of_frame(TABLES[analysis.options.table](analysis)).rstrip("\n")


def as_json(analysis: ClickAnalysis) -> str:
    """One JSON object, in which NaN is null."""
    options, sessions, model = analysis.options, analysis.sessions, analysis.model
    content: dict[str, Any] = {
        "file": options.log,
        "engine": ENGINE_VERSION,
        "options": option_values(options, "rule", "model", "k", "prior", "test", "held_out", "seed", "confidence"),
        "impressions": len(sessions),
        "clicks": int(sessions.total_clicks.sum()),
        "queries": analysis.deviations.queries,
        "actions": analysis.deviations.actions,
        "deviations": [deviation._asdict() | {"meaning": deviation.meaning} for deviation in analysis.deviations.entries],
        "rates": analysis.rates,
        "ranks": analysis.ranks,
        "preferences": analysis.preferences,
        "model": {name: getattr(model, name) for name in ("name", "title", "rounds", "converged", "note")},
        "documents": analysis.documents,
        "held_out": [held_out_content(result) for result in analysis.held_out],
        "perplexity": perplexity_table(analysis.held_out) if analysis.held_out else [],
    }
    return json.dumps(plain(content), ensure_ascii=False)


def held_out_content(result: HeldOut) -> dict[str, Any]:
    numbers = {name: getattr(result, name) for name in ("impressions", "perplexity", "log_likelihood", "gain")}
    return {"model": result.model.name, **numbers}


TABLES: dict[str, Callable[[ClickAnalysis], pl.DataFrame]] = {
    "ranks": lambda analysis: analysis.ranks,
    "preferences": lambda analysis: analysis.preferences,
    "documents": lambda analysis: analysis.documents,
}
FORMATS: dict[str, Callable[[ClickAnalysis], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

"""python -m ireval clicks: a log of queries and clicks in; click-through rates, preferences and click models out."""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import polars as pl

from ireval import ENGINE_VERSION
from ireval.cli.compare import decimals, share
from ireval.cli.evaluate import whole
from ireval.cli.output import aligned
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
    perplexity_table,
    rates,
    read_ubi,
)
from ireval.io.csv_rows import csv_of_frame
from ireval.io.plain import plain

# Documents and preferences that a table shows; CSV and JSON have all.
SHOWN_ROWS = 20
FITTED = tuple(name for name in MODELS if name != BASELINE)


class Asked:
    """What was asked of which log, computed when it is needed."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.sessions, self.deviations = read_ubi(options.log)

    @cached_property
    def ranks(self) -> pl.DataFrame:
        """Click-through rates, and what the chosen model says of ranks."""
        found = ctr_by_rank(self.sessions, confidence=self.options.confidence)
        return found.with_columns(pl.Series(self.model.name, self.model.by_rank))

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
        beside = coec(self.sessions).select("query", "document", "clicks", "expected", "coec", "shrunk")
        found = self.model.pairs.join(beside, on=["query", "document"], how="left", maintain_order="left")
        return found.sort("shown", "query", "document", descending=[True, False, False])

    @cached_property
    def held_out(self) -> list[HeldOut]:
        """Empty where there are too few sessions to hold any out."""
        options = self.options
        how = {"share": options.held_out, "seed": options.seed, "prior": options.prior, "confidence": options.confidence}
        try:
            return held_out(self.sessions, FITTED, **how)
        except BadClicks:
            return []


def above_zero(text: str) -> float:
    if not 0 < (found := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return found


def add_clicks(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "log", metavar="FILE", help='UBI queries and events, NDJSON or Parquet, compressed or not; "-" is standard input'
    )
    command.add_argument("--rule", choices=RULES, default="skip-above", help="of preferences (default %(default)s)")
    command.add_argument("--model", choices=FITTED, default="position-based", help="of clicks (default %(default)s)")
    command.add_argument("--k", metavar="K", type=whole(1), default=10, help="of the click-through rate (default %(default)s)")
    command.add_argument("--prior", metavar="N", type=above_zero, default=1.0, help="of attractiveness (default %(default)s)")
    command.add_argument("--held-out", metavar="SHARE", type=share, default=0.25, help="of sessions (default %(default)s)")
    command.add_argument("--seed", metavar="N", type=whole(0), default=0, help="of what is held out (default %(default)s)")
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument("--table", choices=TABLES, default="ranks", help="which one as CSV (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s")
    command.set_defaults(command=show_clicks)


def show_clicks(options: argparse.Namespace) -> None:
    """Say what people clicked: click-through rates by rank and of impressions, which documents they prefer by one of Joachims's
    rules, and how attractive documents are by a click model, whatever the rank where they were shown. Click models are held
    against sessions that they have not seen, beside the click-through rates of ranks."""
    print(FORMATS[options.format](Asked(options)))


def as_table(asked: Asked) -> str:
    parts = [heading(asked), deviation_lines(asked), rate_lines(asked), rank_lines(asked)]
    parts += [preference_lines(asked), held_out_lines(asked), document_lines(asked)]
    return "\n".join(line for part in parts for line in part)


def heading(asked: Asked) -> Iterator[str]:
    sessions = asked.sessions
    clicks = int(sessions.total_clicks.sum())
    known = f"{len(set(sessions.query.tolist())):,} queries, {len(set(sessions.session.tolist())):,} sessions"
    yield f"{asked.options.log}: {len(sessions):,} impressions of {known}, {clicks:,} clicks"


def deviation_lines(asked: Asked) -> Iterator[str]:
    for one in asked.deviations.found:
        yield f"  {one.cases:,} {one.meaning}" + (f" (first: line {one.line:,})" if one.line else "")
    yield ""


def rate_lines(asked: Asked) -> Iterator[str]:
    table = [["impressions", "n", "value", interval_title(asked)]]
    table += [[one.title, f"{one.n:,}", decimals(one.value), between(one.low, one.high)] for one in asked.rates]
    yield from aligned(table)
    yield ""


def rank_lines(asked: Asked) -> Iterator[str]:
    model = asked.model
    by_rank = {"position-based": "examined", "dependent-click": "goes on"}.get(model.name)
    table = [["rank", "shown", "clicked", "ctr", interval_title(asked), *([by_rank] if by_rank else [])]]
    for row in asked.ranks.iter_rows(named=True):
        counts = [str(row["rank"]), f"{row['shown']:,}", f"{row['clicked']:,}"]
        own = [decimals(row[model.name])] if by_rank else []
        table.append([*counts, decimals(row["ctr"]), between(row["low"], row["high"]), *own])
    yield from aligned(table)
    yield ""


def preference_lines(asked: Asked) -> Iterator[str]:
    found = asked.preferences
    yield f"  {RULES[asked.options.rule][0]}: {len(found):,} preferences, said {found['count'].sum():,} times"
    table = [["query", "preferred", "over", "count", "against"]]
    table += [[str(cell) for cell in row] for row in found.head(SHOWN_ROWS).rows()]
    yield from aligned(table)
    yield ""


def held_out_lines(asked: Asked) -> Iterator[str]:
    if not asked.held_out:
        yield "  too few sessions to hold any out"
        yield ""
        return
    yield f"  {asked.held_out[0].impressions:,} impressions held out; gain in log likelihood an impression over {BASELINE}"
    table = [["model", "perplexity", "log likelihood", "gain", interval_title(asked)]]
    for one in asked.held_out:
        gain = ["", ""] if one.model.name == BASELINE else [decimals(one.gain.value), between(one.gain.low, one.gain.high)]
        table.append([one.model.title, decimals(one.perplexity), f"{one.log_likelihood:.1f}", *gain])
    yield from aligned(table)
    yield ""


def document_lines(asked: Asked) -> Iterator[str]:
    model, known = asked.model, "satisfaction" in asked.model.pairs.columns
    rounds = f", {model.rounds:,} rounds of EM{'' if model.converged else ', which had not ended'}" if model.rounds else ""
    yield f"  {model.title}{rounds}; {len(asked.documents):,} documents of queries"
    if model.note:
        yield f"  {model.note}"
    columns = ["shown", "support", "attractive", interval_title(asked), *(["satisfying"] if known else []), "coec", "shrunk"]
    table = [["query", "document", *columns]]
    for row in asked.documents.head(SHOWN_ROWS).iter_rows(named=True):
        own = [decimals(row["attractiveness"]), between(row["low"], row["high"])]
        own += [decimals(row["satisfaction"])] if known else []
        ratio = ["" if row[name] is None else decimals(row[name]) for name in ("coec", "shrunk")]
        table.append([row["query"], row["document"], f"{row['shown']:,}", f"{row['support']:,.1f}", *own, *ratio])
    yield from aligned(table)


def interval_title(asked: Asked) -> str:
    return f"{100 * asked.options.confidence:g} % interval"


def between(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{low:.4f} to {high:.4f}"


def as_csv(asked: Asked) -> str:
    return csv_of_frame(TABLES[asked.options.table](asked)).rstrip("\n")


def as_json(asked: Asked) -> str:
    """One object, whose NaN is null."""
    options, sessions, model = asked.options, asked.sessions, asked.model
    names = ("rule", "model", "k", "prior", "held_out", "seed", "confidence")
    content: dict[str, Any] = {
        "file": options.log,
        "engine": ENGINE_VERSION,
        "options": {name: getattr(options, name) for name in names},
        "impressions": len(sessions),
        "clicks": int(sessions.total_clicks.sum()),
        "queries": asked.deviations.queries,
        "actions": asked.deviations.actions,
        "deviations": [one._asdict() | {"meaning": one.meaning} for one in asked.deviations.found],
        "rates": asked.rates,
        "ranks": asked.ranks,
        "preferences": asked.preferences,
        "model": {name: getattr(model, name) for name in ("name", "title", "rounds", "converged", "note")},
        "documents": asked.documents,
        "held_out": [held_out_content(one) for one in asked.held_out],
        "perplexity": perplexity_table(asked.held_out) if asked.held_out else [],
    }
    return json.dumps(plain(content), ensure_ascii=False)


def held_out_content(one: HeldOut) -> dict[str, Any]:
    numbers = {name: getattr(one, name) for name in ("impressions", "perplexity", "log_likelihood", "gain")}
    return {"model": one.model.name, **numbers}


TABLES: dict[str, Callable[[Asked], pl.DataFrame]] = {
    "ranks": lambda asked: asked.ranks,
    "preferences": lambda asked: asked.preferences,
    "documents": lambda asked: asked.documents,
}
FORMATS: dict[str, Callable[[Asked], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

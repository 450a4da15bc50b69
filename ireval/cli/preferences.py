"""The command preferences: from votes of side-by-side studies to which system is preferred, and how far to trust that."""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import polars as pl

from ireval import ENGINE_VERSION
from ireval.agreement import Agreement, Resampling
from ireval.cli.aggregate import rows_to_read
from ireval.cli.compare import as_p, decimals, share
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned, interval_title, option_values
from ireval.io.csv_rows import csv_of_frame
from ireval.io.plain import plain
from ireval.preferences import (
    DEFAULT_DRAWN,
    DEFAULT_MODEL,
    DRAWN,
    MODELS,
    Consistency,
    Ladder,
    Learning,
    Preference,
    SideBias,
    Votes,
    consistency,
    decisions,
    ladder,
    learning,
    preference,
    preferences,
    read_votes,
    side_bias,
    topic_table,
    vote_agreement,
)
from ireval.preferences.ladder import ladder_content
from ireval.significance import Clustered, Decision, SignTests

# With more pairs than this, --pair compares a single one.
MOST_PAIRS = 200


class PreferenceAnalysis:
    """The results for votes by the command's options, each computed when it is first used.

    `pair` are the two systems that were named, or that are the only ones; else None.
    """

    def __init__(self, options: argparse.Namespace):
        self.options, self.every = options, read_votes(options.votes)
        systems = self.every.systems
        self.pair = tuple(options.pair) if options.pair else systems if len(systems) == 2 else None
        self.votes: Votes = self.every.between(*self.pair) if self.pair else self.every

    @property
    def resampling(self) -> Resampling:
        return Resampling(self.options.confidence, self.options.resamples, self.options.seed)

    @cached_property
    def ladder(self) -> Ladder:
        return ladder(self.every, self.options.model, self.resampling, drawn=self.options.drawn, by_attention=True)

    @cached_property
    def preferences(self) -> list[Preference]:
        confidence = self.options.confidence
        if self.pair:
            return [preference(self.votes, *self.pair, confidence=confidence)]
        return preferences(self.votes, confidence=confidence) if self.compared <= MOST_PAIRS else []

    @cached_property
    def decisions(self) -> list[Decision]:
        return decisions([pair.score for pair in self.preferences], alpha=1 - self.options.confidence)

    @cached_property
    def compared(self) -> int:
        return self.votes.pair_count

    @cached_property
    def topics(self) -> pl.DataFrame | None:
        return topic_table(self.votes, *self.pair) if self.pair else None

    @cached_property
    def side(self) -> SideBias:
        return side_bias(self.votes, confidence=self.options.confidence)

    @cached_property
    def consistency(self) -> Consistency:
        return consistency(self.votes, self.resampling)

    @cached_property
    def agreement(self) -> list[Agreement]:
        return vote_agreement(self.votes, self.resampling)

    @cached_property
    def learning(self) -> Learning:
        return learning(self.votes, confidence=self.options.confidence)


def add_preferences(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "votes",
        metavar="VOTES",
        help='CSV or Parquet with item, left, right, winner, maybe worker, topic, seconds, order; "-" is standard input',
    )
    command.add_argument("--pair", nargs=2, metavar=("A", "B"), help="compare these two (default: the two that there are)")
    command.add_argument("--model", choices=MODELS, default=DEFAULT_MODEL, help="of strengths (default %(default)s)")
    command.add_argument("--drawn", choices=DRAWN, default=DEFAULT_DRAWN, help="for intervals of strengths (default %(default)s)")
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument(
        "--resamples", metavar="N", type=whole_number(1), default=1000, help="of the bootstrap (default %(default)s)"
    )
    command.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="of the resamples (default %(default)s)")
    command.add_argument(
        "--format", choices=FORMATS, default="table", help="default %(default)s; csv: topics of a pair, else systems"
    )
    command.set_defaults(command=show_preferences)


def show_preferences(options: argparse.Namespace) -> None:
    """Say which system people prefer when they see two side by side. For two systems: how often each is preferred, with an
    interval and tests that take topics, not votes, as independent. For more: their strengths and ranks. And for the workers: side
    bias, consistency, agreement, learning. winner is left, right, tie or both_bad. The same item by the same worker with the
    sides swapped is a repeat and no vote."""
    print(FORMATS[options.format](PreferenceAnalysis(options)))


def as_table(analysis: PreferenceAnalysis) -> str:
    sections = [pair_lines(analysis) if analysis.pair else ladder_lines(analysis), side_lines(analysis), repeat_lines(analysis)]
    return "\n".join(
        [
            heading(analysis),
            *(line for lines in [*sections, agreement_lines(analysis), learning_lines(analysis)] for line in lines),
        ]
    )


def heading(analysis: PreferenceAnalysis) -> str:
    votes, every = analysis.votes, analysis.every
    on = f" on {' and '.join(analysis.pair)}" if analysis.pair else f" on {len(every.systems):,} systems"
    rows = f"{every.left_out:,} row{'s' if every.left_out > 1 else ''}"
    left_out = f"; {rows} without a winner left out" if every.left_out else ""
    itself = f"; {every.against_itself:,} of a system against itself left out" if every.against_itself else ""
    again = len(votes.repeats.vote)
    repeats = f", {again:,} mirrored repeat{'s' if again > 1 else ''}" if again else ""
    workers = votes.worker_count
    by = f" by {workers:,} workers" if votes.has_workers else ""
    head = f"{analysis.options.votes}: {len(votes):,} votes{by}{on}{repeats}{left_out}{itself}"
    unknown = "\n  no column says who voted: each vote counts as by a worker of its own, so intervals allow for topics alone"
    return head + ("" if votes.has_workers else unknown)


def pair_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    (result,) = analysis.preferences
    yield f"  {result.items:,} items of {result.topics:,} topics"
    table = [["", "won", "tied", "lost", "both bad", "score", interval_title(analysis.options), "p"]]
    score = result.score
    counts = [str(count) for count in (result.wins, result.ties, result.losses, result.both_bad)]
    table.append([f"{result.first} against {result.second}", *counts, decimals(score.value), interval_text(score), as_p(score.p)])
    yield from aligned(table)
    yield reason_line(score) or f"  interval and p robust to topics and workers (t distribution, df = {score.freedom})"
    yield ""
    yield "  another question, what these workers would say on other topics:"
    yield "  sign tests, exact p              won   tied  lost  ties dropped  ties split  ties kept"
    yield sign_line(result.by_topics, "topics, one vote each")
    yield sign_line(result.by_votes, "votes, as if all independent")
    yield ""
    if analysis.topics is not None:
        yield from rows_to_read(analysis.topics)
    yield ""


def sign_line(tests: SignTests, title: str) -> str:
    counts = "".join(f"{count:<6,}" for count in (tests.wins, tests.ties, tests.losses))
    return f"    {title:<30} {counts}{as_p(tests.dropped):<14}{as_p(tests.split):<12}{as_p(tests.kept)}"


def ladder_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    standing, options = analysis.ladder, analysis.options
    strengths = standing.strengths
    nu = f", ν = {strengths.nu:.4f}" if strengths.model == "davidson" else ""
    yield f"  {MODELS[strengths.model]}{nu}; strengths are logarithms, 0 on average"
    yield (
        f"  intervals: {options.drawn} drawn, {options.resamples:,} times, seed {options.seed}, "
        f"{100 * options.confidence:g} %; those of ranks hold all together"
    )
    if standing.by_attention is not None:
        yield "  by attention: each vote counts as far as its worker's votes follow what all say of the same lists"
    if standing.undefined:
        yield f"  no intervals because {standing.undefined}"
    if strengths.unbounded:
        added = f"; {strengths.prior:g} votes against an average system added" if strengths.prior else ""
        yield f"  votes alone have no finite strengths: {strengths.unbounded}{added}"
    if standing.with_prior:
        yield f"  {standing.with_prior:,} resamples got the prior, since their votes alone have no finite strengths"
    if (parts := int(strengths.component.max()) + 1) > 1:
        yield f"  {parts} groups of systems were never compared with each other: each is a ladder of its own"
    yield from aligned([*ladder_table(standing)])
    yield ""
    if len(standing.strengths.systems) <= 12:
        yield "  share of draws in which the row is above the column"
        yield from aligned([*above_table(standing)])
        yield ""
    yield from pairs_lines(analysis)


def ladder_table(standing: Ladder) -> Iterator[list[str]]:
    estimates = ["strength", "interval", "against average", "interval", "by attention"]
    yield ["group", "rank", "system", "votes", "won", "tied", "lost", *estimates]
    for row in standing.frame().iter_rows(named=True):
        ranks = f"{row['rank']} ({row['rank_low']}–{row['rank_high']})"
        counts = [str(row[name]) for name in ("n", "wins", "ties", "losses")]
        strength, average = (cell(row[name]) for name in ("strength", "against_average"))
        intervals = [between(row["low"], row["high"]), between(row["average_low"], row["average_high"])]
        attentive = cell(row["attentive"])
        yield [str(row["component"]), ranks, row["system"], *counts, strength, intervals[0], average, intervals[1], attentive]


def above_table(standing: Ladder) -> Iterator[list[str]]:
    order = [standing.strengths.systems.index(name) for name in standing.frame()["system"]]
    names = [standing.strengths.systems[number] for number in order]
    yield ["", *names]
    for name, number in zip(names, order, strict=True):
        yield [name, *("" if number == column else decimals(float(standing.above[number, column]), 3) for column in order)]


def pairs_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    if not analysis.preferences:
        yield f"  {analysis.compared:,} pairs of systems: --pair A B shows one"
        yield ""
        return
    table = [["first", "second", "votes", "won", "tied", "lost", "score", "interval", "p", "preferred"]]
    for pair, decision in zip(analysis.preferences, analysis.decisions, strict=True):
        counts = [str(count) for count in (pair.n, pair.wins, pair.ties, pair.losses)]
        score = [decimals(decision.value), between(decision.low, decision.high), as_p(decision.p)]
        preferred = {"first": pair.first, "second": pair.second}.get(decision.outcome, decision.undefined or "not told")
        table.append([pair.first, pair.second, *counts, *score, preferred])
    yield "  every two systems, by the score against ½; p and intervals are corrected for their number (Holm)"
    yield from aligned(table)
    yield ""


def side_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    side = analysis.side
    shown = shown_share(side.share, side.low, side.high)
    yield f"  side: {side.left:,} of {side.decided:,} decided votes chose the left one{shown}, p {as_p(side.p)}"


def repeat_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    repeats = analysis.consistency
    if not repeats.n:
        yield "  consistency: no item was shown again with its sides swapped"
        return
    yield (
        f"  consistency: {repeats.same_system + repeats.both_tie:,} of {repeats.n:,} mirrored repeats say the same"
        f"{shown_share(repeats.share, repeats.low, repeats.high)}; {repeats.same_side:,} the same side, "
        f"{repeats.to_tie:,} became a tie, {repeats.from_tie:,} a choice"
    )
    yield f"  {titled(repeats.kappa)}"


def agreement_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    yield "  agreement between workers"
    yield from (f"    {titled(coefficient)}" for coefficient in analysis.agreement if not coefficient.undefined)
    undefined = {
        coefficient.undefined
        for coefficient in analysis.agreement
        if coefficient.undefined and coefficient.name.startswith(("percent", "alpha"))
    }
    yield from (f"    undefined because {reason}" for reason in sorted(undefined))
    yield from (f"    {reason}" for reason in sorted({coefficient.caution for coefficient in analysis.agreement} - {""}))


def learning_lines(analysis: PreferenceAnalysis) -> Iterator[str]:
    change = analysis.learning
    yield "  from the first half of each worker's votes to the second"
    for title, estimate in (("agreement with the others, difference", change.agreement), ("seconds, ratio", change.pace)):
        value = f"{estimate.value:.4f} ({between(estimate.low, estimate.high)})"
        yield f"    {title}: {f'undefined because {estimate.undefined}' if estimate.undefined else value}"
    yield ""


def titled(coefficient: Agreement) -> str:
    text = (
        f"undefined because {coefficient.undefined}"
        if coefficient.undefined
        else f"{coefficient.value:.4f} ({between(coefficient.low, coefficient.high)})"
    )
    return f"{coefficient.title}: {text.replace(' ()', '')}"


def shown_share(value: float, low: float, high: float) -> str:
    return "" if math.isnan(value) else f" ({value:.4f}, {between(low, high)})"


def interval_text(estimate: Clustered) -> str:
    return between(estimate.low, estimate.high)


def between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None or math.isnan(low) else f"{low:.4f} to {high:.4f}"


def cell(value: float | None) -> str:
    return "" if value is None else decimals(value)


def reason_line(estimate: Clustered) -> str:
    return f"  no interval because {estimate.undefined}" if estimate.undefined else ""


def as_csv(analysis: PreferenceAnalysis) -> str:
    """One row per topic for a pair; one per system for more."""
    frame = analysis.ladder.frame() if analysis.topics is None else analysis.topics
    return csv_of_frame(frame).rstrip("\n")


def as_json(analysis: PreferenceAnalysis) -> str:
    """One JSON object, in which NaN is null."""
    options, votes = analysis.options, analysis.votes
    content: dict[str, Any] = {
        "file": options.votes,
        "engine": ENGINE_VERSION,
        **option_values(options, "model", "drawn", "confidence", "resamples", "seed"),
        "systems": analysis.pair or votes.systems,
        "votes": len(votes),
        "left_out": analysis.every.left_out,
        "against_itself": analysis.every.against_itself,
        "has_workers": votes.has_workers,
        "pairs": [
            {**pair._asdict(), "decision": decision._asdict()}
            for pair, decision in zip(analysis.preferences, analysis.decisions, strict=True)
        ],
        **({} if analysis.topics is None else {"topics": analysis.topics}),
        **({} if analysis.pair else ladder_content(analysis.ladder)),
        "side_bias": analysis.side,
        "consistency": analysis.consistency,
        "agreement": analysis.agreement,
        "learning": analysis.learning,
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[PreferenceAnalysis], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

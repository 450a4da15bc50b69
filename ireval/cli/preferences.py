"""python -m ireval preferences: votes of side-by-side studies in; which system is preferred, and how far to trust it, out."""

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
from ireval.cli.evaluate import whole
from ireval.cli.output import aligned
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
from ireval.significance import Clustered, SignTests

# Two systems of more are compared in detail with --pair.
MOST_PAIRS = 200


class Asked:
    """What was asked of which votes, computed when it is needed; `pair` are the systems of the one pair that there is or that was
    named, else None."""

    def __init__(self, options: argparse.Namespace):
        self.options, self.every = options, read_votes(options.votes)
        systems = self.every.systems
        self.pair = tuple(options.pair) if options.pair else systems if len(systems) == 2 else None
        self.votes: Votes = self.every.between(*self.pair) if self.pair else self.every

    @property
    def how(self) -> Resampling:
        return Resampling(self.options.confidence, self.options.resamples, self.options.seed)

    @cached_property
    def ladder(self) -> Ladder:
        return ladder(self.every, self.options.model, self.how, drawn=self.options.drawn)

    @cached_property
    def preferences(self) -> list[Preference]:
        confidence = self.options.confidence
        if self.pair:
            return [preference(self.votes, *self.pair, confidence=confidence)]
        return preferences(self.votes, confidence=confidence) if self.compared <= MOST_PAIRS else []

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
        return consistency(self.votes, self.how)

    @cached_property
    def agreement(self) -> list[Agreement]:
        return vote_agreement(self.votes, self.how)

    @cached_property
    def learning(self) -> Learning:
        return learning(self.votes, confidence=self.options.confidence)


def add_preferences(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "votes",
        metavar="VOTES",
        help='CSV or Parquet with item, left, right, winner, worker, maybe topic, seconds, order; "-" is standard input',
    )
    command.add_argument("--pair", nargs=2, metavar=("A", "B"), help="compare these two (default: the two that there are)")
    command.add_argument("--model", choices=MODELS, default=DEFAULT_MODEL, help="of strengths (default %(default)s)")
    command.add_argument("--drawn", choices=DRAWN, default=DEFAULT_DRAWN, help="for intervals of strengths (default %(default)s)")
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument("--resamples", metavar="N", type=whole(1), default=1000, help="of the bootstrap (default %(default)s)")
    command.add_argument("--seed", metavar="N", type=whole(0), default=0, help="of the resamples (default %(default)s)")
    command.add_argument(
        "--format", choices=FORMATS, default="table", help="default %(default)s; csv: topics of a pair, else systems"
    )
    command.set_defaults(command=show_preferences)


def show_preferences(options: argparse.Namespace) -> None:
    """Say which system people prefer when they see two side by side. Of two systems: how often each is preferred, with an
    interval and tests that take topics, not votes, for what is independent. Of more: their strengths and ranks. And of the
    workers: side bias, consistency, agreement, learning. winner is left, right, tie or both_bad; the same item by the same
    worker with the sides changed round is a repeat and no vote."""
    print(FORMATS[options.format](Asked(options)))


def as_table(asked: Asked) -> str:
    sections = [pair_lines(asked) if asked.pair else ladder_lines(asked), side_lines(asked), repeat_lines(asked)]
    return "\n".join(
        [heading(asked), *(line for lines in [*sections, agreement_lines(asked), learning_lines(asked)] for line in lines)]
    )


def heading(asked: Asked) -> str:
    votes, every = asked.votes, asked.every
    on = f" on {' and '.join(asked.pair)}" if asked.pair else f" on {len(every.systems):,} systems"
    rows = f"{every.left_out:,} row{'s' if every.left_out > 1 else ''}"
    left_out = f"; {rows} without a winner left out" if every.left_out else ""
    again = len(votes.repeats.vote)
    repeats = f", {again:,} mirrored repeat{'s' if again > 1 else ''}" if again else ""
    workers = votes.worker_count
    return f"{asked.options.votes}: {len(votes):,} votes by {workers:,} workers{on}{repeats}{left_out}"


def pair_lines(asked: Asked) -> Iterator[str]:
    (found,) = asked.preferences
    yield f"  {found.items:,} items of {found.topics:,} topics"
    table = [["", "won", "tied", "lost", "both bad", "score", interval_title(asked), "p"]]
    score = found.score
    counts = [str(count) for count in (found.wins, found.ties, found.losses, found.both_bad)]
    table.append([f"{found.first} against {found.second}", *counts, decimals(score.value), ends(score), as_p(score.p)])
    yield from aligned(table)
    yield why(score) or f"  interval and p robust to topics and workers (t distribution, df = {score.freedom})"
    yield ""
    yield "  sign tests, exact p              won   tied  lost  ties dropped  ties split  ties kept"
    yield sign_line(found.by_topics, "topics, one vote each")
    yield sign_line(found.by_votes, "votes, as if all independent")
    yield ""
    if asked.topics is not None:
        yield from rows_to_read(asked.topics)
    yield ""


def sign_line(tests: SignTests, title: str) -> str:
    counts = "".join(f"{count:<6,}" for count in (tests.wins, tests.ties, tests.losses))
    return f"    {title:<30} {counts}{as_p(tests.dropped):<14}{as_p(tests.split):<12}{as_p(tests.kept)}"


def ladder_lines(asked: Asked) -> Iterator[str]:
    found, options = asked.ladder, asked.options
    strengths = found.strengths
    nu = f", ν = {strengths.nu:.4f}" if strengths.model == "davidson" else ""
    yield f"  {MODELS[strengths.model]}{nu}; strengths are logarithms, 0 on average"
    yield (
        f"  intervals: {options.drawn} drawn, {options.resamples:,} times, seed {options.seed}, "
        f"{100 * options.confidence:g} %; those of ranks hold all together"
    )
    if found.undefined:
        yield f"  no intervals because {found.undefined}"
    if strengths.unbounded:
        added = f"; {strengths.prior:g} votes against an average system added" if strengths.prior else ""
        yield f"  votes alone have no finite strengths: {strengths.unbounded}{added}"
    if found.with_prior:
        yield f"  {found.with_prior:,} resamples got the prior, since their votes alone have no finite strengths"
    if (parts := int(strengths.component.max()) + 1) > 1:
        yield f"  {parts} groups of systems were never compared with each other: each is a ladder of its own"
    yield from aligned([*ladder_table(found)])
    yield ""
    if len(found.strengths.systems) <= 12:
        yield "  share of draws in which the row is above the column"
        yield from aligned([*above_table(found)])
        yield ""
    yield from pairs_lines(asked)


def ladder_table(found: Ladder) -> Iterator[list[str]]:
    yield ["group", "rank", "system", "votes", "won", "tied", "lost", "strength", "interval", "against average", "interval"]
    for row in found.frame().iter_rows(named=True):
        ranks = f"{row['rank']} ({row['rank_low']}–{row['rank_high']})"
        counts = [str(row[name]) for name in ("n", "wins", "ties", "losses")]
        strength, average = (cell(row[name]) for name in ("strength", "against_average"))
        intervals = [between(row["low"], row["high"]), between(row["average_low"], row["average_high"])]
        yield [str(row["component"]), ranks, row["system"], *counts, strength, intervals[0], average, intervals[1]]


def above_table(found: Ladder) -> Iterator[list[str]]:
    order = [found.strengths.systems.index(name) for name in found.frame()["system"]]
    names = [found.strengths.systems[one] for one in order]
    yield ["", *names]
    for name, one in zip(names, order, strict=True):
        yield [name, *("" if one == other else decimals(float(found.above[one, other]), 3) for other in order)]


def pairs_lines(asked: Asked) -> Iterator[str]:
    if not asked.preferences:
        yield f"  {asked.compared:,} pairs of systems: --pair A B shows one"
        yield ""
        return
    table = [["first", "second", "votes", "won", "tied", "lost", "score", interval_title(asked), "p", "p by topics"]]
    for one in asked.preferences:
        counts = [str(count) for count in (one.n, one.wins, one.ties, one.losses)]
        score = [decimals(one.score.value), ends(one.score), as_p(one.score.p)]
        table.append([one.first, one.second, *counts, *score, as_p(one.by_topics.dropped)])
    yield "  every two systems; p are not corrected for their number"
    yield from aligned(table)
    yield ""


def side_lines(asked: Asked) -> Iterator[str]:
    side = asked.side
    shown = shown_share(side.share, side.low, side.high)
    yield f"  side: {side.left:,} of {side.decided:,} decided votes chose the left one{shown}, p {as_p(side.p)}"


def repeat_lines(asked: Asked) -> Iterator[str]:
    found = asked.consistency
    if not found.n:
        yield "  consistency: no item was shown again with its sides changed round"
        return
    yield (
        f"  consistency: {found.same_system + found.both_tie:,} of {found.n:,} mirrored repeats say the same"
        f"{shown_share(found.share, found.low, found.high)}; {found.same_side:,} the same side, "
        f"{found.to_tie:,} became a tie, {found.from_tie:,} a choice"
    )
    yield f"  {titled(found.kappa)}"


def agreement_lines(asked: Asked) -> Iterator[str]:
    yield "  agreement between workers"
    yield from (f"    {titled(one)}" for one in asked.agreement if not one.undefined)
    undefined = {one.undefined for one in asked.agreement if one.undefined and one.name.startswith(("percent", "alpha"))}
    yield from (f"    undefined because {reason}" for reason in sorted(undefined))


def learning_lines(asked: Asked) -> Iterator[str]:
    found = asked.learning
    yield "  from the first half of each worker's votes to the second"
    for title, one in (("agreement with the others, difference", found.agreement), ("seconds, ratio", found.pace)):
        known = f"{one.value:.4f} ({between(one.low, one.high)})"
        yield f"    {title}: {f'undefined because {one.undefined}' if one.undefined else known}"
    yield ""


def titled(one: Agreement) -> str:
    found = f"undefined because {one.undefined}" if one.undefined else f"{one.value:.4f} ({between(one.low, one.high)})"
    return f"{one.title}: {found.replace(' ()', '')}"


def shown_share(value: float, low: float, high: float) -> str:
    return "" if math.isnan(value) else f" ({value:.4f}, {between(low, high)})"


def interval_title(asked: Asked) -> str:
    return f"{100 * asked.options.confidence:g} % interval"


def ends(found: Clustered) -> str:
    return between(found.low, found.high)


def between(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None or math.isnan(low) else f"{low:.4f} to {high:.4f}"


def cell(value: float | None) -> str:
    return "" if value is None else decimals(value)


def why(found: Clustered) -> str:
    return f"  no interval because {found.undefined}" if found.undefined else ""


def as_csv(asked: Asked) -> str:
    """Topics of a pair, systems of more."""
    frame = asked.ladder.frame() if asked.topics is None else asked.topics
    return csv_of_frame(frame).rstrip("\n")


def as_json(asked: Asked) -> str:
    """One object, whose NaN is null."""
    options, votes = asked.options, asked.votes
    content: dict[str, Any] = {
        "file": options.votes,
        "engine": ENGINE_VERSION,
        **{name: getattr(options, name) for name in ("model", "drawn", "confidence", "resamples", "seed")},
        "systems": asked.pair or votes.systems,
        "votes": len(votes),
        "left_out": asked.every.left_out,
        "pairs": [one._asdict() for one in asked.preferences],
        **({} if asked.topics is None else {"topics": asked.topics}),
        **({} if asked.pair else ladder_content(asked.ladder)),
        "side_bias": asked.side,
        "consistency": asked.consistency,
        "agreement": asked.agreement,
        "learning": asked.learning,
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[Asked], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

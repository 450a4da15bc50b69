"""Pairs of systems: how often each is preferred, how sure that is, on which topics and why."""

from typing import Any

import polars as pl

from ireval.io.plain import plain
from ireval.preferences import Preference, Votes, decisions, preferences, topic_table
from ireval.significance import holm, sign_tests
from metrics.kinds.preferences.evidence import Evidence
from metrics.kinds.studies import ROWS
from metrics.pipeline import Findings

PAIR = ["first", "second"]
REASONS = pl.List(pl.Struct({"reason": pl.String, "n": pl.Int64}))
COLUMNS: dict[str, Any] = {
    "first": pl.String, "second": pl.String, "topic": pl.String, "n": pl.Int64, "wins": pl.Int64, "ties": pl.Int64,
    "losses": pl.Int64, "both_bad": pl.Int64, "score": pl.Float64, "for_first": REASONS, "for_second": REASONS,
}  # fmt: skip


def pairs(evidence: Evidence) -> Findings:
    """The pairs that were compared, alphabetically, and one row per pair and topic (COLUMNS).

    `decision` says who is preferred. p of all pairs are corrected together (Holm). `same` counts the topics on which both
    systems show the same; `with_same` has the sign tests over topics if these count as ties.
    """
    if evidence.votes is None:
        return Findings({"systems": [], "pairs": [], **counts(evidence)}, {ROWS: pl.DataFrame(schema=COLUMNS)})
    every = preferences(evidence.votes, confidence=evidence.confidence)
    decided = decisions([pair.score for pair in every], alpha=1 - evidence.confidence)
    by_topics = holm([pair.by_topics.dropped for pair in every]).tolist()
    alike = {(first, second): n for first, second, n in evidence.same.group_by(PAIR).len().iter_rows()}
    answers = strengths(evidence.oriented)
    result = [
        {
            **pair._asdict(),
            "decision": decision._asdict(),
            "corrected": {"score": decision.p, "topics": topics},
            "same": (same := alike.get((pair.first, pair.second), 0)),
            "with_same": counting_same(pair, same),
            "strengths": answers[pair.first, pair.second],
        }
        for pair, decision, topics in zip(every, decided, by_topics, strict=True)
    ]
    systems = evidence.votes.systems
    topics = topics_of(evidence.votes, evidence.oriented)
    return Findings({"systems": list(systems), "pairs": plain(result), **counts(evidence)}, {ROWS: topics})


def counts(evidence: Evidence) -> dict[str, int]:
    counting, answers = evidence.oriented, evidence.answers
    return {
        "answers": answers.height,
        "votes": counting.height,
        "items": counting["item"].n_unique(),
        "topics": counting["topic"].n_unique(),
        "workers": counting["worker"].n_unique(),
        "simulated": int(counting["simulated"].sum()),
        "cannot_judge": answers.filter(pl.col("winner").is_null()).height,
        "repeats": 0 if evidence.votes is None else len(evidence.votes.repeats.vote),
        "without_vote": answers.filter(~pl.col("votes") & pl.col("winner").is_not_null()).height,
    }


def counting_same(pair: Preference, same: int) -> Any:
    """The sign tests over topics with `same` more ties."""
    by_topics = pair.by_topics
    return sign_tests("topics", by_topics.wins, by_topics.ties + same, by_topics.losses)


def strengths(answers: pl.DataFrame) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """How often each answer was given, by pair: won (first, second, tie, both_bad), strength (in steps), n."""
    by_pair: dict[tuple[str, str], list[dict[str, Any]]] = {}
    counted = answers.group_by(*PAIR, "won", "strength").agg(n=pl.len()).sort(*PAIR, "won", "strength")
    for first, second, won, strength, n in counted.iter_rows():
        by_pair.setdefault((first, second), []).append({"won": won, "strength": strength, "n": n})
    return by_pair


def topics_of(votes: Votes, answers: pl.DataFrame) -> pl.DataFrame:
    tables = [
        topic_table(of_pair, first, second).with_columns(first=pl.lit(first), second=pl.lit(second))
        for of_pair in votes.by_pair()
        for first, second in [(votes.systems[of_pair.low[0]], votes.systems[of_pair.high[0]])]
    ]
    topics = pl.concat(tables)
    for side in PAIR:
        ticked = reasons(answers.filter(pl.col("won") == side)).rename({"reasons": f"for_{side}"})
        topics = topics.join(ticked, on=[*PAIR, "topic"], how="left")
    topics = topics.with_columns(pl.col("for_first", "for_second").fill_null([]))
    return topics.select(pl.col(name).cast(kind) for name, kind in COLUMNS.items()).sort(*PAIR, "topic")


def reasons(chosen: pl.DataFrame) -> pl.DataFrame:
    """One row per pair and topic: how often each reason was ticked, the most frequent first."""
    each = chosen.select(*PAIR, "topic", reason="reasons").explode("reason").drop_nulls("reason")
    counted = each.group_by(*PAIR, "topic", "reason").agg(n=pl.len().cast(pl.Int64))
    counted = counted.sort(["n", "reason"], descending=[True, False])
    return counted.group_by(*PAIR, "topic", maintain_order=True).agg(reasons=pl.struct("reason", "n"))

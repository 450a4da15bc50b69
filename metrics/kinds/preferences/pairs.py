"""The step that looks at every two systems: how often each is preferred, how sure that is, on which topics and why."""

from typing import Any

import polars as pl

from ireval.io.plain import plain
from ireval.preferences import Preference, Votes, preferences, topic_table
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
    """Each pair that was compared, alphabetically, and one row per pair and topic.

    p are corrected for the number of pairs (Holm); `same` counts the topics on which both show the same, and `with_same` the sign
    tests over topics if these count as ties.
    """
    if evidence.votes is None:
        return Findings({"systems": [], "pairs": [], **counts(evidence)}, {ROWS: pl.DataFrame(schema=COLUMNS)})
    found = preferences(evidence.votes, confidence=evidence.confidence)
    by_score = holm([one.score.p for one in found]).tolist()
    by_topics = holm([one.by_topics.dropped for one in found]).tolist()
    alike = {(first, second): n for first, second, n in evidence.same.group_by(PAIR).len().iter_rows()}
    said = strengths(evidence.told)
    result = [
        {
            **one._asdict(),
            "corrected": {"score": score, "topics": topics},
            "same": (same := alike.get((one.first, one.second), 0)),
            "with_same": counting_same(one, same),
            "strengths": said[one.first, one.second],
        }
        for one, score, topics in zip(found, by_score, by_topics, strict=True)
    ]
    systems = evidence.votes.systems
    topics = topics_of(evidence.votes, evidence.told)
    return Findings({"systems": list(systems), "pairs": plain(result), **counts(evidence)}, {ROWS: topics})


def counts(evidence: Evidence) -> dict[str, int]:
    told, answers = evidence.told, evidence.answers
    return {
        "answers": answers.height,
        "votes": told.height,
        "items": told["item"].n_unique(),
        "topics": told["topic"].n_unique(),
        "workers": told["worker"].n_unique(),
        "simulated": int(told["simulated"].sum()),
        "cannot_judge": answers.filter(pl.col("winner").is_null()).height,
        "repeats": 0 if evidence.votes is None else len(evidence.votes.repeats.vote),
        "without_vote": answers.filter(~pl.col("votes") & pl.col("winner").is_not_null()).height,
    }


def counting_same(one: Preference, same: int) -> Any:
    by_topics = one.by_topics
    return sign_tests("topics", by_topics.wins, by_topics.ties + same, by_topics.losses)


def strengths(told: pl.DataFrame) -> dict[tuple[str, str], list[dict[str, Any]]]:
    """How often each answer was given of a pair: won (first, second, tie, both_bad), by how many steps, n."""
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    counted = told.group_by(*PAIR, "won", "strength").agg(n=pl.len()).sort(*PAIR, "won", "strength")
    for first, second, won, strength, n in counted.iter_rows():
        found.setdefault((first, second), []).append({"won": won, "strength": strength, "n": n})
    return found


def topics_of(votes: Votes, told: pl.DataFrame) -> pl.DataFrame:
    tables = [
        topic_table(of_pair, one, other).with_columns(first=pl.lit(one), second=pl.lit(other))
        for of_pair in votes.by_pair()
        for one, other in [(votes.systems[of_pair.low[0]], votes.systems[of_pair.high[0]])]
    ]
    found = pl.concat(tables)
    for side in PAIR:
        ticked = reasons(told.filter(pl.col("won") == side)).rename({"reasons": f"for_{side}"})
        found = found.join(ticked, on=[*PAIR, "topic"], how="left")
    found = found.with_columns(pl.col("for_first", "for_second").fill_null([]))
    return found.select(pl.col(name).cast(kind) for name, kind in COLUMNS.items()).sort(*PAIR, "topic")


def reasons(chosen: pl.DataFrame) -> pl.DataFrame:
    """How often each reason was ticked, the most frequent first: one row per pair and topic."""
    each = chosen.select(*PAIR, "topic", reason="reasons").explode("reason").drop_nulls("reason")
    counted = each.group_by(*PAIR, "topic", "reason").agg(n=pl.len().cast(pl.Int64))
    counted = counted.sort(["n", "reason"], descending=[True, False])
    return counted.group_by(*PAIR, "topic", maintain_order=True).agg(reasons=pl.struct("reason", "n"))

"""How often the verdict is right in worlds whose truth is set by hand, and how long much evidence takes.

    python -m benchmarks.verdict [--repetitions 2000]
    python -m benchmarks.verdict --speed

Each world has a true difference of every kind of evidence: offline (grades), in side-by-side votes, and in clicks on interleaved
lists. Systems are compared on 50 topics, 200 votes by 20 workers and the impressions of 400 users. The columns: how often B or A
is called better, a conflict is said, no difference that matters, not worse by more than what matters, and nothing.
"""

import argparse
import time
from collections import Counter
from typing import get_args

import numpy as np
import polars as pl

from ireval.interleaving import Credits, compare_interleaved
from ireval.preferences import preference, votes_of
from ireval.verdict import (
    Arms,
    Bundle,
    Evidence,
    Grades,
    Interleaved,
    Line,
    line_of_interleaving,
    line_of_topics,
    line_of_votes,
    verdict,
)
from ireval.verdict.verdict import Outcome

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
TOPICS, VOTES_A_TOPIC, WORKERS, USERS = 50, 4, 20, 400
SPREAD = 0.2  # of a measure's differences over topics
ALPHA = 0.05

# (offline, votes, clicks): the mean difference of the measure, and shares above one half. Margins: .02, .05, .05.
WORLDS: dict[str, tuple[float, float, float]] = {
    "nothing differs": (0.0, 0.0, 0.0),
    "B better in all": (0.1, 0.12, 0.08),
    "B better offline alone": (0.1, 0.0, 0.0),
    "B better by clicks alone": (0.0, 0.0, 0.08),
    "conflict: offline B, clicks A": (0.12, 0.0, -0.1),
    "conflict: votes A, clicks B": (0.0, -0.15, 0.1),
    "all at the margin, A ahead": (-0.02, -0.05, -0.05),
}
MARGINS = (0.02, 0.05, 0.05)


def lines(rng: np.random.Generator, world: tuple[float, float, float]) -> list[Line]:
    offline, votes, clicks = world
    return [
        line_of_topics("grades", "nDCG@10", rng.normal(offline, SPREAD, TOPICS), margin=MARGINS[0]),
        votes_line(rng, votes),
        clicks_line(rng, clicks),
    ]


def votes_line(rng: np.random.Generator, ahead: float) -> Line:
    """Votes whose chance for B differs between topics, and between workers, by .1."""
    topic = np.repeat(np.arange(TOPICS), VOTES_A_TOPIC)
    worker = np.concatenate([rng.choice(WORKERS, VOTES_A_TOPIC, replace=False) for _ in range(TOPICS)])
    chance = 0.5 + ahead + rng.normal(0, 0.1, TOPICS)[topic] + rng.normal(0, 0.1, WORKERS)[worker]
    winner = np.where(rng.random(len(topic)) < chance, "left", "right")
    frame = pl.DataFrame(
        {"item": topic.astype(str), "left": "b", "right": "a", "winner": winner, "worker": worker.astype(str)}, strict=False
    )
    estimate = preference(votes_of(frame), "b", "a")
    return line_of_votes("side by side", estimate.score, estimate.n, margin=MARGINS[1])


def clicks_line(rng: np.random.Generator, ahead: float) -> Line:
    """Impressions of users who differ by .2 in how much they favour B."""
    count = rng.integers(1, 5, USERS)
    user = np.repeat(np.arange(USERS), count)
    chance = 0.5 + ahead + rng.normal(0, 0.2, USERS)[user]
    won = (rng.random(len(user)) < chance).astype(float)
    estimate = compare_interleaved(Credits(user, rng.integers(0, 300, len(user)), {"b": won, "a": 1 - won}))
    return line_of_interleaving("interleaving", estimate.score, estimate.n, margin=MARGINS[2], unit="impressions")


def much(rng: np.random.Generator) -> list[Evidence]:
    """250 topics with 50,000 grades by 40 workers, and 1,000,000 impressions of each sort of experiment."""
    topics, documents, impressions = 250, 67, 1_000_000
    grades = rng.integers(0, 4, topics * documents)
    qrels = pl.DataFrame(
        {
            "topic": np.repeat(np.arange(topics), documents).astype(str),
            "docno": np.tile(np.arange(documents), topics).astype(str),
            "grade": grades,
        }
    )
    a, b = (qrels.select("topic", "docno", score=pl.Series(grades + rng.normal(0, noise, len(grades)))) for noise in (3, 2))
    workers = [rng.choice(40, 3, replace=False) for _ in range(len(grades))]
    votes = qrels.with_columns(worker=pl.Series(workers, dtype=pl.List(pl.Int64))).explode("worker")
    votes = votes.with_columns(
        grade=(pl.col("grade") + pl.Series(rng.integers(-1, 2, votes.height))).clip(0, 3), worker=pl.col("worker").cast(pl.String)
    )
    won = (rng.random(impressions) < 0.51).astype(int)
    shown = {"user": rng.integers(0, 200_000, impressions), "query": rng.integers(0, 20_000, impressions), "a": 1 - won, "b": won}
    counts = {"arm": ["a", "a", "b", "b"], "value": [0, 1, 0, 1], "units": [300_000, 200_000, 290_000, 210_000]}
    return [
        Grades("grades", "nDCG@10", 0.02, qrels, a, b),
        Grades("grades of workers", "nDCG@10", 0.02, qrels, a, b, votes),
        Interleaved("interleaving", 0.01, pl.DataFrame(shown)),
        Arms("A/B test", "clicked", 0.01, pl.DataFrame(counts)),
    ]


def measure_speed() -> None:
    evidence = much(np.random.default_rng(0))
    taken = []
    for part in evidence:
        start = time.perf_counter()
        part.line()
        taken.append(time.perf_counter() - start)
        print(f"{part.kind:<20}{taken[-1]:6.2f} s")
    start = time.perf_counter()
    Bundle("a", "b", evidence).verdict()
    print(f"{'verdict':<20}{time.perf_counter() - start:6.2f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--speed", action="store_true", help="time much evidence instead")
    options = parser.parse_args()
    if options.speed:
        return measure_speed()
    print(f"| world | {' | '.join(OUTCOMES)} |\n|---{'|---' * len(OUTCOMES)}|")
    for name, world in WORLDS.items():
        rng = np.random.default_rng(0)
        counts = Counter(verdict(lines(rng, world), alpha=ALPHA).outcome for _ in range(options.repetitions))
        shares = " | ".join(f"{counts[outcome] / options.repetitions:.3f}" for outcome in OUTCOMES)
        print(f"| {name} | {shares} |", flush=True)


if __name__ == "__main__":
    main()

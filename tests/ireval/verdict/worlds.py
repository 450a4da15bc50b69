"""Evidence of every sort from worlds whose truth is set by hand."""

import numpy as np
import polars as pl

from ireval.verdict import Arms, Grades, Interleaved, SideBySide


def graded(seed=0, *, topics=30, ahead=1, workers=0, kind="grades", margin=0.02) -> Grades:
    """B ranks `ahead` relevant documents more among its first than A. Each document has the votes of so many workers."""
    rng = np.random.default_rng(seed)
    qrels: list[tuple] = []
    votes: list[tuple] = []
    a: list[tuple] = []
    b: list[tuple] = []
    for topic in range(topics):
        grades = rng.integers(0, 3, 20)
        better = np.argsort(-(grades * ahead + rng.normal(0, 1.5, 20)))
        worse = rng.permutation(20)
        for rows, order in ((a, worse), (b, better)):
            rows += [(str(topic), f"d{docno}", 20.0 - rank) for rank, docno in enumerate(order)]
        for docno, grade in enumerate(grades):
            given = np.clip(grade + rng.integers(-1, 2, workers), 0, 2)
            votes += [(str(topic), f"d{docno}", f"w{worker}", int(vote)) for worker, vote in enumerate(given)]
            qrels.append((str(topic), f"d{docno}", int(np.median(given)) if workers else int(grade)))
    run = ["topic", "docno", "score"]
    return Grades(
        kind,
        "nDCG@10",
        margin,
        frame(qrels, ["topic", "docno", "grade"]),
        frame(a, run),
        frame(b, run),
        frame(votes, ["topic", "docno", "worker", "grade"]) if workers else None,
    )


def voted(seed=0, *, topics=30, workers=10, for_b=0.7, kind="side by side", margin=0.05) -> SideBySide:
    rng = np.random.default_rng(seed)
    rows = []
    for topic in range(topics):
        for worker in rng.choice(workers, 4, replace=False):
            left, right = ("a", "b") if rng.random() < 0.5 else ("b", "a")
            winner = "b" if rng.random() < for_b else "a"
            rows.append((str(topic), str(topic), left, right, "left" if winner == left else "right", f"w{worker}"))
    return SideBySide(kind, margin, frame(rows, ["item", "topic", "left", "right", "winner", "worker"]))


def interleaved(seed=0, *, users=200, for_b=0.6, kind="interleaving", margin=0.02) -> Interleaved:
    rng = np.random.default_rng(seed)
    rows = []
    for user in range(users):
        for _ in range(rng.integers(1, 4)):
            won = rng.random() < for_b
            rows.append((f"u{user}", f"q{rng.integers(50)}", int(not won), int(won)))
    return Interleaved(kind, margin, frame(rows, ["user", "query", "a", "b"]))


def arms_of(seed=0, *, users=500, rates=(0.3, 0.4), kind="A/B test", margin=0.02) -> Arms:
    rng = np.random.default_rng(seed)
    rows = []
    for arm, rate in zip("ab", rates, strict=True):
        clicked = int(rng.binomial(users, rate))
        rows += [(arm, 0, users - clicked), (arm, 1, clicked)]
    return Arms(kind, "clicked", margin, frame(rows, ["arm", "value", "units"]))


def frame(rows, names) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=names, orient="row")

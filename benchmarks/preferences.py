"""Speed of estimating strengths of many systems, and coverage of the intervals and tests of side-by-side studies.

    python -m benchmarks.preferences [--votes 1000000] [--systems 100] [--resamples 200] [--repeats 5] [--coverage STUDIES]

choix and evalica are timed beside ours where they are installed. Times are medians; memory is what numpy allocates at its peak.
With --coverage nothing else is done: so many studies of known systems are simulated. Counted is how often intervals hold the
truth, and how often tests find a difference where there is none.
"""

import argparse
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from itertools import combinations
from statistics import median

import numpy as np

from benchmarks.significance import megabytes, seconds
from ireval.agreement import Resampling
from ireval.arrays import Floats, Ints
from ireval.preferences import DRAWN, Counts, Votes, bradley_terry, counts_of, ladder, preference
from ireval.preferences.votes import LEFT, RIGHT, TIE, Repeats

NO_REPEATS = Repeats(np.empty(0, np.int64), np.empty(0, np.int64))
# Topics and workers of a study so large that its estimates are the truth.
VERY_MANY = 40_000
# What differs between studies: how far systems are apart on topics, to workers, and how much workers like a side.
WORLDS = {
    "every vote by itself": {},
    "topics differ": {"by_topic": 1.0, "side": 0.5},
    "topics and tastes differ": {"by_topic": 1.0, "by_worker": 0.5, "side": 0.5},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("votes", 1_000_000), ("systems", 100), ("resamples", 200), ("repeats", 5), ("coverage", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    if options.coverage:
        show_pairs(options.coverage)
        show_ladders(options.coverage)
    else:
        show_speed(options)


def simulated(
    rng: np.random.Generator,
    strength: Floats,
    *,
    topics: int,
    workers: int,
    overlap: int,
    nu: float = 0.8,
    by_topic: float = 0,
    by_worker: float = 0,
    side: float = 0,
) -> Votes:
    """Every two systems side by side on every topic, to `overlap` workers drawn by lot, on sides drawn by lot.

    Votes are Davidson's. A system's log strength varies between topics and workers (standard deviations `by_topic` and
    `by_worker`), and workers lean to a side (`side`).
    """
    pairs = np.array(list(combinations(range(len(strength)), 2)))
    topic = np.repeat(np.arange(topics), len(pairs) * overlap)
    first, second = np.tile(np.repeat(pairs, overlap, axis=0), (topics, 1)).T
    # Workers of an item differ: a random one, and those that follow it.
    worker = (
        np.repeat(rng.integers(0, workers, topics * len(pairs)), overlap) + np.tile(np.arange(overlap), topics * len(pairs))
    ) % workers
    on_topic = strength + rng.normal(0, 1, (topics, len(strength))) * by_topic
    to_worker = rng.normal(0, 1, (workers, len(strength))) * by_worker
    swapped = rng.random(len(topic)) < 0.5
    apart = (on_topic[topic, first] + to_worker[worker, first]) - (on_topic[topic, second] + to_worker[worker, second])
    apart += np.where(swapped, -1, 1) * rng.normal(0, 1, workers)[worker] * side
    winner = winners(rng, apart, nu)
    return Votes(
        item=topic * len(pairs) + np.tile(np.repeat(np.arange(len(pairs)), overlap), topics),
        topic=topic,
        left=np.where(swapped, second, first),
        right=np.where(swapped, first, second),
        winner=np.where(swapped & (winner != TIE), 1 - winner, winner),
        worker=worker,
        before=np.zeros(len(topic), np.int64),
        seconds=np.full(len(topic), np.nan),
        items=(),
        topics=tuple(map(str, range(topics))),
        systems=tuple(f"s{system:03}" for system in range(len(strength))),
        workers=tuple(map(str, range(workers))),
        repeats=NO_REPEATS,
    )


def winners(rng: np.random.Generator, apart: Floats, nu: float) -> Ints:
    ratio = np.exp(-apart / 2)
    win = 1 / (1 + nu * ratio + ratio**2)
    tie = nu * ratio * win
    drawn = rng.random(len(apart))
    return np.where(drawn < win, LEFT, np.where(drawn < win + tie, TIE, RIGHT)).astype(np.int64)


def show_speed(options: argparse.Namespace) -> None:
    rng = np.random.default_rng(1)
    s, n = options.systems, options.votes
    strength = rng.normal(0, 1, s)
    left = rng.integers(0, s, n)
    right = (left + rng.integers(1, s, n)) % s
    votes = Votes(
        item=np.arange(n) // 3,
        topic=np.arange(n) // 300,
        left=left,
        right=right,
        winner=winners(rng, strength[left] - strength[right], 0.8),
        worker=rng.integers(0, 2000, n),
        before=np.zeros(n, np.int64),
        seconds=np.full(n, np.nan),
        items=(),
        topics=tuple(map(str, range(n // 300 + 1))),
        systems=tuple(f"s{system:03}" for system in range(s)),
        workers=tuple(map(str, range(2000))),
        repeats=NO_REPEATS,
    )
    print(f"{n:,} votes over {s} systems, medians of {options.repeats}")
    resampling = Resampling(resamples=options.resamples)
    show("Bradley-Terry", partial(bradley_terry, votes, "bradley-terry"), options.repeats)
    show("Davidson", partial(bradley_terry, votes), options.repeats)
    for drawn in DRAWN:
        show(
            f"Davidson, {options.resamples} resamples of {drawn}",
            partial(ladder, votes, resampling=resampling, drawn=drawn),
            options.repeats,
        )
    counts = counts_of(votes)
    for title, work, solve in others(votes, counts):
        show(title, work, min(3, options.repeats))
        apart = np.abs(solve() - bradley_terry(counts, "bradley-terry").strength).max()
        print(f"    largest difference from ours: {apart:.1e}")


def show(title: str, work: Callable[[], object], repeats: int) -> None:
    work()
    taken = median(seconds(work) for _ in range(repeats))
    print(f"  {title:<50} {taken:8.3f} s {megabytes(work):7.0f} MB", flush=True)


def others(votes: Votes, counts: Counts) -> list[tuple[str, Callable[[], object], Callable[[], Floats]]]:
    """Plain Bradley-Terry with ties as half wins, by packages that are here."""
    solvers: list[tuple[str, Callable[[], object], Callable[[], Floats]]] = []
    if find_spec("choix"):
        import choix

        wins = counts.wins + counts.ties / 2
        solvers.append(("choix 0.4.1, ilsr_pairwise_dense of counts", work := partial(choix.ilsr_pairwise_dense, wins), work))
    if find_spec("evalica"):
        import evalica

        outcome = np.array([evalica.Winner.X, evalica.Winner.Y, evalica.Winner.Draw], dtype=object)[np.minimum(votes.winner, 2)]
        names = np.array(votes.systems)
        columns = (names[votes.left].tolist(), names[votes.right].tolist(), outcome.tolist())
        solve = partial(evalica.bradley_terry, *columns)

        def logarithms() -> Floats:
            scores = solve().scores
            strength = np.log(np.array([scores[name] for name in votes.systems]))
            return strength - strength.mean()

        solvers.append(("evalica 0.4.2, bradley_terry of votes", solve, logarithms))
    return solvers


def show_pairs(studies: int) -> None:
    print(f"two systems, 3 votes a topic, {studies} studies: how often the 95 % interval of the score holds the truth, how often")
    print("tests at .05 find a difference where there is none: t of the score, sign test over topics, over votes")
    print(f"  {'':<28}{'topics':>8}{'workers':>9}{'holds':>8}{'t':>8}{'topics':>8}{'votes':>8}")
    for name, world in WORLDS.items():
        for topics, workers in ((30, 10), (50, 30), (200, 30)):
            rng = np.random.default_rng(0)
            truth = true_score(rng, 0.6, world)
            holds = [
                pair.score.low <= truth <= pair.score.high
                for pair in (pair_study(rng, 0.6, topics, workers, world) for _ in range(studies))
            ]
            nulls = [pair_study(rng, 0.0, topics, workers, world) for _ in range(studies)]
            rates = [
                np.mean([p <= 0.05 for p in ps])
                for ps in zip(*((pair.score.p, pair.by_topics.dropped, pair.by_votes.dropped) for pair in nulls), strict=True)
            ]
            print(
                f"  {name:<28}{topics:>8}{workers:>9}{np.mean(holds):8.3f}" + "".join(f"{rate:8.3f}" for rate in rates),
                flush=True,
            )


def pair_study(rng: np.random.Generator, apart: float, topics: int, workers: int, world: dict[str, float]):
    votes = simulated(rng, np.array([apart, 0.0]), topics=topics, workers=workers, overlap=3, **world)
    return preference(votes, "s000", "s001")


def true_score(rng: np.random.Generator, apart: float, world: dict[str, float]) -> float:
    votes = simulated(rng, np.array([apart, 0.0]), topics=10 * VERY_MANY, workers=VERY_MANY, overlap=1, **world)
    return float(votes.points.mean())


def show_ladders(studies: int) -> None:
    strength = np.linspace(-0.6, 0.6, 5)
    print(
        f"\nfive systems, 30 topics, 20 workers, 2 votes a topic and pair, {studies} studies, 500 resamples: how often"
        "\n95 % intervals hold the strengths, and how often all ranks at once are right"
    )
    for name, world in WORLDS.items():
        truth = bradley_terry(
            simulated(np.random.default_rng(0), strength, topics=VERY_MANY, workers=VERY_MANY, overlap=1, **world)
        )
        for drawn in DRAWN:
            rng = np.random.default_rng(1)
            held, right = zip(*(held_by(rng, strength, truth.strength, drawn, world) for _ in range(studies)), strict=True)
            print(f"  {name:<28}{drawn:<22}{np.mean(held):8.3f}{np.mean(right):8.3f}", flush=True)


def held_by(rng: np.random.Generator, strength: Floats, truth: Floats, drawn: str, world: dict[str, float]) -> tuple[float, bool]:
    votes = simulated(rng, strength, topics=30, workers=20, overlap=2, **world)
    fitted = ladder(votes, resampling=Resampling(resamples=500, seed=int(rng.integers(2**31))), drawn=drawn)
    rank = 1 + (truth[:, None] > truth).sum(axis=0)
    held = (fitted.low <= truth) & (truth <= fitted.high)
    return float(held.mean()), bool(((fitted.rank_low <= rank) & (rank <= fitted.rank_high)).all())


if __name__ == "__main__":
    main()

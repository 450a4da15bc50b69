"""Ways to choose what is judged, and how much of a pool each needs until the systems are told apart."""

import itertools
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from benchmarks.next.worlds import DEPTH, Hidden, Runs, hidden, part_of
from ireval import parse_measure
from ireval.arrays import Floats, Ints
from ireval.pooling import PooledDocuments, PredictedGrades, draw_documents, next_documents, predicted_scores
from ireval.pooling.documents import KEY
from ireval.pooling.sampled_differences import unbiased_draws, weighted_mean
from ireval.pooling.sampling import sampling_frame, stretches

LOOKS = 40

# From a hidden collection and how many documents a look takes to what is judged at each look, and the means it gives.
Strategy = Callable[[Hidden, str, int, np.random.Generator], Iterator[tuple[Ints, Floats]]]


def in_order(order_of: Callable[[Hidden, np.random.Generator], Ints], predict: bool = False) -> Strategy:
    """A strategy that knows its order beforehand. It evaluates as trec_eval does: what is not judged is not relevant."""

    def judge(world: Hidden, name: str, n: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Floats]]:
        order = order_of(world, rng)
        for end in range(n, len(order) + n, n):
            yield order[:end], (expected if predict else evaluated)(world, world.revealed(order[:end]), name)

    return judge


def evaluated(world: Hidden, documents: PooledDocuments, name: str) -> Floats:
    known = np.arange(1, world.top_grade + 1)[:, None] <= documents.grade
    return expected(world, documents, name, PredictedGrades(known.astype(float)))


def expected(world: Hidden, documents: PooledDocuments, name: str, grades: PredictedGrades | None = None) -> Floats:
    return predicted_scores(documents, parse_measure(name), top_grade=world.top_grade, grades=grades).means


def at_random(world: Hidden, rng: np.random.Generator) -> Ints:
    return rng.permutation(len(world.grade))


def by_depth(world: Hidden, rng: np.random.Generator) -> Ints:
    """Pools of depth 1, 2, …: by best rank, at random within one."""
    rank = world.documents.rank
    best = np.where(rank > 0, rank, rank.max() + 1).min(axis=1)
    return np.lexsort((rng.random(len(best)), best))


def move_to_front(world: Hidden, rng: np.random.Generator) -> Ints:
    """Cormack, Palmer and Clarke (SIGIR 1998): a run gives documents while they are relevant, then queues up again."""
    queues = [topic_queue(world, rows, rng) for rows in world.documents.by_topic()]
    rounds = itertools.zip_longest(*queues)
    return np.array([row for documents in rounds for row in documents if row is not None])


def topic_queue(world: Hidden, rows: slice, rng: np.random.Generator) -> Iterator[int]:
    rank, grade = world.documents.rank[rows], world.grade[rows]
    runs = [list(np.argsort(np.where(column > 0, column, DEPTH + 1))[: (column > 0).sum()]) for column in rank.T]
    runs = [[place for place in runs[run] if rank[place, run] <= DEPTH] for run in rng.permutation(len(runs))]
    seen: set[int] = set()
    while runs := [run for run in runs if run]:
        place = runs[0].pop(0)
        if place in seen:
            continue
        seen.add(place)
        yield rows.start + place
        if not grade[place]:
            runs.append(runs.pop(0))


def chosen(close_pairs: bool, predict: bool) -> Strategy:
    def judge(world: Hidden, name: str, n: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Floats]]:
        rows = np.empty(0, np.int64)
        numbers = world.documents.frame.with_row_index("row")
        while True:
            documents = world.revealed(rows)
            table = next_documents(documents, parse_measure(name), n, top_grade=world.top_grade, close_pairs=close_pairs)
            if table.is_empty():
                return
            new = table.join(numbers, on=KEY, maintain_order="left")["row"].to_numpy()
            rows = np.concatenate([rows, new])
            yield rows, (expected if predict else evaluated)(world, world.revealed(rows), name)

    return judge


def drawn(world: Hidden, name: str, n: int, rng: np.random.Generator) -> Iterator[tuple[Ints, Floats]]:
    """Draws with probabilities; the order is that of the unbiased estimates of differences from the first system."""
    frame = sampling_frame(world.documents, parse_measure(name), world.top_grade, 1, None)
    looks = list(drawn_to_the_end(world, name, n, rng))
    values = unbiased_draws(frame, list(stretches(frame, looks[-1][1])))
    for rows, _ in looks:
        differences = weighted_mean(values.first(len(rows)))
        yield rows, np.concatenate(([0], -differences[: len(world.means) - 1]))


def drawn_to_the_end(world: Hidden, name: str, n: int, rng: np.random.Generator) -> Iterator[tuple[Ints, pl.DataFrame]]:
    secret = world.documents.frame.with_columns(grade=pl.Series(world.grade)).with_row_index("row")
    draws = None
    while True:
        new = draw_documents(world.documents, parse_measure(name), n, rng, draws=draws, top_grade=world.top_grade)
        if new.is_empty():
            return
        new = new.join(secret, on=KEY, how="left", maintain_order="left")
        draws = new if draws is None else pl.concat([draws, new])
        yield draws["row"].to_numpy(), draws


# What to call it, the measure, and whether chance takes part.
STRATEGIES: dict[str, tuple[str, Strategy, bool]] = {
    "pools of depth 1, 2, …, evaluated": ("nDCG@10", in_order(by_depth), True),
    "move to front, evaluated": ("nDCG@10", in_order(move_to_front), True),
    "at random, evaluated": ("nDCG@10", in_order(at_random), True),
    "`next_documents`, evaluated": ("nDCG@10", chosen(close_pairs=False, predict=False), False),
    "`next_documents`, `predicted_scores`": ("nDCG@10", chosen(close_pairs=False, predict=True), False),
    "with `close_pairs`, evaluated": ("nDCG@10", chosen(close_pairs=True, predict=False), False),
    "with `close_pairs`, `predicted_scores`": ("nDCG@10", chosen(close_pairs=True, predict=True), False),
    "`draw_documents`, unbiased, DCG@10": ("DCG@10", drawn, True),
}


def needs(world: Hidden, name: str, strategy: Strategy, seed: int) -> list[float]:
    """The shares of the pool from which on all significant pairs are right, and τ is at least .95; τ at .3 of the pool."""
    looks = list(strategy(world, name, max(1, len(world.grade) // LOOKS), np.random.default_rng(seed)))
    shares = np.array([len(rows) / len(world.grade) for rows, _ in looks])
    tau, wrong = np.array([world.right(means) for _, means in looks]).T
    return [for_good(shares, wrong == 0), for_good(shares, tau >= 0.95), tau[np.searchsorted(shares, 0.295)]]


def for_good(shares: Floats, holds: np.ndarray) -> float:
    """The first share from which it always holds; 1 if it does not at the end, where only the ideal's other documents lack."""
    fails = np.flatnonzero(~holds)
    first = fails[-1] + 1 if len(fails) else 0
    return float(shares[first]) if first < len(shares) else 1.0


def report(title: str, runs: Runs, qrels: pl.DataFrame, subsets: int, size: tuple[int, int]) -> None:
    """Print a table: what the whole collection takes, and what parts of it do on average, `size` (topics, runs)."""
    worlds = {name: hidden(runs, qrels, name) for name in ("nDCG@10", "DCG@10")}
    whole = worlds["nDCG@10"]
    print(f"{title}: {len(whole.means)} runs, {len(whole.documents.topics)} topics, a pool of {len(whole.grade):,}", end="; ")
    print(
        f"{whole.significant.sum()} of {len(whole.pairs)} pairs significant; {subsets} parts of {size[1]} runs, {size[0]} topics"
    )
    rng = np.random.default_rng(1)
    parts = [part_of(runs, qrels, size, rng) for _ in range(subsets)]
    smaller = {name: [hidden(*part, name) for part in parts] for name in worlds}
    for label, (name, strategy, is_random) in STRATEGIES.items():
        needed = [needs(worlds[name], name, strategy, seed) for seed in range(5 if is_random else 1)]
        of_parts = [needs(world, name, strategy, seed) for seed, world in enumerate(smaller[name])]
        numbers = [*np.mean(needed, axis=0), *np.mean(of_parts, axis=0)]
        print(f"| {label} |", " | ".join(f"{number:.2f}" for number in numbers), "|", flush=True)


BUDGETS = (400, 800, 1600, 3200)
OF_WHOLE_RANKINGS: dict[str, Strategy] = {
    "pools of depth 1, 2, …, evaluated": in_order(by_depth),
    "the same, `predicted_scores`": in_order(by_depth, predict=True),
    "`next_documents`, evaluated": chosen(close_pairs=False, predict=False),
    "`next_documents`, `predicted_scores`": chosen(close_pairs=False, predict=True),
    "with `close_pairs`, `predicted_scores`": chosen(close_pairs=True, predict=True),
}


def report_average_precision(title: str, runs: Runs, qrels: pl.DataFrame) -> None:
    """Print τ of the order by AP after some numbers of judgements, chosen 400 at a time from whole rankings."""
    world = hidden(runs, qrels, "AP", depth=None)
    print(f"{title}: AP, {len(world.grade):,} documents retrieved; τ after {', '.join(map(str, BUDGETS))} judgements")
    for label, strategy in OF_WHOLE_RANKINGS.items():
        looks = itertools.islice(strategy(world, "AP", BUDGETS[0], np.random.default_rng(0)), BUDGETS[-1] // BUDGETS[0])
        tau = {len(rows): world.right(means)[0] for rows, means in looks}
        print(f"| {label} |", " | ".join(f"{tau[budget]:.2f}" for budget in BUDGETS), "|", flush=True)

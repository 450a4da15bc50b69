"""Every method to aggregate labels on every crowd with gold, and on simulated grades: errors, confidence, seconds.

    python -m benchmarks.labels [--data ../shared/data] [--worlds 8]

The items with gold of each crowd are split in two halves. One chooses the method, the other reports. Gold-weighted votes learn
from the first half; no other method sees gold. Simulated crowds are like those of web search: grades that are unevenly spaced,
2,665 items, 177 workers of whom few do most, 5.8 labels an item, and workers who answer one grade or at random.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks.aggregation import SHARED, nist_gold, votes_in_order
from ireval.aggregation import METHODS, Aggregated, aggregate
from ireval.arrays import Floats, Ints
from ireval.labels import UNKNOWN, Labels, gold_of, labels_of, read_gold, read_labels

WORLDS = 8
SURE, SURER = 0.9, 0.99
TENTHS = 10
# How workers of a simulated crowd depart from thresholds on one scale: counts of a Dirichlet distribution, the fewer the freer.
HABITS = {"": None, ", free habits": 5.0}
# Items and workers of small crowds, with three labels per item.
SMALL = ((20, 4), (50, 5))
# The length of a simulated scale, in standard deviations of a middling worker's noise.
SCALES = {4: 8.0, 5: 10.5}


class Crowd(NamedTuple):
    """Labels and gold codes, (I,), and which items with gold choose a method; the others report."""

    labels: Labels
    gold: Ints
    chooses: np.ndarray


class Score(NamedTuple):
    """A method on a crowd: its errors on both halves, and on the reporting half how right confidences are.

    `sure` and `surer` are the shares right of labels with a confidence of at least .9 and .99 (NaN without any). `calibration` is
    the expected calibration error by tenths, `seconds` the time of one computation.
    """

    crowd: str
    method: str
    chosen_on: float
    error: float
    sure: float
    surer: float
    calibration: float
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="default %(default)s")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="simulated crowds of each kind (default %(default)s)")
    options = parser.parse_args()
    print("| crowd | method | error | right at ≥ .9 | at ≥ .99 | calibration error | s |\n|---|---|---|---|---|---|---|")
    scores = []
    for score in rows(options.data, options.worlds):
        scores.append(score)
        numbers = " | ".join(f"{number:.3f}" for number in (score.error, score.sure, score.surer, score.calibration))
        print(f"| {score.crowd} | `{score.method}` | {numbers} | {score.seconds:.2f} |", flush=True)
    show_choice(scores)


def show_choice(scores: Sequence[Score]) -> None:
    """Print each method's mean error over the crowds, where it is chosen and where it reports."""
    print("\n| method | mean error where chosen | where reported |\n|---|---|---|")
    methods = [method for method in METHODS if method != "gold-weighted"]
    means = {method: np.mean([score[2:4] for score in scores if score.method == method], axis=0) for method in methods}
    for method, (chosen_on, error) in sorted(means.items(), key=lambda entry: entry[1][0]):
        print(f"| `{method}` | {chosen_on:.3f} | {error:.3f} |")


def rows(data: Path = SHARED, worlds: int = WORLDS) -> Iterator[Score]:
    """Yield one score per crowd and method; those of simulated crowds are means over so many worlds."""
    for name, makers in crowds_of(data, worlds).items():
        for method in METHODS:
            yield mean_score([scored(name, method, halved(*make(), seed)) for seed, make in enumerate(makers)])


def crowds_of(data: Path, worlds: int) -> dict[str, list[Callable[[], tuple[Labels, Ints]]]]:
    """Makers of labels and gold by the crowd's name: one of a real crowd, one per world of a simulated one."""
    crowds: dict[str, list[Callable[[], tuple[Labels, Ints]]]] = {
        **{f"{name}, 2 values": [partial(spectral, data, name)] for name in ("bluebird", "rte", "trec")},
        "TREC 2011, 2 values": [partial(votes_in_order, data / "crowd_trec11_vuurens")],
        "TREC 2011, other teams": [partial(other_teams, data / "crowd_trec11_vuurens")],
        "TREC 2010, 3 grades": [partial(relevance_feedback, data)],
    }
    for items, workers in SMALL:
        name = f"simulated, 4 grades, {items} items by {workers} workers"
        crowds[name] = [partial(web_search, seed, 4, items=items, workers=workers, overlap=3) for seed in range(5 * worlds)]
    for grades in SCALES:
        for habits, counts in HABITS.items():
            crowds[f"simulated, {grades} grades{habits}"] = [partial(web_search, seed, grades, counts) for seed in range(worlds)]
    return crowds


def spectral(data: Path, name: str) -> tuple[Labels, Ints]:
    labels = read_labels(data / "crowd_spectral" / f"{name}_crowd.txt")
    return labels, gold_of(read_gold(data / "crowd_spectral" / f"{name}_truth.txt"), labels)


def other_teams(folder: Path) -> tuple[Labels, Ints]:
    """What the workers of seven other teams said of the same documents; of each worker and item the first label."""
    columns = ["item", "worker", "label"]
    frame = pl.read_csv(folder / "otherparticipantsvotes.gz", separator="\t", has_header=False, new_columns=columns)
    labels = labels_of(frame.unique(["item", "worker"], keep="first", maintain_order=True))
    return labels, nist_gold(folder, labels)


def relevance_feedback(data: Path) -> tuple[Labels, Ints]:
    """The first label of each worker and item, without broken links."""
    frame = pl.read_csv(data / "crowd_trec_rf10" / "trec-rf10-data.txt.gz", separator="\t").filter(pl.col("label") >= 0)
    frame = frame.with_columns(item=pl.format("{} {}", "topicID", "docID")).rename({"workerID": "worker"})
    labels = labels_of(frame.unique(["item", "worker"], keep="first", maintain_order=True).select("item", "worker", "label"))
    return labels, gold_of(frame.filter(pl.col("gold") >= 0).unique("item").select("item", label="gold"), labels)


def web_search(
    seed: int, grades: int = 5, habits: float | None = None, *, items: int = 2665, workers: int = 177, overlap: float = 5.84
) -> tuple[Labels, Ints]:
    """Labels and truth of a simulated crowd; a quarter of the workers answer one grade or at random."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(grades, items, p=rng.dirichlet(np.full(grades, 4)))
    busy = rng.lognormal(0, 1.2, workers)
    votes = np.minimum(2 + rng.poisson(overlap - 2, items), workers)
    item = np.repeat(np.arange(items), votes)
    worker = np.concatenate([rng.choice(workers, count, replace=False, p=busy / busy.sum()) for count in votes])
    tables = honest_tables(rng, grades, workers, habits)
    kind = rng.choice(["honest", "one grade", "random"], workers, p=[0.75, 0.15, 0.1])
    favourite = 0.9 * np.eye(grades)[rng.choice(grades, workers)] + 0.1 / grades
    tables[kind == "one grade"] = favourite[kind == "one grade"][:, :, None]
    tables[kind == "random"] = rng.dirichlet(np.full(grades, 2), workers)[kind == "random"][:, :, None]
    below = np.cumsum(tables[worker, :, truth[item]], axis=1)[:, :-1]
    label = (rng.random((len(item), 1)) > below).sum(axis=1)
    names = tuple(map(str, range(items))), tuple(map(str, range(workers))), tuple(map(str, range(grades)))
    return Labels(item, worker, label, *names, ordered=True), truth


def honest_tables(rng: np.random.Generator, grades: int, workers: int, habits: float | None) -> Floats:
    """How likely each worker gives each label to each true grade, (W, K labels, K truths): noise, severity, and habits."""
    gaps = rng.gamma(1.5, 1, grades - 1) + 0.25
    places = SCALES[grades] * np.r_[0, np.cumsum(gaps)] / gaps.sum()
    noise, severity = 0.6 * np.exp(rng.normal(0, 0.5, workers)), rng.normal(0, 0.7, workers)
    cuts = np.sort((places[1:] + places[:-1]) / 2 + severity[:, None] + rng.normal(0, 0.5, (workers, grades - 1)), axis=1)
    below = 1 / (1 + np.exp(-(cuts[:, :, None] - places) / noise[:, None, None]))
    edge = np.ones((workers, 1, grades))
    tables = np.diff(np.concatenate([0 * edge, below, edge], axis=1), axis=1)
    if habits is None:
        return tables
    drawn = rng.gamma(np.maximum(habits * tables, 1e-3))
    return drawn / drawn.sum(axis=1, keepdims=True)


def halved(labels: Labels, gold: Ints, seed: int) -> Crowd:
    return Crowd(labels, gold, np.random.default_rng(seed).random(len(gold)) < 0.5)


def scored(name: str, method: str, crowd: Crowd) -> Score:
    labels, gold, chooses = crowd
    first, second = np.where(chooses, gold, UNKNOWN), np.where(chooses, UNKNOWN, gold)
    start = time.perf_counter()
    aggregated = aggregate(labels, method, first if method == "gold-weighted" else None)
    seconds = time.perf_counter() - start
    chosen_on = np.nan if method == "gold-weighted" else aggregated.error_rate(first)
    return Score(name, method, chosen_on, aggregated.error_rate(second), *confidence(aggregated, second), seconds)


def confidence(aggregated: Aggregated, gold: Ints) -> tuple[float, float, float]:
    """The share right of labels at least .9 and .99 sure, and the expected calibration error by tenths of confidence."""
    items = np.flatnonzero(gold != UNKNOWN)
    sure, right = aggregated.confidence[items], aggregated.chosen[items, gold[items]]
    tenth = np.minimum((TENTHS * sure).astype(int), TENTHS - 1)
    apart = np.bincount(tenth, right - sure, TENTHS)
    return share_right(right[sure >= SURE]), share_right(right[sure >= SURER]), float(np.abs(apart).sum() / len(items))


def share_right(right: Floats) -> float:
    return float(right.mean()) if len(right) else np.nan


def mean_score(scores: Sequence[Score]) -> Score:
    numbers = pl.DataFrame([score[2:] for score in scores], schema=Score._fields[2:], orient="row").fill_nan(None).mean()
    return Score(*scores[0][:2], *(np.nan if number is None else number for number in numbers.row(0)))


if __name__ == "__main__":
    main()

"""Speed of aggregation, what adaptive overlap would save, and speed and coverage of the systems' intervals.

    python -m benchmarks.aggregation [--data ../shared/data] [--repeats 5] [--resamples 1000] [--coverage STUDIES]

Real labels: trec of the paper on spectral methods and 17,395 relevance votes of TREC 2011 in the order in
which they came. Times are medians; memory is what numpy allocates at its peak. With --coverage nothing else is done: so many
studies are simulated, and how often their intervals hold the mean over all of them is counted.
"""

import argparse
import bz2
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import numpy as np
import polars as pl

from benchmarks.significance import megabytes, seconds
from ireval import evaluate, parse_measures
from ireval.aggregation import (
    Replay,
    StoppingRule,
    accuracy_from_agreement,
    aggregate,
    dawid_skene,
    fixed_overlap,
    majority,
    ordinal,
    replay,
)
from ireval.agreement import Resampling, krippendorff_alpha, percent_agreement, worker_table
from ireval.arrays import Floats, Ints
from ireval.labels import Labels, gold_of, labels_of, read_labels
from ireval.stability import Panel, Uncertainty, redrawn, uncertainty

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
MEASURES = ("nDCG@10", "AP", "P@10", "RR", "bpref", "ERR@10")
THRESHOLDS = (0.8, 0.9, 0.95)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="default %(default)s")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--coverage", type=int, metavar="STUDIES", default=0)
    options = parser.parse_args()
    if options.coverage:
        for workers, overlap in ((10, 3), (40, 3), (10, 5)):
            show_coverage(workers, overlap, options.coverage)
        return
    show_effect(options)
    show_speed(options.data / "crowd_spectral" / "trec_crowd.txt", options)
    show_savings(*votes_in_order(options.data / "crowd_trec11_vuurens"))


def show_speed(path: Path, options: argparse.Namespace) -> None:
    labels = read_labels(path)
    resampling = Resampling(resamples=options.resamples)
    print(f"{len(labels):,} labels of {len(labels.items):,} items by {len(labels.workers)} workers, {options.repeats} repeats")
    work: dict[str, Callable[[], object]] = {
        "read the file": lambda: read_labels(path),
        "majority": lambda: majority(labels),
        "Dawid-Skene, 100 iterations": lambda: dawid_skene(labels, iterations=100, tolerance=-np.inf),
        "ordinal model, 100 iterations": lambda: ordinal(labels, iterations=100, tolerance=-np.inf),
        f"α, {options.resamples:,} resamples": lambda: krippendorff_alpha(labels, "nominal", resampling),
        "every worker against the others": lambda: worker_table(labels),
    }
    for title, step in work.items():
        step()
        taken = median(seconds(step) for _ in range(options.repeats))
        print(f"  {title:<34} {taken:7.3f} s {megabytes(step):7.0f} MB")


class World(NamedTuple):
    """A simulated study: what workers said, and the runs that it is about."""

    labels: Labels
    documents: pl.DataFrame
    runs: dict[str, pl.DataFrame]

    @property
    def items(self) -> Ints:
        return np.arange(len(self.labels.items))


def simulated(rng: np.random.Generator, *, topics: int, documents: int, runs: int, workers: int, overlap: int) -> World:
    """Four grades, most of them 0; systems that see them through noise; workers who do, too, and are strict or lenient."""
    truth = rng.choice(4, (topics, documents), p=[0.55, 0.2, 0.15, 0.1])
    pairs = pl.DataFrame([(f"{t}", f"d{d}") for t in range(topics) for d in range(documents)], ["topic", "docno"], orient="row")
    who = np.array([rng.choice(workers, overlap, replace=False) for _ in range(truth.size)])
    noise, lenience = rng.uniform(0.3, 1.5, workers), rng.normal(0, 0.5, workers)
    seen = truth.reshape(-1, 1) + lenience[who] + rng.normal(0, 1, who.shape) * noise[who]
    frame = {"item": np.repeat(np.arange(truth.size), overlap), "worker": who.ravel()}
    labels = labels_of(pl.DataFrame({**frame, "label": np.clip(np.rint(seen), 0, 3).astype(int).ravel()}), values=list("0123"))
    scores = {f"r{run}": truth.ravel() + rng.normal(0, 1.5 + 0.3 * run, truth.size) for run in range(runs)}
    return World(labels, pairs, {name: pairs.with_columns(score=pl.Series(score)) for name, score in scores.items()})


def show_effect(options: argparse.Namespace) -> None:
    world = simulated(np.random.default_rng(1), topics=50, documents=40, runs=4, workers=60, overlap=3)
    panel, measures = Panel(world.documents, world.runs), parse_measures(MEASURES)
    print(f"{len(world.labels):,} labels of 50 topics × 40 documents, 4 runs, {len(measures)} measures: topics and workers drawn")
    for method, times in (("majority", options.resamples), ("median", options.resamples), ("dawid-skene", 200), ("ordinal", 20)):
        aggregated = aggregate(world.labels, method, ties="median")
        work = partial(uncertainty, aggregated, panel, world.items, measures, Resampling(resamples=times))
        taken = median(seconds(work) for _ in range(min(3, options.repeats)))
        print(f"  {f'{method}, {times:,} resamples':<34} {taken:7.3f} s {megabytes(work):7.0f} MB")
    print(f"  {'majority, evaluate() on each of 10':<34} {seconds(partial(one_by_one, world, 10)):7.3f} s\n")


def one_by_one(world: World, times: int) -> None:
    """The same with public functions of the engine alone."""
    aggregated = majority(world.labels, ties="median")
    workers = len(world.labels.workers)
    for weight in np.random.default_rng(0).multinomial(workers, np.full(workers, 1 / workers), times):
        qrels = world.documents.with_columns(grade=pl.Series(redrawn(aggregated, weight[None])[0], dtype=pl.Int32))
        for run in world.runs.values():
            evaluate(run, qrels, MEASURES).means()


def show_coverage(workers: int, overlap: int, studies: int) -> None:
    rng, measures = np.random.default_rng(0), parse_measures(MEASURES[:3])
    uncertainties: list[Uncertainty] = []
    for _ in range(studies):
        world = simulated(rng, topics=25, documents=15, runs=2, workers=workers, overlap=overlap)
        labels, panel = majority(world.labels, ties="median"), Panel(world.documents, world.runs)
        uncertainties.append(uncertainty(labels, panel, world.items, measures, Resampling(resamples=200)))
    truth = np.mean([study.mean for study in uncertainties], axis=0)
    print(f"{workers} workers, {overlap} votes an item, {studies} studies: how often {', '.join(MEASURES[:3])} are inside")
    for title, ends in (
        ("topics alone", [study.by_topics for study in uncertainties]),
        ("both", [study.by_both for study in uncertainties]),
    ):
        low, high = np.moveaxis(np.array(ends), 3, 0)
        print(f"  {title:<14}" + "".join(f"{share:8.3f}" for share in ((low <= truth) & (truth <= high)).mean(axis=(0, 1))))


def votes_in_order(folder: Path) -> tuple[Labels, Ints]:
    columns = ["turn", "item", "worker", "label"]
    frame = pl.read_csv(folder / "votes.gz", separator="\t", has_header=False, new_columns=columns)
    labels = labels_of(frame.sort("turn", maintain_order=True))
    return labels, nist_gold(folder, labels)


def nist_gold(folder: Path, labels: Labels) -> Ints:
    """Whether NIST's assessors found an item relevant, UNKNOWN where they did not judge it."""
    with bz2.open(folder / "task1_unlabeled_g_truth_cons_public.txt.bz2", "rt") as truth:
        rows = [line.split("\t")[1:4] for line in list(truth)[1:]]
    nist = {f"{topic}_{docno}": int(int(grade) > 0) for topic, docno, grade in rows if grade.strip() not in ("", "-1")}
    return gold_of(pl.DataFrame({"item": list(nist), "label": list(nist.values())}), labels)


def show_savings(labels: Labels, gold: Ints) -> None:
    """Accuracy is assumed to be the same for all workers, and follows from how often two of them agree."""
    agreement = percent_agreement(labels, Resampling(resamples=1)).value
    accuracy = accuracy_from_agreement(agreement, len(labels.values))
    everything, in_gold = majority(labels).chosen, np.flatnonzero(gold >= 0)
    print(
        f"\n{len(labels):,} votes on {len(labels.items):,} documents; two agree on {agreement:.3f}, an accuracy of {accuracy:.3f}"
    )
    print(f"  {'':<34}{'labels an item':>15}{'as all votes':>14}{f'as NIST ({len(in_gold)})':>15}")

    def show(title: str, replayed: Replay) -> None:
        right = replayed.chosen[in_gold, gold[in_gold]].mean()
        print(f"  {title:<34}{replayed.total / len(replayed.used):15.2f}{shared(replayed.chosen, everything):14.3f}{right:15.3f}")

    for n in range(1, 10):
        show(f"{n} each", fixed_overlap(labels, n))
    for threshold in THRESHOLDS:
        show(f"until {threshold:g} sure", replay(labels, accuracy, StoppingRule(threshold)))
    show("until 0.9 sure, at most 5", replay(labels, accuracy, StoppingRule(0.9, maximum=5)))


def shared(first: Floats, second: Floats) -> float:
    """The share of items on which two sets of labels agree; tied labels count by their shares."""
    return float((first * second).sum(axis=1).mean())


if __name__ == "__main__":
    main()

"""How fast labels are aggregated, how often they are then wrong, and how many of them adaptive overlap would have saved.

    python -m benchmarks.aggregation [--data ../shared/data] [--repeats 5] [--resamples 1000]

Real labels: those of the paper on spectral methods (trec, bluebird, rte) and 17,395 relevance votes of TREC 2011 in the order in
which they came. Times are medians; memory is what numpy allocates at its peak.
"""

import argparse
import bz2
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
import polars as pl

from benchmarks.significance import megabytes, seconds
from metrics.engine.aggregation import (
    METHODS,
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
from metrics.engine.agreement import Resampling, krippendorff_alpha, percent_agreement, worker_table
from metrics.engine.labels import Labels, gold_of, labels_of, read_gold, read_labels
from metrics.engine.rankings import Floats, Ints

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
COLLECTIONS = ("trec", "bluebird", "rte")
THRESHOLDS = (0.8, 0.9, 0.95)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=SHARED, help="default %(default)s")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--resamples", type=int, default=1000)
    options = parser.parse_args()
    show_speed(options.data / "crowd_spectral" / "trec_crowd.txt", options)
    show_errors(options.data / "crowd_spectral")
    show_savings(*votes_in_order(options.data / "crowd_trec11_vuurens"))


def show_speed(path: Path, options: argparse.Namespace) -> None:
    labels = read_labels(path)
    how = Resampling(resamples=options.resamples)
    print(f"{len(labels):,} labels of {len(labels.items):,} items by {len(labels.workers)} workers, {options.repeats} repeats")
    work: dict[str, Callable[[], object]] = {
        "read the file": lambda: read_labels(path),
        "majority": lambda: majority(labels),
        "Dawid-Skene, 100 iterations": lambda: dawid_skene(labels, iterations=100, tolerance=-np.inf),
        "ordinal model, 100 iterations": lambda: ordinal(labels, iterations=100, tolerance=-np.inf),
        f"α, {options.resamples:,} resamples": lambda: krippendorff_alpha(labels, "nominal", how),
        "every worker against the others": lambda: worker_table(labels),
    }
    for title, step in work.items():
        step()
        taken = median(seconds(step) for _ in range(options.repeats))
        print(f"  {title:<34} {taken:7.3f} s {megabytes(step):7.0f} MB")


def show_errors(folder: Path) -> None:
    """Gold-weighted votes learn from half of the gold and are held against the other half, five times."""
    print(f"\nerror rates{'':<17}" + "".join(f"{name:>10}" for name in COLLECTIONS))
    read = [with_gold(folder, name) for name in COLLECTIONS]
    for method in METHODS:
        errs = halves if method == "gold-weighted" else (lambda labels, gold, one=method: aggregate(labels, one).error_rate(gold))
        print(f"  {method:<26}" + "".join(f"{errs(labels, gold):10.4f}" for labels, gold in read))


def with_gold(folder: Path, name: str) -> tuple[Labels, Ints]:
    labels = read_labels(folder / f"{name}_crowd.txt")
    return labels, gold_of(read_gold(folder / f"{name}_truth.txt"), labels)


def halves(labels: Labels, gold: Ints) -> float:
    rng = np.random.default_rng(1)
    rates = []
    for _ in range(5):
        learn = rng.random(len(gold)) < 0.5
        rates.append(aggregate(labels, "gold-weighted", np.where(learn, gold, -1)).error_rate(np.where(learn, -1, gold)))
    return float(np.mean(rates))


def votes_in_order(folder: Path) -> tuple[Labels, Ints]:
    columns = ["turn", "item", "worker", "label"]
    frame = pl.read_csv(folder / "votes.gz", separator="\t", has_header=False, new_columns=columns)
    labels = labels_of(frame.sort("turn", maintain_order=True))
    with bz2.open(folder / "task1_unlabeled_g_truth_cons_public.txt.bz2", "rt") as truth:
        rows = [line.split("\t")[1:4] for line in list(truth)[1:]]
    nist = {f"{topic}_{docno}": int(int(grade) > 0) for topic, docno, grade in rows if grade.strip() not in ("", "-1")}
    return labels, gold_of(pl.DataFrame({"item": list(nist), "label": list(nist.values())}), labels)


def show_savings(labels: Labels, gold: Ints) -> None:
    """Accuracy is assumed to be the same for all workers, and follows from how often two of them agree."""
    agreement = percent_agreement(labels, Resampling(resamples=1)).value
    accuracy = accuracy_from_agreement(agreement, len(labels.values))
    everything, known = majority(labels).chosen, np.flatnonzero(gold >= 0)
    print(
        f"\n{len(labels):,} votes on {len(labels.items):,} documents; two agree on {agreement:.3f}, an accuracy of {accuracy:.3f}"
    )
    print(f"  {'':<34}{'labels an item':>15}{'as all votes':>14}{f'as NIST ({len(known)})':>15}")

    def show(title: str, found: Replay) -> None:
        right = found.chosen[known, gold[known]].mean()
        print(f"  {title:<34}{found.total / len(found.used):15.2f}{shared(found.chosen, everything):14.3f}{right:15.3f}")

    for n in range(1, 10):
        show(f"{n} each", fixed_overlap(labels, n))
    for threshold in THRESHOLDS:
        show(f"until {threshold:g} sure", replay(labels, accuracy, StoppingRule(threshold)))
    show("until 0.9 sure, at most 5", replay(labels, accuracy, StoppingRule(0.9, maximum=5)))


def shared(one: Floats, other: Floats) -> float:
    """How often two sets of labels are the same, tied ones by their parts."""
    return float((one * other).sum(axis=1).mean())


if __name__ == "__main__":
    main()

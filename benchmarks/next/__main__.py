"""How few judgements tell systems apart, of those that a pool of depth 10 takes, and how often stopping early is wrong.

    python -m benchmarks.next [trec-covid cranfield] [--subsets 10] [--orders 500] [--data ../shared/data]

All judgements of a collection are hidden and revealed one by one. A document that nobody judged is revealed as not relevant.
Last come the seconds that 56 runs of 1,000 documents on 30 topics take.
"""

import argparse
import os
import time
from pathlib import Path

import numpy as np
import polars as pl

from benchmarks.next import floor, stop, strategies
from benchmarks.next.worlds import trec_covid
from ireval import difference_bounds, next_documents, parse_measure, pooled_documents

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", nargs="*", default=["trec-covid", "cranfield"])
    parser.add_argument("--subsets", type=int, default=10)
    parser.add_argument("--orders", type=int, default=500)
    parser.add_argument("--data", type=Path, default=SHARED)
    options = parser.parse_args()
    if "trec-covid" in options.collections:
        runs, qrels = trec_covid(options.data / "trec_covid_r1")
        strategies.report("TREC-COVID, round 1", runs, qrels, options.subsets, (20, 14))
        floor.report("TREC-COVID, round 1", runs, qrels, options.subsets, (20, 14))
        strategies.report_average_precision("TREC-COVID, round 1", runs, qrels)
        stop.report("TREC-COVID, round 1", runs, qrels, options.orders)
    if "cranfield" in options.collections:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")  # of the parsers of old collections
        from benchmarks.next.cranfield import cranfield

        runs, qrels = cranfield(options.data / "cranfield")
        strategies.report("Cranfield", runs, qrels, options.subsets, (60, 10))
        floor.report("Cranfield", runs, qrels, options.subsets, (60, 10))
        stop.report("Cranfield", runs, qrels, options.orders)
    report_speed()


def report_speed() -> None:
    """56 runs × 30 topics × 1,000 documents, from frames to the next 100 documents and all bounds."""
    rng = np.random.default_rng(1)
    runs = {f"run{number}": simulated_run(rng) for number in range(56)}
    qrels = pl.DataFrame({"topic": np.repeat(np.arange(30), 60).astype(str), "docno": np.tile(np.arange(60), 30).astype(str)})
    qrels = qrels.with_columns(grade=pl.Series(rng.integers(0, 3, len(qrels)), dtype=pl.Int32))
    for name in ("nDCG@10", "P@10", "nDCG@100", "AP", "nDCG"):
        measure, start = parse_measure(name), time.perf_counter()
        documents = pooled_documents(runs, qrels, depth=measure.values["cutoff"])
        pooled = time.perf_counter()
        next_documents(documents, measure)
        chosen_at = time.perf_counter()
        difference_bounds(documents, measure)
        steps = pooled - start, chosen_at - pooled, time.perf_counter() - chosen_at
        print(f"{name}: {documents.pooled.sum():,} documents pooled in {steps[0]:.1f} s, chosen in {steps[1]:.1f} s,", end=" ")
        print(f"bounds of 1,540 pairs in {steps[2]:.1f} s")


def simulated_run(rng: np.random.Generator) -> pl.DataFrame:
    order = [np.argsort(np.arange(3000) * 0.0006 + rng.random(3000) * 0.4)[:1000] for _ in range(30)]
    columns = {"topic": np.repeat(np.arange(30), 1000).astype(str), "docno": np.concatenate(order).astype(str)}
    return pl.DataFrame({**columns, "score": np.tile(np.arange(1000, 0, -1.0), 30)})


if __name__ == "__main__":
    main()

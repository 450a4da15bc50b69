"""Time and memory of an evaluation: this engine against pytrec_eval-terrier, whole processes, one machine.

    python -m benchmarks.engine [--repeats 5] [--scale 1] [--beside ../before]

Two workloads are made in a temporary folder: one long run with sparse qrels (6,980 topics of 1,000 documents, as MS MARCO's
development set), and a hundred runs over dense qrels (50 topics of 1,000). Contenders take turns, so that whatever else the
machine does hits all of them; medians are printed, with ratios to pytrec_eval-terrier. Another checkout takes its turns with
the interpreter of its own `.venv`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TextIO

import numpy as np

from ireval.measures.registry import MEASURES

THEIRS = """
import sys
import pytrec_eval
qrels, measures, *runs = sys.argv[1:]
with open(qrels) as file:
    evaluator = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(file), set(measures.split()))
for path in runs:
    with open(path) as file:
        values = evaluator.evaluate(pytrec_eval.parse_run(file))
    names = next(iter(values.values()))
    for name in sorted(names):
        print(name, pytrec_eval.compute_aggregated_measure(name, [topic[name] for topic in values.values()]))
"""
STORED = """
import sys
from ireval import evaluate, read_qrels, scan_run
qrels, measures, *runs = sys.argv[1:]
for path in runs:
    print(evaluate(scan_run(path), read_qrels(qrels), measures).means())
"""
STORE = "import sys; from ireval import read_run, write_run; write_run(read_run(sys.argv[1]), sys.argv[2])"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--scale", type=float, default=1, help="of the number of topics, and of runs")
    parser.add_argument("--beside", metavar="CHECKOUT", type=Path, help="the same by another version, too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for title, workload in (("One run, sparse qrels", sparse), ("Many runs, dense qrels", dense)):
            commands = workload(Path(folder), options.scale)
            if options.beside:
                commands |= by_another(options.beside.resolve(), commands)
            compare(title, commands, options.repeats)


def sparse(folder: Path, scale: float) -> dict[str, list[str]]:
    """Commands by contender: map, ndcg, recip_rank and P_10 of one long run."""
    rng = np.random.default_rng(1)
    topics = rng.permutation(np.sort(rng.choice(1_100_000, int(6980 * scale), replace=False)))
    run, qrels = folder / "sparse.run", folder / "sparse.qrels"
    with run.open("w") as run_file, qrels.open("w") as qrels_file:
        for topic in topics:
            docnos = write_topic(run_file, rng, topic=topic, tag="long")
            relevant = rng.choice(docnos[:300], 1 + (rng.random() < 0.1), replace=False)
            qrels_file.writelines(f"{topic} 0 {docno} 1\n" for docno in relevant)
    stored = folder / "sparse.parquet"
    subprocess.run([sys.executable, "-c", STORE, str(run), str(stored)], check=True)
    print(f"{run.stat().st_size / 2**20:.0f} MB of text, {stored.stat().st_size / 2**20:.0f} MB of Parquet")
    measures = "map ndcg recip_rank P_10"
    return {
        "pytrec_eval-terrier": [sys.executable, "-c", THEIRS, str(qrels), measures, str(run)],
        "this engine, text": ours(measures, qrels, run),
        "this engine, stored": [sys.executable, "-c", STORED, str(qrels), measures, str(stored)],
    }


def dense(folder: Path, scale: float) -> dict[str, list[str]]:
    """Commands by contender: trec_eval's official set with ndcg, ndcg_cut and recall of many runs."""
    rng = np.random.default_rng(2)
    runs = [folder / f"dense{number}.run" for number in range(int(100 * scale))]
    qrels = folder / "dense.qrels"
    with qrels.open("w") as file:
        for topic in range(50):
            grades = rng.choice([0, 0, 0, 0, 1, 1, 2, 3], 1500)
            file.writelines(f"{topic} 0 doc-{topic}-{document} {grade}\n" for document, grade in enumerate(grades))
    for run in runs:
        with run.open("w") as file:
            for topic in range(50):
                write_topic(file, rng, topic=topic, tag=run.stem, docnos=[f"doc-{topic}-{number}" for number in range(3000)])
    # Some ask for the size of the collection, and their examples are smaller than this one.
    everything = [kind.example.replace("documents=1000", "documents=3000") for kind in MEASURES.values()]
    official = "num_ret num_rel num_rel_ret map Rprec bpref recip_rank iprec_at_recall P ndcg ndcg_cut recall"
    return {
        "pytrec_eval-terrier": [sys.executable, "-c", THEIRS, str(qrels), official, *map(str, runs)],
        "this engine, text": ours(official, qrels, *runs),
        "this engine, also every other measure": ours(" ".join([official, *everything]), qrels, *runs),
    }


def write_topic(file: TextIO, rng: np.random.Generator, *, topic: int, tag: str, docnos: list[str] | None = None) -> np.ndarray:
    """A thousand documents in falling order of score; numbers, as in MS MARCO, unless there are ids to choose from."""
    documents = rng.choice(8_841_823 if docnos is None else len(docnos), 1000, replace=False)
    names = documents if docnos is None else np.array(docnos)[documents]
    scores = np.sort(rng.gamma(4, 3, len(names)))[::-1]
    rows = zip(names, range(1, len(names) + 1), scores, strict=True)
    file.writelines(f"{topic} Q0 {name} {rank} {score:.4f} {tag}\n" for name, rank, score in rows)
    return names


def ours(measures: str, qrels: Path, *runs: Path) -> list[str]:
    chosen = [part for name in measures.split() for part in ("-m", name)]
    return [sys.executable, "-m", "ireval", "evaluate", "--format", "trec", *chosen, str(qrels), *map(str, runs)]


def by_another(checkout: Path, commands: dict[str, list[str]]) -> dict[str, list[str]]:
    """What both versions can do: "every measure" is not the same in both, and pytrec_eval is run once."""
    package = "ireval" if (checkout / "ireval").is_dir() else "metrics"  # the engine's earlier place was within the application
    script = STORED.replace("from ireval", "from ireval" if package == "ireval" else "from metrics.engine")
    start = ["env", f"--chdir={checkout}", str(checkout / ".venv" / "bin" / "python")]
    return {
        name.replace("this engine", checkout.name): [*start, switch, package if switch == "-m" else script, *rest]
        for name, (_, switch, _, *rest) in commands.items()
        if name in {"this engine, text", "this engine, stored"}
    }


@dataclass(frozen=True)
class Cost:
    """The cost of one process: seconds by the clock and of the processor, and its largest resident memory in megabytes."""

    seconds: float
    cpu: float
    megabytes: float


def compare(title: str, commands: dict[str, list[str]], repeats: int) -> None:
    costs: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(repeats):
        for name, command in commands.items():
            costs[name].append(cost(command))
    reference = median(sample.seconds for sample in costs["pytrec_eval-terrier"])
    print(f"{title}: medians of {repeats}")
    for name, taken in costs.items():
        seconds, cpu = median(sample.seconds for sample in taken), median(sample.cpu for sample in taken)
        peak = max(sample.megabytes for sample in taken)
        print(f"  {name:<37} {seconds:6.2f} s, {seconds / reference:4.2f} of theirs; processor {cpu:6.2f} s; peak {peak:5.0f} MB")


def cost(command: list[str]) -> Cost:
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=Path(__file__).parents[1])
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command[:6]
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10))


if __name__ == "__main__":
    main()

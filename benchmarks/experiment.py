"""Time and memory of an A/B report of a million users.

    python -m benchmarks.experiment [--users 1000000] [--impressions 300000] [--folder PATH]

The report has three arms and five metrics: clicks per search with the time before (CUPED), seconds, revenue, and two proportions.
Each line is a process of its own: from arrays to differences, then the command line on CSV and on Parquet. The last are the
credit of interleaved impressions of ten documents, from clicks to Δ of three systems.

Prints seconds, processor seconds, and the most memory that the process had beyond what it had before. Scipy is imported before:
a process pays for that once.
"""

import argparse
import contextlib
import io
import multiprocessing
import resource
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
import polars as pl

from ireval.cli.main import main as command
from ireval.experiments import Observed, arm_effects, experiment_from
from ireval.interleaving import Credits, compare_multileaved, scored

ARMS = ["control", "new", "newer"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--users", type=int, default=1_000_000)
    parser.add_argument("--impressions", type=int, default=300_000)
    parser.add_argument("--folder", type=Path, help="for the files (default: one that is deleted)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        alone(write_users, options.users, folder)
        alone(write_impressions, options.impressions, folder)
        for title, call in STEPS.items():
            seconds, busy, megabytes = alone(measured, call, folder)
            print(f"{title:<60} {seconds:6.2f} s {busy:6.2f} s {megabytes:6.0f} MB")


def alone(call: Callable, *arguments):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(call, arguments)


def write_users(users: int, folder: Path) -> None:
    rng = np.random.default_rng(0)
    busy, taste = rng.gamma(1.5, 4, users), rng.beta(2, 5, users)
    searches, before = 1 + rng.poisson(busy), 1 + rng.poisson(busy)
    bought = rng.random(users) < 0.03
    frame = pl.DataFrame(
        {
            "unit": [f"user-{number}" for number in range(users)],
            "arm": np.array(ARMS)[rng.integers(0, 3, users)],
            "clicks": rng.binomial(searches, taste),
            "clicks__per": searches,
            "clicks__before": rng.binomial(before, taste),
            "clicks__per__before": before,
            "seconds": rng.exponential(20, users).round(2),
            "revenue": (bought * rng.gamma(2, 15, users)).round(2),
            "bought": bought.astype(int),
            "came_again": rng.integers(0, 2, users),
        }
    )
    frame.write_csv(folder / "users.csv")
    frame.write_parquet(folder / "users.parquet")


def write_impressions(impressions: int, folder: Path) -> None:
    rng = np.random.default_rng(1)
    rows = impressions * 10
    team = rng.integers(0, 3, rows)
    shown = pl.DataFrame(
        {
            "impression": np.repeat(np.arange(impressions), 10),
            "rank": np.tile(np.arange(1, 11), impressions),
            "document": rng.integers(-(2**60), 2**60, rows),
            "method": pl.Series(["team_draft"]).new_from_index(0, rows),
            **{f"share_{number}": (team == number).astype(float) for number in range(3)},
        }
    )
    shown.write_parquet(folder / "shown.parquet")
    shown.filter(pl.Series(rng.random(rows) < 0.1)).select("impression", "document").write_parquet(folder / "clicks.parquet")


def measured(call: Callable[[Path], Callable[[], object]], folder: Path) -> tuple[float, float, float]:
    import scipy.stats  # noqa: F401

    ready = call(folder)
    before, start, started = most_memory(), perf_counter(), process_time()
    ready()
    return perf_counter() - start, process_time() - started, most_memory() - before


def most_memory() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def from_arrays(folder: Path) -> Callable[[], object]:
    frame = pl.read_parquet(folder / "users.parquet")
    arm = frame["arm"].cast(pl.Enum(ARMS)).to_physical().to_numpy()
    column = {name: frame[name].to_numpy() for name in frame.columns[2:]}
    names = ["", "__per", "__before", "__per__before"]
    metrics = {name: Observed(column[name]) for name in ("seconds", "revenue", "bought", "came_again")}
    metrics["clicks"] = Observed(*(column["clicks" + name] for name in names))
    return lambda: arm_effects(experiment_from(arm, ARMS, metrics))


def from_command(name: str, folder: Path) -> Callable[[], object]:
    def run() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            assert command(["experiment", str(folder / name)]) == 0

    return run


def from_csv(folder: Path) -> Callable[[], object]:
    return from_command("users.csv", folder)


def from_parquet(folder: Path) -> Callable[[], object]:
    return from_command("users.parquet", folder)


def credit(folder: Path) -> Callable[[], object]:
    shown, clicks = pl.read_parquet(folder / "shown.parquet"), pl.read_parquet(folder / "clicks.parquet")
    return lambda: scored(shown, clicks)


def preference(folder: Path) -> Callable[[], object]:
    rng = np.random.default_rng(2)
    n = pl.scan_parquet(folder / "shown.parquet").select(pl.col("impression").n_unique()).collect().item()
    user, query = rng.integers(0, n // 5, (2, n))
    return lambda: compare_multileaved(Credits(user, query, {str(number): rng.poisson(0.3, n) for number in range(3)}))


STEPS: dict[str, Callable[[Path], Callable[[], object]]] = {
    "arrays to differences, CUPED, always-valid intervals, Holm": from_arrays,
    "python -m ireval experiment users.csv": from_csv,
    "python -m ireval experiment users.parquet": from_parquet,
    "interleaving: shown documents and clicks to credit": credit,
    "interleaving: credit to Δ of three systems": preference,
}

if __name__ == "__main__":
    main()

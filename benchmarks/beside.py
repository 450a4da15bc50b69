"""Speed of judging beside that of another checkout, in turns of seconds: for a machine whose speed drifts.

    python -m benchmarks.beside ../before --postgres
    python -m benchmarks.beside ../before --items 150 --overlap 1 --pages --turns 36

Each checkout runs its own servers, benchmark and virtual environment (`.venv`), both all the time. They take turns at judging one
study, and every other time the second one begins. Prints the median of the turns' ratios, the quarters about it, and how many
seconds of processor time the server and the database took.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
PORTS = (8310, 8320)
TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds() -> float:
    """Of all processes below this one, with those of theirs that have ended."""
    parents, seconds = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            parents[int(folder.name)] = int(fields[1])
            seconds[int(folder.name)] = sum(map(int, fields[11:15])) / TICKS
    below = {os.getpid()}
    while grown := {process for process, parent in parents.items() if parent in below} - below:
        below |= grown
    return sum(seconds[process] for process in below - {os.getpid()})


def answer_turns(port: int, postgres: bool) -> None:
    """Judge a study for each line of standard input, with the benchmark of the checkout that this process stands in."""
    sys.path.insert(0, os.getcwd())
    from benchmarks import judging

    at_once, spent = judging.at_once, []

    def counted(jobs: list) -> float:
        before = processor_seconds()
        taken = at_once(jobs)
        spent.append(processor_seconds() - before)
        return taken

    judging.at_once = counted
    with contextlib.ExitStack() as stack:
        environment = stack.enter_context(judging.environment_for(postgres=postgres))
        stack.enter_context(judging.server("ireval_site.wsgi:application", environment, port))
        judging.world(environment, "prepare", 10, 1, 1)
        print("ready", flush=True)
        for line in sys.stdin:
            spent.clear()
            print(json.dumps([judged(judging, port, environment, **json.loads(line)), spent[0]]), flush=True)


def judged(judging: ModuleType, port: int, environment: dict[str, str], *, items: int, overlap: int, pages: bool) -> float:
    """Judgements a second."""
    way = judging.by_pages if pages else judging.by_script
    return judging.judge_study(port, environment, items, overlap, way)["judgements/s"]


@contextlib.contextmanager
def checkout(folder: Path, port: int, postgres: bool) -> Iterator[subprocess.Popen]:
    command = [str(folder / ".venv/bin/python"), __file__, str(folder), "--answer", str(port)]
    command += ["--postgres"] if postgres else []
    own = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}  # each has its own database
    process = subprocess.Popen(command, cwd=folder, env=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin and process.stdout
    with process:
        if process.stdout.readline().strip() != "ready":
            raise SystemExit(f"{folder} did not start")
        yield process
        process.stdin.close()  # its loop ends, and with it its servers


def turn(process: subprocess.Popen, **study: int | bool) -> tuple[float, float]:
    assert process.stdin and process.stdout
    print(json.dumps(study), file=process.stdin, flush=True)
    return tuple(json.loads(process.stdout.readline()))


def compare(before: Path, options: argparse.Namespace) -> None:
    study = {"items": options.items, "overlap": options.overlap, "pages": options.pages}
    with contextlib.ExitStack() as stack:
        sides = [
            stack.enter_context(checkout(folder, port, options.postgres))
            for folder, port in zip((before.resolve(), ROOT), PORTS, strict=True)
        ]
        for side in sides:
            turn(side, **study)  # the first one warms up
        turns: list[list[tuple[float, float]]] = [[], []]
        for at in range(options.turns):
            for which in (0, 1) if at % 2 else (1, 0):
                turns[which].append(turn(sides[which], **study))
    speeds, seconds = zip(*([*zip(*side, strict=True)] for side in turns), strict=True)
    ratios = [after / earlier for earlier, after in zip(*speeds, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4)
    for name, speed, taken in zip(("before", "now"), speeds, seconds, strict=True):
        print(f"{name}: {statistics.median(speed):.0f} judgements/s, {statistics.median(taken):.2f} s of processor time")
    print(f"now / before: {middle:.3f} of the speed (quarters {low:.2f} to {high:.2f}, {options.turns} turns)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="a checkout with a virtual environment")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--pages", action="store_true", help="as browsers without a script")
    parser.add_argument("--items", type=int, default=600)
    parser.add_argument("--overlap", type=int, default=3)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--answer", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.turns < 2:
        parser.error("one turn says nothing: two are the least")
    if options.answer:
        answer_turns(options.answer, options.postgres)
    else:
        compare(options.before, options)


if __name__ == "__main__":
    main()

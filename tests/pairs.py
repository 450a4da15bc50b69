"""Runs the suite and adds up: `python -m tests.pairs sqlite,postgres [pytest's arguments]`.

First the library's tests, which need no server; then the application's, once on each database that is named. SQLite comes
with the embedded broker, as on a laptop. PostgreSQL comes with a broker over TCP, as in production, unless DATABASE_URL and
REDIS_URL name servers to use. All of them always run; the exit code is red if one of them was.

On the first database everything runs. On the others only tests marked `database` do: those that ask for one, and those of
browsers and servers where the database matters. The rest would be the same again, as would those marked `one_database` and
those of pages.
Those marked `last_database` take long, too, and find most where columns are strict: they wait for the last one.

Tests marked `slow` are left out unless IREVAL_SLOW is set or paths are given.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

NAMED = ("DATABASE_URL", "REDIS_URL")
NO_TESTS_COLLECTED = 5
ONE_THREAD = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # the frames of tests are small
PROCESSES = os.cpu_count() or 1
IN_MEMORY, ROOM = Path("/dev/shm"), 4 * 2**30  # Linux's folder, and the bytes that have to be free in it
KEYS = ("tests", "failures", "errors", "skipped")
LIBRARY = ["ireval", "tests/ireval"]
APPLICATION = ["tests", "--ignore=tests/ireval"]
EXAMPLES = ["metrics", "judging", "ireval_site"]  # in docstrings; they reach no database


class Pair(NamedTuple):
    """A database and the broker beside it."""

    name: str
    servers: list[str]  # what tests.servers starts
    may_be_named: bool  # whether the environment's servers are used instead


class Outcome(NamedTuple):
    """What a run of pytest ended with."""

    code: int
    counts: Counter[str]
    names: frozenset[str]  # of its tests


PAIRS = {
    "sqlite": Pair("SQLite and the embedded broker", ["--valkey"], may_be_named=False),
    "postgres": Pair("PostgreSQL and Valkey", ["--postgres", "--valkey-tcp"], may_be_named=True),
}


def main(databases: str, *words: str) -> int:
    pairs = [PAIRS[name] for name in databases.split(",")]
    paths = [argument for argument in words if file_of(argument).exists()]
    options = [argument for argument in words if argument not in paths]
    of_library = [path for path in paths if is_of_library(file_of(path))]
    of_application = [path for path in paths if path not in of_library]
    quick = [] if paths or os.environ.get("IREVAL_SLOW") else ["not slow"]
    results = []
    if of_library or not paths:
        results.append(run_library([*marked(quick), *(of_library or LIBRARY), *options]))
    if of_application or not paths:
        first, *others = pairs
        arguments = [*(of_application or APPLICATION), *options]
        examples = [] if of_application else EXAMPLES
        later = ["not last_database"] if others else []
        results.append(everything := run_pair(first, [*marked([*later, *quick]), *examples, *arguments]))
        for pair in others:
            later = later if pair is not others[-1] else []
            marks = marked(["database", "not one_database", *later, *quick])
            results.append(again := run_pair(pair, [*marks, *arguments], IREVAL_AXE="0"))  # pages are the same on each
            print(f"{len(everything.names - again.names)} tests have to do with no database and were not run again.", flush=True)
    return sum_up(results)


def marked(conditions: list[str]) -> list[str]:
    return ["-m", " and ".join(conditions)] if conditions else []


def file_of(path: str) -> Path:
    return Path(path.partition("::")[0])


def is_of_library(file: Path) -> bool:
    return any(file.resolve().is_relative_to(Path(folder).resolve()) for folder in LIBRARY)


def run_library(arguments: list[str]) -> Outcome:
    """Without Django, which the library must not need."""
    print("\nThe library", flush=True)
    return run([], {**os.environ, **ONE_THREAD}, PROCESSES, ["-p", "no:django", "-p", "no:schemathesis", *arguments])


def run_pair(pair: Pair, arguments: list[str], **more: str) -> Outcome:
    print(f"\nThe application on {pair.name}", flush=True)
    named = {name: value for name, value in os.environ.items() if pair.may_be_named or name not in NAMED}
    processes = PROCESSES + 1  # tests of browsers and servers wait half of their time, while another computes
    return run([sys.executable, "-m", "tests.servers", *pair.servers, "--"], named | ONE_THREAD | more, processes, arguments)


def run(servers: list[str], environment: dict[str, str], processes: int, arguments: list[str]) -> Outcome:
    """Run pytest with these servers. What tests store goes away with the folder."""
    with tempfile.TemporaryDirectory(dir=folder_in_memory(), ignore_cleanup_errors=True) as folder:
        os.chmod(folder, 0o711)  # PostgreSQL of another account finds its own in it
        environment = {**environment, "TMPDIR": folder}
        report = Path(folder) / "report.xml"
        pytest = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            str(processes),
            "--dist",
            "worksteal",
            f"--junit-xml={report}",
            *arguments,
        ]
        code = subprocess.run([*servers, *pytest], env=environment, check=False).returncode
        return read_report(report, 0 if code == NO_TESTS_COLLECTED else code)


def folder_in_memory() -> Path | None:
    """Where no test waits for a disk; None for the usual place, where somebody chose one or memory has no room."""
    writable = "TMPDIR" not in os.environ and os.access(IN_MEMORY, os.W_OK)
    return IN_MEMORY if writable and shutil.disk_usage(IN_MEMORY).free >= ROOM else None


def read_report(report: Path, code: int) -> Outcome:
    if not report.exists():
        return Outcome(code, Counter(), frozenset())
    root = ElementTree.parse(report).getroot()
    counts = sum((Counter({key: int(suite.get(key, 0)) for key in KEYS}) for suite in root.iter("testsuite")), Counter[str]())
    names = frozenset(f"{case.get('classname')}.{case.get('name')}" for case in root.iter("testcase"))
    return Outcome(code, counts, names)


def sum_up(results: list[Outcome]) -> int:
    total = sum((result.counts for result in results), Counter[str]())
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    print("\nAll runs together, subtests counted:")
    print(f"total: {passed} passed, {failed} failed, {total['skipped']} skipped", flush=True)
    return 1 if failed or any(result.code for result in results) or not passed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

"""Runs the whole suite on both pairs of servers and adds up: `python -m tests.pairs [pytest's arguments]`.

First SQLite with the embedded broker, as on a laptop; then PostgreSQL with a broker over TCP, as in production, unless
DATABASE_URL and REDIS_URL name servers to use. Both always run; the exit code is red if either was.
"""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

NAMED = ("DATABASE_URL", "REDIS_URL")
NO_TESTS_COLLECTED = 5
KEYS = ("tests", "failures", "errors", "skipped")


def main(arguments: list[str]) -> int:
    laptop = {name: value for name, value in os.environ.items() if name not in NAMED}
    results = [
        run_pair("SQLite and the embedded broker", ["--valkey"], laptop, arguments),
        run_pair("PostgreSQL and Valkey", ["--postgres", "--valkey-tcp"], dict(os.environ), arguments),
    ]
    total = sum((counts for _, counts in results), Counter[str]())
    failed = total["failures"] + total["errors"]
    passed = total["tests"] - failed - total["skipped"]
    print(
        "\nBoth pairs of servers together, subtests counted:\n"
        f"total: {passed} passed, {failed} failed, {total['skipped']} skipped",
        flush=True,
    )
    return 1 if failed or any(code for code, _ in results) or not passed else 0


def run_pair(name: str, servers: list[str], environment: dict[str, str], arguments: list[str]) -> tuple[int, Counter[str]]:
    """Run pytest with these servers; its exit code and its counts."""
    print(f"\n{name}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        pytest = [sys.executable, "-m", "pytest", "-q", "-n", "2", f"--junit-xml={report}", *arguments]
        command = [sys.executable, "-m", "tests.servers", *servers, "--", *pytest]
        code = subprocess.run(command, env=environment, check=False).returncode
        return (0 if code == NO_TESTS_COLLECTED else code), read_counts(report)


def read_counts(report: Path) -> Counter[str]:
    if not report.exists():
        return Counter()
    suites = ElementTree.parse(report).getroot().iter("testsuite")
    return sum((Counter({key: int(suite.get(key, 0)) for key in KEYS}) for suite in suites), Counter[str]())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

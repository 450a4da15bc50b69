"""Speed at which 16 workers can judge at once, beside a bare Django view with only the two queries.

    python -m benchmarks.judging            on SQLite
    python -m benchmarks.judging --postgres on a real PostgreSQL with fsync on

Every worker comes by the invite link, agrees, and judges until nothing is left, session and CSRF included. Some are browsers
without a script, which ask for a page and submit its form; others do as the script, whose submit brings the next item along.
Afterwards the database is checked: every acknowledged judgement stored once, overlap exact, no error. Prints medians of --rounds;
all figures of one invocation come from the same machine state.
"""

import argparse
import contextlib
import gzip
import http.client
import itertools
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKERS = 16
STUDIES = {"overlap 3 over 1,000 items": (1000, 3), "overlap 1 over 150 items": (150, 1)}
HIDDEN = re.compile(r'name="(csrfmiddlewaretoken|key|offer)" value="([^"]+)"')
ITEM = re.compile(r'<form class="item"[^>]* data-item="([^"]+)"')


class Browser:
    """A connection kept open, cookies, and how long each request took."""

    def __init__(self, port: int):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.cookies: dict[str, str] = {}
        self.seconds: dict[str, list[float]] = {"page": [], "submit": []}

    def ask(
        self, method: str, path: str, form: dict | None = None, timed: str = "", by_script: bool = False
    ) -> tuple[int, str, str]:
        headers = {"X-Requested-With": "fetch"} if by_script else {}
        headers |= {"Accept-Encoding": "gzip", "Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        start = time.perf_counter()
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        content = response.read()
        if timed:
            self.seconds[timed].append(time.perf_counter() - start)
        text = (gzip.decompress(content) if response.getheader("Content-Encoding") else content).decode()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.split(";")[0]
        return response.status, response.getheader("Location") or "", text


def hidden(page: str) -> dict[str, str]:
    form: dict[str, str] = {}
    for name, value in HIDDEN.findall(page):
        form.setdefault(name, value)
    return form


def fields(page: str) -> dict[str, str]:
    """The hidden fields of the form of a page's item, or of the next one; empty without an item."""
    item = ITEM.search(page)
    return {**hidden(page[item.start() :]), "item": item[1]} if item else {}


@dataclass
class Outcome:
    """The outcome of a study as its workers' browsers saw it."""

    acknowledged: list[str] = field(default_factory=list)
    errors: list[tuple[int, str]] = field(default_factory=list)
    browsers: list[Browser] = field(default_factory=list)

    def admit(self, port: int, join: str) -> tuple[Browser, str]:
        """A browser that has come in by the link, and the address of its judge page."""
        browser = Browser(port)
        self.browsers.append(browser)
        browser.ask("GET", join)
        _, _, page = browser.ask("GET", "/join/")
        _, judge, _ = browser.ask("POST", "/join/", {**hidden(page), "agree": "1"})
        return browser, judge

    def page(self, browser: Browser, judge: str) -> dict[str, str]:
        """The form on the judge page; empty once there is nothing left to judge."""
        status, _, page = browser.ask("GET", judge, timed="page")
        if status != 200:
            self.errors.append((status, page[:200]))
            return {}
        return fields(page)

    def stored(self, form: dict[str, str], as_expected: bool, status: int, text: str) -> bool:
        if as_expected:
            self.acknowledged.append(form["key"])
        else:
            self.errors.append((status, text[:200]))
        return as_expected


def by_pages(outcome: Outcome, port: int, join: str) -> None:
    """A page, its form, a page, its form …"""
    browser, judge = outcome.admit(port, join)
    while form := outcome.page(browser, judge):
        status, _, text = browser.ask("POST", judge, {**form, "grade": "2"}, timed="submit")
        if not outcome.stored(form, status == 302, status, text):
            return


def by_script(outcome: Outcome, port: int, join: str) -> None:
    """Judge as judge.js does: one item is shown, the next is loaded already, and each submit brings the one after that."""
    browser, judge = outcome.admit(port, join)
    while form := outcome.page(browser, judge):
        token = form["csrfmiddlewaretoken"]
        behind = fields(browser.ask("GET", f"{judge}ahead/?have={form['item']}")[2])
        while form:
            sent = {**form, "csrfmiddlewaretoken": token, "grade": "2", "have": behind.get("item", "")}
            status, _, text = browser.ask("POST", judge, sent, timed="submit", by_script=True)
            if not outcome.stored(form, status == 200, status, text):
                return
            form, behind = behind, fields(text)


WAYS = {"a page and a form": by_pages, "with the script": by_script}


def at_once(jobs: list[Callable[[], None]]) -> float:
    threads = [threading.Thread(target=job) for job in jobs]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start


@contextlib.contextmanager
def server(application: str, environment: dict[str, str], port: int, *options: str) -> Iterator[int]:
    processes, threads = os.environ.get("WORKERS", "2"), os.environ.get("THREADS", "4")  # the launcher's own
    command = [
        *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--log-level", "warning"),
        *("--port", str(port), "--workers", processes, "--blocking-threads", threads, *options, application),
    ]
    process = subprocess.Popen(command, env=environment, cwd=ROOT)
    try:
        wait_until_up(port)
        yield port
    finally:
        process.terminate()
        try:
            process.wait(timeout=10)
        except subprocess.TimeoutExpired:  # it waits for connections that a failed round has left open
            process.kill()


def wait_until_up(port: int) -> None:
    for _ in range(600):
        with contextlib.suppress(OSError):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/healthz")
            connection.getresponse()
            return  # if only to say that it has no tables yet: they are made afterwards
        time.sleep(0.1)
    raise SystemExit("the server did not come up")


def world(environment: dict[str, str], verb: str, *arguments: object) -> dict:
    """Ask benchmarks.world, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.world", verb, *map(str, arguments)]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def judge_study(
    port: int,
    environment: dict[str, str],
    items: int,
    overlap: int,
    way: Callable[[Outcome, int, str], None] = by_pages,
    *,
    workers: int = WORKERS,
    seed: int = 1,
) -> dict[str, float]:
    """One study from launch to its last judgement; raises if the database disagrees with what was acknowledged."""
    study, token = world(environment, "prepare", items, overlap, seed).values()
    outcome = Outcome()
    seconds = at_once([lambda: way(outcome, port, f"/join/{token}/")] * workers)
    # Whoever asked while others held the last slots came away empty: one more round takes what is left.
    late = Outcome(outcome.acknowledged, outcome.errors)
    way(late, port, f"/join/{token}/")
    stored = world(environment, "outcome", study)
    assert not outcome.errors, outcome.errors[:3]
    assert Counter(stored["keys"]) == Counter(outcome.acknowledged), "an acknowledged judgement is missing or doubled"
    assert set(Counter(stored["items"]).values()) == {overlap}, "overlap is not exact"
    assert len(outcome.acknowledged) == items * overlap
    assert stored["surplus"] == stored["open"] == 0
    times = {kind: sorted(t for browser in outcome.browsers for t in browser.seconds[kind]) for kind in ("page", "submit")}
    return {
        "judgements/s": len(outcome.acknowledged) / seconds,
        **{f"{kind} p50 ms": 1000 * statistics.median(taken) for kind, taken in times.items()},
        **{f"{kind} p95 ms": 1000 * taken[int(len(taken) * 0.95)] for kind, taken in times.items()},
    }


def judge_bare(port: int, environment: dict[str, str], judgements: int) -> float:
    """Judgements a second of the bare view."""
    world(environment, "prepare_bare", judgements)

    def some(start: int) -> None:
        browser = Browser(port)
        for slot in range(start, judgements, WORKERS):
            assert browser.ask("GET", f"/next?slot={slot}")[0] == 200
            assert browser.ask("POST", "/submit", {"slot": slot})[0] == 200

    return judgements / at_once([lambda s=s: some(s) for s in range(WORKERS)])  # type: ignore[misc]


def measure(environment: dict[str, str], rounds: int) -> None:
    with server("benchmarks.bare:serve", environment, 8301, "--factory") as port:
        bare_rates = [judge_bare(port, environment, 2000) for _ in range(rounds)]
    reference = statistics.median(bare_rates)
    print(f"bare view, two queries: {reference:.0f} judgements/s (median of {rounds})")
    with server("ireval_site.wsgi:application", environment, 8302) as port:
        for (name, (items, overlap)), (how, way) in itertools.product(STUDIES.items(), WAYS.items()):
            outcomes = [judge_study(port, environment, items, overlap, way) for _ in range(rounds)]
            medians = {key: statistics.median(outcome[key] for outcome in outcomes) for key in outcomes[0]}
            print(f"{name}, {how}: {medians['judgements/s']:.0f} judgements/s, {medians['judgements/s'] / reference:.2f} of bare")
            print("   " + ", ".join(f"{key} {value:.0f}" for key, value in medians.items() if "p" in key))


@contextlib.contextmanager
def environment_for(*, postgres: bool) -> Iterator[dict[str, str]]:
    """Settings with a database of its own: SQLite, or a real PostgreSQL with fsync on."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=ROOT / "var" if (ROOT / "var").is_dir() else None))
        environment = {
            **os.environ, "IREVAL_DATA": folder, "SECRET_KEY": "benchmark" * 8, "IREVAL_LOG_LEVEL": "ERROR",
            "DJANGO_SETTINGS_MODULE": "ireval_site.settings",
        }  # fmt: skip
        if postgres:
            from tests import servers

            environment["DATABASE_URL"] = stack.enter_context(servers.postgres(durable=True, tuned=True))
        yield environment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with environment_for(postgres=options.postgres) as environment:
        measure(environment, options.rounds)


if __name__ == "__main__":
    main()

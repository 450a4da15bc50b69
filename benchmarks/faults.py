"""A soak of kills: processes are killed at random moments under load. Is anything acknowledged lost, or there twice?

    python -m benchmarks.faults --way laptop --kills 200
    python -m benchmarks.faults --way team --kills 200

Workers judge over HTTP and repeat what was not acknowledged, as the judge page does. Sites send batches of events, a researcher
uploads files in pieces, asks for reports and for near-duplicates. One process at a time, drawn by lot, gets SIGKILL at a random
moment: web server, Celery, beat, broker, for a team also PostgreSQL. Then it is measured how long it takes until a judgement and
events that were sent after the kill are acknowledged, and a report that was asked for after it is there.

At the end each acknowledged judgement, event, document and report must be there once, overlap exact, and nothing given up.
Prints a table in Markdown; ends with exit code 1 where anything is wrong.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.judging import ROOT, Browser, fields, hidden, world
from tests.servers import free_port
from tests.site.processes import descendants, table

JUDGES, SENDERS, UPLOADERS = 6, 2, 1
ITEMS, OVERLAP = 40, 3  # of each of many small studies: workers race for the last slots again and again
BATCH = 50
DOCUMENTS, PIECES = 200, 4  # of an upload
PATIENCE = 15.0  # seconds that a browser waits for an answer, as the judge page's script does
PROMISED = 15.0  # seconds until everything works again
LONGEST = 120.0  # seconds after which the soak gives up

# Names in `ps`, of commands and of the laptop's copies; and whether its children are victims, too.
VICTIMS = {
    "web": (r"ireval-web|ireval_site\.web", True),
    "celery": (r"ireval-celery|background worker|ireval_site worker", True),
    "beat": (r"ireval-beat|background beat|ireval_site beat", False),
    "broker": (r"valkey-server", False),
    "postgresql": (r"postgres -D", True),
}


class Wrong(AssertionError):
    """What the soak found."""


class Client:
    """A connection that is opened again after each failure, and asks until it gets an answer."""

    def __init__(self, port: int, headers: dict[str, str], failures: Counter) -> None:
        self.port, self.headers, self.failures = port, headers, failures
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def ask(self, method: str, path: str, body: Any = None, content_type: str = "application/json") -> tuple[int, Any]:
        """Status and content of one attempt; 0 where there was no answer."""
        data = json.dumps(body).encode() if content_type == "application/json" and body is not None else body
        try:
            self.connection.request(method, path, data, {**self.headers, "Content-Type": content_type})
            answer = self.connection.getresponse()
            status, content = answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            self.failures[type(error).__name__] += 1
            self.connection.close()
            return 0, None
        if status >= 500 or status == 429:
            self.failures[status] += 1
            return 0, None
        return status, json.loads(content or b"null")

    def insist(self, method: str, path: str, body: Any = None, **how: Any) -> Any:
        """The content of a good answer, however long it takes."""
        while True:
            status, content = self.ask(method, path, body, **how)
            if 200 <= status < 300:
                return content
            if status:
                raise Wrong(f"{method} {path}: {status} {content}")
            time.sleep(0.2)


@dataclass
class Stream:
    """Somebody who does one thing again and again: when it last succeeded, and how long nothing did."""

    name: str
    step: Callable[[], None]
    pause: float
    may_end: Callable[[], bool] = lambda: True
    began: float = 0  # of the latest success
    ended: float = field(default_factory=time.monotonic)
    silence: float = 0
    done: int = 0
    error: Exception | None = None

    def run(self, over: threading.Event) -> None:
        try:
            while not over.wait(self.pause) or not self.may_end():
                began = time.monotonic()
                self.step()
                self.succeeded(began)
        except Exception as error:
            self.error = error

    def succeeded(self, began: float) -> None:
        now = time.monotonic()
        self.silence, self.done = max(self.silence, now - self.ended), self.done + 1
        self.began, self.ended = began, now


@dataclass
class SmallStudy:
    pk: int
    token: str
    begun: bool = False
    acknowledged: list[str] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        return len(self.acknowledged) >= ITEMS * OVERLAP


class Judge:
    """A worker who goes from study to study, and sends an answer again until it is acknowledged."""

    def __init__(self, number: int, port: int, studies: list[SmallStudy], over: threading.Event, failures: Counter) -> None:
        self.by_script, self.port, self.over, self.failures = bool(number % 2), port, over, failures
        self.studies, self.place = studies, -1
        self.browser, self.address = Browser(port), ""

    @property
    def study(self) -> SmallStudy:
        return self.studies[self.place]

    def judge(self) -> None:
        """One judgement, in the next study where this one is done."""
        form: dict[str, str] = {}
        while not form:
            if self.place < 0 or self.study.is_done:
                if self.is_through():
                    return
                self.come()
            form = self.form()
        status, _, text = self.ask("POST", self.address, {**form, "grade": "2"}, by_script=self.by_script)
        if status != (200 if self.by_script else 302):
            raise Wrong(f"an answer was refused: {status} {text[:300]}")
        self.study.acknowledged.append(form["key"])

    def is_through(self) -> bool:
        """At the end all studies that somebody began are judged to their end."""
        return self.over.is_set() and all(study.is_done for study in self.studies if study.begun)

    def form(self) -> dict[str, str]:
        status, _, page = self.ask("GET", self.address)
        if status != 200:
            raise Wrong(f"no judge page: {status} {page[:300]}")
        if not (form := fields(page)):
            time.sleep(0.3)  # others hold the last ones
        return form

    def come(self) -> None:
        """By the link, as a new browser; a consent that was stored and not heard of makes another worker."""
        self.place += 1
        self.study.begun, self.browser = True, Browser(self.port)
        self.browser.connection.timeout = PATIENCE
        self.ask("GET", f"/join/{self.study.token}/")
        status, self.address, text = self.ask("POST", "/join/", {**hidden(self.ask("GET", "/join/")[2]), "agree": "1"})
        if status != 302 or not self.address.startswith("/judge/"):
            raise Wrong(f"nobody came in: {status} {self.address} {text[:300]}")

    def ask(self, method: str, path: str, form: dict | None = None, *, by_script: bool = False) -> tuple[int, str, str]:
        """An answer that is one, however long it takes."""
        while True:
            try:
                status, location, text = self.browser.ask(method, path, form, by_script=by_script)
            except (OSError, http.client.HTTPException) as error:
                self.failures[type(error).__name__] += 1
                self.browser.connection.close()
            else:
                if status < 500 and status != 429:
                    return status, location, text
                self.failures[status] += 1
            time.sleep(0.2)


class Sender:
    def __init__(self, number: int, client: Client) -> None:
        self.number, self.client, self.batches = number, client, 0

    def send(self) -> None:
        events = [self.event(place) for place in range(BATCH)]
        answer = self.client.insist("POST", "/api/v1/log/events/", events)
        if answer["rejected"]:
            raise Wrong(f"events were refused: {answer}")
        self.batches += 1

    def event(self, place: int) -> dict[str, Any]:
        name = f"sender-{self.number}-{self.batches}-{place}"
        return {"action_name": "click", "event_id": name, "timestamp": time.time() * 1000, "client_id": f"sender-{self.number}"}


@dataclass
class Researcher:
    """Uploads files in pieces, asks for reports and near-duplicates, and waits for each."""

    client: Client
    facts: dict[str, Any]
    numbers: Iterator[int]
    done: Counter = field(default_factory=Counter)

    def upload(self) -> None:
        number = next(self.numbers)
        rows = [{"docno": f"upload-{number}-{row}", "text": "Owls eat voles. " * 30} for row in range(DOCUMENTS)]
        content = "\n".join(map(json.dumps, rows)).encode()
        announced = {"collection": self.facts["shelf"], "kind": "documents", "filename": "more.jsonl", "size": len(content)}
        address = f"/api/v1/uploads/{self.client.insist('POST', '/api/v1/uploads/', announced)['id']}/"
        received, piece = 0, len(content) // PIECES + 1
        while received < len(content):
            path = f"{address}chunk/?offset={received}"
            status, answer = self.client.ask("PUT", path, content[received : received + piece], "application/octet-stream")
            if status not in (0, 200):
                raise Wrong(f"a piece was refused: {status} {answer}")
            received = answer["received"] if status else self.client.insist("GET", address)["received"]
        self.client.insist("POST", f"{address}finish/")
        self.wait_for(address)

    def report(self) -> None:
        """The same question twice: one report answers both."""
        number = next(self.numbers)
        question = {key: [self.facts[key[:3] if key == "runs" else key]] for key in ("runs", "qrels")}
        question |= {"collection": self.facts["collection"], "measures": [f"P@{number + 1}"]}
        asked = [self.client.insist("POST", "/api/v1/reports/", question)["id"] for _ in range(2)]
        if len(set(asked)) > 1:
            raise Wrong(f"one question, two reports: {asked}")
        self.wait_for(f"/api/v1/reports/{asked[0]}/")

    def search(self) -> None:
        address = f"/api/v1/collections/{self.facts['collection']}/near-duplicates/"
        self.wait_for(f"{address}{self.client.insist('POST', address)['id']}/")

    def wait_for(self, address: str) -> None:
        while (found := self.client.insist("GET", address))["state"] != "done":
            if found["state"] == "failed":
                raise Wrong(f"{address} failed: {found}")
            time.sleep(0.2)
        self.done[address.split("/")[3]] += 1


@dataclass
class Kills:
    """How often each process was killed, and how long it took until each stream went on."""

    seconds: dict[str, list[dict[str, float]]] = field(default_factory=lambda: defaultdict(list))

    def rows(self) -> Iterator[str]:
        yield "| killed | times | working again: median | longest | the slowest part |"
        yield "|---|---|---|---|---|"
        for name, kills in sorted(self.seconds.items()):
            worst = max(kills, key=lambda parts: max(parts.values()))
            again = [max(parts.values()) for parts in kills]
            slowest = max(worst, key=lambda part: worst[part])
            yield f"| {name} | {len(kills)} | {statistics.median(again):.1f} s | {max(again):.1f} s | {slowest} |"

    @property
    def longest(self) -> float:
        return max(max(parts.values()) for kills in self.seconds.values() for parts in kills)


@contextlib.contextmanager
def launched(way: str, folder: Path) -> Iterator[tuple[int, int, dict[str, str]]]:
    """The launcher's process, the port, and the environment of the installation."""
    port = free_port()
    named = ("DATABASE_URL", "REDIS_URL", "IREVAL_URL")
    environment = {key: value for key, value in os.environ.items() if key not in named}
    environment |= {"IREVAL_DATA": str(folder), "SECRET_KEY": "benchmark" * 8, "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
    own = ["benchmarks.team", "--folder", str(folder)] if way == "team" else ["ireval_site.laptop.serve"]
    command = [sys.executable, "-m", *own, "--port", str(port)]
    with open(folder / "launcher.log", "w+b") as log:
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=log, stderr=log)
        try:
            ready = wait_for_ready(process, folder / "launcher.log")
            if found := re.search(r"(postgres://\S+) (redis://\S+)", ready):
                environment |= {"DATABASE_URL": found[1], "REDIS_URL": found[2]}
            yield process.pid, port, {**environment, "IREVAL_LOG_LEVEL": "ERROR"}
        finally:
            process.terminate()
            process.wait()


def wait_for_ready(process: subprocess.Popen[bytes], log: Path) -> str:
    while "Ready" not in (said := log.read_text()):
        if process.poll() is not None:
            raise SystemExit(f"It did not start:\n{said}")
        time.sleep(0.1)
    return said


def victims(launcher: int) -> dict[str, list[int]]:
    """The processes that may be killed, by name: those that the launcher began, and of some the children."""
    rows, family = table(), descendants(launcher)
    found: dict[str, list[int]] = {}
    for name, (pattern, with_children) in VICTIMS.items():
        for process, parent, state, command in rows:
            if parent == launcher and not state.startswith("Z") and re.search(pattern, command):
                found[name] = [process]
                if with_children:
                    found[f"{name}: a child"] = [child for child, of, *_ in rows if of == process and child in family]
    return {name: processes for name, processes in found.items() if processes}


class Soak:
    def __init__(self, way: str, kills: int, seed: int, folder: Path, *, only: str = "") -> None:
        self.way, self.number, self.only, self.folder = way, kills, re.compile(only), folder
        self.chance = random.Random(seed)
        self.kills, self.failures = Kills(), Counter[Any]()
        self.over = threading.Event()

    def run(self) -> list[str]:
        """What is wrong; prints the table."""
        with launched(self.way, self.folder) as (launcher, port, environment):
            facts = world(environment, "prepare_soak", 3 * self.number + 8, ITEMS, OVERLAP)
            self.load(port, facts)
            threads = [threading.Thread(target=stream.run, args=[self.over], daemon=True) for stream in self.streams]
            for thread in threads:
                thread.start()
            self.wait_until_all_succeeded(time.monotonic())
            for number in range(self.number):
                time.sleep(self.chance.uniform(0.5, 4))
                self.kill_one(launcher, number)
            self.over.set()
            for stream, thread in zip(self.streams, threads, strict=True):
                thread.join(LONGEST)
                if thread.is_alive():
                    stream.error = Wrong(f"still waiting after {LONGEST:g} seconds")
            return self.verdict(environment, facts)

    def load(self, port: int, facts: dict[str, Any]) -> None:
        authorised, numbers = {"Authorization": f"Token {facts['token']}"}, iter(range(10**6))
        self.studies = [SmallStudy(launched["study"], launched["token"]) for launched in facts["studies"]]
        self.judges = [Judge(number, port, self.studies, self.over, self.failures) for number in range(JUDGES)]
        logging = {"Authorization": f"Bearer {facts['key']}"}
        self.senders = [Sender(number, Client(port, logging, self.failures)) for number in range(SENDERS)]
        researchers = [Researcher(Client(port, authorised, self.failures), facts, numbers) for _ in range(3)]
        uploading, reporting, searching = self.researchers = researchers
        self.prober = Researcher(Client(port, authorised, self.failures), facts, numbers)
        self.streams = [
            *(Stream("judgement", judge.judge, 0.6, judge.is_through) for judge in self.judges),
            *(Stream("events", sender.send, 0.2) for sender in self.senders),
            Stream("upload", uploading.upload, 1),
            Stream("report", reporting.report, 0.5),
            Stream("near-duplicates", searching.search, 0.5),
        ]

    def kill_one(self, launcher: int, number: int) -> None:
        name, processes = self.chance.choice([pair for pair in victims(launcher).items() if self.only.search(pair[0])])
        process = self.chance.choice(processes)
        at = time.monotonic()
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        self.prober.report()
        parts = {"a new report": time.monotonic() - at, **self.wait_until_all_succeeded(at)}
        self.kills.seconds[name].append(parts)
        slow = max(parts, key=lambda part: parts[part])
        print(f"{number + 1}/{self.number}: {name} ({process}), working again after {parts[slow]:.1f} s ({slow})", flush=True)

    def wait_until_all_succeeded(self, at: float) -> dict[str, float]:
        """Seconds until each stream of judgements and events succeeded with what began after `at`."""
        went_on: dict[str, float] = {}
        for stream in self.streams:
            while stream.began < at and stream.name in ("judgement", "events"):
                if stream.error or time.monotonic() - at > LONGEST:
                    raise stream.error or Wrong(f"no {stream.name} for {LONGEST:g} seconds")
                time.sleep(0.02)
            went_on[stream.name] = max(went_on.get(stream.name, 0), stream.ended - at)
        return {name: went_on[name] for name in ("judgement", "events")}

    def verdict(self, environment: dict[str, str], facts: dict[str, Any]) -> list[str]:
        judged = [study for study in self.studies if study.acknowledged]
        stored = world(environment, "soaked", *(study.pk for study in judged))
        events = world(environment, "acknowledged", facts["site"], *(sender.batches * BATCH for sender in self.senders))
        counts = Counter[str]()
        problems = [f"{stream.name}: {stream.error!r}" for stream in self.streams if stream.error]
        for study in judged:
            found, acknowledged = stored["studies"][str(study.pk)], Counter(study.acknowledged)
            there = Counter(found["keys"])
            counts["judgements"] += len(study.acknowledged)
            counts["lost"] += sum((acknowledged - there).values())
            counts["doubled"] += sum((there - acknowledged).values())
            if set(Counter(found["items"]).values()) != {OVERLAP} or found["surplus"] or found["open"]:
                problems.append(f"study {study.pk}: overlap is not exact, {found['surplus']} surplus, {found['open']} open")
        counts["events"] = sum(sender.batches for sender in self.senders) * BATCH
        counts["lost"] += events["missing"]
        counts["doubled"] += events["events"] - events["identities"]
        reports, uploads = stored["reports"].get("done", 0), stored["uploads"].get("done", 0)
        done = sum((researcher.done for researcher in [*self.researchers, self.prober]), Counter())
        expected = {
            "documents": (stored["documents"], uploads * DOCUMENTS),
            "uploads": (uploads, done["uploads"]),
            "reports": (reports, done["reports"]),
            "digests": (stored["digests"], reports),
            "open parts": (stored["open_parts"], 0),
            "states of searches": (list(stored["searches"]), ["done"]),  # asked for again, one may have been done meanwhile
            "lost": (counts["lost"], 0),
            "doubled": (counts["doubled"], 0),
        }
        problems += [f"{what}: {found} instead of {wanted}" for what, (found, wanted) in expected.items() if found != wanted]
        problems += [f"given up: {task}" for task in stored["parked"]]
        self.print_table(counts, stored, done)
        return problems

    def print_table(self, counts: Counter[str], stored: dict[str, Any], done: Counter) -> None:
        print(f"\n{self.way}, {self.number} kills; failures seen by clients: {dict(self.failures)}\n")
        print("\n".join(self.kills.rows()), end="\n\n")
        silence = {stream.name: 0.0 for stream in self.streams}
        for stream in self.streams:
            silence[stream.name] = max(silence[stream.name], stream.silence)
        print("| | acknowledged | longest silence |\n|---|---|---|")
        for name, number in {
            "judgement": counts["judgements"],
            "events": counts["events"],
            "upload": done["uploads"],
            "report": done["reports"],
            "near-duplicates": done["collections"],
        }.items():
            print(f"| {name} | {number:,} | {silence[name]:.1f} s |")
        lost, doubled = counts["lost"], counts["doubled"]
        print(f"\nLost: {lost}. Doubled: {doubled}. Tasks given up: {len(stored['parked'])}.", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=("laptop", "team"), default="laptop")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="PATTERN", help="kill only these, such as 'celery|broker'")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(options.way, options.kills, options.seed, Path(folder), only=options.only)
        problems = soak.run()
    if soak.kills.longest > PROMISED:
        problems.append(
            f"Working again only after {soak.kills.longest:.1f} s: {PROMISED:g} are promised where nothing else runs."
        )
    print("\n".join(problems) or "Nothing lost, nothing doubled.")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

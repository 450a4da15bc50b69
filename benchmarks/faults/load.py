"""Who works while processes are killed: judges, sites, a researcher. Each repeats what was not acknowledged."""

import http.client
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from benchmarks.judging import Browser, fields, hidden

ITEMS, OVERLAP = 40, 3  # of each of many small studies: workers race for the last slots again and again
BATCH = 50
DOCUMENTS, PIECES = 200, 4  # of an upload
PATIENCE = 15.0  # seconds that a browser waits for an answer, as the judge page's script does


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

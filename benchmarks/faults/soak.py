"""Kills one process after the other under load, and compares what was acknowledged with what is stored."""

import contextlib
import os
import random
import re
import signal
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.faults.load import BATCH, DOCUMENTS, ITEMS, OVERLAP, Client, Judge, Researcher, Sender, SmallStudy, Stream, Wrong
from benchmarks.faults.victims import Kills, launched, victims
from benchmarks.judging import world

JUDGES, SENDERS = 6, 2
LONGEST = 120.0  # seconds after which the soak gives up
POISON, POISON_EVERY = "benchmarks.faults.poison.die", 50  # kills
KILLED = "its process was killed every time"


class Soak:
    def __init__(self, way: str, kills: int, seed: int, folder: Path, *, only: str = "") -> None:
        self.way, self.number, self.only, self.folder = way, kills, re.compile(only), folder
        self.poisons = 0
        self.chance = random.Random(seed)
        self.kills, self.failures = Kills(), Counter[Any]()
        self.over = threading.Event()
        self.outcome = ""  # a row of a table

    def run(self) -> list[str]:
        """What is wrong; prints tables."""
        with launched(self.way, self.folder) as (launcher, port, environment):
            facts = world(environment, "prepare_soak", 3 * self.number + 8, ITEMS, OVERLAP)
            self.load(port, facts)
            threads = [threading.Thread(target=stream.run, args=[self.over], daemon=True) for stream in self.streams]
            for thread in threads:
                thread.start()
            self.wait_until_all_succeeded(time.monotonic())
            for number in range(self.number):
                if number % POISON_EVERY == 0:
                    world(environment, "post_poison", number)
                    self.poisons += 1
                time.sleep(self.chance.uniform(0.5, 4))
                self.kill_one(launcher, number)
            self.over.set()
            for stream, thread in zip(self.streams, threads, strict=True):
                thread.join(LONGEST)
                if thread.is_alive():
                    stream.error = Wrong(f"still waiting after {LONGEST:g} seconds")
            self.wait_until_poison_is_parked(environment)
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
        there = {name: processes for name, processes in victims(launcher).items() if self.only.search(name)}
        names = [name for name in there if name not in self.kills.seconds] or list(there)  # each kind once, then by lot
        name = self.chance.choice(names)
        process = self.chance.choice(there[name])
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

    def wait_until_poison_is_parked(self, environment: dict[str, str]) -> None:
        """The last one may have been posted just now."""
        latest = time.monotonic() + LONGEST
        while len(world(environment, "soaked")["parked"]) < self.poisons and time.monotonic() < latest:
            time.sleep(1)

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
            "poisonous tasks given up": (sum(task == POISON for task, _ in stored["parked"]), self.poisons),
            "lost": (counts["lost"], 0),
            "doubled": (counts["doubled"], 0),
        }
        problems += [f"{what}: {found} instead of {wanted}" for what, (found, wanted) in expected.items() if found != wanted]
        problems += [f"given up: {task}: {reason}" for task, reason in stored["parked"] if task != POISON or KILLED not in reason]
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
        print(f"\nPoisonous tasks given up: {self.poisons}.", flush=True)
        numbers = [self.number, *(counts[name] for name in ("judgements", "events")), done["uploads"], done["reports"]]
        ends = [*numbers, counts["lost"], counts["doubled"]]
        self.outcome = f"| {self.way} | {' | '.join(f'{number:,}' for number in ends)} | {max(silence.values()):.1f} s |"

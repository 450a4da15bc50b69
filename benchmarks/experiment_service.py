"""Waiting times of a site for an arm and for a merged list, over HTTP on PostgreSQL with fsync on.

    python -m benchmarks.experiment_service [--requests 2000] [--results 100] [--rate 100]

The product is started as the launcher starts it, with a site on which three A/B tests (one in a group) and an interleaving run.
Requests go over connections that stay open: each as soon as the one before was answered, and at a steady rate. At a steady rate a
request waits from the moment when it was due. Each is a new client. Prints median, 99th percentile and requests a second, and
fails if a merged list was not logged exactly once.
"""

import argparse
import http.client
import itertools
import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from benchmarks.judging import ROOT, at_once, environment_for, server

WARM = 50
HttpRequest = tuple[str, str, str | None]
# What an answer holds that is no fallback.
IN_EVERY = {"GET": b'{"arm":', "POST": b'"logged":true'}


def prepared() -> dict[str, str]:
    """In a process of its own: a site with experiments that run, and its key."""
    import django

    django.setup()
    from django.core.management import call_command

    from judging.experiments import drafts, lifecycle
    from judging.logs import keys
    from judging.models import Arm, Site, User

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench", is_researcher=True)
    site = Site.objects.create(name="bench", slug="bench", owner=user)
    experiments: dict[str, dict[str, Any]] = {
        "ranking": {},
        "colours": {"traffic": 50},
        "words": {"traffic": 40, "group": "one"},
        "lists": {"kind": "interleaving"},
    }
    for name, settings in experiments.items():
        arms = [Arm(name="control", is_control=True), Arm(name="new")]
        lifecycle.start(drafts.create(site, by=user, name=name, arms=arms, **settings), by=user)
    return {"key": keys.key_text(keys.make(site, by=user))}


def logged() -> dict[str, int]:
    import django

    django.setup()
    from judging.models import Query

    return {"rows": Query.objects.count(), "searches": Query.objects.values("query").distinct().count()}


IN_DJANGO: dict[str, Callable[[], dict]] = {"prepare": prepared, "count": logged}


def in_django(environment: dict[str, str], verb: str) -> dict:
    command = [sys.executable, "-m", "benchmarks.experiment_service", "--in-django", verb]
    done = subprocess.run(command, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


class Caller:
    """One connection of a site's server, and how long each request took."""

    def __init__(self, port: int, key: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self.seconds: list[float] = []

    def ask_all(self, requests: list[HttpRequest], pause: float = 0, first: float = 0) -> None:
        due = time.perf_counter() + first
        for request in requests:
            time.sleep(max(0, due - time.perf_counter()))
            start = due if pause else time.perf_counter()
            due += pause
            self.connection.request(*request, self.headers)
            response = self.connection.getresponse()
            content = response.read()
            self.seconds.append(time.perf_counter() - start)
            assert response.status == 200 and IN_EVERY[request[0]] in content, content[:300]


def assignments(number: int, requests: int, results: int) -> list[HttpRequest]:
    return [("GET", f"/api/v1/assignments/?client_id=c{number}-{place}", None) for place in range(requests)]


def interleavings(number: int, requests: int, results: int) -> list[HttpRequest]:
    rng = random.Random(number)
    documents = [f"document-{rank}" for rank in range(2 * results)]
    made: list[HttpRequest] = []
    for place in range(requests):
        lists = {arm: rng.sample(documents, results) for arm in ("control", "new")}
        who = {"client_id": f"c{number}-{place}", "session_id": f"s{place}"}
        body = {"experiment": "lists", "lists": lists, "user_query": f"query {place}", **who}
        made.append(("POST", "/api/v1/interleavings/", json.dumps(body)))
    return made


KINDS = {"assignments": assignments, "interleavings": interleavings}


def measure(caller: Callable[[], Caller], what: str, connections: int, *, requests: int, results: int, rate: int = 0) -> None:
    callers = [caller() for _ in range(connections)]
    # Made before the clock runs; and what starts late (imports, plans of statements) is not what a site waits for.
    made = [KINDS[what](number, WARM + requests // connections, results) for number in range(connections)]
    at_once([lambda c=c, m=m: c.ask_all(m[:WARM]) for c, m in zip(callers, made, strict=True)])  # type: ignore[misc]
    for client in callers:
        client.seconds.clear()
    pause = rate and connections / rate
    took = at_once([
        lambda client=client, batch=batch, turn=turn: client.ask_all(batch[WARM:], pause, rate and turn / rate)  # type: ignore[misc]
        for turn, (client, batch) in enumerate(zip(callers, made, strict=True))
    ])  # fmt: skip
    latencies = sorted(1000 * second for client in callers for second in client.seconds)
    middle, late, reached = statistics.median(latencies), latencies[int(len(latencies) * 0.99)], len(latencies) / took
    how = "steadily" if rate else "as fast as they go"
    print(f"{what:<13} {connections} at once, {how}: median {middle:.1f} ms, p99 {late:.1f} ms, {reached:.0f}/s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=2000)
    parser.add_argument("--results", type=int, default=100, help="in each arm's list")
    parser.add_argument("--rate", type=int, default=100, help="requests a second of the steady ones")
    parser.add_argument("--in-django", choices=IN_DJANGO, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.in_django:
        print(json.dumps(IN_DJANGO[options.in_django]()))
        return
    with environment_for(postgres=True) as environment:
        key = in_django(environment, "prepare")["key"]
        with server("ireval_site.wsgi:application", environment, 8307) as port:
            loads = [(1, 0), (4, 0), (4, options.rate)]
            for what, (connections, rate) in itertools.product(KINDS, loads):
                size = {"requests": options.requests, "results": options.results}
                measure(lambda: Caller(port, key), what, connections, rate=rate, **size)
        counted = in_django(environment, "count")
        merged = sum(connections * WARM + options.requests // connections * connections for connections, _ in loads)
        assert counted == {"rows": merged, "searches": merged}, counted


if __name__ == "__main__":
    main()

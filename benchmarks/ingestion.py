"""Ingestion: how many events a second come in over HTTP, durable and each counted once.

    python -m benchmarks.ingestion --postgres     batches of 50 and of 500, 8 and 4 connections, PostgreSQL with fsync on
    python -m benchmarks.ingestion                the same on SQLite

Every tenth batch is sent again at once, as a browser does that heard no answer. Afterwards the database is counted: every event
there once, as many as were acknowledged. The senders run on the same cores as the server and the database.
"""

import argparse
import http.client
import json
import random
import statistics
import time
import uuid
from collections import Counter

from benchmarks.judging import at_once, environment_for, server, world

SENT = {50: 100_000, 500: 200_000}
CONNECTIONS = {50: 8, 500: 4}
AGAIN = 10


def event(number: int, rng: random.Random) -> dict:
    """An event as a shop's page sends it, of 480 bytes."""
    day, minute, second = rng.randrange(1, 29), number // 60 % 60, number % 60
    return {
        "application": "shop",
        "action_name": rng.choice(["impression", "impression", "impression", "click", "add_to_cart"]),
        "query_id": str(uuid.UUID(int=rng.getrandbits(128))),
        "session_id": f"session-{rng.randrange(50_000)}",
        "client_id": f"client-{rng.randrange(20_000)}",
        "timestamp": f"2026-11-{day:02}T{rng.randrange(24):02}:{minute:02}:{second:02}.{number % 997:03}Z",
        "message_type": "INFO",
        "message": "clicked on a result",
        "user_query": "bag for a laptop of fifteen inches",
        "event_attributes": {
            "object": {"object_id": f"P{rng.randrange(100_000)}", "object_id_field": "sku"},
            "position": {"ordinal": rng.randrange(1, 30)},
        },
    }


def batches(events: int, size: int, seed: int) -> list[bytes]:
    rng = random.Random(seed)
    made = [json.dumps([event(start + offset, rng) for offset in range(size)]).encode() for start in range(0, events, size)]
    return [batch for place, batch in enumerate(made) for _ in range(2 if place % AGAIN == 0 else 1)]


def send(port: int, key: str, bodies: list[bytes], seconds: list[float], counts: Counter) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    for body in bodies:
        start = time.perf_counter()
        connection.request("POST", "/api/v1/log/events/", body, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        seconds.append(time.perf_counter() - start)
        assert response.status == 200, answer
        counts.update({name: answer[name] for name in ("sent", "accepted", "duplicate", "conflict", "rejected")})


def one_round(port: int, environment: dict[str, str], size: int, seed: int) -> dict[str, float]:
    site, key = world(environment, "prepare_site").values()
    bodies = batches(SENT[size], size, seed)
    seconds: list[float] = []
    counts: Counter = Counter()
    shares = [bodies[start :: CONNECTIONS[size]] for start in range(CONNECTIONS[size])]
    took = at_once([lambda share=share: send(port, key, share, seconds, counts) for share in shares])  # type: ignore[misc]
    counted = world(environment, "received", site)
    assert counted["events"] == counted["identities"] == counted["seen"] == SENT[size] == counts["accepted"], (counted, counts)
    assert counts["sent"] == counts["accepted"] + counts["duplicate"]
    times = sorted(seconds)
    return {
        "events/s": counts["sent"] / took,
        **{f"p{rank} ms": 1000 * times[int(len(times) * rank / 100)] for rank in (50, 95, 99)},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with (
        environment_for(postgres=options.postgres) as environment,
        server("ireval_site.wsgi:application", environment, 8303) as port,
    ):
        for size in SENT:
            rounds = [one_round(port, environment, size, seed) for seed in range(options.rounds)]
            medians = {name: statistics.median(figures[name] for figures in rounds) for name in rounds[0]}
            print(f"batches of {size}: " + ", ".join(f"{name} {value:,.0f}" for name, value in medians.items()), flush=True)


if __name__ == "__main__":
    main()

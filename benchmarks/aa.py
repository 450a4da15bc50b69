"""Rejection rates of experiments' reports, through the whole pipeline: are they what α and planning promise?

    python -m benchmarks.aa [--logs 50] [--users 300] [--interleavings 1000] [--planted 200]

Users with tastes of their own search, click and buy over twenty days. Each batch of records is shuffled, a tenth of them is sent
twice, and programs crawl in between. Records come in by `receive`, arms by the hash of the service, and reports are computed as
Celery computes them, on SQLite.

In twenty A/B tests a log, and between two interleaved systems, there is no effect. Then an effect is planted that should be found
in .8 of all cases by planning. 1,000 tests at α = .05 reject 29 to 74 times in 99.9 of 100 cases.
"""

import argparse
import contextlib
import math
import os
import random
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from benchmarks.judging import environment_for

DAYS, EXPERIMENTS, LEAST = 20, 20, 100
METRICS = ["ctr", "first-click-rr", "conversion:purchase"]
ALPHA = 0.05
Records = list[dict[str, Any]]


class World:
    """A site that has been running experiments for twenty days."""

    def __init__(self, rng: random.Random, kind: str, experiments: int):
        from django.utils import timezone

        from judging.experiments.arms import forget
        from judging.models import Arm, Experiment, Site, User

        self.rng, self.now = rng, timezone.now()
        self.start = self.now - timedelta(days=DAYS)
        owner, _ = User.objects.get_or_create(username="bench", defaults={"is_researcher": True})
        name = uuid.UUID(int=rng.getrandbits(128)).hex
        self.site = Site.objects.create(name=name, slug=name, owner=owner)
        made = [
            Experiment(
                site=self.site, name=f"e{number}", kind=kind, state="running", started=self.start, metrics=METRICS,
                before_days=0, created_by=owner, salt=f"{rng.getrandbits(64):016x}", planned=500,
            )
            for number in range(experiments)
        ]  # fmt: skip
        self.experiments = Experiment.objects.bulk_create(made)
        for experiment in self.experiments:
            Arm.objects.bulk_create(
                Arm(experiment=experiment, name=arm, is_control=arm == "control") for arm in ("control", "new")
            )
        forget(self.site)

    def send(self, records: Records, agent: str = "") -> None:
        """Send the records shuffled, in batches, a tenth of them twice."""
        from judging.logs.intake import receive

        self.rng.shuffle(records)
        for place in range(0, len(records), 500):
            batch = records[place : place + 500]
            statuses = Counter(receive(self.site, batch, agent=agent).statuses)
            assert statuses == {"accepted": len(batch)}, statuses
            if self.rng.random() < 0.1:
                assert set(receive(self.site, batch[::-1], agent=agent).statuses) == {"duplicate"}

    def send_programs(self) -> None:
        """A crawler that says what it is, and one that does not, but clicks on everything at once."""
        from judging.experiments.arms import arms_of

        for name, agent in (("crawler", "Examplebot/1.0"), ("flood", "Mozilla/5.0")):
            arms = arms_of(self.site, {"client": name})
            records: Records = []
            for number in range(150):
                moment = self.start + timedelta(days=3, milliseconds=200 * number)
                both = ["d1", "d2"]
                records += search(f"{name}-{number}", name, moment, shown=both, attributes={"experiments": arms}, clicked=both)
            self.send(records, agent)

    def moment(self) -> datetime:
        return self.start + timedelta(seconds=self.rng.uniform(60, DAYS * 86_400 - 600))


def search(
    query: str, client: str, moment: datetime, *, shown: list[str], attributes: dict[str, Any], clicked: list[str]
) -> Records:
    search_record = {
        "user_query": f"query {hash_of(query) % 40}", "query_id": query, "client_id": client, "timestamp": moment.isoformat(),
        "query_response_hit_ids": shown, "query_attributes": attributes,
    }  # fmt: skip
    clicks = [
        {
            "action_name": "click", "query_id": query, "client_id": client,
            "timestamp": (moment + timedelta(seconds=4 + 9 * place)).isoformat(),
            "event_attributes": {"object": {"object_id": document}, "position": {"ordinal": shown.index(document) + 1}},
        }
        for place, document in enumerate(clicked)
    ]  # fmt: skip
    return [search_record, *clicks]


def hash_of(text: str) -> int:
    return sum(map(ord, text))


def tests_of(world: World, users: int, effect: float = 0.0) -> None:
    """Send what a log's users do; `effect` is added to the chance of a click in the arm `new` of the first experiment."""
    from judging.experiments.arms import arms_of

    rng, shown = world.rng, [f"d{rank}" for rank in range(1, 6)]
    records: Records = []
    for number in range(users):
        client = f"client-{number}"
        arms = arms_of(world.site, {"client": client})
        taste = rng.betavariate(2, 3)
        taste += (1 - taste) * effect * (arms["e0"] == "new")
        for visit in range(1 + int(rng.expovariate(1 / 3))):
            clicked = [document for rank, document in enumerate(shown) if rank == 0 or rng.random() < 0.1 / rank]
            chosen = clicked[:1] if rng.random() < 0.6 else rng.sample(shown, 1)
            chosen = chosen if rng.random() < taste else []
            query, moment = f"{client}-{visit}", world.moment()
            records += search(query, client, moment, shown=shown, attributes={"experiments": arms}, clicked=chosen)
        if rng.random() < taste / 4:
            moment = world.now - timedelta(minutes=5)
            records.append({"action_name": "purchase", "client_id": client, "timestamp": moment.isoformat()})
    world.send(records)
    world.send_programs()


def interleave_in(world: World, users: int) -> None:
    from ireval.interleaving import interleave
    from judging.experiments.arms import running_on
    from judging.experiments.interleaving import attributes

    rng = world.rng
    running = running_on(world.site)["e0"]
    lists = [[f"a{rank}" for rank in range(8)], [f"b{rank}" for rank in range(8)]]
    records: Records = []
    for number in range(users):
        side, many = rng.betavariate(2, 2), 1 + int(rng.expovariate(1 / 3))
        for visit in range(many):
            merged = interleave("team_draft", lists, 6, rng.getrandbits(32))
            favoured = "a" if rng.random() < side else "b"
            clicked = [document for document in merged.ranking if document[0] == favoured and rng.random() < 0.3]
            query, client, ranking = f"client-{number}-{visit}", f"client-{number}", list(merged.ranking)
            how = attributes(running, merged)
            records += search(query, client, world.moment(), shown=ranking, attributes=how, clicked=clicked)
    world.send(records)


def report_on(experiment: Any) -> Any:
    from metrics.kinds.experiment_reports import request_experiment_report
    from metrics.models import Report
    from metrics.tasks import begin_report, compute_part

    report = request_experiment_report(experiment)
    begin_report(report.pk)
    for number in list(report.parts.values_list("name", flat=True)):
        compute_part(report.pk, number)
    done = Report.objects.get(pk=report.pk)
    assert done.is_done, done.error
    return done


def effects_at(experiment: Any) -> tuple[dict[str, Any], list[Any], Any]:
    """Effects of the arm `new` by metric, its effect on CTR at each look, and the whole result."""
    from ireval.experiments import arm_effects
    from metrics.kinds.ab.parts import result_of

    result = result_of(report_on(experiment))
    effects = {effect.metric: effect for effect in arm_effects(result.experiment, "control", planned=experiment.planned)}
    looks = [
        next(effect for effect in arm_effects(look, "control", planned=experiment.planned) if effect.metric == "ctr")
        for look in result.looks.values()
        if min(look.n) >= LEAST
    ]
    return effects, looks, result


def without_effect(logs: int, users: int) -> float:
    """A/A tests; returns the mean deviation between users of CTR, for planning."""
    rejected: Counter = Counter()
    deviations, peeks = [], 0
    for number in range(logs):
        world = World(random.Random(number), "ab", EXPERIMENTS)
        tests_of(world, users)
        for experiment in world.experiments:
            effects, looks, result = effects_at(experiment)
            assert result.bots == 2, result.bots
            rejected.update(name for name, effect in effects.items() if effect.p < ALPHA)
            rejected["CTR, some look, p for one look"] += any(look.p < ALPHA for look in looks)
            rejected["CTR, some look, always valid"] += any(look.always_p < ALPHA for look in looks)
            peeks += len(looks)
            ctr = effects["ctr"]
            deviations.append(ctr.error / math.sqrt(1 / ctr.n + 1 / ctr.n_control))
        progress(number, logs)
    count = logs * EXPERIMENTS
    print(f"{count:,} A/A tests, {users} users, {peeks / count:.1f} looks from {LEAST} users an arm on. Rejected at {ALPHA}:")
    for name, times in sorted(rejected.items()):
        print(f"  {name:<34} {times:5} ({times / count:.3f})")
    return sum(deviations) / len(deviations)


def with_effect(tests: int, users: int, deviation: float) -> None:
    from ireval.planning import detectable_effect

    # An effect of e raises a taste of t to t (1 - e) + e: of the mean, .4, by .6 e.
    wanted = detectable_effect(users, deviation=deviation)
    rejected = 0
    for number in range(tests):
        world = World(random.Random(1_000_000 + number), "ab", 1)
        tests_of(world, users, wanted / 0.6)
        effects, _, _ = effects_at(world.experiments[0])
        rejected += effects["ctr"].p < ALPHA and effects["ctr"].difference > 0
        progress(number, tests)
    print(f"{tests} tests with a CTR higher by {wanted:.4f}, which planning finds in .800: found in {rejected / tests:.3f}")


def interleaved(tests: int, users: int) -> None:
    rejected: Counter = Counter()
    for number in range(tests):
        world = World(random.Random(2_000_000 + number), "interleaving", 1)
        interleave_in(world, users)
        result = report_on(world.experiments[0]).result
        pair = result["whole"]["pairs"][0]["analysis"]
        rejected["score, robust to users and queries"] += pair["score"]["p"] < ALPHA
        rejected["sign test by users"] += (pair["by_users"]["split"] or 1) < ALPHA
        looks = [look["pairs"][0]["analysis"] for _, look in result["looks"] if look]
        rejected["some look, p for one look"] += any(
            (at_look["score"]["p"] or 1) < ALPHA for at_look in looks if at_look["users"] >= 30
        )
        rejected["some look, always valid"] += any(
            (at_look["always_p"] or 1) < ALPHA for at_look in looks if at_look["users"] >= 30
        )
        progress(number, tests)
    print(f"{tests:,} interleavings of two equal systems, {users} users. Rejected at {ALPHA}:")
    for name, times in sorted(rejected.items()):
        print(f"  {name:<34} {times:5} ({times / tests:.3f})")


def progress(number: int, whole: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{number + 1} of {whole}", end="\r", file=sys.stderr)


@contextlib.contextmanager
def database() -> Iterator[None]:
    with environment_for(postgres=False) as environment:
        os.environ.update(environment)
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        yield


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, default in (("logs", 50), ("users", 300), ("interleavings", 1000), ("planted", 200)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    with database():
        deviation = without_effect(options.logs, options.users)
        with_effect(options.planted, options.users, deviation)
        interleaved(options.interleavings, 60)


if __name__ == "__main__":
    main()

"""Small worlds of users who search and click, sent record by record as a site would."""

from datetime import timedelta

import numpy as np
from django.utils import timezone

ATTRIBUTES = {"device": ["phone", "desktop"]}
CHANCES = {"control": 0.3, "new": 0.6}
INTERLEAVED = ("control", "new")


def started(site, researcher, *, days=4.0, arms=("control", "new"), stopped=False, **settings):
    """An experiment that began so many days ago, and perhaps ended a minute ago; the first arm is the control."""
    from judging.experiments import drafts, lifecycle
    from judging.models import Arm, Experiment

    made = [Arm(name=name, is_control=place == 0) for place, name in enumerate(arms)]
    experiment = drafts.create(site, by=researcher, name=settings.pop("name", "ranking"), arms=made, **settings)
    lifecycle.start(experiment, by=researcher)
    now = timezone.now()
    changed = {"started": now - timedelta(days=days)}
    if stopped:
        changed |= {"state": "stopped", "stopped": now - timedelta(minutes=1)}
    Experiment.objects.filter(pk=experiment.pk).update(**changed)
    experiment.refresh_from_db()
    return experiment


def searches(experiment, users, *, chances=CHANCES, each=3, seed=7, first=0, before=False):
    """Records of users of an A/B test: `users` says how many each arm has, `chances` how likely each clicks on what a search
    shows. `before` are those of the days before it began."""
    rng, records, number = np.random.default_rng(seed), [], first
    for arm, count in users.items():
        for _ in range(count):
            number += 1
            for search in range(each):
                moment = experiment.started + timedelta(seconds=float(rng.uniform(60, span(experiment))))
                if before:
                    moment = experiment.started - timedelta(hours=float(rng.uniform(1, 200)))
                name = f"{'b' if before else 's'}{number}-{search}"
                attributes = {"device": ATTRIBUTES["device"][number % 2]}
                if not before:
                    attributes |= {"experiment": experiment.name, "arm": arm}
                records.append(query(name, f"u{number}", moment, attributes))
                if rng.random() < chances[arm]:
                    records.append(click(name, f"u{number}", moment + timedelta(seconds=20), f"d{rng.integers(1, 4)}"))
    return records


def span(experiment):
    return (min(timezone.now(), experiment.stopped or timezone.now()) - experiment.started).total_seconds() - 120


def query(name, client, moment, attributes, text="diet of owls", hits=("d1", "d2", "d3")):
    return {
        "user_query": text,
        "query_id": name,
        "client_id": client,
        "timestamp": moment.isoformat(),
        "query_response_hit_ids": list(hits),
        "query_attributes": attributes,
    }


def click(name, client, moment, document):
    return {
        "action_name": "click",
        "query_id": name,
        "client_id": client,
        "timestamp": moment.isoformat(),
        "event_attributes": {"object": {"object_id": document}, "position": {"ordinal": int(document[1:])}},
    }


def impressions(experiment, users, *, prefers=0.8, arms=INTERLEAVED, texts=("diet of owls",), each=3, seed=7):
    """Records of users of interleaving: whoever clicks takes a result of the last arm with the chance `prefers`, else one of the
    first."""
    rng, records = np.random.default_rng(seed), []
    for number in range(users):
        for search in range(each):
            moment = experiment.started + timedelta(seconds=float(rng.uniform(60, span(experiment))))
            owners = [place % len(arms) for place in range(4)]
            made = {
                "method": experiment.method,
                "arms": list(arms),
                "shares": [[float(owner == arm) for arm in range(len(arms))] for owner in owners],
                "places": [[place // len(arms) + 1 if owner == arm else None for arm in range(len(arms))]
                           for place, owner in enumerate(owners)],
            }  # fmt: skip
            attributes = {"experiment": experiment.name, "arm": "interleaved", "interleaving": made}
            name, hits = f"i{number}-{search}", [f"d{place + 1}" for place in range(4)]
            text = texts[int(rng.integers(len(texts)))]
            records.append(query(name, f"u{number}", moment, attributes, text, hits))
            if rng.random() < 0.7:
                wanted = len(arms) - 1 if rng.random() < prefers else 0
                records.append(click(name, f"u{number}", moment + timedelta(seconds=9), hits[owners.index(wanted)]))
    return records


def send(site, records, **how):
    from judging.logs.intake import receive

    for start in range(0, len(records), 500):
        receipt = receive(site, records[start : start + 500], **how)
        assert receipt.counts["accepted"] == len(receipt.statuses), receipt.why

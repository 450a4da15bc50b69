"""The benchmarks' world in the database, made and counted: `python -m benchmarks.world VERB ARGUMENT…`, JSON out."""

import json
import sys
import uuid
from collections.abc import Callable

import django
import polars as pl

django.setup()

from django.core.management import call_command  # noqa: E402  Django first
from django.db import connection, transaction  # noqa: E402
from django.db.models import Count  # noqa: E402
from django.utils import timezone  # noqa: E402

from benchmarks.bare import TABLES  # noqa: E402
from judging.accounts import tokens  # noqa: E402
from judging.collections.storage import store_qrels, store_run  # noqa: E402
from judging.logs import keys  # noqa: E402
from judging.logs.pseudonyms import Hasher  # noqa: E402
from judging.logs.records import Reader  # noqa: E402
from judging.models import (  # noqa: E402
    Arm,
    Collection,
    Document,
    Event,
    Experiment,
    Judgement,
    NearDuplicates,
    Outbox,
    ParkedTask,
    Query,
    Seen,
    Site,
    Slot,
    Study,
    Topic,
    Upload,
    User,
)
from judging.recruiting import invites  # noqa: E402
from judging.studies.launch import launch  # noqa: E402
from metrics.kinds.experiment_reports import request_experiment_report  # noqa: E402
from metrics.models import Report  # noqa: E402

TOPICS = 50
TEXT = "Swallows leave in September. " * 60  # 1.7 kB, as long as a description in the demo


def prepare(count: int, overlap: int, seed: int = 1) -> dict:
    """Launch a study of `count` items; give it and the token of its invite link."""
    call_command("migrate", verbosity=0)
    user, _ = User.objects.get_or_create(username="bench", defaults={"is_researcher": True})
    name = uuid.uuid4().hex
    collection = Collection.objects.create(name=name, owner=user)
    Topic.objects.bulk_create(Topic(collection=collection, number=str(i), title="migration of swallows") for i in range(TOPICS))
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{i}", title=f"Swallows {i}", text=TEXT) for i in range(count)
    )
    study = Study.objects.create(
        collection=collection, name=name, instructions="Judge.", overlap=overlap, depth=count, created_by=user
    )
    study.runs.add(store_run(ranking(count), collection=collection, name="swallows", by=user))
    launch(study, seed=seed)
    return {"study": study.pk, "token": invites.token_of(invites.invite(study, by=user))}


def ranking(count: int) -> pl.DataFrame:
    """Rank each of `count` documents for one topic, as evenly as can be."""
    rows = [(str(i * TOPICS // count), f"d{i}", float(-i)) for i in range(count)]
    return pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")


def outcome(study: int) -> dict:
    """The study in the database: the keys of its judgements, their items, and the numbers of surplus and open ones."""
    rows = Judgement.objects.filter(item__study=study)
    return {
        "keys": [str(key) for key in rows.values_list("key", flat=True)],
        "items": list(rows.values_list("item_id", flat=True)),
        "surplus": rows.filter(slot=None).count(),
        "open": Slot.objects.filter(study=study, judged_at=None).count(),
    }


def prepare_bare(slots: int) -> dict:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in TABLES:
            cursor.execute(statement)
        cursor.execute("DELETE FROM bare_judgement")
        cursor.execute("DELETE FROM bare_slot")
        cursor.executemany("INSERT INTO bare_slot (id) VALUES (%s)", [[slot] for slot in range(slots)])
    return {}


def prepare_site() -> dict:
    """A site and its write key."""
    call_command("migrate", verbosity=0)
    user, _ = User.objects.get_or_create(username="bench", defaults={"is_researcher": True})
    name = uuid.uuid4().hex
    site = Site.objects.create(name=name, slug=name, owner=user)
    return {"site": site.pk, "key": keys.key_text(keys.make(site, by=user))}


def received(site: int) -> dict:
    """The numbers of a site's log records in the database."""
    return {
        "events": Event.objects.filter(site=site).count(),
        "queries": Query.objects.filter(site=site).count(),
        "identities": Event.objects.filter(site=site).values("identity").distinct().count(),
        "seen": Seen.objects.filter(site=site).count(),
    }


def ask_report(site: int) -> dict:
    """Ask for the report of an experiment that has just begun; the key of the experiment."""
    owner = Site.objects.get(pk=site).owner
    experiment = Experiment.objects.create(site_id=site, name="ranker", started=timezone.now(), state="running", created_by=owner)
    for name in ("control", "new"):
        Arm.objects.create(experiment=experiment, name=name, is_control=name == "control")
    request_experiment_report(experiment)
    return {"experiment": experiment.pk}


def report_state(experiment: int) -> dict:
    """The state of its oldest report. The night's sweep may have asked again: a newer report takes an older one's place."""
    return {"state": Report.objects.filter(experiment=experiment).earliest("pk").state}


def acknowledged(site: int, *counts: int) -> dict:
    """The number of events that benchmarks.crashes counts as acknowledged and that the database lacks."""
    reader = Reader(Hasher(Site.objects.get(pk=site), timezone.now()))
    wanted = {
        reader.hash(b"event_id", f"sender-{number}-{place // 50}-{place % 50}", 16).hex()
        for number, count in enumerate(counts)
        for place in range(count)
    }
    stored = {identity.hex for identity in Event.objects.filter(site=site).values_list("identity", flat=True)}
    return {"missing": len(wanted - stored), **received(site)}


def prepare_soak(studies: int, items: int, overlap: int) -> dict:
    """What the soak's load works on: studies, a site, a run with qrels to report on, and a collection for uploads."""
    launched = [prepare(items, overlap, seed=number + 1) for number in range(studies)]
    user = User.objects.get(username="bench")
    site = prepare_site()
    asked = Study.objects.get(pk=launched[0]["study"]).collection
    grades = ranking(items).select("topic", "docno", pl.lit(1).alias("grade"))
    return {
        "studies": launched,
        "site": site["site"],
        "key": site["key"],
        "token": tokens.make(user)[1],
        "collection": asked.pk,
        "run": asked.runs.get().pk,
        "qrels": store_qrels(grades, collection=asked, name="gold", by=user).pk,
        "shelf": Collection.objects.create(name=uuid.uuid4().hex, owner=user).pk,
    }


def post_poison(number: int) -> dict:
    """Ask for a task that kills whoever runs it."""
    Outbox.objects.post("benchmarks.faults.poison.die", number=number)
    return {}


def soaked(*studies: int) -> dict:
    """What the database holds after a soak, besides events."""
    reports = Report.objects.filter(kind=Report.Kind.RUNS)
    uploads = Upload.objects.exclude(state=Upload.State.RECEIVING)
    return {
        "studies": {study: outcome(study) for study in studies},
        "reports": dict(reports.values_list("state").annotate(n=Count("pk"))),
        "digests": reports.values("digest").distinct().count(),
        "open_parts": reports.filter(state=Report.State.DONE, parts__result=None).count(),
        "uploads": dict(uploads.values_list("state").annotate(n=Count("pk"))),
        "documents": Document.objects.filter(docno__startswith="upload").count(),
        "searches": dict(NearDuplicates.objects.values_list("state").annotate(n=Count("pk"))),
        "parked": list(ParkedTask.objects.values_list("task", "reason")),
        "outbox": Outbox.objects.count(),
    }


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    verbs: dict[str, Callable[..., dict]] = {"prepare": prepare, "outcome": outcome, "prepare_bare": prepare_bare}
    verbs |= {"prepare_site": prepare_site, "received": received, "ask_report": ask_report}
    verbs |= {"report_state": report_state, "acknowledged": acknowledged, "prepare_soak": prepare_soak, "soaked": soaked}
    verbs |= {"post_poison": post_poison}
    print(json.dumps(verbs[verb](*map(int, arguments))))

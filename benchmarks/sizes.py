"""How much room a million of each takes: documents, judgements and events, in the database and in memory while they come in.

    python -m benchmarks.sizes [--postgres]

Fewer are stored, and the growth is scaled up. Documents have 200 words by Zipf's law; a compressed copy of one text would take
no room at all.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path

from tests import servers

DOCUMENTS, JUDGEMENTS, EVENTS = 50_000, 4_000, 100_000
WORDS = 200
BATCH = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--postgres", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        environment = {"IREVAL_DATA": data, "SECRET_KEY": uuid.uuid4().hex, "DJANGO_SETTINGS_MODULE": "ireval_site.settings"}
        command = [sys.executable, "-c", "from benchmarks.sizes import measure; measure()"]
        if options.postgres:
            with servers.postgres() as address:
                environment["DATABASE_URL"] = address
                subprocess.run(command, env={**os.environ, **environment}, check=True)
        else:
            subprocess.run(command, env={**os.environ, **environment}, check=True)


def measure() -> None:
    import django

    django.setup()
    from django.core.management import call_command

    from judging.models import Collection, User

    call_command("migrate", verbosity=0)
    user = User.objects.create_user("bench", is_researcher=True)
    collection = Collection.objects.create(name="sizes", owner=user)
    grown("documents of 200 words", DOCUMENTS, lambda: import_documents(collection, user))
    study = launched(collection, user)
    grown("judgements", JUDGEMENTS, lambda: judge(study))
    grown("events", EVENTS, lambda: log(user))


def grown(what: str, number: int, happens: Callable[[], None]) -> None:
    from django.db import connection

    from ireval_site.disk_use import database_bytes

    before = database_bytes()
    happens()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    gigabytes = (database_bytes() - before) / number / 1000
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"a million {what}: {gigabytes:.2f} GB in the database; {number:,} took the process {peak:,.0f} MB", flush=True)


def import_documents(collection, user) -> None:
    from judging.collections.imports import import_documents as read

    chance = random.Random(1)
    vocabulary = [f"w{number:x}ord"[: 2 + number % 9] + str(number) for number in range(50_000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "documents.jsonl")
        with open(path, "w", encoding="utf-8") as file:
            for number in range(DOCUMENTS):
                text = " ".join(chance.choices(vocabulary, weights, k=WORDS))
                file.write(json.dumps({"docno": f"d{number}", "title": text[:40], "text": text}) + "\n")
        read(collection, path, by=user)


def launched(collection, user):
    import polars as pl

    from judging.collections.storage import store_run
    from judging.models import Study, Topic
    from judging.studies.launch import launch

    Topic.objects.create(collection=collection, number="1", title="owls")
    rows = [("1", f"d{number}", float(-number)) for number in range(JUDGEMENTS)]
    run = store_run(
        pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row"), collection=collection, name="owls", by=user
    )
    study = Study.objects.create(
        collection=collection, name="sizes", instructions="Judge.", overlap=1, depth=JUDGEMENTS, created_by=user
    )
    study.runs.add(run)
    launch(study, seed=1)
    return study


def judge(study) -> None:
    from judging.models import Worker
    from judging.work.answers import Answer, record_judgement

    worker = Worker.objects.create(study=study)
    for number, item in enumerate(study.items.all()):
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid.uuid4(), grade=number % 4))


def log(user) -> None:
    from benchmarks.ingestion import event
    from judging.logs.intake import receive
    from judging.models import Site

    site, chance = Site.objects.create(name="sizes", slug="sizes", owner=user), random.Random(1)
    for start in range(0, EVENTS, BATCH):
        receive(site, [event(number, chance) for number in range(start, start + BATCH)])


if __name__ == "__main__":
    main()

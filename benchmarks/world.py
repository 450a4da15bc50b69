"""Makes what the benchmark of judging needs and counts what came of it: `python -m benchmarks.world VERB ARGUMENT…`, JSON out."""

import json
import random
import sys
import uuid
from collections.abc import Callable

import django

django.setup()

from django.core.management import call_command  # noqa: E402  Django first
from django.db import connection, transaction  # noqa: E402

from benchmarks.bare import TABLES  # noqa: E402
from judging import recruiting  # noqa: E402
from judging.launching import slots_of  # noqa: E402
from judging.models import Collection, Document, Item, Judgement, Slot, Study, Topic, User  # noqa: E402

TOPICS = 50
TEXT = "Swallows leave in September. " * 60  # 1.7 kB, as long as a description in the demo


def prepare(count: int, overlap: int, seed: int = 1) -> dict:
    """A running study of `count` items, and the token of its invite link."""
    call_command("migrate", verbosity=0)
    user, _ = User.objects.get_or_create(username="bench", defaults={"is_researcher": True})
    name = uuid.uuid4().hex
    collection = Collection.objects.create(name=name, owner=user)
    topics = Topic.objects.bulk_create(
        Topic(collection=collection, number=str(i), title="migration of swallows") for i in range(TOPICS)
    )
    documents = Document.objects.bulk_create(
        Document(collection=collection, docno=f"d{i}", title=f"Swallows {i}", text=TEXT) for i in range(count)
    )
    study = Study.objects.create(
        collection=collection,
        name=name,
        instructions="Judge.",
        overlap=overlap,
        created_by=user,
        state=Study.State.RUNNING,
        pool_counts={"items": count, "topics": TOPICS},
    )
    items = Item.objects.bulk_create(
        Item(study=study, topic=topics[i * TOPICS // count], document=documents[i], position=i) for i in range(count)
    )
    Slot.objects.bulk_create(slots_of(items, overlap, random.Random(seed)))
    return {"study": study.pk, "token": recruiting.token_of(recruiting.invite(study, by=user))}


def outcome(study: int) -> dict:
    """What the database holds of the study: the keys that were stored, and how often each item was judged."""
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


if __name__ == "__main__":
    verb, *arguments = sys.argv[1:]
    verbs: dict[str, Callable[..., dict]] = {"prepare": prepare, "outcome": outcome, "prepare_bare": prepare_bare}
    print(json.dumps(verbs[verb](*map(int, arguments))))

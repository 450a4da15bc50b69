"""Who is erased is gone from SQLite's files as well: from the pages that rows have left, and from the write-ahead log."""

import random
import sqlite3
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from ireval_site.laptop import prepare
from judging import tasks
from judging.logs.erasure import erase
from judging.logs.intake import receive
from judging.logs.pseudonyms import written
from judging.models import Arrival, Quarantined, Query, Site
from judging.recruiting import arrivals, channels
from judging.recruiting.arrivals import Claim
from judging.work import departure
from tests.judging.logs.sent import click, query

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(bool(settings.DATABASE_URL), reason="docs/how-to/backup.md says what PostgreSQL leaves"),
]


def there(texts: list[str]) -> list[str]:
    """Which of the texts are in the files of the database, anywhere in their bytes."""
    name = Path(connection.settings_dict["NAME"])
    files = [path.read_bytes() for path in name.parent.glob(f"{name.name}*")]
    return [text for text in texts if any(text.encode() in content for content in files)]


@pytest.fixture
def participants(running, researcher):
    """Many, so that their rows move from page to page, with all that happens to a submission."""
    channel = channels.add_channel(running, by=researcher, source="prolific")
    chance = random.Random(1)
    ids = []
    for number in range(40):
        claim = Claim(f"{chance.getrandbits(96):024x}", f"{chance.getrandbits(96):024x}")
        arrival = arrivals.consent(channel, claim)
        if number % 3 == 0:
            departure.leave(arrival.worker, "completed")
        if number % 5 == 0:
            arrivals.ended_by_marketplace(channel, claim.submission, "returned")
        ids += [claim.participant, claim.submission, arrival.participant_hash, arrival.submission_hash]
    return ids


def test_nothing_is_left_of_erased_participants(participants):
    assert there(participants) == participants
    for arrival in Arrival.objects.all():
        arrivals.erase(arrival)
    assert there(participants) == []


def test_what_a_reader_kept_in_the_log_goes_with_the_next_sweep(participants):
    reader = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    reader.execute("begin")
    reader.execute("select count(*) from judging_arrival").fetchone()
    arrivals.erase(Arrival.objects.first())
    assert there(participants[:4]) == participants[:4]
    reader.close()
    tasks.sweep_traces()
    assert there(participants[:4]) == []


def test_what_former_versions_left_goes_with_an_upgrade(participants, monkeypatch):
    """They did not overwrite what they erased."""
    former = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    former.execute("PRAGMA secure_delete = OFF")
    former.execute("UPDATE judging_arrival SET participant = '', submission = '', participant_hash = id, submission_hash = id")
    former.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    former.close()
    assert there(participants) != []
    monkeypatch.setattr(prepare, "unapplied", lambda: ["judging.0002"])
    monkeypatch.setattr(prepare, "back_up", lambda: "a copy")
    prepare.migrate()
    assert there(participants) == []


def test_nothing_is_left_of_an_erased_searcher(researcher):
    """Whole pages of records become free: those are overwritten, too."""
    site = Site.objects.create(name="Bird shop", slug="bird-shop", owner=researcher)
    chance = random.Random(1)
    texts = [f"{chance.getrandbits(96):024x}" for _ in range(400)]
    receive(site, [query(number, user_query=text) for number, text in enumerate(texts)])
    receive(site, [click(number=number, event_id=text) for number, text in enumerate(texts)])
    receive(site, [query(1, client_id="c2", user_query="of somebody else"), {"client_id": "browser-of-c1", "action_name": 7}])
    client = written(Query.objects.filter(text=texts[0]).values_list("client", flat=True).get())
    assert there([*texts, client]) == [*texts, client]
    erase(site, client="c1")
    assert there([*texts, client]) == []
    assert there(["of somebody else"])
    assert Quarantined.objects.exists()

"""The tutorial of docs/reference/api.md, run by a shell as it stands there, against a server."""

import csv
import re
import threading
from math import log2

import pytest
from django.db import connection

from ireval_site.celery import app
from judging.models import Event, Exclusion, Item, Judgement, Outbox, Qrels, Rule
from tests.docs import shell

PASSWORD = "a long enough password"


@pytest.fixture
def celery(settings):
    """In the place of a Celery worker: a thread that does what the outbox says."""
    settings.REDIS_URL = ""  # without a broker the messages stay in the outbox
    app.loader.import_default_modules()
    stop = threading.Event()

    def work():
        while not stop.wait(0.1):
            for message in Outbox.objects.all():
                message.delete()
                app.tasks[message.task](**message.arguments)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    stop.set()
    thread.join()


def test_the_tutorial(live_server, researcher, celery, tmp_path):
    printed = shell.run(shell.api_page(), tmp_path, SITE=live_server.url, PASSWORD=PASSWORD)
    # depth 2 of both runs: {d1, d2, d4} for topic 1, {d3, d4} for topic 2
    assert Judgement.objects.count() == 5
    assert [row["grade"] for row in csv.DictReader((tmp_path / "judgements.csv").open())] == ["2"] * 5
    assert Qrels.objects.get().rows == 5
    assert "1 0 d1 2\n" in printed
    last = printed[printed.rindex("done") :]
    # bm25 found two of the three documents of topic 1, equally relevant, and both of topic 2
    ndcg = ((1 + 1 / log2(3)) / (1 + 1 / log2(3) + 1 / log2(4)) + 1) / 2
    assert f"'nDCG@10': {{'mean': {ndcg:.6f}" in last
    assert re.search(rf"bm25,.*{ndcg:.6f}", last)
    # what was made of the study after that is there, or was taken back
    assert Item.objects.filter(role=Item.Role.ATTENTION).exists() and not Item.objects.filter(role=Item.Role.GOLD).exists()
    assert Exclusion.objects.get().lifted and Rule.objects.get().ended
    assert '{"taken_back":1,"judged":0,"held":0,"checks":0}' in printed and '{"caught":[],' in printed
    assert Event.objects.count() == 1

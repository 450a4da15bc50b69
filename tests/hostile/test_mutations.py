"""Thousands of requests, each sound but for one to three changes: never a server error, a leak, or a word that a browser runs.

The same ones every time. `IREVAL_SOAK=1` sends many more, others with `IREVAL_SEED`.
"""

import os
import sys
import time
import traceback
from collections import Counter
from random import Random

import pytest
from django.core.signals import got_request_exception
from django.db import connection
from django.http import HttpResponse

from tests.hostile.mutations import mutated
from tests.hostile.seeds import every_seed
from tests.hostile.sent import Visitor
from tests.hostile.values import INJECTED, LEAKS, PRODUCT, SCRIPT
from tests.routes import PEOPLE, undone
from tests.world import clicked, compared, experiments, logged, wim, world  # noqa: F401

pytestmark = pytest.mark.django_db

SEED = int(os.environ.get("IREVAL_SEED", "20261120"))
MOST_SECONDS = 10  # of processor time; a guard against what hangs, a hundred times what any request takes
SHOWN = 12


@pytest.fixture
def whole_world(world, researcher, stranger, admin):  # noqa: F811
    from judging.logs import keys
    from judging.models import WriteKey

    return {**world, "secret": keys.key_text(WriteKey.objects.get(pk=world["write_key"]))}


@pytest.fixture
def clients(whole_world):
    from judging.models import User

    visitors = {name: Visitor(raise_request_exception=False) for name in PEOPLE}
    for user in User.objects.filter(username__in=PEOPLE):
        visitors[user.username].force_login(user)
    return visitors


# Said by the test client's own body, where a header says that it is longer than it is.
OF_THE_CLIENT = "AssertionError: Cannot read more than the available bytes from the HTTP incoming data"


class Exchange:
    """Sends requests, each to the same world unless it is to be kept, and collects what was wrong with the answers."""

    def __init__(self, clients):
        self.clients, self.statuses, self.wrong, self.reasons = clients, Counter(), {}, []
        got_request_exception.connect(self.remember)

    def remember(self, sender, **kwargs):
        error = sys.exc_info()[1]
        frames = traceback.extract_tb(error.__traceback__)
        last = ([frame for frame in frames if "site-packages" not in frame.filename] or frames)[-1]
        where = f"{last.filename.rpartition('/')[2]}:{last.lineno} {last.name}"
        self.reasons.append(f"{type(error).__name__}: {str(error)[:120]} at {where}")

    def send(self, sent, *, keep=False):
        client = self.clients[sent.person]
        forget_what_was_undone()
        cookies, self.reasons = dict(client.cookies), []
        begun = time.process_time()
        if keep:
            response, text = answer(client, sent)
        else:
            with undone():
                response, text = answer(client, sent)
        took = time.process_time() - begun
        client.cookies.clear()
        client.cookies.update(cookies)
        self.statuses[response.status_code] += 1
        for complaint in complaints(response, text, took):
            what = f"{complaint}: {self.reasons[-1] if self.reasons else ''}"
            if OF_THE_CLIENT not in what:
                self.wrong.setdefault(what, str(sent))
        return response.status_code


def forget_what_was_undone():
    """What processes remember of rows for some seconds."""
    from judging.logs import agents, keys, pseudonyms

    keys.site_cache.clear()
    agents.known_agent.cache_clear()
    pseudonyms.epoch_key.cache_clear()


def answer(client, sent):
    response = sent.by(client)
    return response, b"".join(response.streaming_content) if response.streaming else response.content


def complaints(response, text, took):
    if response.status_code >= 500:
        yield str(response.status_code)
    if took > MOST_SECONDS:
        yield f"{took:.0f} seconds"
    if INJECTED in response.headers or any("\n" in value or "\r" in value for value in response.headers.values()):
        yield "a header of theirs"
    if response.get("Content-Type", "").startswith("text/html"):
        if SCRIPT.encode() in text:
            yield "their script"
        if str(PRODUCT[0] * PRODUCT[1]).encode() in text:
            yield "their template"
    if response.status_code >= 400:
        yield from (f"tells {leak.decode()}" for leak in LEAKS if leak in text)


@pytest.fixture
def exchange(clients):
    conversation = Exchange(clients)
    yield conversation
    got_request_exception.disconnect(conversation.remember)


def report(exchange):
    return "\n".join(f"{what}\n    {sent}" for what, sent in list(exchange.wrong.items())[:SHOWN])


def run(exchange, world, *, undone_ones, kept_ones, seed, share=1):  # noqa: F811
    chance = Random(seed)
    seeds = every_seed(world, exchange.clients)
    seeds = chance.sample(seeds, round(share * len(seeds)))
    inside = [sent for sent in seeds if exchange.send(sent) not in {301, 302, 401, 403, 404, 405}]
    reading, writing = ([sent for sent in inside if (sent.method == "GET") == reads] for reads in (True, False))
    sound = exchange.statuses.total()
    for _ in range(undone_ones):
        some = chance.choices([writing, reading, seeds], [5, 3, 1])[0]
        exchange.send(mutated(chance.choice(some), chance))
    for _ in range(kept_ones):
        exchange.send(mutated(chance.choice(writing), chance), keep=True)
    for sent in reading:
        exchange.send(sent)
    print(f"{exchange.statuses.total():,} requests, {sound:,} of them sound; {dict(exchange.statuses)}")


def check_invariants():
    """What the database promises, also to who reads it past its constraints."""
    from judging.models import Document, Judgement, Slot, Study

    connection.check_constraints()
    for model in (Study, Judgement, Document):
        texts = [field.name for field in model._meta.fields if field.get_internal_type() in {"CharField", "TextField"}]
        for row in model.objects.values_list(*texts):
            assert not any("\0" in text for text in row if text)
    for study in Study.objects.all():
        for money in (study.pay_an_hour, study.pay_a_judgement, study.pay_screened_out):
            assert money.is_finite()
            assert money >= 0
    answered = Judgement.objects.filter(revised_by=None, slot__isnull=False).values_list("slot", flat=True)
    assert len(answered) == len(set(answered))
    assert not Slot.objects.filter(item__study__state="draft").exists()


@pytest.mark.last_database
@pytest.mark.slow
def test_no_change_to_a_request_breaks_anything(exchange, whole_world):
    run(exchange, whole_world, undone_ones=120, kept_ones=40, seed=SEED, share=1 / 3)
    assert not exchange.wrong, report(exchange)
    check_invariants()


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (HttpResponse(status=500), "500"),
        (HttpResponse(f"<p>{SCRIPT}"), "their script"),
        (HttpResponse("7006652"), "their template"),
        (HttpResponse("Traceback (most recent call last): …", status=400), "tells Traceback (most recent call last)"),
        (HttpResponse(headers={INJECTED: "1"}), "a header of theirs"),
    ],
)
def test_what_is_looked_for_is_found(answer, complaint):
    assert list(complaints(answer, answer.content, 0)) == [complaint]


@pytest.mark.soak
def test_no_change_to_a_request_breaks_anything_for_long(exchange, whole_world):
    run(exchange, whole_world, undone_ones=20_000, kept_ones=2_000, seed=SEED + 1)
    assert not exchange.wrong, report(exchange)
    check_invariants()

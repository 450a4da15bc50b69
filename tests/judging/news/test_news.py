"""News of studies and reports reaches who subscribed, once, signed, and not what lies inside."""

import contextlib
import hashlib
import hmac
import json
import socket
import threading
import time
from datetime import timedelta
from decimal import Decimal
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import timezone

from judging.models import Comparison, Message, Outbox, Slot, Study, Subscription, User, Worker
from judging.models.subscription import Event
from judging.news import delivery, events, study_endings, webhooks
from judging.studies import launch
from judging.tasks import deliver_message
from tests.world import compared, wim  # noqa: F401

pytestmark = pytest.mark.django_db
EVERY = [event.value for event in Event if event != Event.TEST]


@pytest.fixture
def program(settings):
    """A program that has news posted to it, on this machine; `answers` is what it says next."""
    settings.WEBHOOKS_MAY_BE_PRIVATE = True
    received, answers = [], []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((dict(self.headers), body))
            status = answers.pop(0) if answers else 200
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()

        def log_message(self, *arguments):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    server.received, server.answers = received, answers
    server.address = f"http://127.0.0.1:{server.server_port}/hook?team=1"
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def subscription(researcher, program):
    return Subscription.objects.create(user=researcher, kind="webhook", url=program.address, nonce="n1", events=EVERY)


def deliver_all():
    """What Celery would do with what is in the outbox."""
    for message in Outbox.objects.filter(task="judging.tasks.deliver_message"):
        deliver_message(**message.arguments)
        message.delete()


def test_a_message_is_signed_so_that_its_program_knows_it(subscription, program):
    events.test(subscription)
    deliver_all()
    (headers, body), secret = program.received[0], webhooks.secret_of(subscription)
    moment, signature = (part.partition("=")[2] for part in headers["X-Ireval-Signature"].split(","))
    assert hmac.new(secret.encode(), f"{moment}.".encode() + body, hashlib.sha256).hexdigest() == signature
    assert json.loads(body)["event"] == headers["X-Ireval-Event"] == "test"
    assert Message.objects.get().delivered


def test_delivered_twice_by_the_broker_it_is_sent_once(subscription, program):
    events.test(subscription)
    for _ in range(2):
        deliver_message(message=Message.objects.get().pk, tries=0)
    assert len(program.received) == 1


def test_what_fails_is_tried_less_and_less_often_and_then_parked(rita, subscription, program):
    program.answers.extend([500] * len(delivery.PAUSES))
    events.test(subscription)
    pauses = []
    for tries in range(len(delivery.PAUSES)):
        deliver_message(message=Message.objects.get().pk, tries=tries)
        message = Message.objects.get()
        pauses.append(message.due)
        Message.objects.update(due=message.created)
    assert pauses == sorted(pauses)
    assert (message.parked, message.error, message.delivered) == (True, "127.0.0.1 answered 500.", None)
    delivery.sweep()
    assert Outbox.objects.count() == 1, "what is parked is not sent again by itself"
    Outbox.objects.all().delete()
    page = rita.get("/account/news/").content.decode()
    assert "given up. 127.0.0.1 answered 500." in page
    rita.post(f"/account/news/{subscription.pk}/again/")
    deliver_all()
    assert Message.objects.get().delivered


def test_why_it_failed_is_said_in_the_language_of_who_reads_it(subscription, program):
    Subscription.objects.update(language="it")
    program.answers.append(500)
    events.test(subscription)
    deliver_all()
    assert Message.objects.get().error == "127.0.0.1 ha risposto 500."


def test_what_is_due_is_sent_again(subscription, program):
    program.answers.append(503)
    events.test(subscription)
    deliver_all()
    Message.objects.update(due=Message.objects.get().created)
    delivery.sweep()
    deliver_all()
    assert Message.objects.get().delivered
    assert len(program.received) == 2


def test_what_a_clock_that_was_ahead_has_put_off_is_sent_again(subscription, program):
    program.answers.append(503)
    events.test(subscription)
    deliver_all()
    Message.objects.update(due=timezone.now() + delivery.PAUSES[-1])
    delivery.sweep()
    assert not Outbox.objects.exists()
    Message.objects.update(due=timezone.now() + timedelta(days=40))
    delivery.sweep()
    deliver_all()
    assert Message.objects.get().delivered


@pytest.fixture
def dripping(settings):
    """A program that never ends its answer, a little of which comes all the time."""
    settings.WEBHOOKS_MAY_BE_PRIVATE = True
    listening = socket.create_server(("127.0.0.1", 0))

    def drip():
        with contextlib.suppress(OSError), listening.accept()[0] as caller:
            while True:
                caller.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
                time.sleep(0.05)

    threading.Thread(target=drip, daemon=True).start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
    listening.close()


def test_who_never_ends_an_answer_holds_nobody_up(subscription, dripping, monkeypatch):
    monkeypatch.setattr(webhooks, "DEADLINE", 0.3)
    Subscription.objects.update(url=dripping)
    events.test(subscription)
    before = time.monotonic()
    deliver_all()
    assert time.monotonic() - before < 5
    message = Message.objects.get()
    assert (message.tries, message.delivered, message.error) == (1, None, "No answer within 0.3 seconds.")
    assert deliver_message.time_limit < 100


def test_what_was_stopped_at_its_last_try_is_parked(subscription, program):
    events.test(subscription)
    Message.objects.update(tries=len(delivery.PAUSES))  # noted before it is sent
    deliver_message(message=Message.objects.get().pk, tries=len(delivery.PAUSES))
    message = Message.objects.get()
    assert (message.parked, message.error) == (True, "It took so long that it was stopped.")
    assert not program.received


def test_redirections_are_not_followed(subscription, program):
    program.answers.append(302)
    events.test(subscription)
    deliver_all()
    assert Message.objects.get().error == "127.0.0.1 answered 302."
    assert len(program.received) == 1


INSIDE = [
    "https://127.0.0.1/", "https://10.1.2.3/", "https://169.254.169.254/latest/meta-data/", "https://[::1]/", "https://0.0.0.0/",
    "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::7f00:1]/", "https://[2002:7f00:1::]/", "https://[fe80::1]/", "https://224.0.0.1/",
    "https://100.64.0.1/", "http://hooks.example/", "ftp://hooks.example/", "https://user:secret@hooks.example/", "https://", "https://[",
    "https://hooks.example/ü", "https://hooks.example/?team=ü",
]  # fmt: skip


@pytest.mark.parametrize("url", INSIDE)
def test_nothing_inside_is_posted_to(rita, researcher, url):
    sent = {"kind": "webhook", "url": url, "events": "report_ready"}
    assert rita.post("/account/news/", sent).status_code == 422
    assert not Subscription.objects.exists()


@pytest.mark.parametrize("name", ["localhost", "inside.example"])
def test_a_name_that_leads_inside_is_found_out_when_it_is_sent_to(subscription, program, settings, monkeypatch, name):
    settings.WEBHOOKS_MAY_BE_PRIVATE = False
    inside = [(None, None, None, "", ("93.184.215.14", 443)), (None, None, None, "", ("127.0.0.1", 443))]
    monkeypatch.setattr(webhooks.socket, "getaddrinfo", lambda *arguments, **named: inside)
    Subscription.objects.update(url=f"https://{name}/")
    events.test(subscription)
    deliver_all()
    assert "not a public address" in Message.objects.get().error
    assert not program.received


def test_news_is_for_researchers_and_everybody_sees_their_own(rita, subscription, stranger, wim):  # noqa: F811
    sid, worker = Client(), Client()
    sid.force_login(stranger)
    worker.force_login(wim)
    for action in ("test", "again", "end"):
        assert sid.post(f"/account/news/{subscription.pk}/{action}/").status_code == 404
    assert webhooks.secret_of(subscription) not in sid.get("/account/news/").content.decode()
    assert worker.get("/account/news/").status_code == 404
    assert webhooks.secret_of(subscription) in rita.get("/account/news/").content.decode()


def test_who_does_no_research_any_more_has_no_more_news(subscription, program):
    events.test(subscription)
    User.objects.update(is_researcher=False)
    deliver_all()
    assert not program.received


def judged(study, at):
    """As if workers had judged all of it then."""
    for number in study.slots.values_list("number", flat=True).distinct():
        study.slots.filter(number=number).update(worker=Worker.objects.create(study=study), judged_at=at, leased_until=at)


def test_a_finished_study_is_told_of_once(subscription, running):
    study_endings.sweep()
    assert not Message.objects.exists()
    judged(running, at=subscription.created + timedelta(days=1))
    for _ in range(2):
        study_endings.sweep()
    assert Message.objects.get().text == "The study “Bird study” is finished."


def test_what_comes_afterwards_does_not_finish_it_again(subscription, running):
    judged(running, at=subscription.created + timedelta(days=1))
    study_endings.sweep()
    item = running.items.first()
    Slot.objects.create(
        study=running, item=item, position=1, worker=Worker.objects.create(study=running, machine="oracle"),
        judged_at=subscription.created + timedelta(days=2), leased_until=subscription.created,
    )  # fmt: skip
    study_endings.sweep()
    assert Message.objects.count() == 1


def test_a_study_that_is_closed_before_its_end_is_told_of_once_each_time(subscription, running, researcher):
    slot = running.slots.filter(number=1).first()

    def answered(days):
        at = subscription.created + timedelta(days=days)
        Slot.objects.filter(pk=slot.pk).update(worker=Worker.objects.create(study=running), judged_at=at, leased_until=at)

    answered(1)
    for closing in (1, 2):
        launch.close(running, by=researcher)
        study_endings.sweep()
        answered(1 + closing)
        study_endings.sweep()
        assert Message.objects.count() == closing
        launch.resume(running, by=researcher)


def test_what_was_finished_before_is_no_news(running, researcher):
    judged(running, at=running.created)
    Subscription.objects.create(user=researcher, kind="email", nonce="n2", events=EVERY)
    study_endings.sweep()
    assert not Message.objects.exists()


@pytest.mark.parametrize(
    ("budget", "text"),
    [
        ({"money_budget": 12, "pay_an_hour": 9}, "has reached its budget: 12.00 of 12.00 EUR."),
        ({"money_budget": 13, "pay_an_hour": 9}, "has nearly used up its budget: 12.00 of 13.00 EUR."),
        ({"money_budget": 14, "pay_an_hour": 9}, None),
        ({"judgement_budget": 40}, "has reached its budget: 40 of 40 judgements."),
        ({"judgement_budget": 44}, "has nearly used up its budget: 40 of 44 judgements."),
        ({"judgement_budget": 45}, None),
        ({"money_budget": 99, "pay_an_hour": 9, "judgement_budget": 41}, "has nearly used up its budget: 40 of 41 judgements."),
        ({"money_budget": 13, "pay_an_hour": 9, "judgement_budget": 40}, "has reached its budget: 40 of 40 judgements."),
    ],
)
def test_a_budget_that_is_nearly_spent_is_told_of_once(subscription, running, monkeypatch, budget, text):
    monkeypatch.setattr(study_endings, "earnings", lambda study: Totals)
    Study.objects.update(**budget)
    judged(running, at=subscription.created + timedelta(days=1))
    for _ in range(2):
        study_endings.sweep()
    told = [message.text for message in Message.objects.filter(event="budget_reached")]
    assert told == ([f"The study “Bird study” {text}"] if text else [])


class Totals:
    total, judged = Decimal("12.00"), 40


def test_so_is_the_budget_of_a_side_by_side_study(subscription, compared, monkeypatch):  # noqa: F811
    monkeypatch.setattr(study_endings, "earnings", lambda study: Totals)
    Comparison.objects.update(pairing="budget", budget=44)
    Slot.objects.exclude(judged_at=None).update(judged_at=subscription.created + timedelta(days=1))
    study_endings.sweep()
    told = Message.objects.filter(event="budget_reached").values_list("text", flat=True)
    assert list(told) == ["The study “Compared” has nearly used up its budget: 40 of 44 judgements."]


def test_a_report_that_failed_is_told_of_with_the_reason(subscription, running):
    from metrics import pipeline
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.studies import request_study_report

    report = request_study_report(QUALITY, running)
    for _ in range(2):
        pipeline.fail(report.pk, "There is nothing to compute.")
    message = Message.objects.get()
    assert (message.event, message.path) == ("report_failed", f"/studies/{running.pk}/quality/")
    assert "There is nothing to compute." in message.text


def test_a_report_that_is_ready_is_told_of_in_its_own_transaction(subscription, running):
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.studies import request_study_report
    from metrics.tasks import begin_report, compute_part

    report = request_study_report(QUALITY, running)
    begin_report(report.pk)
    for step in report.spec["steps"]:
        compute_part(report.pk, step)
    assert [message.event for message in Message.objects.all()] == ["report_ready"]


def test_news_is_mailed_where_this_server_sends_mail(researcher, settings):
    settings.SENDS_MAIL, settings.PUBLIC_URL = True, "https://judge.example"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    events.test(Subscription.objects.create(user=researcher, kind="email", nonce="n3", events=EVERY))
    deliver_all()
    assert mail.outbox[0].to == ["rita@example.org"]
    assert "https://judge.example/account/news/" in mail.outbox[0].body


@pytest.mark.parametrize(
    ("language", "test", "done", "failed"),
    [
        (
            "de",
            "Das ist ein Test",
            "Die Studie „Bird study“ ist fertig.",
            "Ein Bericht ist gescheitert: Qualität der Noten: Bird study.",
        ),
        ("it", "Questa è una prova", "Lo studio “Bird study” è finito.", "Un rapporto è fallito: Qualità dei voti: Bird study."),
    ],
)
def test_news_is_written_in_the_language_of_the_page_that_asked_for_it(
    rita, researcher, running, settings, language, test, done, failed
):
    from metrics import pipeline
    from metrics.kinds.quality.parts import QUALITY
    from metrics.kinds.studies import request_study_report

    settings.SENDS_MAIL, settings.PUBLIC_URL = True, "https://judge.example"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    rita.post("/account/news/", {"kind": "email", "events": EVERY}, headers={"Accept-Language": language})
    subscription = Subscription.objects.get()
    rita.post(f"/account/news/{subscription.pk}/test/", headers={"Accept-Language": "en"})
    judged(running, at=subscription.created + timedelta(days=1))
    study_endings.sweep()
    pipeline.fail(request_study_report(QUALITY, running).pk, "Nothing.")
    deliver_all()
    assert [message.subject.removeprefix("ireval: ")[: len(test)] for message in mail.outbox[:1]] == [test]
    assert [message.body.split("\n")[0] for message in mail.outbox[1:]] == [done, f"{failed} Nothing."]


@pytest.mark.parametrize("failing", [False, True])
def test_a_name_with_a_line_break_is_mailed_and_what_can_be_no_mail_is_told(researcher, settings, monkeypatch, failing):
    settings.SENDS_MAIL, settings.PUBLIC_URL = True, "https://judge.example"
    User.objects.filter(pk=researcher.pk).update(email="rita@example.org")
    events.test(Subscription.objects.create(user=researcher, kind="email", nonce="n3", events=EVERY))
    Message.objects.update(text="The study “Birds\nBcc: sid@example.org” is finished.")
    if failing:
        monkeypatch.setattr(delivery, "subject_of", lambda message: message.text)
    deliver_all()
    if failing:
        assert "newlines" in Message.objects.get().error
    else:
        assert mail.outbox[0].subject == "ireval: The study “Birds Bcc: sid@example.org” is finished."


def test_the_database_keeps_to_it_too(researcher, subscription):
    Subscription.objects.create(user=researcher, kind="email", nonce="n4", events=[])
    for wrong in ({"kind": "email", "nonce": "n5"}, {"kind": "webhook", "nonce": "n6"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Subscription.objects.create(user=researcher, events=[], **wrong)

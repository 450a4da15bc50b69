"""A request has one name in every line that it causes, here and in the tasks that it leaves to Celery."""

import io
import json
import logging
import re
from ipaddress import ip_network

import pytest
from celery import current_app, shared_task
from celery.app.trace import build_tracer
from django.http import HttpResponse
from django.test import RequestFactory

from ireval_site.log_lines import Json, Origin
from ireval_site.redaction import Redact
from ireval_site.request_ids import request_id, with_request_id
from judging.models import Outbox

log = logging.getLogger("somebody")


@pytest.fixture
def lines(monkeypatch):
    """The lines of the log from now on, as programs read them."""
    stream, root = io.StringIO(), logging.getLogger()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(Json())
    for kind in (Redact, Origin):
        handler.addFilter(kind())
    monkeypatch.setattr(root, "handlers", [handler])
    return lambda: [json.loads(line) for line in stream.getvalue().splitlines()]


def test_each_request_has_an_id_of_its_own(client):
    ids = [client.get("/docs/")["X-Request-ID"] for _ in range(2)]
    assert all(re.fullmatch("[0-9a-f]{16}", name) for name in ids) and len(set(ids)) == 2
    assert request_id() == ""


@pytest.mark.parametrize(
    ("sent", "proxy", "taken"),
    [
        ("4f1c-from.the_proxy", "127.0.0.1", True),
        ("4f1c-from.the_proxy", "198.51.100.7", False),
        ("short", "127.0.0.1", False),
        ("x" * 65, "127.0.0.1", False),
        ('forged" level="ERROR', "127.0.0.1", False),
    ],
)
def test_only_a_trusted_proxy_names_a_request_and_only_plainly(client, settings, sent, proxy, taken):
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]
    answer = client.get("/docs/", headers={"X-Request-ID": sent}, REMOTE_ADDR=proxy)
    assert (answer["X-Request-ID"] == sent) is taken


def test_every_line_of_a_request_says_which_it_is(client, lines):
    """Also the line that Django writes when every middleware is done."""
    name = client.get("/docs/nowhere/")["X-Request-ID"]
    assert [line["request_id"] for line in lines() if line["logger"] == "django.request"] == [name]
    log.warning("later")
    assert "request_id" not in lines()[-1]


def test_a_line_has_its_time_its_traceback_and_nothing_that_is_empty(lines):
    try:
        int("a\nb")
    except ValueError:
        log.exception("It failed: %s", "“why”")
    (line,) = lines()
    assert set(line) == {"time", "level", "logger", "message", "exception"}
    assert (line["level"], line["logger"], line["message"]) == ("ERROR", "somebody", "It failed: “why”")
    assert line["exception"].endswith("ValueError: invalid literal for int() with base 10: 'a\\nb'")


@shared_task(name="tests.say_something")
def say_something():
    log.warning("in a task")
    Outbox.objects.post("tests.say_something")


@pytest.mark.django_db
def test_a_task_carries_the_id_of_the_request_that_asked_for_it(lines, settings, monkeypatch):
    """Through the outbox and the broker, and on to the tasks that it leaves itself."""

    def view(request):
        Outbox.objects.post("tests.say_something")
        return HttpResponse()

    name = with_request_id(view)(RequestFactory().get("/"))["X-Request-ID"]
    settings.REDIS_URL = current_app.conf.broker_url
    monkeypatch.setattr(current_app.amqp, "_producer_pool", None)  # it may lead to another test's broker
    with current_app.connection_for_write() as link, link.SimpleQueue("celery") as queue:
        assert Outbox.objects.get().send()
        while (delivered := queue.get(timeout=60)).headers["task"] != say_something.name:
            pass  # what other tests send
        delivered.ack()
    build_tracer(say_something.name, say_something, app=current_app)(delivered.headers["id"], (), {}, delivered.headers)
    (line,) = [line for line in lines() if line["message"] == "in a task"]
    assert (line["request_id"], line["task"]) == (name, "tests.say_something")
    assert Outbox.objects.latest("pk").request_id == name
    assert request_id() == ""

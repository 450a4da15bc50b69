"""What comes out of the logs has no token, no key and nobody's id, wherever it was written."""

import io
import json
import logging
import logging.config
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client

from ireval_site.laptop import serve
from ireval_site.middleware import SECRET_ADDRESSES
from ireval_site.sentry import all_redacted

ROOT = Path(__file__).resolve().parents[2]
TOKEN, PID = "Zb3q-9_tokenTOKENtoken", "5f8c2a1b3d4e5f6a7b8c9d0e"
WRITE_KEY, API_TOKEN = "w_aaaabbbbccccddddeeee-_", "ireval_" + "0a1b2c3d" * 8
SECRETS = [TOKEN, PID, WRITE_KEY[2:], API_TOKEN[7:], "eyJhbGciOiJSUzI1NiJ9"]


@pytest.fixture(params=["text", "json"])
def written(request, monkeypatch):
    """What the handlers of the settings write from now on, in either format."""
    stream = io.StringIO()
    formatters = logging.config.DictConfigurator(settings.LOGGING)
    handlers = [handler for handler in logging.getLogger().handlers if type(handler) is logging.StreamHandler]
    assert handlers, "the settings have a handler"
    for handler in handlers:
        monkeypatch.setattr(handler, "stream", stream)
        monkeypatch.setattr(
            handler, "formatter", formatters.configure_formatter({**settings.LOGGING["formatters"][request.param]})
        )
    yield stream
    if request.param == "json":
        assert all(map(json.loads, stream.getvalue().splitlines()))


def message(written) -> str:
    """The message of the last line."""
    line = written.getvalue().rstrip()
    return json.loads(line)["message"] if line.startswith("{") else line


ADDRESSES = [
    f"/arrive/{TOKEN}/?PROLIFIC_PID={PID}&SESSION_ID={PID}",
    f"/arrive/{TOKEN}/others/",
    f"/arrive/{TOKEN}/nothing/of/the/kind?pid={PID}",
    f"/arrive/again/{TOKEN}:1xVHFI:GEt7M6/",
    f"/join/{TOKEN}/",
    f"/shared/{TOKEN}/",
    f"/invited/{TOKEN}/",
    f"/confirm/{TOKEN}:1xVHFI:GEt7M6/",
    f"/nowhere/?PROLIFIC_PID={PID}&participantId={PID}&prolific_token=eyJhbGciOiJSUzI1NiJ9.e30.abc",
    f"/nowhere/{WRITE_KEY}/{API_TOKEN}/",
]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ADDRESSES)
def test_an_address_that_is_not_found_is_logged_without_what_is_secret_in_it(written, address):
    Client(raise_request_exception=False).get(address)
    Client(raise_request_exception=False).delete(address)
    log = written.getvalue()
    assert "Not Found" in log or "Method Not Allowed" in log
    assert not [secret for secret in SECRETS if secret in log]


@pytest.mark.django_db
def test_a_failure_is_logged_with_its_traceback_and_without_the_token(written, monkeypatch):
    from judging.views import arrivals as arrive

    def fail(token):
        raise RuntimeError(f"no way to /arrive/{token}/?PROLIFIC_PID={PID}")

    monkeypatch.setattr(arrive.channels, "find_channel", fail)
    assert Client(raise_request_exception=False).get(ADDRESSES[0]).status_code == 500
    log = written.getvalue()
    assert "Internal Server Error: /arrive/" in log and "RuntimeError: no way to /arrive/" in log and "in follow_channel" in log
    assert not [secret for secret in SECRETS if secret in log]


LINES = {
    f'"GET /arrive/{TOKEN}/?PROLIFIC_PID={PID} HTTP/1.1" 302': '"GET /arrive/[…] HTTP/1.1" 302',
    f"Not Found: /join/{TOKEN}/": "Not Found: /join/[…]",
    f"/login/?next=%2Fjoin%2F{TOKEN}%2F&a=1": "/login/?next=%2Fjoin%2F[…]&a=1",
    f"Authorization: Token {API_TOKEN}": "Authorization: Token ireval_[…]",
    f'{{"key": "{WRITE_KEY}"}}': '{"key": "w_[…]"}',
    f"DETAIL:  Key (channel_id, participant)=(3, {PID}) already exists.": "DETAIL:  Key (channel_id, participant)=[…]",
    f"DETAIL:  Failing row contains (1, {PID}, null).": "DETAIL:  Failing row contains […]",
    f"participantId={PID}&x=1": "participantId=[…]&x=1",
    f"Referer: https://judge.example/arrive/{TOKEN}/by-hand/": "Referer: https://judge.example/arrive/[…]",
    f'"/join/{TOKEN}\\"': '"/join/[…]"',
}


@pytest.mark.parametrize("line", LINES)
def test_a_line_keeps_what_is_not_secret(written, line):
    logging.getLogger("some.library").warning("%s", line)
    assert message(written).endswith(LINES[line])


@pytest.mark.parametrize("beginning", SECRET_ADDRESSES)
def test_what_no_page_tells_stands_in_no_line_and_in_no_event_of_sentry(written, beginning):
    address = f"{beginning}{TOKEN}/"
    logging.getLogger("some.library").warning("failed at %s?next=%s", address, quote(address, safe=""))
    assert TOKEN not in message(written)
    assert TOKEN not in str(all_redacted({"request": {"url": f"https://judge.example{address}"}}))


KEPT = [
    "POST /arrive/ 200",
    "GET /join/ 200",
    "ireval_site.laptop.serve started",
    "/judge/12/ took 3 ms, w_1",
    "joined /studies/3/arrivals/4/erase/",
]


@pytest.mark.parametrize("line", KEPT)
def test_what_is_not_secret_stays_as_it_was(written, line):
    logging.getLogger("some.library").warning(line)
    assert message(written).endswith(line)


def test_arguments_that_do_not_fit_are_still_logged(written):
    logging.getLogger("some.library").warning(*["%d of %s", "x"])
    assert "%d of %s" in written.getvalue()


def test_every_handler_has_the_filter_and_no_logger_goes_around_it():
    """Django's own handlers would write, or mail, what they are given."""
    assert all("redact" in handler["filters"] for handler in settings.LOGGING["handlers"].values())
    for name in ("django", "django.server", "granian.access", "_granian"):
        logger = logging.getLogger(name)
        assert logger.handlers == [] and logger.propagate, name


def test_granian_is_asked_for_no_access_log():
    assert "--access-log" not in serve.web_command(serve.parse([]))
    assert "--access-log" not in (ROOT / "Dockerfile").read_text()


def test_celery_leaves_the_logging_as_it_is(tmp_path):
    """In a process of its own: Celery would take handlers away and put its own in their place."""
    code = (
        "import django; django.setup(); import logging; from ireval_site.celery import app; "
        "app.log.setup(loglevel='WARNING'); "
        f"logging.getLogger('celery.task').error('failed at /arrive/{TOKEN}/'); "
        f"logging.getLogger('celery.worker').error('{API_TOKEN}'); logging.getLogger('judging').info('not this')"
    )
    environment = {"DJANGO_SETTINGS_MODULE": "ireval_site.settings", "IREVAL_DATA": str(tmp_path), "PATH": ""}
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "failed at /arrive/[…]" in done.stderr and "ireval_[…]" in done.stderr
    assert "not this" not in done.stderr
    assert not [secret for secret in SECRETS if secret in done.stderr]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/arrive/abc/", "/arrive/abc/by-hand/", "/arrive/again/abc/", "/join/abc/", "/join/abc/x"])
def test_pages_under_secret_addresses_tell_nobody_where_their_requests_come_from(client, address):
    """Not even this site, whose proxy may log it. The origin alone is told: Django checks it when a form is sent."""
    assert client.get(address)["Referrer-Policy"] == "strict-origin"
    assert client.get("/login/")["Referrer-Policy"] == "same-origin"

"""Sentry learns what failed, where, and under which id; never who met it or what they sent."""

import json
import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import brotli
import pytest

ROOT = Path(__file__).resolve().parents[2]
TOKEN, PID, REPLY = "Zb3q-9_tokenTOKENtoken", "5f8c2a1b3d4e5f6a7b8c9d0e", "what-somebody-wrote"
# Fails as web processes and Celery workers do: in a request, in a line of the log, in a task.
FAIL = f"""
import io, logging
from celery import shared_task
from celery.app import trace
from wsgiref.util import setup_testing_defaults
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import path
import sentry_sdk

def fail(request, token):
    reply = request.POST["reply"]
    raise RuntimeError(f"no way to {{request.get_full_path()}}")

urlpatterns = [path("arrive/<token>/", fail)]
settings.ROOT_URLCONF = "__main__"
body = b"reply={REPLY}"
environ = {{
    "REQUEST_METHOD": "POST", "PATH_INFO": "/arrive/{TOKEN}/", "QUERY_STRING": "PROLIFIC_PID={PID}", "HTTP_HOST": "localhost",
    "CONTENT_TYPE": "application/x-www-form-urlencoded", "CONTENT_LENGTH": str(len(body)), "wsgi.input": io.BytesIO(body),
    "HTTP_COOKIE": "sessionid={REPLY}", "HTTP_USER_AGENT": "{REPLY}", "REMOTE_ADDR": "198.51.100.7",
}}
setup_testing_defaults(environ)
settings.MIDDLEWARE.remove("django.middleware.csrf.CsrfViewMiddleware")
told = []
b"".join(get_wsgi_application()(environ, lambda status, headers: told.extend([status[:3], dict(headers)["X-Request-ID"]])))
logging.getLogger("judging").error("nothing at %s", "/join/{TOKEN}/", extra={{"reply": "{REPLY}"}})

@shared_task(name="failing")
def failing(reply):
    raise RuntimeError("in a task")

from ireval_site import celery_app
trace.build_tracer("failing", failing, app=celery_app)("id", (), {{"reply": "{REPLY}"}}, {{"request_id": told[1]}})
sentry_sdk.flush()
print(*told)
"""


@pytest.fixture
def sentry():
    """A server that plays Sentry: its address, and the events that it was sent."""
    events: list[dict] = []

    class Sentry(BaseHTTPRequestHandler):
        def do_POST(self):
            assert self.headers["Content-Encoding"] == "br"
            lines = brotli.decompress(self.rfile.read(int(self.headers["Content-Length"]))).splitlines()
            events.extend(item for item in map(json.loads, lines) if "event_id" in item and "level" in item)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Sentry) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://public@127.0.0.1:{server.server_port}/7", events
        server.shutdown()


def run(code: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    named = ("DATABASE_URL", "REDIS_URL", "SECRET_KEY", "IREVAL_URL")
    others = {key: value for key, value in os.environ.items() if key not in named}
    ours = {"DJANGO_SETTINGS_MODULE": "ireval_site.settings", "IREVAL_DATA": str(folder), "NO_PROXY": "*"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=others | ours | variables, cwd=ROOT, capture_output=True, text=True, check=False)


def test_it_is_told_what_failed_and_nothing_of_who_met_it(sentry, tmp_path):
    address, events = sentry
    done = run(FAIL, tmp_path, SENTRY_DSN=address)
    status, name = done.stdout.split() or ["", done.stderr]
    assert status == "500", name
    failed, logged, in_task = events
    (raised,) = failed["exception"]["values"]
    assert (raised["type"], raised["value"]) == ("RuntimeError", "no way to /arrive/[…]")
    assert raised["stacktrace"]["frames"][-1]["function"] == "fail"
    assert failed["request"] == {"method": "POST", "url": "http://localhost/arrive/[…]"}
    assert failed["tags"]["request_id"] == name
    assert logged["logentry"]["formatted"] == "nothing at /join/[…]"
    assert in_task["exception"]["values"][0]["value"] == "in a task"
    assert (in_task["transaction"], in_task["tags"]["request_id"]) == ("failing", name)
    told = json.dumps(events)
    assert [secret for secret in (TOKEN, PID, REPLY, "198.51.100.7") if secret in told] == []


def test_nobody_who_names_none_loads_it(tmp_path):
    code = "import sys, ireval_site.wsgi; print([name for name in sys.modules if name.startswith('sentry')])"
    assert run(code, tmp_path, SENTRY_DSN="").stdout == "[]\n"


@pytest.mark.parametrize(
    ("before", "address", "words"),
    [
        (
            "sys.modules['sentry_sdk'] = None; ",
            "http://public@127.0.0.1/7",
            "sentry-sdk is not installed: pip install sentry-sdk",
        ),
        ("", "nonsense", "SENTRY_DSN: "),
    ],
)
def test_what_is_wrong_is_said_at_the_start(tmp_path, before, address, words):
    assert words in run(f"import sys; {before}import ireval_site.settings", tmp_path, SENTRY_DSN=address).stderr.splitlines()[-1]

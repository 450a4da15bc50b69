"""Other places than the tests' own: a data folder, and on PostgreSQL a database, that processes of their own work with."""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from django.conf import settings
from django.test import Client

from judging.models import User
from tests import migrated

ROOT = Path(__file__).resolve().parents[3]
# Tokens and nonces are drawn for each answer, and “two minutes ago” goes by the clock: the moment beside it is compared.
VARYING = re.compile(rb'(?<=csrfmiddlewaretoken" value=")\w+|(?<=nonce=")[^"]+|(?<=>)[^<>]*(?=</time>)')
ANSWER = """
import json, sys
from tests.judging.backups.places import answers
print(json.dumps(answers(sys.stdin.read().split())))
"""


class Place:
    """An empty one, unless it is to be as `migrate` leaves it."""

    def __init__(self, folder: Path, name: str, *, migrated_by: pytest.TempPathFactory | None = None):
        self.data = folder / name
        self.data.mkdir()
        self.environment = {**os.environ, "IREVAL_DATA": str(self.data), "IREVAL_LOG_LEVEL": "ERROR"}
        if settings.DATABASE_URL:
            template = migrated.postgres(migrated_by, settings.DATABASE_URL) if migrated_by else "template1"
            self.environment["DATABASE_URL"] = new_database(f"place_{os.getpid()}_{name}", template)
        elif migrated_by:
            migrated.copied(migrated_by, self.data)

    def manage(self, *arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *map(str, arguments)]
        return subprocess.run(command, env=self.environment, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False)

    def answers(self, addresses: Iterable[str]) -> dict[str, str]:
        return json.loads(self.does(ANSWER, stdin="\n".join(addresses)).splitlines()[-1])

    def does(self, code: str, stdin: str = "") -> str:
        """What a process of the place prints that runs the code."""
        done = self.manage("shell", "-c", code, stdin=stdin)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def files(self) -> set[str]:
        stored = self.data / "files"
        return {path.relative_to(stored).as_posix() for path in stored.rglob("*") if path.is_file()}


def new_database(name: str, template: str) -> str:
    with psycopg.connect(settings.DATABASE_URL, autocommit=True) as server:
        server.execute(f'DROP DATABASE IF EXISTS "{name}"')
        server.execute(f'CREATE DATABASE "{name}" TEMPLATE {template}')
    return urlunsplit(urlsplit(settings.DATABASE_URL)._replace(path=f"/{name}"))


class ClientOfBytes(Client):
    """Gives pages byte by byte, where other tests read them as a browser shows them."""

    request = Client.request


def answers(addresses: Iterable[str]) -> dict[str, str]:
    """What the researcher gets at each address: the status, and the hash of all bytes."""
    client = ClientOfBytes(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="rita"), backend="django.contrib.auth.backends.ModelBackend")
    return {address: digest(client.get(address)) for address in addresses}


def digest(response) -> str:
    """Of all bytes but those that differ each time."""
    return f"{response.status_code} {hashlib.sha256(VARYING.sub(b'', response.getvalue())).hexdigest()}"

"""Settings from environment variables, with errors that name the variable and its remedy."""

import ipaddress
import os
import secrets
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured


def flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in ("", "1", "true", "yes", "on", "0", "false", "no", "off"):
        return value in ("1", "true", "yes", "on") if value else default
    raise ImproperlyConfigured(f"{name}={value!r}: expected 1 or 0.")


def number(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    if not value:
        return default
    if not value.isdigit():
        raise ImproperlyConfigured(f"{name}={value!r}: expected a whole number, such as {default}.")
    return int(value)


def numbers(name: str, default: tuple[int, ...]) -> tuple[int, ...]:
    """As many whole numbers as the default has, separated by commas."""
    value = os.environ.get(name, "").strip()
    parts = [part.strip() for part in value.split(",")]
    if not value:
        return default
    if len(parts) != len(default) or not all(part.isdecimal() for part in parts):
        expected = ",".join(map(str, default))
        raise ImproperlyConfigured(f"{name}={value!r}: expected {len(default)} whole numbers, such as {expected}.")
    return tuple(map(int, parts))


def choice(name: str, options: tuple[str, ...]) -> str:
    """One of the options, of which the first is the default."""
    value = os.environ.get(name, "").strip().lower() or options[0]
    if value not in options:
        raise ImproperlyConfigured(f"{name}={value!r}: expected {', '.join(options[:-1])} or {options[-1]}.")
    return value


def token(name: str) -> str:
    """A secret that programs show, or none."""
    value = os.environ.get(name, "").strip()
    if value and len(value) < SHORTEST_TOKEN:
        raise ImproperlyConfigured(f"{name} is shorter than {SHORTEST_TOKEN} characters. Make one with {MAKE_A_KEY}.")
    return value


def public_address(name: str) -> str:
    """The address of this site, such as https://ireval.example.org, without a slash at its end; none where none is named."""
    address = os.environ.get(name, "").strip()
    if not address:
        return ""
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{name}={address!r}: expected https://host or http://host:port.")
    return f"{parts.scheme}://{parts.netloc.lower()}{parts.path}".rstrip("/")


# A host that vanishes says nothing. Seconds until a connection that is being opened is given up, and until an idle one is asked
# for a sign of life. A query may take hours all the same, since the server's system answers for it. What was sent and not taken
# waits for so many milliseconds. They are many, since a server whose disk is stalled takes nothing of a COPY either.
GIVE_UP = {
    "connect_timeout": 5,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}


def postgresql(address: str) -> dict[str, Any]:
    """Django's settings for a database such as postgres://user:password@host:5432/name?connect_timeout=2."""
    database: dict[str, Any] = {**dj_database_url.parse(address, conn_max_age=None, conn_health_checks=True)}
    database["ENGINE"] = "ireval_site.postgresql"
    database["OPTIONS"] = {**GIVE_UP, **database.get("OPTIONS", {})}
    return database


LOG_LEVELS = ("INFO", "DEBUG", "WARNING", "ERROR", "CRITICAL")


def log_level(name: str) -> str:
    """How much is logged; INFO where nothing is said."""
    return choice(name, tuple(map(str.lower, LOG_LEVELS))).upper()


def mail_server(name: str, public_address: str) -> dict[str, Any]:
    """Django's settings for a mail server such as smtp://user:password@mail.example:587; none where none is named."""
    address = os.environ.get(name, "").strip()
    if not address:
        return {}
    parts = urlsplit(address)
    if parts.scheme not in MAIL_PORTS or not parts.hostname:
        raise ImproperlyConfigured(
            f"{name}: expected smtp://user:password@host:587 (STARTTLS), smtps://…:465 (TLS) or smtp+plain://host:25 (no TLS)."
        )
    if not public_address:
        raise ImproperlyConfigured(f"{name} is set, but IREVAL_URL is not: links in mail need this server's public address.")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or MAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


def file_storage(name: str) -> dict[str, Any]:
    """Django's storage of files for a bucket, such as s3://bucket/prefix; a folder where none is named."""
    address = os.environ.get(name, "").strip()
    if not address:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    parts = urlsplit(address)
    if parts.scheme != "s3" or not parts.netloc or parts.netloc != parts.hostname or parts.query or parts.fragment:
        raise ImproperlyConfigured(f"{name}={address!r}: expected s3://bucket or s3://bucket/prefix, and keys in AWS_….")
    if not find_spec("storages"):
        raise ImproperlyConfigured(f"{name} names a bucket, which takes one package more: pip install -r requirements-s3.txt.")
    options = {"bucket_name": parts.netloc, "location": parts.path.strip("/")}
    return {"BACKEND": "ireval_site.bucket.Bucket", "OPTIONS": options}


def log_engine(name: str) -> str:
    """The address of a cluster that computes reports of logs, such as sc://host:15002; none where Celery workers do."""
    address = os.environ.get(name, "").strip()
    if not address:
        return ""
    parts = urlsplit(address)
    if parts.scheme != "sc" or not parts.hostname:
        raise ImproperlyConfigured(
            f"{name}: expected sc://host:15002, the address of Spark Connect, which start-connect-server.sh starts on a cluster."
        )
    if not find_spec("pyspark"):
        raise ImproperlyConfigured(f"{name} names a cluster, which takes another package: pip install -r requirements-spark.txt.")
    return address


MAIL_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}
# Beginnings of keys in examples and templates, in lower case; and how long and varied a key must be.
PLACEHOLDERS = ("changeme", "change-me", "change_me", "django-insecure", "example", "insecure", "replace", "your-", "your_")
SHORTEST_KEY, FEWEST_CHARACTERS = 32, 8
SHORTEST_TOKEN = 16
MAKE_A_KEY = "python -c 'import secrets; print(secrets.token_urlsafe(64))'"
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")


def networks(name: str) -> list[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    """The addresses and networks of a variable, separated by commas; ImproperlyConfigured for anything else."""
    named = []
    for written in filter(None, map(str.strip, os.environ.get(name, "").split(","))):
        try:
            named.append(ipaddress.ip_network(written))
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}: {error}. Expected addresses or networks, separated by commas, such as 10.0.0.2,172.16.0.0/12."
            ) from None
    return named


def secret_key(data: Path, *, production: bool) -> str:
    """The key that signs cookies and links: from the environment, or on a laptop kept in a file of the data folder."""
    key = os.environ.get("SECRET_KEY", "")
    if key:
        refuse_guessable(key)
        return key
    if production:
        raise ImproperlyConfigured(
            f"SECRET_KEY is not set. Give every web process and Celery worker the same one, for example from {MAKE_A_KEY}."
        )
    return kept_secret(data / "secret.key")


def former_keys(name: str) -> list[str]:
    """Keys that the server had before, separated by blanks, the latest first."""
    keys = os.environ.get(name, "").split()
    for key in keys:
        refuse_guessable(key, name)
    return keys


def refuse_guessable(key: str, name: str = "SECRET_KEY") -> None:
    """Raise ImproperlyConfigured for a key that can be guessed: whoever knows it can sign in as anybody."""
    if len(key) < SHORTEST_KEY:
        problem = f"is shorter than {SHORTEST_KEY} characters"
    elif len(set(key)) < FEWEST_CHARACTERS:
        problem = f"consists of {len(set(key))} different characters, which is easily guessed"
    elif key.lower().startswith(PLACEHOLDERS):
        problem = "is a placeholder that others know, too"
    else:
        return
    raise ImproperlyConfigured(f"{name} {problem}. Make one with {MAKE_A_KEY}.")


def debugging(address: str) -> bool:
    """Whether IREVAL_DEBUG is set; ImproperlyConfigured if others could read settings and code at the public `address`."""
    wanted = flag("IREVAL_DEBUG")
    if wanted and address and urlsplit(address).hostname not in THIS_MACHINE:
        raise ImproperlyConfigured(
            f"IREVAL_DEBUG=1 shows code and settings to everybody who can open IREVAL_URL={address}. "
            "Unset IREVAL_DEBUG, or give IREVAL_URL an address of this machine alone, such as http://localhost:8000."
        )
    return wanted


def kept_secret(file: Path) -> str:
    """Read the secret, or be the one process that makes it: two that start at once must end with the same key."""
    if not file.exists():
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)  # judgements and logs will be nobody else's
        draft = file.with_suffix(f".{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(64))
        try:
            os.link(draft, file)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return file.read_text()

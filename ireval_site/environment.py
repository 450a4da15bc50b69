"""What the environment says, with errors that name the variable and its remedy."""

import os
import secrets
from pathlib import Path

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


def secret_key(data: Path, *, production: bool) -> str:
    """The key that signs cookies and links: from the environment, or on a laptop kept in a file of the data folder."""
    key = os.environ.get("SECRET_KEY", "")
    if key:
        return key
    if production:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. Give every web process and Celery worker the same one, for example from "
            "python -c 'import secrets; print(secrets.token_urlsafe(64))'."
        )
    return kept_secret(data / "secret.key")


def kept_secret(file: Path) -> str:
    """Read the secret, or be the one process that makes it: two that start at once must end with the same key."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
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

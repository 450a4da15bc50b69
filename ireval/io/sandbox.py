"""Reading a file in a separate process, which is ended when it takes too much memory or time; the caller goes on.

A Parquet file of a few bytes may unpack to more than a machine's memory. It may hold lists of one value a million times, and
texts a thousand times as long as packed. Its footer has the number of rows, but not the unpacked size.
"""

import json
import resource
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from ireval.io.files import BadFile, IgnoredInput, Problem, TooMuch, ignored_input

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 300
# The memory of Python and polars before they read anything, with room for their threads.
FIXED_BYTES = 2**30
NO_MEMORY = (b"MemoryError", b"PanicException")
REFUSED = 3  # the exit status for a bad file


def read_apart(read: Callable[..., pl.DataFrame], path: Path, *, name: str, max_bytes: int, **options: Any) -> pl.DataFrame:
    """Read a file with a function of the engine. Raises BadFile as it does, and TooMuch for too much memory or time."""
    call = {"module": read.__module__, "function": read.__name__, "path": str(path.resolve()), "name": name}
    with tempfile.TemporaryDirectory(prefix="ireval-apart-") as folder:
        frame = Path(folder, "frame")
        request = json.dumps({**call, "max_bytes": max_bytes, "options": options, "target": str(frame)})
        command = [sys.executable, "-m", __name__, request]
        try:
            process = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=SECONDS, check=False)  # noqa: S603  ours
        except subprocess.TimeoutExpired:
            raise TooMuch.because(name, f"reading it took more than {SECONDS} seconds") from None
        if process.returncode == REFUSED:
            refusal = json.loads(process.stdout)
            kind = TooMuch if refusal["too_much"] else BadFile
            raise kind(Problem(**problem) for problem in refusal["problems"])
        if process.returncode < 0 or any(word in process.stderr for word in NO_MEMORY):
            raise TooMuch.because(name, f"unpacks to more memory than there is for files of at most {max_bytes:,} bytes")
        if process.returncode:
            raise RuntimeError(process.stderr.decode(errors="replace"))
        for remark in json.loads(process.stdout):
            warnings.warn(remark, IgnoredInput, stacklevel=2)
        return pl.read_ipc(frame)


def main(request: str) -> int:
    call = json.loads(request)
    limit(resource.RLIMIT_DATA, FIXED_BYTES + call["max_bytes"])
    limit(resource.RLIMIT_CPU, 2 * SECONDS)  # in case the caller is gone
    read = getattr(import_module(call["module"]), call["function"])
    try:
        with ignored_input() as remarks:
            frame = read(Path(call["path"]), name=call["name"], max_bytes=call["max_bytes"], **call["options"])
        if (size := frame.estimated_size()) > call["max_bytes"]:
            raise TooMuch.because(call["name"], f"unpacks to {size:,} bytes; {call['max_bytes']:,} are accepted")
    except BadFile as bad:
        print(json.dumps({"too_much": isinstance(bad, TooMuch), "problems": [asdict(problem) for problem in bad.problems]}))
        return REFUSED
    frame.write_ipc(call["target"])
    print(json.dumps(remarks))
    return 0


def limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

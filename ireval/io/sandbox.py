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
from importlib import import_module
from pathlib import Path
from typing import Any

import polars as pl

from ireval.io.files import BadFile, IgnoredInput, Problem, TooMuch, ignored_input
from ireval.translatable import Phrase, restored, stored

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
            raise TooMuch.because(name, Phrase("reading it took more than %(n)s seconds", n=SECONDS)) from None
        if process.returncode == REFUSED:
            refusal = restored(json.loads(process.stdout))
            kind = TooMuch if refusal["too_much"] else BadFile
            raise kind(Problem(**problem) for problem in refusal["problems"])
        if process.returncode < 0 or any(word in process.stderr for word in NO_MEMORY):
            too_large = Phrase("unpacks to more memory than there is for files of at most %(most)s bytes", most=f"{max_bytes:,}")
            raise TooMuch.because(name, too_large)
        if process.returncode:
            raise RuntimeError(process.stderr.decode(errors="replace"))
        for remark in restored(json.loads(process.stdout)):
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
            too_large = Phrase("unpacks to %(n)s bytes; %(most)s are accepted", n=f"{size:,}", most=f"{call['max_bytes']:,}")
            raise TooMuch.because(call["name"], too_large)
    except BadFile as bad:
        problems = [stored(vars(problem)) for problem in bad.problems]
        print(json.dumps({"too_much": isinstance(bad, TooMuch), "problems": problems}))
        return REFUSED
    frame.write_ipc(call["target"])
    print(json.dumps(stored(remarks)))
    return 0


def limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

"""Work on a site's archive that is killed in its middle.

    python -m tests.judging.logs.dying DATABASE FILES SITE WORK [LOG]

It has the database and the files of the test that starts it, and puts nothing in order when it dies.
"""

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django


def main(database: str, files: str, site: str, work: str, *log: str) -> None:
    from django.conf import settings

    settings.DATABASES["default"]["NAME"] = database
    settings.MEDIA_ROOT = files
    django.setup()
    from judging.models import Site

    WORKS[work](Site.objects.get(pk=site), *log)


def archive(site: Any) -> None:
    """All queries have moved; events are in files, and out of their table, but nothing of that is committed."""
    from judging.logs.archive import moves
    from tests.judging.logs.test_archive import NOW

    moves.take_out = dying(moves.take_out, call=2, is_done=True)
    moves.archive(site, before=NOW)


def load(site: Any, log: str) -> None:
    """Six records are there; of six more the files are stored."""
    from judging.logs import log_import
    from judging.logs.archive import bulk_loads, files

    log_import.A_BATCH = bulk_loads.A_CHUNK = 3
    bulk_loads.MOST = dict.fromkeys(bulk_loads.MOST, 6)
    files.hold = dying(files.hold, call=2)
    log_import.import_file(site, Path(log), into_archive=True)


def erase(site: Any) -> None:
    """It has committed, and no file is deleted yet."""
    from judging.logs import erasure
    from judging.logs.archive import files

    files.forget = dying(files.forget)
    erasure.erase(site, client="c1")


def erase_uncommitted(site: Any) -> None:
    """One file is written anew, another not."""
    from judging.logs import erasure
    from judging.logs.archive import files

    files.drop = dying(files.drop)
    erasure.erase(site, client="c1")


def dying(whole: Callable[..., Any], *, call: int = 1, is_done: bool = False) -> Callable[..., Any]:
    """The same, but that the process is killed at this call, before it or when it is done."""
    calls = []

    def killed(*arguments: Any, **named: Any) -> Any:
        calls.append(arguments)
        if len(calls) == call and not is_done:
            os.kill(os.getpid(), signal.SIGKILL)
        result = whole(*arguments, **named)
        if len(calls) == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return killed


WORKS: dict[str, Callable[..., None]] = {
    "archive": archive,
    "load": load,
    "erase": erase,
    "erase uncommitted": erase_uncommitted,
}

if __name__ == "__main__":
    main(*sys.argv[1:])

"""Makes the database and the static files ready for this version of the code: `python -m ireval_site.laptop.prepare [--demo]`.

The launcher runs it in a process of its own before anything is served: a connection to the database must not be copied.
"""

import argparse
import logging
import os
import shutil
import sys
from datetime import datetime
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from ireval_site.static import pack
from judging.backups.sqlite import copy_to
from judging.backups.versions import unapplied
from judging.database import traces

BACKUPS_KEPT = 3


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m ireval_site.laptop.prepare", description=__doc__)
    parser.add_argument("--demo", action="store_true", help="load the demo collection")
    parser.add_argument("--site", default=settings.PUBLIC_URL, help="the address of this site, for the links that are printed")
    options = parser.parse_args(arguments)
    django.setup()
    if not os.environ.get("IREVAL_LOG_LEVEL"):
        logging.getLogger().setLevel(logging.WARNING)  # what it does is printed
    if settings.PACKED:
        pack(settings.PACKED)
    migrate()
    begin_quietly()
    if options.demo:
        call_command("load_demo", site=options.site)
        call_command("queue_demo_report")


def migrate() -> None:
    """Apply the missing migrations, after copying a SQLite database that has tables."""
    waiting = unapplied()
    if not waiting:
        return
    if connection.vendor == "sqlite" and connection.introspection.table_names():
        print(f"Database copied to {back_up()} before its upgrade.", flush=True)
    print(f"Applying {len(waiting)} migrations …", flush=True)
    call_command("migrate", interactive=False, verbosity=0)
    if connection.vendor == "sqlite":
        forget_free_pages()


def begin_quietly() -> None:
    """Note a sign of life: Celery starts after the first page, which must not say that background work is stopped."""
    from judging.background.status import note_end  # noqa: PLC0415  models can be read only now

    note_end("ireval_site.laptop.prepare")


def forget_free_pages() -> None:
    """Write the database file anew: earlier versions left erased data in it."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
    traces.wipe()


def back_up() -> Path:
    """Copy a SQLite database into its own folder, consistent whatever its journal holds; keep the newest few copies."""
    file = Path(connection.settings_dict["NAME"])
    copy = file.with_name(f"{file.stem}-{datetime.now():%Y%m%d-%H%M%S}.backup")
    copy_to(copy)
    shutil.copymode(file, copy)
    for old in sorted(file.parent.glob(f"{file.stem}-*.backup"))[:-BACKUPS_KEPT]:
        old.unlink()
    return copy


if __name__ == "__main__":
    main(sys.argv[1:])

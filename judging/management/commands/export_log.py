"""manage.py export_log SITE: write a site's log into a file, or onto standard output."""

import gzip
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.audit import Deed, note, quoted
from judging.logs.log_export import Exporter
from judging.management.commands._site import site_called


def moment(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    return when if when.tzinfo else when.replace(tzinfo=UTC)


class Command(BaseCommand):
    help = "Write a site's queries and events as User Behavior Insights, with pseudonyms. Imported again they are duplicates."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", help="its short name or number")
        parser.add_argument("--format", choices=["ndjson", "parquet"], default="ndjson")
        parser.add_argument("--since", type=moment, metavar="DAY", help="received from then on (2026-11-01, or with a time)")
        parser.add_argument("--until", type=moment, metavar="DAY", help="received before that")
        parser.add_argument("--output", type=Path, metavar="FILE", help="packed if it ends in .gz; else standard output")

    def handle(self, *, site: str, format: str, output: Path | None, **options: Any) -> None:
        site_row = site_called(site)
        exporter = Exporter(site_row, options["since"], options["until"])
        note(Deed.EXPORTED, f"the log of the site {quoted(site_row.name)}, as {format}", site=site_row)
        if format == "parquet":
            if output is None:
                raise CommandError("Parquet needs a file: --output FILE.")
            count = exporter.write_parquet(output)
        else:
            count = write(exporter.lines(), output)
        if output:
            self.stdout.write(f"{output.name}: {count:,} records")


def write(lines: Iterator[str], output: Path | None) -> int:
    count = 0
    with open_output(output) as file:
        for count, line in enumerate(lines, start=1):  # noqa: B007  it is the number of the last
            file.write(line.encode())
    return count


def open_output(output: Path | None) -> Any:
    if output is None:
        return open(sys.stdout.fileno(), "wb", closefd=False)
    return gzip.open(output, "wb") if output.suffix == ".gz" else open(output, "wb")

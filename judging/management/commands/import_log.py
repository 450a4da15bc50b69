"""manage.py import_log SITE FILE…: send the logs of a site in from files."""

import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from ireval.io.files import BadFile
from judging.logs.intake import STATUSES
from judging.logs.log_import import MOST_LOOKED_AT, LogImport, import_file
from judging.management.commands._site import site_called
from judging.models import Site

SECONDS = 5.0  # between two signs of life
MOST_REASONS = 10


class Command(BaseCommand):
    help = (
        "Send queries and events in from files: NDJSON, OpenSearch's bulk format, a JSON array or Parquet; packed (gz, xz, zst) "
        "or not. Start it again if it was interrupted: what is there already is a duplicate."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("site", help="its short name or number")
        parser.add_argument(
            "--archive", action="store_true", help="write files of the archive at once: quicker for millions of records"
        )
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")

    def handle(self, *, site: str, files: list[Path], archive: bool, **options: Any) -> None:
        site_row = site_called(site)
        problems = [problem for path in files for problem in self.import_one(site_row, path, into_archive=archive)]
        if problems:
            raise CommandError(
                "\n".join([*problems, "What came before that is there; import the whole file again when it is put right."])
            )

    def import_one(self, site: Site, path: Path, *, into_archive: bool) -> list[str]:
        """What was wrong with the file as a whole; what is wrong with single records is in quarantine."""
        last_line = time.monotonic()

        def tell(done: LogImport) -> None:
            nonlocal last_line
            if time.monotonic() - last_line > SECONDS:
                self.stdout.write(f"{path.name}: {done.lines:,} read, {done.records:,} records taken …")
                last_line = time.monotonic()

        try:
            done = import_file(site, path, into_archive=into_archive, progress=tell)
        except BadFile as bad:
            return list(map(str, bad.problems))
        except OSError as error:
            return [f"{path}: cannot be read: {error.strerror or error}"]
        for line in [counts_line(path, done), *refusals(done), *deviations(done)]:
            self.stdout.write(line)
        return []


def counts_line(path: Path, done: LogImport) -> str:
    return f"{path.name}: {done.records:,} records: " + ", ".join(f"{done.counts[status]:,} {status}" for status in STATUSES)


def refusals(done: LogImport) -> list[str]:
    """The most frequent reasons."""
    reasons = sorted(done.refusals.items(), key=lambda reason: -reason[1][0])
    return [f"  refused: {count:,} × {why}, first on line {line:,}" for why, (count, line) in reasons[:MOST_REASONS]]


def deviations(done: LogImport) -> list[str]:
    where = f" in the first {MOST_LOOKED_AT:,} lines" if done.lines > MOST_LOOKED_AT else ""
    try:
        kinds = done.deviations().entries
    except BadFile as bad:
        return [f"  {problem.message}{where}: no clicks can be counted" for problem in bad.problems]
    return [
        f"  {deviation.kind}: {deviation.cases:,}{where}, first on line {deviation.line:,}: {deviation.meaning}"
        for deviation in kinds
    ]

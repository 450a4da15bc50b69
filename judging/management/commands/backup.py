"""manage.py backup FILE: everything that is needed to go on elsewhere, in one file, while the application runs."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import filesizeformat

from judging.backups.archive import BackupProblem
from judging.backups.backup import back_up

WITH_KEY = "The secret key is in it: keep it where nobody else reads it."
WITHOUT_KEY = "SECRET_KEY is not in it: keep that, too, somewhere else."


class Command(BaseCommand):
    help = "Write the database and all stored files into a new file, while the application runs. More: docs/how-to/backup.md."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a new one, such as ireval.tar.zst")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            made = back_up(file)
        except (BackupProblem, OSError) as problem:
            raise CommandError(f"No backup was made. {problem}") from problem
        self.stdout.write(f"{file}: the database and {made.files:,} files, {filesizeformat(file.stat().st_size)}.")
        key = (
            "The secret key is in it: keep it where nobody else reads it."
            if made.has_key
            else "SECRET_KEY is not in it: keep it, too."
        )
        self.stdout.write(key)
        if made.missing:
            self.stderr.write(f"{len(made.missing)} files are missing that the database names: {', '.join(made.missing[:5])}")

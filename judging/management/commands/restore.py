"""manage.py restore FILE: a backup into an empty place."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.backups.archive import BackupProblem
from judging.backups.restore import restore

OTHER_KEY = """SECRET_KEY is another one here. Set the former one before anybody comes: without it sent links are dead and
participants are strangers. If it is in the backup: tar --zstd -xOf FILE secret.key"""


class Command(BaseCommand):
    help = "Fill an empty database and file storage from a backup, after verifying all of it. Stop the application first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="what manage.py backup has written")

    def handle(self, *, file: Path, **options: Any) -> None:
        try:
            restored = restore(file)
        except (BackupProblem, OSError) as problem:
            raise CommandError(str(problem)) from problem
        self.stdout.write(f"Restored the backup of {restored.made}. Now start the application.")
        if restored.missing:
            self.stderr.write(f"{len(restored.missing)} files were missing already when it was made.")
        if restored.needs_key:
            self.stderr.write(OTHER_KEY)

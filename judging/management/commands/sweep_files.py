"""manage.py sweep_files: clear away stored files that no row names, as happens every 15 minutes."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from judging.collections import orphans


class Command(BaseCommand):
    help = "Bring stored files that no row names to the trash, and back from there those that one names."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--anyway", action="store_true", help="the files do belong to this database, and however many may go (for 30 days)"
        )

    def handle(self, *, anyway: bool, **options: Any) -> None:
        self.stdout.write(orphans.sweep(anyway=anyway) or "The stored files are in order.")

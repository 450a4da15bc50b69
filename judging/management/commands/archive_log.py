"""manage.py archive_log SITE: move a site's records of past days from the database into files."""

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from judging.logs.archive import moves
from judging.management.commands._site import site_called
from judging.management.commands.export_log import moment


class Command(BaseCommand):
    help = "Move what a site sent on past days from the database into files, where reports read it faster. Nothing is lost."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="its short name or number")
        parser.add_argument("--before", type=moment, metavar="DAY", help="received on days before that; else before today")

    def handle(self, *, site: str, before: datetime | None, **options: Any) -> None:
        moved = moves.archive(site_called(site), before=before or timezone.now())
        self.stdout.write(f"Archived {moved:,} records.")

"""manage.py erase_searcher SITE --client ID: forget somebody who searched."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from judging.logs.erasure import erase, trail_of
from judging.management.commands._site import site_called


class Command(BaseCommand):
    help = "Delete all that a site's log holds of a client or user. It cannot be undone."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("site", help="its short name or number")
        parser.add_argument("--client", default="", metavar="ID", help="the client_id, or its pseudonym")
        parser.add_argument("--user", default="", metavar="ID", help="the user_id, or its pseudonym")
        parser.add_argument("--preview", action="store_true", help="only say how much there is")

    def handle(self, *, site: str, client: str, user: str, preview: bool, **options: Any) -> None:
        client, user = client.strip(), user.strip()
        if not client and not user:
            raise CommandError("Say whom to forget: --client ID, --user ID, or both.")
        site_row = site_called(site)
        if preview:
            self.stdout.write(f"There are {trail_of(site_row, client=client, user=user).counts}.")
        else:
            self.stdout.write(f"Erased {erase(site_row, client=client, user=user)}.")

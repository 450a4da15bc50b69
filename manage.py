#!/usr/bin/env python
import contextlib
import os
import sys

from django.core.management import BaseCommand, ManagementUtility
from django.db import DatabaseError, connection

from ireval_site.startup import loading


class Utility(ManagementUtility):
    """Django's own, which loads the applications without the garbage collector."""

    def execute(self) -> None:
        with contextlib.ExitStack() as self.loads:
            self.loads.enter_context(loading())
            super().execute()

    def fetch_command(self, subcommand: str) -> BaseCommand:
        """Called once all are loaded, and before the command begins, which may run long."""
        command = super().fetch_command(subcommand)
        self.loads.close()
        return command


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
    try:
        Utility(sys.argv).execute()
    except DatabaseError:
        if connection.introspection.table_names():
            raise
        # What a newcomer meets who makes an account before the first start, or in another terminal than the server's.
        sys.exit(
            f"There are no tables in {connection.settings_dict['NAME']} yet. Start the application there once "
            "(make serve), or run manage.py migrate. A server's IREVAL_DATA or DATABASE_URL must be set in this terminal, too."
        )


if __name__ == "__main__":
    main()

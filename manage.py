#!/usr/bin/env python
import os
import sys

from django.core.management import execute_from_command_line
from django.db import DatabaseError, connection


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
    try:
        execute_from_command_line(sys.argv)
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

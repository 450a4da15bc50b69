"""manage.py read_qrels: read the qrels into rows whose file was missing when the database was upgraded, and is back."""

from typing import Any

from django.core.management.base import BaseCommand

from judging.collections import qrels_migration


class Command(BaseCommand):
    help = "Read qrels into the database whose file was missing when it was upgraded, and has been put back."

    def handle(self, **options: Any) -> None:
        problems = qrels_migration.read_all()
        for problem in problems:
            self.stderr.write(problem)
        self.stdout.write(f"{len(problems)} without grades." if problems else "All qrels are in the database.")

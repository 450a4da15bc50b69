"""Asks for the report on the demo's weaknesses: four rankings under the mappings that came with its documents."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.management.commands.load_demo import PREFIX, USERNAME
from judging.models import Collection
from metrics.demo import request_reports
from metrics.models import Report

NAME = f"{PREFIX}software weaknesses"
TITLE, RUNS = "Four rankings under the catalogue's own mappings", 4


class Command(BaseCommand):
    help = "Queue a report on the demo's weaknesses, unless they have one. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        """The launcher runs it at every start: whatever people did with the demo meanwhile must not stop that."""
        demo = Collection.objects.filter(owner__username=USERNAME, name__startswith=PREFIX)
        if not demo:
            raise CommandError("There is no demo collection. Load it first: manage.py load_demo")
        collection = demo.filter(name__startswith=NAME).first()
        if collection and lacks_report(collection):
            report = request_reports(collection, title=TITLE)
            self.stdout.write(f"The report “{report}” is {report.get_state_display().lower()}.")


def lacks_report(collection: Collection) -> bool:
    """Whether the report can be asked for, and nobody has one on any of the collection's runs."""
    has_evidence = collection.runs.count() == RUNS and collection.qrels.exists()
    return has_evidence and not Report.objects.filter(kind=Report.Kind.RUNS, collection=collection).exists()

"""Asks for the report on the demo's weaknesses: four rankings under the mappings that came with its documents."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.models import Collection
from metrics.demo import request_reports

TITLE = "Four rankings under the catalogue's own mappings"


class Command(BaseCommand):
    help = "Queue a report on the demo collection. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        demo = Collection.objects.filter(owner__username="demo", shared=True, name__startswith="Demo: ")
        collection = demo.filter(studies__isnull=True).first()
        if collection is None:
            raise CommandError("There is no demo collection. Load it first: manage.py load_demo")
        report = request_reports(collection, title=TITLE)
        self.stdout.write(f"The report “{report}” is {report.get_state_display().lower()}.")

"""Asks for the demo's report: its four rankings under the mappings that came with its documents."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judging.models import Collection
from metrics.kinds.runs.question import request_report

TITLE = "Four rankings under the catalogue's own mappings"


class Command(BaseCommand):
    help = "Queue a report on the demo collection. Running it again changes nothing."

    def handle(self, *args: Any, **options: Any) -> None:
        collection = Collection.objects.filter(owner__username="demo", shared=True, name__startswith="Demo: ").first()
        if collection is None:
            raise CommandError("There is no demo collection. Load it first: manage.py load_demo")
        qrels = collection.qrels.filter(study__isnull=True).order_by("pk")[:1]
        report = request_report(
            collection=collection, runs=list(collection.runs.all()), qrels=list(qrels), title=TITLE, by=collection.owner
        )
        self.stdout.write(f"The report “{report}” is {report.get_state_display().lower()}.")

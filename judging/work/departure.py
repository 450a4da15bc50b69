"""The departure of a worker who is done, or may not go on."""

from django.db import transaction
from django.utils import timezone

from judging.models import Arrival, Worker
from judging.work import assignment


def leave(worker: Worker, outcome: str) -> Arrival | None:
    """The worker is done, or may not go on: what they hold goes to others, and the first outcome stands.

    None for a worker who came by no marketplace.
    """
    with transaction.atomic():
        assignment.give_back(worker)
        working = Arrival.objects.filter(worker=worker, outcome=Arrival.Outcome.WORKING)
        working.update(outcome=outcome, ended=timezone.now())
    return Arrival.objects.select_related("channel").filter(worker=worker).first()

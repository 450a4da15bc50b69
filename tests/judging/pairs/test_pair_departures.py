"""The way out of a side-by-side study for a marketplace's participants."""

import pytest

from judging.models import Arrival, Worker
from judging.recruiting import channels
from judging.views import arrivals as arrive
from judging.work import assignment
from tests.judging.recruiting.participants import agree

pytestmark = pytest.mark.django_db


def test_stopping_completes_only_with_the_pairs_that_the_study_asks_for(client, comparing, researcher, prefer):
    comparing.most_judgements = 2
    comparing.save()
    agree(client, channels.add_channel(comparing, by=researcher, source="prolific", signed_links=False, completed_code="CDONE"))
    for outcome in ("working", "completed"):
        worker = Worker.objects.select_related("study").get()
        prefer(worker, assignment.next_slots(worker)[0], ahead=1)
        for _ in range(2):
            arrive.stop(worker)
        assert Arrival.objects.get().outcome == outcome

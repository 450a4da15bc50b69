"""A study's pages are in their reader's language; what is stored, and files, are in English."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from judging.labels.settlement import settle_as_qrels
from judging.models import AuditEntry
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.studies import request_study_report

pytestmark = pytest.mark.django_db
ITALIAN = {"Accept-Language": "it"}


@pytest.fixture
def rita(client, researcher):
    client.force_login(researcher)
    return client


def test_reasons_of_flags_are_stored_in_english_and_read_in_italian(rita, crowd, compute, researcher):
    crowd.rules.create(signal="commonest", threshold=0.5, least=5, action="warned", created_by=researcher)
    compute(request_study_report(QUALITY, crowd))
    page = rita.get(reverse("study_quality_workers", args=[crowd.pk]), headers=ITALIAN).content.decode()
    assert "50 %: una regola di questo studio dice da 50 % in su" in page
    assert "a rule of this study says" not in page
    file = rita.get(reverse("study_quality_download", args=[crowd.pk, "workers.csv"]), headers=ITALIAN).content.decode()
    assert "a rule of this study says from 50 %" in file


def test_ways_to_settle_are_kept_in_english_and_chosen_in_italian(rita, crowd):
    address = reverse("study_results", args=[crowd.pk])
    assert "Modello ordinale" in rita.get(address, headers=ITALIAN).content.decode()
    rita.post(reverse("study_settle", args=[crowd.pk]), {"method": "majority"}, headers=ITALIAN)
    kept = crowd.qrels.get()
    assert kept.description.startswith("Majority of ")
    assert kept.recipe["caution"].startswith("The confidence is")
    page = rita.get(reverse("qrels", args=[kept.pk]), headers=ITALIAN).content.decode()
    assert "Maggioranza: " in page
    assert "Majority of " not in page


def test_what_people_wrote_of_qrels_stays_as_they_wrote_it(rita, crowd):
    kept = settle_as_qrels(crowd, by=crowd.created_by)
    for text in (
        '{"template": "Half of a',
        '{"template": 3}',
        '{"template": "%(n)s", "values": {}}',
        '{"template": "%(n)9d", "values": {"n": 1}}',
        "value",
    ):
        kept.description = text
        kept.save()
        kept.refresh_from_db()
        assert kept.description == text
        assert escape(text) in rita.get(reverse("qrels", args=[kept.pk]), headers=ITALIAN).content.decode()


def test_history_is_written_in_english_and_read_in_italian(rita, crowd):
    worker = crowd.workers.first()
    address = reverse("study_worker", args=[crowd.pk, worker.pk])
    rita.post(address, {"standing": "excluded", "reason": "all the same"}, headers=ITALIAN)
    assert AuditEntry.objects.get(deed="excluded").about == f"{worker}, excluded: all the same"
    history = rita.get(reverse("study_history", args=[crowd.pk]), headers=ITALIAN).content.decode()
    assert "Valutatore escluso o avvisato" in history
    file = rita.get(reverse("study_history_file", args=[crowd.pk]), headers=ITALIAN).content.decode()
    assert "Excluded or warned a worker" in file
    assert "Valutatore" not in file


@pytest.mark.parametrize("action", ["exclude", "message"])
def test_what_is_done_to_several_says_so_in_italian(rita, crowd, action):
    keys = list(crowd.workers.values_list("pk", flat=True))
    page = rita.post(reverse("workers_act", args=[crowd.pk]), {"action": action, "row": keys}, headers=ITALIAN).content.decode()
    assert "3 valutatori" in page
    response = rita.post(reverse("workers_act", args=[crowd.pk]), {"action": action, "row": keys[:1]}, headers=ITALIAN)
    assert "1 valutatore" in response.content.decode()

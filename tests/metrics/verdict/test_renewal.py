"""Verdicts are decided anew at night, if their evidence has changed and somebody looks at them."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.collections import hypotheses
from judging.collections.storage import store_qrels
from judging.models import Outbox
from judging.models.hypothesis import USUAL
from judging.recruiting.invites import token_of
from metrics import pipeline, tasks
from metrics.kinds import renewal
from metrics.kinds.renewal import renew_reports
from metrics.models import Report
from metrics.shared_links import share
from tests.metrics.verdict.conftest import frame

pytestmark = pytest.mark.django_db


@pytest.fixture
def answered(hypothesis, computed):
    return computed(hypothesis)


@pytest.fixture
def change(collection, researcher):
    """Change the evidence of every verdict on the birds."""
    return lambda: store_qrels(
        frame([("100", "b0", 2), ("101", "b1", 1)], ["topic", "docno", "grade"]), collection=collection, name="new", by=researcher
    )


def last_looked(report, days):
    Report.objects.filter(pk=report.pk).update(looked=timezone.now() - timedelta(days=days))


def test_nothing_is_asked_while_nothing_has_changed(answered):
    messages = Outbox.objects.count()
    assert renew_reports(timezone.now()) == 0
    assert list(Report.objects.all()) == [answered]
    assert Outbox.objects.count() == messages


def test_it_is_asked_anew_once_when_evidence_has_changed(answered, change, computed):
    change()
    assert renew_reports(timezone.now()) == 1
    assert pipeline.latest_reports("verdict", answered.subject).waiting
    assert renew_reports(timezone.now()) == 0
    assert computed(answered.subject).pk != answered.pk
    assert renew_reports(timezone.now()) == 0


@pytest.mark.parametrize(("days", "renewed"), [(29, 1), (31, 0)])
def test_it_is_renewed_as_long_as_somebody_looks(answered, change, days, renewed):
    last_looked(answered, days)
    change()
    assert renew_reports(timezone.now()) == renewed


def test_to_open_its_page_or_a_shared_link_is_a_look(rita, answered, change, researcher):
    address = reverse("shared", args=[token_of(share(answered.subject, days=30, by=researcher))])
    for browser, path in ((rita, reverse("verdict", args=[answered.hypothesis_id])), (Client(), address)):
        last_looked(answered, 31)
        assert browser.get(path).status_code == 200
        answered.refresh_from_db()
        assert timezone.now() - answered.looked < timedelta(minutes=1)


def test_a_look_is_noted_once_a_day(answered):
    last_looked(answered, 0.5)
    answered.refresh_from_db()
    before = answered.looked
    pipeline.note_look(answered)
    answered.refresh_from_db()
    assert answered.looked == before


def test_to_renew_is_no_look(answered, change):
    last_looked(answered, 20)
    answered.refresh_from_db()
    change()
    renew_reports(timezone.now())
    assert Report.objects.get(state="waiting").looked == answered.looked


def test_a_night_has_room_for_so_many_and_none_is_passed_over_for_ever(
    systems, answered, researcher, change, computed, monkeypatch
):
    """One that is up to date takes no room from those that are not; the oldest is first."""
    monkeypatch.setattr(renewal, "MOST_A_NIGHT", 1)
    a, b = systems["dense"], systems["lexical"]
    second, third = (hypotheses.ask(a, b, by=researcher, expectations=USUAL) for _ in range(2))
    computed(second)
    computed(third)
    change()
    computed(answered.subject)
    Report.objects.filter(hypothesis=answered.subject).update(finished=timezone.now() - timedelta(days=9))
    for expected in ({second}, {second, third}):
        assert renew_reports(timezone.now()) == 1
        assert {report.hypothesis for report in Report.objects.filter(state="waiting")} == expected
    assert renew_reports(timezone.now()) == 0


def test_one_that_failed_waits_for_a_person(answered, collection, computed):
    collection.qrels.all().delete()
    assert renew_reports(timezone.now()) == 1
    assert computed(answered.subject).state == "failed"
    assert renew_reports(timezone.now()) == 0


@pytest.mark.parametrize(("hours", "asked"), [(2, 0), (4, 1), (30, 1)], ids=["same night", "next night", "night slept through"])
def test_it_is_asked_anew_once_a_night(answered, change, computed, hours, asked):
    with time_machine.travel(datetime(2026, 11, 26, 0, tzinfo=UTC), tick=False) as clock:
        Report.objects.update(looked=timezone.now())
        tasks.renew_reports()
        clock.shift(timedelta(hours=hours))
        change()
        tasks.renew_reports()
        assert Report.objects.filter(state="waiting").count() == asked
        change()
        tasks.renew_reports()
        assert Report.objects.filter(state="waiting").count() == asked

"""Preference against a measure: whether the metric agrees with people, and marks as qrels to measure by."""

import polars as pl
import pytest
from django.core.cache import cache
from django.urls import reverse

from ireval import evaluate
from judging.collections.storage import qrels_frame, run_frame, store_qrels
from judging.models import AuditEntry
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.studies import request_study_report
from tests.metrics.preferences.test_pages import between, page

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("judged")]


@pytest.fixture
def official(judged, researcher):
    """What beta finds is relevant on odd topics, what alpha finds on even ones."""
    rows = [(str(n), docno, 1) for n in range(1, 12) for docno in (["d2", "d6"] if n % 2 else ["d1", "d4"])]
    frame = pl.DataFrame(rows, schema=["topic", "docno", "grade"], orient="row")
    return store_qrels(frame, collection=judged.collection, name="official", by=researcher)


def test_it_says_whether_the_metric_agrees_with_people(rita, judged, report, official):
    shown = page(rita, judged, "study_preferences_measure", between(judged, "beta", "alpha"))
    assert "On 6 of 10 topics where both decide, workers and nDCG@10 prefer the same system (60 %" in shown
    assert "cannot be told yet" in shown
    assert "Kendall" in shown
    assert "know 11 of 12 topics" in shown
    assert 'data-figure="preferences-figure"' in shown


def test_differences_are_those_of_the_engine(rita, judged, report, official):
    runs = {run.name: run for run in judged.runs.all()}
    grades = qrels_frame(official)
    values = {name: evaluate(run_frame(runs[name]), grades, ["AP"]).values for name in ("alpha", "beta")}
    both = values["beta"].join(values["alpha"], on="topic", suffix="_other")
    query = between(judged, "beta", "alpha") + f"&qrels={official.pk}&measure=AP&sort=topic"
    shown = page(rita, judged, "study_preferences_topics", query)
    for row in both.to_dicts():
        assert f"{row['AP'] - row['AP_other']:+.4f}".replace("-", "−") in shown


def test_lower_is_better_where_it_is(rita, judged, report, official):
    """By search length the sign turns, so that above 0 is still better for the first."""
    from metrics.kinds.preferences.measure_agreement import differences_of

    runs = {run.name: run for run in judged.runs.all()}
    by_rank = differences_of(runs["beta"], runs["alpha"], official, "RR")
    assert by_rank["1"] > 0 > by_rank["2"]


def test_values_are_kept(rita, judged, report, official, monkeypatch):
    cache.clear()
    address = between(judged, "beta", "alpha")
    before = page(rita, judged, "study_preferences_measure", address)
    monkeypatch.setattr("metrics.kinds.preferences.measure_agreement.evaluate", None)
    assert page(rita, judged, "study_preferences_measure", address).count("<td") == before.count("<td")


def test_a_measure_that_does_not_exist_is_complained_of(rita, judged, report, official):
    for measure in ("nonsense", "NumRet", "AP,RR"):
        shown = page(rita, judged, "study_preferences_measure", f"?measure={measure}")
        assert 'class="alert warning"' in shown


def test_without_qrels_it_says_what_to_do(rita, judged, report):
    shown = page(rita, judged, "study_preferences_measure")
    assert "No qrels to measure by" in shown
    assert f"/collections/{judged.collection_id}/add/" in shown
    assert "Keep the marks as qrels" not in shown


def test_marks_are_kept_as_qrels_and_measured_by(rita, researcher, comparing, make_worker, judge_everything, compute):
    comparing.comparison.marks_results = True
    comparing.comparison.save()
    judge_everything(make_worker(comparing), beside=lambda topic, step: {"marks": [[0, 0, 1], [1, 0, 0]]})
    compute(request_study_report(PREFERENCES, comparing))
    assert "Keep the marks as qrels" in page(rita, comparing, "study_preferences_measure")
    shown = rita.post(reverse("study_marks_settle", args=[comparing.pk]), follow=True).content.decode()
    kept = comparing.qrels.get()
    assert f"Kept as the qrels “{kept}”" in shown
    assert "where both decide" in shown
    assert AuditEntry.objects.get(deed="settled").by == researcher
    again = rita.post(reverse("study_marks_settle", args=[comparing.pk]), follow=True).content.decode()
    assert "No mark has changed" in again
    assert comparing.qrels.get() == kept


def test_nothing_marked(rita, judged, report):
    shown = rita.post(reverse("study_marks_settle", args=[judged.pk]), follow=True).content.decode()
    assert "No result has been marked" in shown

"""Reports over qrels that grade by subtopic."""

import polars as pl
import pytest
from django.urls import reverse

from ireval.io.qrels import SUBTOPIC_SCHEMA
from judging.collections.storage import store_qrels
from metrics.kinds.runs.results import outcomes

pytestmark = pytest.mark.django_db

GRADES = [("1", "d1", 1, "a"), ("1", "d1", 0, "b"), ("1", "d4", 1, "b"), ("1", "d9", 1, "c"), ("2", "d3", 1, "a")]


@pytest.fixture
def diverse(collection, researcher):
    frame = pl.DataFrame(GRADES, schema=SUBTOPIC_SCHEMA, orient="row")
    return store_qrels(frame, collection=collection, name="diverse", by=researcher, recipe={"subtopics": "4"})


def test_intent_aware_measures_tell_subtopics_apart_and_others_do_not(ask, compute, runs, diverse):
    """alpha shows d1 d2 d4 for topic 1 and d3 d5 d6 for topic 2."""
    report = compute(ask(runs=[runs[0]], qrels=[diverse], measures=["StRecall@2", "P_IA@3", "P@3"]))
    means = {name: estimate.mean for name, estimate in outcomes(report)[0].means.items()}
    assert means == pytest.approx({"StRecall@2": (1 / 3 + 1) / 2, "P_IA@3": (2 / 9 + 1 / 3) / 2, "P@3": (2 / 3 + 1 / 3) / 2})


def test_an_intent_aware_measure_over_qrels_without_subtopics_says_that_it_is_blind(ask, compute, diverse, qrels, rita):
    sentence = "names no subtopics: alpha_nDCG@5 sees one intent a topic there, which says nothing about diversity."
    report = compute(ask(qrels=[diverse, qrels], measures=["alpha_nDCG@5", "P@3"]))
    overview = rita.get(f"/reports/{report.pk}/").content.decode()
    assert f"“ornithologists” {sentence}" in overview and f"“diverse” {sentence}" not in overview
    for tab in ("differences/?", "agreement/?", "topic/?topic=1&"):
        for source, measure, is_said in ((qrels, "alpha_nDCG@5", True), (diverse, "alpha_nDCG@5", False)):
            html = rita.get(f"/reports/{report.pk}/{tab}qrels={source.pk}&measure={measure}").content.decode()
            assert (sentence in html) is is_said, tab
    ordinary = rita.get(f"/reports/{report.pk}/differences/?qrels={qrels.pk}&measure=P@3").content.decode()
    assert "names no subtopics" not in ordinary
    assert sentence in " ".join(rita.get(f"/api/v1/reports/{report.pk}/").json()["cautions"])


def test_the_form_tells_which_measures_and_which_qrels_are_by_subtopic(rita, collection, runs, diverse):
    html = rita.get(f"/reports/new/?collection={collection.pk}").content.decode()
    assert "alpha_nDCG@10 · Discounted gain of novelty, normalised, for qrels by subtopic" in html
    assert "AP · Average precision, for qrels" not in html
    assert "by 4 subtopics" in html


def test_the_page_says_what_the_measures_saw(ask, compute, diverse, qrels, rita):
    sentence = "By 4 subtopics: intent-aware measures tell these apart, all others take a document’s highest grade"
    for source, is_said in ((diverse, True), (qrels, False)):
        report = compute(ask(qrels=[source], measures=["P@3"]))
        assert (sentence in rita.get(reverse("report", args=[report.pk])).content.decode()) is is_said

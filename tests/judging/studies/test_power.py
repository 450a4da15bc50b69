"""Which difference between systems a study could detect, and where the spread comes from."""

import numpy as np
import polars as pl
import pytest
from django.urls import reverse

from ireval import evaluate, smallest_difference
from judging.access import qrels_for
from judging.collections.storage import store_qrels, store_run
from judging.models import Qrels, Topic
from judging.studies import power
from judging.studies.power import PUBLISHED, detection

FILES = {"AP": "adhoc8_ap", "P@10": "adhoc8_p10", "RR": "adhoc8_rr", "nDCG@20": "web2013_ndcg20"}


@pytest.mark.parametrize("measure", PUBLISHED)
def test_the_published_spread_is_the_median_over_pairs_of_systems(shared_data, measure):
    scores = pl.read_csv(shared_data / "significance_urbano2019" / f"{FILES[measure]}.csv").to_numpy()
    first, second = np.triu_indices(scores.shape[1], 1)
    assert PUBLISHED[measure] == pytest.approx(np.median((scores[:, first] - scores[:, second]).std(axis=0, ddof=1)), abs=0.005)


@pytest.mark.django_db
def test_without_qrels_it_is_the_published_one(study, researcher):
    forecast = detection(study, 50, readable=qrels_for(researcher))
    assert (forecast.topics, forecast.comparisons, forecast.power, forecast.alpha) == ([50, 100, 200], 1, 0.8, 0.05)
    assert "TREC 8" in forecast.source
    ap = next(row for row in forecast.rows if row.measure == "AP")
    assert ap.smallest == [pytest.approx(smallest_difference(count, 0.16)) for count in (50, 100, 200)]
    assert round(ap.smallest[0], 3) == 0.065
    assert ap.needed == 83
    for row in forecast.rows:
        assert row.smallest == sorted(row.smallest, reverse=True)


@pytest.mark.django_db
def test_two_topics_detect_nothing_and_more_runs_need_more(study, researcher, collection):
    readable = qrels_for(researcher)
    assert [row.smallest[0] for row in detection(study, 2, readable=readable).rows if row.measure == "RR"] == [None]
    before = detection(study, 50, readable=readable).rows[0].smallest[0]
    frame = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "score": [1.0]})
    study.runs.add(store_run(frame, collection=collection, name="gamma", by=researcher))
    forecast = detection(study, 50, readable=readable)
    assert forecast.comparisons == 3
    assert forecast.rows[0].smallest[0] > before


@pytest.fixture
def graded(study, collection, researcher):
    """Twelve topics, two runs that rank the same four documents in other orders, and qrels that grade one a topic."""
    topics = [f"t{n}" for n in range(12)]
    Topic.objects.bulk_create(Topic(collection=collection, number=topic, title=topic) for topic in topics)
    docnos, runs = ["d1", "d2", "d3", "d4"], []
    for name, turn in (("one", 1), ("two", 3)):
        rows = [(topic, docnos[(at + turn * n) % 4], 9.0 - at) for n, topic in enumerate(topics) for at in range(4)]
        frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
        runs.append(store_run(frame, collection=collection, name=name, by=researcher))
    study.runs.set(runs)
    grades = pl.DataFrame({"topic": topics, "docno": ["d1"] * 12, "grade": [1] * 12})
    store_qrels(grades, collection=collection, name="settled", by=researcher)
    return study


@pytest.mark.django_db
def test_with_qrels_it_is_that_of_the_studys_own_runs(graded, researcher):
    from judging.collections.storage import qrels_frame, run_frame

    forecast = detection(graded, 12, readable=qrels_for(researcher))
    assert "“settled”" in forecast.source
    first, second = (
        evaluate(run_frame(run), qrels_frame(Qrels.objects.get()), "RR").values["RR"] for run in graded.runs.order_by("name")
    )
    row = next(row for row in forecast.rows if row.measure == "RR")
    assert row.deviation == pytest.approx((first - second).std())
    assert row.deviation > 0


@pytest.mark.django_db
def test_qrels_that_are_not_to_be_read_or_grade_little_do_not_count(graded, researcher, monkeypatch):
    assert "TREC 8" in detection(graded, 12, readable=Qrels.objects.none()).source
    monkeypatch.setattr(power, "MOST_ROWS", 10)
    assert "TREC 8" in detection(graded, 12, readable=qrels_for(researcher)).source
    monkeypatch.undo()
    Qrels.objects.update(topic_count=9)
    assert "TREC 8" in detection(graded, 12, readable=qrels_for(researcher)).source


@pytest.mark.django_db
def test_the_page_says_it_with_its_conventions(client, researcher, study):
    client.force_login(researcher)
    page = client.get(reverse("study_launch", args=[study.pk])).content.decode()
    for phrase in ("What it could find out", "Paired t test", "power 0.8", "α 0.05", "nDCG@20", "Urbano et al., SIGIR 2019"):
        assert phrase in page

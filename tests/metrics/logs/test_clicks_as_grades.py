"""Clicks kept as qrels: calibrated on workers' grades, previewed, stored once, used by reports."""

import csv

import numpy as np
import polars as pl
import pytest
from django.test import Client
from django.urls import reverse

from judging.collections.storage import qrels_frame, qrels_table, store_qrels, store_run
from judging.labels.click_labels import CannotKeep, settle_clicks
from judging.logs.intake import receive
from judging.models import AuditEntry, Collection, Document, Qrels, Topic
from tests.ireval.clicks.builders import judged_log
from tests.metrics.logs.clicked_log import NOON, computed, search

pytestmark = pytest.mark.django_db

QUERIES, DOCUMENTS = 12, 10


@pytest.fixture
def collection(researcher):
    """Twelve topics and ten documents each."""
    made = Collection.objects.create(name="Simulated shop", owner=researcher)
    Topic.objects.bulk_create(Topic(collection=made, number=str(n + 1), title=f"Query  NUMBER {n}") for n in range(QUERIES))
    Document.objects.bulk_create(Document(collection=made, docno=f"d{n}", text="-") for n in range(DOCUMENTS))
    return made


@pytest.fixture
def log():
    """Impressions of people who look at rank k with a chance of 1 / k, and the grades that they click by."""
    return judged_log(3, queries=QUERIES, impressions=60, documents=DOCUMENTS)


def topic_frame(judged: pl.DataFrame) -> pl.DataFrame:
    topic = (pl.col("query").cast(pl.Int64) + 1).cast(pl.String)
    return judged.select(topic=topic, docno="d" + pl.col("document"), grade=pl.col("grade").cast(pl.Int32))


@pytest.fixture
def workers(collection, log, researcher):
    """Grades of the first seven topics."""
    judged = topic_frame(log[1]).filter(pl.col("topic").cast(pl.Int64) <= 7)
    return store_qrels(judged, collection=collection, name="workers", by=researcher, source_name="workers.qrels")


@pytest.fixture
def searched(site, collection, log):
    site.collection = collection
    site.save()
    rows = log[0].group_by("impression", maintain_order=True).agg("query", "document", "clicks")
    records = []
    for number, (impression, query, document, clicks) in enumerate(rows.iter_rows()):
        shown = [f"d{identifier}" for identifier in document]
        clicked = [name for name, click in zip(shown, clicks, strict=True) if click]
        records += search(
            impression, f"query number {query[0]}", " ".join(shown), " ".join(clicked), who=f"c{number % 40}", minute=number
        )
    receive(site, records)
    return site


def preview(client, site, **query):
    return client.get(reverse("site_clicks_grades", args=[site.pk]), query)


def keep(client, site, **choice):
    from metrics.models import Report

    report = Report.objects.filter(site=site).first()
    return client.post(reverse("site_clicks_keep", args=[site.pk]), {"report": report and report.pk, **choice}, follow=True)


def test_a_preview_says_how_far_to_trust_grades_and_keeps_nothing(rita, searched, workers):
    computed(searched)
    answer = preview(rita, searched)
    labels = answer.context["labels"]
    assert labels.topic_count == QUERIES
    assert labels.implicit.queries == 7
    assert labels.agreement["pairs"].clicks.value > 0.8
    assert set(labels.agreement) == {"kendall_b", "spearman", "pairs", "kappa"}
    content = answer.content.decode()
    assert "Keep as qrels" in content
    assert Qrels.objects.count() == 1


def test_what_was_previewed_is_kept_with_who_how_and_from_what(rita, researcher, searched, workers):
    report = computed(searched)
    shown = preview(rita, searched).context["labels"].frame
    answer = keep(rita, searched, model="position-based", workers=workers.pk)
    kept = Qrels.objects.latest("pk")
    assert answer.redirect_chain[-1][0] == reverse("qrels", args=[kept.pk])
    assert str(kept) == "clicks of Bird shop, position-based model"
    assert kept.sparse
    assert kept.created_by == researcher
    assert kept.recipe["method"] == "clicks, position-based model"
    assert kept.recipe["calibrated on"].startswith("workers: ")
    assert kept.recipe["impressions"] == report.result["impressions"] == 60 * QUERIES
    stored = qrels_table(kept)
    assert {"estimate", "low", "high", "support", "confidence", "p0", "p3"} <= set(stored.columns)
    assert stored.rows() == shown.select(stored.columns).sort("topic", "docno").rows()
    entry = AuditEntry.objects.get(deed="settled")
    assert (entry.by, entry.collection, entry.site) == (researcher, kept.collection, searched)
    downloaded = rita.get(reverse("qrels_download", args=[kept.pk, "csv"])).content.decode()
    assert next(csv.DictReader(downloaded.splitlines()))["support"]


def test_grades_are_those_of_workers_more_often_than_not(rita, searched, workers, log):
    """Also on topics that nobody judged."""
    computed(searched)
    keep(rita, searched)
    clicks = qrels_frame(Qrels.objects.latest("pk")).join(topic_frame(log[1]), on=["topic", "docno"], suffix=" true")
    elsewhere = clicks.filter(pl.col("topic").cast(pl.Int64) > 7)
    assert len(elsewhere) > 20
    both = elsewhere.select("grade", "grade true").to_numpy()
    assert np.abs(both[:, 0] - both[:, 1]).mean() < 0.6


def test_the_same_grades_are_kept_once(rita, searched, workers):
    computed(searched)
    keep(rita, searched)
    again = keep(rita, searched)
    assert "No grade has changed" in again.content.decode()
    assert Qrels.objects.count() == 2
    computed(searched, until=NOON)
    keep(rita, searched)
    assert AuditEntry.objects.filter(deed="settled").count() == 1  # before noon nobody searched


def test_models_and_coec_have_versions_of_their_own(rita, searched, workers):
    computed(searched)
    for model in ("simplified-dbn", "coec"):
        keep(rita, searched, model=model)
    names = set(Qrels.objects.exclude(pk=workers.pk).values_list("name", flat=True))
    assert names == {
        "clicks of Bird shop, simplified dynamic Bayesian network", "clicks of Bird shop, clicks over expected clicks",
    }  # fmt: skip


def test_clicks_are_not_calibrated_on_clicks(rita, searched, workers):
    computed(searched)
    keep(rita, searched)
    assert [qrels.pk for qrels in preview(rita, searched).context["every_qrels"]] == [workers.pk]


def test_with_too_few_judged_documents_nothing_is_kept(rita, searched, collection, researcher, log):
    few = topic_frame(log[1]).filter(pl.col("topic") == "1")
    store_qrels(few, collection=collection, name="few", by=researcher, source_name="few.qrels")
    computed(searched)
    content = preview(rita, searched).content.decode()
    assert "No calibration, and so no grades" in content
    assert "a calibration needs 30 of 5" in content
    assert "Clicks give no document a grade." in keep(rita, searched).content.decode()
    assert Qrels.objects.count() == 1


def test_without_workers_grades_there_is_nothing_to_calibrate_on(rita, searched):
    computed(searched)
    assert "Nothing to calibrate on" in preview(rita, searched).content.decode()
    assert "no workers’ grades" in keep(rita, searched).content.decode()


def test_more_support_grades_fewer_documents(rita, searched, workers):
    computed(searched)
    usual, more = (preview(rita, searched, **choice).context["labels"] for choice in ({}, {"support": "25"}))
    assert more.frame.height < usual.frame.height
    assert more.implicit.left_out > usual.implicit.left_out
    assert preview(rita, searched, support="<b>", model="none", workers="0").context["choice"].least == 10


def test_titles_of_two_topics_and_unknown_documents_are_left_out_and_counted(rita, searched, collection, workers):
    Topic.objects.filter(collection=collection, number="12").update(title="query number 10")
    Document.objects.filter(collection=collection, docno="d3").delete()
    computed(searched)
    labels = preview(rita, searched).context["labels"]
    assert labels.topics.ambiguous == 1
    assert labels.topic_count == QUERIES - 2
    assert labels.unknown > 0
    assert "d3" not in labels.frame["docno"].to_list()


def test_documents_of_fewer_than_ten_users_are_in_no_qrels(rita, searched, workers):
    """Qrels are read by who may not see what single users did."""
    Document.objects.create(collection=workers.collection, docno="rare", text="-")
    records = [search(5000 + n, "query number 1", "d0 rare", "rare" * (n % 3 == 0), f"fan{n % 9}", n) for n in range(45)]
    receive(searched, [record for some in records for record in some])
    computed(searched)
    labels = preview(rita, searched).context["labels"]
    assert labels.few >= 1
    assert "rare" not in labels.frame["docno"].to_list()
    receive(searched, search(6000, "query number 1", "d0 rare", "rare", who="tenth"))
    computed(searched)
    assert "rare" in preview(rita, searched).context["labels"].frame["docno"].to_list()


def test_a_report_that_came_meanwhile_is_looked_at_first(rita, searched, workers):
    computed(searched)
    answer = rita.post(reverse("site_clicks_keep", args=[searched.pk]), {"report": "1000000"}, follow=True)
    assert "computed anew since you looked" in answer.content.decode()
    assert Qrels.objects.count() == 1


def test_only_the_owner_makes_grades(searched, workers, stranger):
    computed(searched)
    searched.readers.add(stranger)
    sid = Client()
    sid.force_login(stranger)
    assert preview(sid, searched).status_code == 404
    assert keep(sid, searched).status_code == 404


def test_nothing_is_kept_where_nothing_can_be(site, collection, researcher):
    frame = pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]})
    with pytest.raises(CannotKeep, match="none of the collections"):
        settle_clicks(site, frame, name="clicks", recipe={}, description="", by=researcher)
    site.collection = collection
    with pytest.raises(CannotKeep, match="no document a grade"):
        settle_clicks(site, frame.clear(), name="clicks", recipe={}, description="", by=researcher)


def test_a_report_compares_runs_under_workers_and_under_clicks(rita, researcher, searched, workers, log, compute_report):
    from metrics.kinds.runs.question import request_report

    collection = workers.collection
    computed(searched)
    keep(rita, searched)
    clicks = Qrels.objects.latest("pk")
    rng, truth = np.random.default_rng(5), topic_frame(log[1])
    runs = []
    for name, noise in {"good": 0.3, "fair": 1.5, "bad": 20.0}.items():
        scores = truth.select("topic", "docno", score=pl.col("grade") + pl.Series(rng.normal(0, noise, len(truth))))
        runs.append(store_run(scores, collection=collection, name=name, by=researcher, source_name=f"{name}.txt"))
    report = compute_report(
        request_report(collection=collection, runs=runs, qrels=[workers, clicks], measures="nDCG@5 AP", by=researcher)
    )
    content = rita.get(reverse("report_agreement", args=[report.pk])).content.decode()
    assert "clicks of Bird shop, position-based model" in content
    rows = list(csv.DictReader(rita.get(f"/reports/{report.pk}/download/agreement.csv").content.decode().splitlines()))
    between = [row for row in rows if {"workers", str(clicks)} <= set(row.values())]
    assert between
    assert any("1.0" in row.values() for row in between)


@pytest.fixture
def compute_report():
    from metrics import tasks

    def compute_report(report):
        tasks.begin_report(report.pk)
        for run in report.spec["runs"]:
            tasks.compute_part(report.pk, str(run["id"]))
        report.refresh_from_db()
        return report

    return compute_report


def test_a_query_shows_where_clicks_and_workers_disagree(rita, site, collection, researcher):
    """People click b, which workers call bad, and pass over a, which they call good."""
    site.collection = collection
    site.save()
    for number in range(60):
        shown = "d0 d1 d2" if number % 2 else "d1 d0 d2"
        receive(site, search(number, "query number 3", shown, "d1"))
    frame = pl.DataFrame({"topic": ["4"] * 2, "docno": ["d0", "d1"], "grade": [3, 0]})
    store_qrels(frame, collection=collection, name="workers", by=researcher, source_name="w")
    computed(site)
    answer = rita.get(reverse("site_clicks_query", args=[site.pk]), {"q": "Query number 3"})
    (disagreement,) = answer.context["disagreements"]
    assert (disagreement.clicked["document"], disagreement.judged["document"], disagreement.grades) == ("d1", "d0", (0, 3))
    assert answer.context["topic"].number == "4"
    assert "Where clicks and workers disagree" in answer.content.decode()

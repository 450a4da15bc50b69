"""Settling by other methods than the majority: what is kept, told, refused, and not kept twice."""

import io
from collections import Counter
from statistics import median
from uuid import uuid4

import numpy as np
import polars as pl
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from ireval.io.qrels import read_qrels
from judging.collections.downloads import qrels_file
from judging.collections.storage import posteriors, qrels_frame
from judging.labels import exports, results, settlement
from judging.labels.aggregation import METHOD_CHOICES, CannotLabel, labelling_of
from judging.models import Item, Worker
from judging.work import checks
from judging.work.answers import Answer, record_judgement
from judging.work.exclusions import exclude

GRADES = [0, 1, 2, 3]


def by_hand(votes):
    """The commonest grade; of several the median, rounded down."""
    counts = Counter(votes)
    best = [grade for grade, count in counts.items() if count == max(counts.values())]
    return int(median(best) // 1), len(best) > 1


def frame_of(items):
    rows = [("1", f"d{item}", worker, grade) for item, votes in enumerate(items) for worker, grade in enumerate(votes)]
    return pl.DataFrame(
        rows, schema={"topic": pl.String, "docno": pl.String, "worker": pl.Int64, "grade": pl.Int32}, orient="row"
    )


@given(st.lists(st.lists(st.sampled_from(GRADES), min_size=1, max_size=6), min_size=1, max_size=12))
def test_a_majority_is_what_counting_by_hand_gives(items):
    labelling = labelling_of(frame_of(items), GRADES, "majority")
    expected = {f"d{item}": by_hand(votes) for item, votes in enumerate(items)}
    grades = labelling.frame.select("docno", "grade").rows()
    assert {docno: (grade, bool(tied)) for (docno, grade), tied in zip(grades, labelling.tied, strict=True)} == expected


@pytest.mark.parametrize("method", [name for name in METHOD_CHOICES if name != "gold-weighted"])
def test_every_method_says_how_likely_each_grade_is(method):
    frame = labelling_of(frame_of([[0, 0, 1], [3, 3, 3], [2, 1, 2], [0, 3, 3]]), GRADES, method).frame
    assert frame.columns == ["topic", "docno", "grade", "votes", "confidence", "p0", "p1", "p2", "p3"]
    assert frame["votes"].to_list() == [3] * 4
    shares = frame.select("p0", "p1", "p2", "p3").to_numpy()
    assert shares.sum(axis=1) == pytest.approx(np.ones(4))
    assert frame["confidence"].to_list() == pytest.approx(shares[range(4), frame["grade"]])


@pytest.fixture
def judged(running, make_worker):
    """Three workers on the birds, of whom two see things alike."""
    running.overlap = 3
    running.save()
    Item.objects.filter(study=running).update(wanted=3)
    from judging.work.overlap import balance

    balance(list(running.items.values_list("pk", flat=True)))
    for grades in ([3, 2, 0, 2, 0, 1], [3, 2, 0, 2, 0, 1], [0, 3, 3, 0, 3, 3]):
        worker = make_worker(running)
        for item, grade in zip(running.items.order_by("pk"), grades, strict=True):
            record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade))
    return running


@pytest.mark.django_db
def test_another_method_is_another_version_and_the_same_is_none(judged, researcher):
    first = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    model = settlement.settle_as_qrels(judged, by=researcher)
    assert [str(first), str(model)] == ["Bird study v1", "Bird study v2 · ordinal"]
    assert settlement.settle_as_qrels(judged, by=researcher, method="ordinal") == model
    assert judged.qrels.count() == 2
    again = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert (str(again), qrels_frame(again).rows()) == ("Bird study v3", qrels_frame(first).rows())


@pytest.mark.django_db
def test_the_recipe_says_by_what_and_how_far_to_trust_it(judged, researcher):
    exclude(judged.workers.last(), by=researcher, reason="tests", standing=Worker.Standing.EXCLUDED)
    recipe = settlement.settle_as_qrels(judged, by=researcher, method="dawid-skene").recipe
    assert (recipe["method"], recipe["items"], recipe["judgements"], recipe["workers"]) == ("dawid-skene", 6, 12, 2)
    assert (recipe["excluded workers"], recipe["their judgements"]) == (1, 6)
    assert "smoothing 4" in recipe["parameters"]
    assert recipe["iterations"] > 1
    assert recipe["log-likelihood and log-prior"] < 0
    assert 0 <= recipe["share of grades at least 0.9 sure"] <= 1
    assert "too sure" in recipe["caution"]


@pytest.mark.django_db
@pytest.mark.parametrize("method", ["majority", "ordinal"])
def test_the_page_of_settled_qrels_shows_the_recipe(judged, researcher, client, method):
    """Which has an entry “items”."""
    kept = settlement.settle_as_qrels(judged, by=researcher, method=method)
    client.force_login(researcher)
    shown = client.get(reverse("qrels", args=[kept.pk])).content.decode()
    assert "<dt>Items</dt><dd>6</dd>" in shown
    assert f"<dd>{kept.recipe['caution']}</dd>" in shown


@pytest.mark.django_db
def test_posteriors_are_kept_beside_the_grades(judged, researcher):
    kept = settlement.settle_as_qrels(judged, by=researcher, method="ordinal")
    assert qrels_frame(kept).columns == ["topic", "docno", "grade"]
    probabilities = posteriors(kept)
    expected = results.labelling_of(judged, "ordinal").frame.sort("topic", "docno")
    assert probabilities.select(expected.columns).equals(expected.cast({"votes": pl.Int32}))
    assert list(kept.grades.values_list("votes", flat=True)) == expected["votes"].to_list() == [3] * 6
    assert {len(line.split()) for line in qrels_file(kept, "trec").decode().splitlines()} == {4}
    for form in ("csv", "parquet", "jsonl"):
        content = io.BytesIO(qrels_file(kept, form))
        read = {"csv": pl.read_csv, "parquet": pl.read_parquet, "jsonl": pl.read_ndjson}[form](content)
        assert read["p3"].to_list() == pytest.approx(probabilities["p3"].to_list())
        assert read["votes"].to_list() == [3] * 6


@pytest.mark.django_db
@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "trec"])
def test_files_with_posteriors_are_read_as_qrels(judged, tmp_path, form):
    path = tmp_path / f"qrels.{form}"
    path.write_bytes(exports.export(judged, "qrels", form, "ordinal").getvalue())
    assert read_qrels(path).rows() == results.labelling_of(judged, "ordinal").frame.select("topic", "docno", "grade").rows()


@pytest.mark.django_db
def test_imported_qrels_know_no_posteriors(collection, researcher):
    from judging.collections.storage import store_qrels

    frame = pl.DataFrame([("1", "d1", 1)], schema=["topic", "docno", "grade"], orient="row")
    assert posteriors(store_qrels(frame, collection=collection, name="plain", by=researcher)) is None


@pytest.fixture
def with_gold(running, make_worker):
    """Two documents outside the pool are gold: the first worker is right about both, the other two about none."""
    pool = list(running.items.order_by("pk"))
    documents = {document.docno: document for document in running.collection.documents.all()}
    free = [docno for docno in documents if not running.items.filter(topic=pool[0].topic, document__docno=docno).exists()][:2]
    for place, docno in enumerate(free):
        item = Item.objects.create(study=running, topic=pool[0].topic, document=documents[docno], position=10**9 + place)
        checks.designate([item], Item.Role.GOLD, right=[3])
    return running


def answer_gold(study, worker, grade):
    """What assignment would have given in its time, given now."""
    for item in study.items.filter(role=Item.Role.GOLD):
        checks.give(worker, item, position=0)
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade))


@pytest.mark.django_db
def test_gold_weighs_votes_and_gets_no_grade(with_gold, make_worker):
    study = with_gold
    good, bad = make_worker(study), make_worker(study)
    item = study.items.filter(role=Item.Role.WORK).order_by("pk").first()
    for worker, grade, on_gold in ((good, 2, 3), (bad, 0, 0)):
        answer_gold(study, worker, on_gold)
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=grade))
    labelling = results.labelling_of(study, "gold-weighted")
    assert labelling.frame.select("docno", "grade").rows() == [(item.document.docno, 2)]
    assert labelling.recipe()["gold items"] == 2
    assert results.labelling_of(study, "majority").frame["grade"].to_list() == [1]  # a majority does not look at gold


@pytest.mark.django_db
def test_without_gold_its_votes_are_refused_with_why(judged, researcher, client):
    with pytest.raises(CannotLabel, match="no item has gold"):
        settlement.settle_as_qrels(judged, by=researcher, method="gold-weighted")
    client.force_login(researcher)
    page = client.get(reverse("study_results", args=[judged.pk]), {"method": "gold-weighted"})
    assert page.context["way"].name == "ordinal"
    assert "needs checks of which exactly one grade is right" in page.content.decode()
    answer = client.post(reverse("study_settle", args=[judged.pk]), {"method": "gold-weighted"}, follow=True)
    assert "no item has gold" in answer.content.decode()


@pytest.mark.django_db
def test_a_method_that_does_not_exist_is_refused(judged, researcher, client):
    with pytest.raises(CannotLabel, match="there is no method magic"):
        settlement.settle_as_qrels(judged, by=researcher, method="magic")
    client.force_login(researcher)
    assert client.get(reverse("study_export", args=[judged.pk, "qrels", "csv"]), {"method": "magic"}).status_code == 404


@pytest.mark.django_db
def test_the_page_shows_what_a_method_gives_before_it_is_kept(judged, researcher, client):
    client.force_login(researcher)
    page = client.get(reverse("study_results", args=[judged.pk]), {"method": "mean"})
    labelling = results.labelling_of(judged, "mean")
    assert page.context["differs"] == labelling.differences(results.labelling_of(judged, "majority")) > 0
    assert {row["grade"]: row["items"] for row in page.context["grades"]} == {
        grade: labelling.frame["grade"].to_list().count(grade) for grade in GRADES
    }
    assert judged.qrels.count() == 0
    client.post(reverse("study_settle", args=[judged.pk]), {"method": "mean"})
    assert judged.qrels.get().recipe["method"] == "mean"

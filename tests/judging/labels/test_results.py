"""Counting, labelling, settling and exporting what was judged."""

import io
from uuid import uuid4

import polars as pl
import pytest
from django.urls import reverse

from ireval.io.files import BadFile
from judging.collections.imports import import_qrels
from judging.collections.storage import qrels_frame, store_qrels
from judging.labels import exports, result_tables, results, settlement, study_progress
from judging.work import assignment
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db


def vote(worker, topic, docno, grade, **more):
    item = worker.study.items.get(topic__number=topic, document__docno=docno)
    answer = Answer(key=uuid4(), grade=grade, **more)
    return record_judgement(worker=worker, item=item, answer=answer)


@pytest.fixture
def judged(running, make_worker):
    first, second = make_worker(running), make_worker(running, simulated=True)
    vote(first, "1", "d1", 3)
    vote(second, "1", "d1", 3)
    vote(first, "1", "d2", 0)
    vote(second, "1", "d2", 3)
    vote(first, "2", "d3", 0)
    vote(first, "2", "d3", 2)  # changed
    vote(first, "2", "d4", None, cannot_judge="language", comment="=cmd()")
    return running


def test_labels_are_the_majority_of_what_stands(judged):
    labels = {(label.topic, label.docno): (label.grade, label.votes, label.tied) for label in results.labels(judged)}
    assert labels == {
        ("1", "d1"): (3, (3, 3), False),
        ("1", "d2"): (1, (0, 3), True),
        ("2", "d3"): (2, (2,), False),
    }


def test_progress_counts_slots_not_clicks(judged):
    progress = study_progress.progress(judged)
    assert (progress.items, progress.slots, progress.judged) == (6, 12, 6)
    assert (progress.workers, progress.simulated_workers, progress.cannot_judge, progress.surplus) == (2, 1, 1, 0)


def test_surplus_does_not_vote(judged, make_worker):
    third = make_worker(judged)
    assert vote(third, "1", "d1", 0).slot is None
    assert next(label for label in results.labels(judged) if label.docno == "d1").votes == (3, 3)
    assert study_progress.progress(judged).surplus == 1


def test_settling_keeps_a_version_with_its_recipe(judged, researcher):
    qrels = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert qrels_frame(qrels).rows() == [("1", "d1", 3), ("1", "d2", 1), ("2", "d3", 2)]
    assert (qrels.study, qrels.version, qrels.grade_counts) == (judged, 1, {"1": 1, "2": 1, "3": 1})
    assert {key: qrels.recipe[key] for key in ("judgements", "workers", "items", "ties")} == {
        "judgements": 5, "workers": 2, "items": 3, "ties": 1,
    }  # fmt: skip
    assert qrels.simulated_judgements == 2


def test_before_grades_are_kept_it_is_said_how_many_items_have_one_and_what_single_votes_tell(
    running, make_worker, client, researcher
):
    client.force_login(researcher)
    page = reverse("study_results", args=[running.pk])
    vote(make_worker(running), "1", "d1", 2)
    thin = client.get(page).content.decode()
    assert "So far 1 of 6 items have one, in 1 of 2 topics." in thin
    assert "One vote on each item: nothing says how sure the grades are." in thin and "confidence of .9" not in thin
    vote(make_worker(running), "1", "d1", 2)
    assert "confidence of .9 or more" in client.get(page).content.decode()


def test_settling_again_makes_a_version_only_of_other_grades(judged, make_worker, researcher):
    first = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert settlement.settle_as_qrels(judged, by=researcher, method="majority") == first
    vote(make_worker(judged), "2", "d3", 0)  # 2 and 0: a tie, settled on 1
    second = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert (second.name, second.version, judged.qrels.count()) == (first.name, 2, 2)


@pytest.fixture
def corrected(judged, researcher, tmp_path):
    """The settled grades, and what somebody imported under their name afterwards."""
    settled = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    path = tmp_path / "by hand.qrels"
    path.write_text("1 0 d1 1\n")
    return settled, import_qrels(judged.collection, path, by=researcher, name=settled.name).kept


def test_an_import_under_the_name_of_settled_grades_is_their_next_version(judged, corrected, researcher, client):
    settled, imported = corrected
    assert (imported.name, imported.version, imported.study) == ("Bird study", 2, None)
    assert qrels_frame(settled).height == 3
    client.force_login(researcher)
    page = client.get(reverse("study_results", args=[judged.pk]))
    assert list(page.context["qrels"]) == [imported, settled]
    assert "imported from by hand.qrels" in page.content.decode()
    response = client.get(reverse("report_new"), {"collection": judged.collection.pk})
    assert response.context["form"]["qrels"].value() == [imported.pk]


def test_settling_after_such_an_import_makes_the_newest_version_again_and_only_once(judged, corrected, researcher):
    settled, _ = corrected
    third = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert (third.name, third.version, third.sha256) == ("Bird study", 3, settled.sha256)
    assert settlement.settle_as_qrels(judged, by=researcher, method="majority") == third


def test_older_grades_can_be_imported_again_as_the_newest_but_the_newest_not(judged, corrected, researcher, tmp_path):
    settled, _ = corrected
    older = tmp_path / "older.qrels"
    older.write_text("1 0 d1 3\n1 0 d2 1\n2 0 d3 2\n")
    again = import_qrels(judged.collection, older, by=researcher, name="Bird study").kept
    assert (again.version, qrels_frame(again).rows()) == (3, qrels_frame(settled).rows())
    with pytest.raises(BadFile, match="these very grades are here already as “Bird study v3”"):
        import_qrels(judged.collection, older, by=researcher, name="Bird study")


def test_settled_grades_are_no_version_of_an_import_of_the_same_name(judged, researcher):
    imported = pl.DataFrame([("1", "d1", 1)], schema=["topic", "docno", "grade"], orient="row")
    for name in ("Bird study", "Bird study (study)"):
        store_qrels(imported, collection=judged.collection, name=name, by=researcher)
    kept = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert (kept.name, kept.version) == (f"Bird study (study {judged.pk})", 1)


def test_what_is_settled_is_of_one_moment(judged, make_worker, researcher, monkeypatch):
    """A judgement that comes while the grades are counted is in all of the numbers or in none."""
    count = results.label_votes

    def counted_while_somebody_judges(*arguments):
        vote(make_worker(judged, simulated=True), "2", "d5", 1)
        return count(*arguments)

    monkeypatch.setattr(settlement, "label_votes", counted_while_somebody_judges)
    kept = settlement.settle_as_qrels(judged, by=researcher, method="majority")
    assert (kept.rows, kept.recipe["judgements"], kept.recipe["workers"], kept.simulated_judgements) == (3, 5, 2, 2)


def test_settling_nothing_says_so(running, researcher):
    with pytest.raises(results.NothingYet):
        settlement.settle_as_qrels(running, by=researcher)


def test_qrels_are_exported_under_the_collections_own_ids(judged):
    assert exports.export(judged, "qrels", "trec", "majority").getvalue() == b"1 0 d1 3\n1 0 d2 1\n2 0 d3 2\n"
    frame = pl.read_parquet(io.BytesIO(exports.export(judged, "qrels", "parquet", "majority").getvalue()))
    assert frame.select("topic", "docno", "grade").rows() == [("1", "d1", 3), ("1", "d2", 1), ("2", "d3", 2)]
    assert frame.select("confidence", "p0", "p3").rows() == [(1, 0, 1), (0, 0.5, 0.5), (1, 0, 0)]


def test_judgements_are_exported_a_row_each_in_every_format(judged):
    csv = exports.export(judged, "judgements", "csv").getvalue().decode()
    assert csv.count("\n") == 1 + 6
    assert "\r" not in csv
    assert "'=cmd()" in csv  # no spreadsheet runs a worker's note
    table = pl.read_parquet(io.BytesIO(exports.export(judged, "judgements", "parquet").getvalue()))
    assert table.height == 6
    assert table.filter(pl.col("revised"))["grade"].to_list() == [2]
    assert table["simulated"].sum() == 2
    lines = pl.read_ndjson(io.BytesIO(exports.export(judged, "judgements", "jsonl").getvalue()))
    assert lines["docno"].to_list() == table["docno"].to_list()


def test_tables_of_the_results_page_agree_with_the_judgements(judged):
    labels = results.labels(judged)
    grades = {row["grade"]: (row["judgements"], row["items"]) for row in result_tables.grade_table(judged, labels)}
    assert grades == {0: (1, 0), 1: (0, 1), 2: (1, 1), 3: (3, 1)}
    topics = {row["topic__number"]: (row["items"], row["labelled"]) for row in result_tables.topic_table(judged, labels)}
    assert topics == {"1": (3, 2), "2": (3, 1)}
    workers = result_tables.worker_table(judged)
    assert [(row["judged"], row["cannot"], row["simulated"]) for row in workers] == [(4, 1, False), (2, 0, True)]
    assert [row["counts"] for row in workers] == [[1, 0, 1, 1], [0, 0, 0, 2]]


def test_a_workers_time_is_the_median_of_their_answers(running, make_worker):
    worker = make_worker(running)
    for docno, milliseconds in (("d1", 1000), ("d2", 90_000), ("d6", 2500), ("d1", 3500)):  # the last one changes the first
        vote(worker, "1", docno, 1, milliseconds=milliseconds)
    assert [row["seconds"] for row in result_tables.worker_table(running)] == [3.5]


def test_tables_cost_few_queries_however_many_judgements(judged, django_assert_num_queries):
    with django_assert_num_queries(2):
        result_tables.grade_table(judged, results.labels(judged))
        result_tables.topic_table(judged, [])


def test_a_worker_without_an_answer_leaves_no_trace(running, make_worker):
    assignment.next_slots(make_worker(running), count=2)
    assert result_tables.worker_table(running) == []
    assert study_progress.progress(running).held == 2


def test_a_worker_who_answers_while_the_table_is_made_does_no_harm(running, make_worker, monkeypatch):
    def judge():
        worker = make_worker(running)
        item = assignment.next_slots(worker)[0].item
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1))

    class Meanwhile(pl.DataFrame):
        def __init__(self, *args, **named):
            judge()
            super().__init__(*args, **named)

    judge()
    monkeypatch.setattr(results.pl, "DataFrame", Meanwhile)
    assert len(result_tables.worker_table(running)) == 1

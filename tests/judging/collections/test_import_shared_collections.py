"""Real collections, imported whole: the counts are those that their SOURCE.txt states."""

import lzma

import polars as pl
import pytest

from judging.collections.imports import import_documents, import_qrels, import_run, import_topics
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Collection


@pytest.fixture
def empty(researcher):
    return Collection.objects.create(name="Imported", owner=researcher)


def test_cranfield(shared_data, empty, researcher):
    folder = shared_data / "cranfield"
    import_documents(empty, folder / "cran.all.1400", by=researcher)
    import_topics(empty, folder / "cran.qry", by=researcher)
    imported = import_qrels(empty, folder / "cranqrel", by=researcher, format="smart")

    assert empty.documents.count() == 1400
    assert empty.topics.count() == 225
    qrels = imported.kept
    assert (qrels.rows, qrels.topic_count) == (1837, 225)
    # Cleverdon's codes 1: 128, 2: 387, 3: 734, 4: 363, -1: 225, with 1 the best: 3 and 4 share grade 1
    assert qrels.grade_counts == {"3": 128, "2": 387, "1": 734 + 363, "-1": 225}
    assert imported.counts["unknown_documents"] == imported.counts["topics_without_rows"] == 0


def test_cranfield_topics_are_numbered_as_its_qrels_count_them(shared_data, empty, researcher):
    import_topics(empty, shared_data / "cranfield" / "cran.qry", by=researcher)
    numbers = list(empty.topics.values_list("number", flat=True))
    assert numbers == [str(number) for number in range(1, 226)]


def test_cranfield_on_the_wider_scale(shared_data, empty, researcher):
    path = shared_data / "cranfield" / "cranqrel"
    qrels = import_qrels(empty, path, by=researcher, format="smart", scale="cranfield-0-4").kept
    assert qrels.grade_counts == {"4": 128, "3": 387, "2": 734, "1": 363, "-1": 225}


def test_cisi(shared_data, empty, researcher):
    folder = shared_data / "cisi"
    import_documents(empty, folder / "CISI.ALL.xz", by=researcher)
    import_topics(empty, folder / "CISI.QRY", by=researcher)
    imported = import_qrels(empty, folder / "CISI.REL", by=researcher, format="smart")

    assert empty.documents.count() == 1460
    assert empty.topics.count() == 112
    assert (imported.kept.rows, imported.kept.topic_count) == (3114, 76)
    assert imported.counts["topics_without_rows"] == 112 - 76


def test_trec_covid(shared_data, empty, researcher):
    folder = shared_data / "trec_covid_r1"
    import_topics(empty, folder / "topics.covid-round1.xml", by=researcher)
    qrels = import_qrels(empty, folder / "qrels-rnd1.txt", by=researcher).kept
    files = sorted((folder / "runs").iterdir())
    for file in files:
        run = import_run(empty, file, by=researcher).kept
        with lzma.open(file) as lines:
            assert run.rows == sum(1 for _ in lines)

    assert empty.topics.count() == 30
    assert qrels.grade_counts == {"0": 6339, "1": 1115, "2": 1237}
    assert empty.runs.count() == len(files) == 21
    assert {run.name for run in empty.runs.all()} == {file.stem for file in files}
    assert all(run.topic_count == 30 for run in empty.runs.all())


def test_only_the_documents_that_runs_and_qrels_mention(shared_data, empty, researcher, tmp_path):
    mentioned = tmp_path / "few.qrels"
    mentioned.write_text("1 0 184 1\n1 0 29 1\n2 0 12 1\n")
    import_qrels(empty, mentioned, by=researcher)
    imported = import_documents(empty, shared_data / "cranfield" / "cran.all.1400", by=researcher, only_mentioned=True)
    assert imported.counts == {"read": 1400, "added": 3, "already_there": 0, "not_mentioned": 1397}
    assert set(empty.documents.values_list("docno", flat=True)) == {"12", "29", "184"}


def test_a_stored_run_is_what_an_evaluator_sees(shared_data, empty, researcher):
    """UB_NLP_RUN_1's ranks contradict its scores: the scores win, ties by document id, both descending."""
    path = shared_data / "trec_covid_r1" / "runs" / "UB_NLP_RUN_1.xz"
    stored = run_frame(import_run(empty, path, by=researcher).kept)
    scores = stored.with_columns(pl.col("score").cast(pl.Float32))  # trec_eval compares 32-bit floats
    assert scores.equals(scores.sort(["topic", "score", "docno"], descending=[False, True, True]))
    assert stored.group_by("topic").agg(pl.col("rank").max() == pl.len())["rank"].all()


def test_qrels_come_back_as_they_went_in(shared_data, empty, researcher):
    path = shared_data / "trec_covid_r1" / "qrels-rnd1.txt"
    kept = qrels_frame(import_qrels(empty, path, by=researcher).kept)
    lines = {tuple(line.split()[i] for i in (0, 2, 3)) for line in path.read_text().splitlines()}
    assert {(topic, docno, str(grade)) for topic, docno, grade in kept.iter_rows()} == lines

"""Qrels that grade documents by subtopic: imported as they are, kept whole, shown and taken away."""

import polars as pl
import pytest
from django.urls import reverse

from ireval import read_qrels
from ireval.io.files import BadFile
from ireval.io.qrels import QRELS_SCHEMA, SUBTOPIC_SCHEMA
from judging.collections.downloads import QRELS_FORMATS, qrels_file
from judging.collections.imports import import_qrels
from judging.collections.storage import qrels_frame

# Diet of owls: which birds (a) and which mice (b) they eat.
BIRDS = "1 a d1 1\n1 a d2 0\n1 b d1 2\n1 b d2 1\n2 a d3 1\n"
ROWS = [("1", "d1", 1, "a"), ("1", "d2", 0, "a"), ("1", "d1", 2, "b"), ("1", "d2", 1, "b"), ("2", "d3", 1, "a")]


@pytest.fixture
def write(tmp_path):
    def write(content, name="birds.qrels"):
        (tmp_path / name).write_text(content, encoding="utf-8")
        return tmp_path / name

    return write


@pytest.fixture
def imported(collection, researcher, write):
    return import_qrels(collection, write(BIRDS), by=researcher)


def test_they_are_kept_with_their_subtopics(imported):
    qrels = imported.kept
    assert qrels_frame(qrels).schema == pl.Schema(SUBTOPIC_SCHEMA)
    assert qrels_frame(qrels).rows() == ROWS
    assert (qrels.rows, qrels.topic_count, qrels.grade_counts) == (5, 2, {"0": 1, "1": 3, "2": 1})


def test_the_importer_is_told_what_measures_will_see(imported):
    assert imported.kept.recipe["subtopics"] == "3"
    assert (
        "They are by 3 subtopics: intent-aware measures tell these apart, all other measures take a document's highest grade."
        in imported.notes
    )


def test_ordinary_qrels_are_kept_without(collection, researcher, write):
    ordinary = import_qrels(collection, write("1 0 d1 1\n1 1 d2 1\n"), by=researcher)
    assert qrels_frame(ordinary.kept).schema == pl.Schema(QRELS_SCHEMA)
    assert "subtopics" not in ordinary.kept.recipe
    assert not any("subtopic" in note for note in ordinary.notes)


def test_the_second_column_can_be_said_to_be_the_subtopic(collection, researcher, write):
    qrels = import_qrels(collection, write("1 0 d1 1\n1 1 d2 1\n"), by=researcher, format="subtopics").kept
    assert qrels_frame(qrels).rows() == [("1", "d1", 1, "0"), ("1", "d2", 1, "1")]


def test_the_same_in_another_order_is_there_already(collection, researcher, write, imported):
    backwards = "".join(reversed(BIRDS.splitlines(keepends=True)))
    with pytest.raises(BadFile, match="these very grades are here already"):
        import_qrels(collection, write(backwards), by=researcher)


def test_the_same_grades_under_other_subtopics_are_others(collection, researcher, write, imported):
    swapped = write(BIRDS.replace("1 a d1 1", "1 b d1 1").replace("1 b d1 2", "1 a d1 2"))
    assert import_qrels(collection, swapped, by=researcher).kept.version == 2


def test_grades_that_were_here_without_subtopics_are_others_with_them(collection, researcher, write):
    file = write("1 a d1 1\n1 b d2 0\n")
    for version, format in enumerate(("trec", "subtopics", "trec"), start=1):
        assert import_qrels(collection, file, by=researcher, format=format).kept.version == version


def test_a_document_twice_in_a_subtopic_is_refused(collection, researcher, write):
    with pytest.raises(BadFile, match="line 6: document d1 of topic 1 again; it is on line 1 already"):
        import_qrels(collection, write(BIRDS + "1 a d1 0\n"), by=researcher)
    assert not collection.qrels.exists()


@pytest.mark.parametrize("form", QRELS_FORMATS)
def test_they_can_be_taken_away_whole(imported, tmp_path, form):
    (tmp_path / "taken").write_bytes(qrels_file(imported.kept, form))
    assert read_qrels(tmp_path / "taken").rows() == ROWS


def test_pages_show_the_highest_grade_of_a_document(client, researcher, runs, imported):
    client.force_login(researcher)
    ranking = client.get(reverse("ranking", args=[runs[0].pk]), {"topic": "1", "qrels": imported.kept.pk})
    assert [(result.docno, result.grade) for result in ranking.context["results"]] == [("d1", 2), ("d2", 1), ("d4", None)]
    topic = imported.kept.collection.topics.get(number="1")
    page = client.get(reverse("topic", args=[topic.pk]))
    assert page.context["qrels"] == [(imported.kept, [(2, 1), (1, 1)])]


def test_its_own_page_says_what_was_counted(client, researcher, imported):
    client.force_login(researcher)
    page = client.get(reverse("qrels", args=[imported.kept.pk])).content.decode()
    assert "topic × subtopic × document" in page
    assert "<dt>Subtopics</dt><dd>3</dd>" in page

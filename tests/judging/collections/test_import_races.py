"""Imports into one collection at the same time: each sees what the other has done."""

import threading

import pytest
from django.db import connection

from ireval.io.files import BadFile
from judging.collections.imports import check_documents, check_qrels, check_run, import_documents
from judging.collections.imports.outcome import insert_whole
from judging.models import Collection

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*verbs):
    """Run all at the same moment, each in a thread with a connection of its own; what they gave or raised."""
    together = threading.Barrier(len(verbs))
    outcomes = [None] * len(verbs)

    def run(place, verb):
        together.wait()
        try:
            outcomes[place] = verb()
        except BadFile as refused:
            outcomes[place] = refused
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=pair) for pair in enumerate(verbs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return outcomes


@pytest.fixture
def empty(researcher):
    return Collection.objects.create(name="Empty", owner=researcher)


def write(path, content):
    path.write_text(content)
    return path


def test_the_same_documents_twice_at_once(empty, researcher, tmp_path):
    path = write(tmp_path / "d.jsonl", "".join(f'{{"_id": "x{n}", "text": "Gulls"}}\n' for n in range(3000)))
    outcomes = at_once(*[lambda: import_documents(empty, path, by=researcher)] * 2)
    assert sorted(imported.counts["added"] for imported in outcomes) == [0, 3000]
    assert empty.documents.count() == 3000


def test_other_words_for_a_document_that_came_in_between(empty, researcher, tmp_path):
    checked = check_documents(empty, write(tmp_path / "a.jsonl", '{"_id": "x", "text": "Gulls"}\n'), by=researcher)
    import_documents(empty, write(tmp_path / "b.jsonl", '{"_id": "x", "text": "Terns"}\n'), by=researcher)
    with pytest.raises(BadFile, match="in the collection already, with another text"):
        insert_whole(checked)
    assert empty.documents.get().text == "Terns"


def test_two_runs_of_one_name_at_once(empty, researcher, tmp_path):
    files = [write(tmp_path / f"{n}.run", f"1 Q0 d{n} 1 2 a\n") for n in range(2)]
    inserts = [check_run(empty, file, by=researcher, name="same") for file in files]
    outcomes = at_once(*[lambda insert=insert: insert_whole(insert) for insert in inserts])
    assert sum(isinstance(outcome, BadFile) for outcome in outcomes) == 1
    assert empty.runs.count() == 1


def test_two_qrels_of_one_name_at_once_are_two_versions(empty, researcher, tmp_path):
    files = [write(tmp_path / f"{n}.qrels", f"1 0 d{n} 1\n") for n in range(2)]
    inserts = [check_qrels(empty, file, by=researcher, name="same") for file in files]
    at_once(*[lambda insert=insert: insert_whole(insert) for insert in inserts])
    assert sorted(empty.qrels.values_list("version", flat=True)) == [1, 2]

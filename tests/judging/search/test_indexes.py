"""Indexes: scores are bm25s's own, files are all there or none, and a new collection gets a new index."""

import random

import bm25s
import numpy as np
import pytest

from judging.models import Collection, Document, Outbox
from judging.search import indexes
from judging.search.indexes import NotReady, folder_of, index_of, marker_of, root
from judging.search.rankers import RANKERS, USUAL
from judging.search.ranking import answer_of, choices, ranker_of_choice, search
from judging.search.term_weights import build_index
from judging.tasks import build_search_index


def some_documents(count=60):
    chance = random.Random(3)
    vocabulary = [f"w{number}" for number in range(40)]
    return [
        (number + 100, f"d{number}", "", " ".join(chance.choices(vocabulary, k=chance.randint(1, 30)))) for number in range(count)
    ]


@pytest.mark.parametrize("name", RANKERS)
def test_scores_are_those_of_bm25s(name):
    ranker, documents = RANKERS[name], some_documents()
    documents = [(key, docno, text[:9], text) for key, docno, _, text in documents]
    theirs = bm25s.BM25(**ranker.settings)
    theirs.index([ranker.terms(ranker.read(title, text)) for _, _, title, text in documents], show_progress=False)
    ours = build_index(documents, ranker)
    for query in ("w1", "w1 w2 w2", "w39 unknown w3", "w1 w2 w3 w4 w5"):
        terms = ranker.terms(query)
        assert np.allclose(ours.scored(terms), theirs.get_scores(terms))


def test_the_best_are_in_the_evaluators_order():
    index = build_index([(1, "a", "", "owl"), (2, "c", "", "owl"), (3, "b", "", "owl"), (4, "d", "", "duck")], USUAL)
    assert [key for key, _ in index.best(["owl"], 10)] == [2, 3, 1]
    assert [key for key, _ in index.best(["owl"], 2)] == [2, 3]
    assert index.best(["penguin"], 10) == []


def test_documents_without_words_are_never_found():
    assert build_index([], USUAL).best(["owl"], 10) == []
    assert build_index([(1, "a", "", "the of")], USUAL).best(["owl"], 10) == []
    assert [key for key, _ in build_index([(1, "a", "", ""), (2, "b", "", "owl")], USUAL).best(["owl"], 10)] == [2]


def test_it_is_built_once_and_read_from_its_files(collection, monkeypatch):
    assert search(collection, USUAL, "voles") == ["d1", "d2"] or search(collection, USUAL, "voles") == ["d2", "d1"]
    indexes.load_index.cache_clear()
    monkeypatch.setattr(indexes, "build", None)
    again = index_of(collection, USUAL)
    assert isinstance(again.scores, np.memmap)


def test_more_documents_make_another_index(collection):
    search(collection, USUAL, "voles")
    Document.objects.create(collection=collection, docno="d7", text="voles voles voles")
    indexes.known_contents.cache_clear()
    assert search(collection, USUAL, "voles")[0] == "d7"
    assert len(list(folder_of(collection, USUAL).iterdir())) == 1


def test_indexes_of_collections_that_are_gone_go(collection, researcher):
    search(collection, USUAL, "voles")
    gone, number = root() / str(collection.pk), collection.pk
    collection.delete()
    other = Collection.objects.create(pk=number + 1, name="Fish", owner=researcher)
    Document.objects.create(collection=other, docno="f1", text="A pike.")
    assert search(other, USUAL, "pike") == ["f1"]
    assert not gone.exists()


def test_a_large_collection_is_indexed_by_celery(collection, monkeypatch):
    monkeypatch.setattr(indexes, "AT_ONCE", 5)
    for _ in range(2):
        with pytest.raises(NotReady) as state:
            index_of(collection, USUAL)
    assert (state.value.read, state.value.total) == (0, 6)
    message = Outbox.objects.get()
    assert message.task == "judging.tasks.build_search_index"
    build_search_index(**message.arguments)
    assert search(collection, USUAL, "voles")
    build_search_index(**message.arguments)


def test_who_builds_says_how_far_it_is(collection, monkeypatch):
    monkeypatch.setattr(indexes, "AT_ONCE", 5)
    monkeypatch.setattr(indexes, "PORTION", 2)
    with pytest.raises(NotReady):
        index_of(collection, USUAL)
    counts = []
    monkeypatch.setattr(
        indexes, "build_index", lambda documents, ranker: counts.extend(read_while(collection, documents)) or 1 / 0
    )
    with pytest.raises(ZeroDivisionError):
        build_search_index(collection=collection.pk, ranker=USUAL.name)
    assert sorted(set(counts)) == [0, 2, 4, 6]


def read_while(collection, documents):
    for _ in documents:
        with pytest.raises(NotReady) as state:
            index_of(collection, USUAL)
        yield state.value.read
    with pytest.raises(NotReady) as state:
        index_of(collection, USUAL)
    yield state.value.read


def test_what_a_dead_process_began_is_asked_for_again(collection, monkeypatch):
    monkeypatch.setattr(indexes, "AT_ONCE", 5)
    with pytest.raises(NotReady):
        index_of(collection, USUAL)
    monkeypatch.setattr(indexes, "GIVEN_UP", -1)
    with pytest.raises(NotReady):
        index_of(collection, USUAL)
    assert Outbox.objects.count() == 2


def test_a_ranker_that_went_and_a_collection_that_went_are_nothing_to_build(collection):
    build_search_index(collection=collection.pk, ranker="gone")
    build_search_index(collection=0, ranker=USUAL.name)
    assert not root().exists()


def test_of_two_that_build_at_once_one_keeps_it(collection):
    index_of(collection, USUAL)
    (folder,) = folder_of(collection, USUAL).iterdir()
    indexes.keep(index_of(collection, USUAL), folder)
    assert list(folder.parent.iterdir()) == [folder]
    assert not marker_of(folder).exists()


def test_runs_answer_their_topics_alone(collection, runs):
    assert answer_of(runs[0], "Diet of Owls") == ["d1", "d2", "d4"]
    assert answer_of(runs[0], "owls") is None


def test_what_can_be_chosen_can_be_found_again(collection, runs):
    offered = [value for value, _ in choices(collection)]
    assert offered == [*RANKERS, f"run:{runs[0].pk}", f"run:{runs[1].pk}"]
    assert ranker_of_choice("bm25-words", collection) == ("bm25-words", None)
    assert ranker_of_choice(f"run:{runs[1].pk}", collection) == ("", runs[1])
    for wrong in ("", "bm26", "run:", "run:²", "run:999999", str(runs[0].pk)):
        assert ranker_of_choice(wrong, collection) == ("", None)


def test_documents_are_read_in_portions_and_none_is_left_out(collection, monkeypatch):
    every = list(indexes.documents_of(collection))
    assert len(every) == collection.documents.count()
    for portion in (1, 2, len(every) - 1, len(every)):
        monkeypatch.setattr(indexes, "PORTION", portion)
        assert list(indexes.documents_of(collection)) == every

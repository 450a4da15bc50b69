"""Answers about two lists as rows: which system was where, which was preferred, and what counts."""

import pytest

from judging.labels.preferences import identical_pairs, marks, rows
from judging.models import Comparison, Item, Study
from judging.work import assignment, exclusions

pytestmark = pytest.mark.django_db


@pytest.fixture
def marking(comparing):
    """The same study, in which results can be marked."""
    Comparison.objects.update(marks_results=True)
    return Study.objects.get(pk=comparing.pk)


@pytest.fixture
def slot_of(make_worker, comparing):
    """A worker of the study and the slot that they hold."""

    def held(worker=None):
        worker = worker or make_worker(comparing)
        return worker, assignment.next_slots(worker)[0]

    return held


def names(slot):
    """Of the systems as they stand before the worker."""
    lists = [slot.item.first.run.name, slot.item.second.run.name]
    return lists[::-1] if slot.swapped else lists


@pytest.mark.parametrize(("step", "winner"), [(-1, "left"), (2, "right"), (0, "tie")])
def test_a_row_says_what_the_worker_saw_and_chose(comparing, slot_of, prefer, step, winner):
    for _ in range(6):
        worker, slot = slot_of()
        prefer(worker, slot, step, reasons=["More complete"], interactions=[[700, "open", 0, 1]])
        row = rows(comparing).filter(worker=str(worker)).row(0, named=True)
        assert [row["left"], row["right"]] == names(slot)
        assert (row["topic"], row["winner"], row["strength"]) == (slot.item.topic.number, winner, abs(step))
        assert (row["item"], row["votes"], row["mirrored"], row["seconds"]) == (slot.item_id, True, False, 9.0)
        side = "right" if slot.swapped else "left"
        assert row["interactions"] == [{"milliseconds": 700, "what": "open", "side": side, "rank": 2}]


def test_both_bad_and_no_answer(comparing, slot_of, prefer):
    worker, slot = slot_of()
    prefer(worker, slot, 0, both_bad=True)
    prefer(*slot_of(worker), None)
    bad, none = rows(comparing).to_dicts()
    assert (bad["winner"], bad["strength"], bad["votes"]) == ("both_bad", 0, True)
    assert (none["winner"], none["strength"], none["votes"], none["cannot_judge"]) == (None, None, False, "unclear")


def test_a_changed_mind_replaces_the_answer(comparing, slot_of, prefer):
    worker, slot = slot_of()
    prefer(worker, slot, 1)
    prefer(worker, slot, -1)
    assert rows(comparing)["winner"].to_list() == ["left"]


def test_who_is_excluded_has_no_vote_and_their_rows_stay(comparing, slot_of, prefer):
    worker, slot = slot_of()
    prefer(worker, slot, 1)
    exclusions.exclude(worker, reason="x")
    assert rows(comparing)["votes"].to_list() == [False]


def test_marks_name_the_document_on_the_side_where_it_stood(marking, make_worker, slot_of, prefer):
    for _ in range(6):
        worker, slot = slot_of(make_worker(marking))
        prefer(worker, slot, 1, marks=[[0, 0, 1], [1, 1, 0], [1, 99, 1]])
        (relevant, bad) = rows(marking).filter(worker=str(worker))["marks"][0]
        sides = ("right", "left") if slot.swapped else ("left", "right")
        lists = slot.item.first.results, slot.item.second.results
        assert relevant == {"side": sides[0], "rank": 1, "docno": lists[0][0]["docno"], "grade": 1}
        assert bad == {"side": sides[1], "rank": 2, "docno": lists[1][1]["docno"], "grade": 0}


def test_marked_twice_by_a_worker_a_document_is_relevant_if_it_once_was(marking, make_worker, prefer):
    worker = make_worker(marking)
    while slots := assignment.next_slots(worker):
        slot = slots[0]
        of_alpha = [int(kept.run.name == "alpha") for kept in (slot.item.first, slot.item.second)]
        prefer(worker, slot, 1, marks=[[0, 0, of_alpha[0]], [1, 0, of_alpha[1]]])
    frame = marks(marking)
    assert frame.select("topic", "docno", "worker").is_unique().all()
    assert frame.filter(docno="d1")["grade"].to_list() == [1] * frame.filter(docno="d1").height


def test_pairs_that_show_the_same(comparing):
    pairs = identical_pairs(comparing)
    assert sorted(pairs["topic"].to_list()) == ["11", "12"]
    assert {tuple(sorted(pair)) for pair in pairs.select("first", "second").iter_rows()} == {("alpha", "gamma")}
    assert comparing.items.filter(role=Item.Role.SAME).count() == 2


def test_queries_do_not_grow_with_the_answers(marking, make_worker, prefer, django_assert_num_queries):
    worker = make_worker(marking)
    while slots := assignment.next_slots(worker):
        prefer(worker, slots[0], 1, marks=[[0, 0, 1]])
    with django_assert_num_queries(2):
        rows(marking)

"""One result of a pair, read whole: in the page and at an address of its own."""

import re

import pytest

from judging.models import Document
from judging.work import assignment
from judging.work.tickets import ticket
from tests.judging.pairs.pair_pages import answer, held, lists_of, show, text, whole

pytestmark = pytest.mark.django_db


def test_a_result_is_read_as_it_stands_on_the_page(joined, judging):
    joined.get(judging)
    slot = held()
    for side, rows in zip(("left", "right"), lists_of(slot), strict=True):
        for place, row in enumerate(rows):
            page = re.sub("</?mark>", "", text(whole(joined, judging, side, place)))
            assert Document.objects.get(docno=row["docno"]).text in page
            assert "<html" not in page
        assert whole(joined, judging, side, len(rows)).status_code == 404


def test_a_result_stays_to_be_read_once_the_pair_is_judged(joined, judging):
    joined.get(judging)
    before = text(whole(joined, judging))
    name = ticket(held().worker, held().item_id)
    answer(joined, judging, grade="1")
    assert text(whole(joined, judging, name=name)) == before


def test_a_result_has_a_plain_page_with_a_way_back(joined, judging):
    joined.get(judging)
    address = re.search(r'class="open" href="([^"]+)"', text(joined.get(judging)))[1]
    page = text(joined.get(address))
    assert "<html" in page
    assert "Back to the lists" in page


def test_the_address_of_a_result_opens_apart_and_says_nothing_of_where_one_came_from(joined, judging):
    show(title="Owls", url="https://www.example.org/owls")
    page = text(joined.get(judging) and whole(joined, judging))
    assert re.search(r'href="https://www.example.org/owls" target="_blank" rel="noopener noreferrer nofollow"', page)


@pytest.mark.parametrize("side", ["middle", "LEFT", "0"])
def test_there_is_no_third_list(joined, judging, side):
    joined.get(judging)
    assert whole(joined, judging, side).status_code == 404


def test_nobody_reads_results_of_pairs_that_they_were_not_given(joined, judging, comparing, make_worker):
    joined.get(judging)
    worker = held().worker
    other = comparing.items.exclude(pk=held().item_id).filter(role="work").first()
    assert whole(joined, judging, name=ticket(worker, other.pk)).status_code == 404
    assert whole(joined, judging, name="nonsense").status_code == 404
    (theirs,) = assignment.next_slots(make_worker(comparing))
    assert whole(joined, judging, name=ticket(theirs.worker, theirs.item_id)).status_code == 404
    assignment.give_back(worker)
    assert whole(joined, judging, name=ticket(worker, theirs.item_id)).status_code == 404

"""What a worker's pages call items tells nothing about them."""

import uuid
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from judging.models import Worker
from judging.work.tickets import item_of, ticket

KEYS = st.integers(1, 2**63 - 1)
WORKERS = st.uuids().map(lambda key: Worker(pk=1, key=key))


@given(WORKERS, KEYS)
def test_a_ticket_leads_back_to_its_item(worker, item):
    assert item_of(worker, ticket(worker, item)) == item


@given(WORKERS, st.one_of(st.text(max_size=24), st.text("AZaz09-_=", min_size=22, max_size=22)))
def test_any_other_text_is_no_item(worker, text):
    item = item_of(worker, text)
    assert item is None or ticket(worker, item)[:21] == text[:21]


@given(WORKERS, KEYS, st.integers(0, 20), st.sampled_from("Ab0-"))
def test_a_changed_ticket_is_no_item(worker, item, at, letter):
    good = ticket(worker, item)
    changed = good[:at] + letter + good[at + 1 :]
    assert item_of(worker, changed) == (item if changed == good else None)


def test_another_workers_ticket_leads_nowhere():
    worker, other = Worker(key=uuid.uuid4()), Worker(key=uuid.uuid4())
    assert item_of(other, ticket(worker, 7)) is None


def test_tickets_of_neighbours_are_in_no_order_and_share_no_start():
    worker = Worker(key=uuid.UUID(int=7))
    tickets = [ticket(worker, item) for item in range(1, 1001)]
    assert len(set(tickets)) == 1000
    falls = sum(first > second for first, second in pairwise(tickets))
    assert 400 < falls < 600
    assert len({text[:2] for text in tickets}) > 700

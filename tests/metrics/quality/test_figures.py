"""Figures of a graded study: which grades meet, and the workers by agreement, speed and amount."""

import json
import re
from typing import Any

import polars as pl
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from metrics.kinds.quality.figures import grades_meet, scatter

NOBODY: dict[str, Any] = {"worker": 1, "agreement": None, "compared": 0, "seconds": 8.0, "answered": 3, "why": []}


def items(*votes):
    return pl.DataFrame({"votes": list(votes)}, schema={"votes": pl.List(pl.Int64)})


def test_the_coincidences_are_those_that_krippendorff_prints():
    """Four observers and twelve units, the last of them with one value: Computing Krippendorff's Alpha-Reliability, 2011."""
    units = ["111", "2232", "3333", "3333", "2222", "1234", "4444", "1121", "2222", "555", "11", "3"]
    table = grades_meet(items(*([unit.count(value) for value in "12345"] for unit in units)), [1, 2, 3, 4, 5])
    assert [row.votes for row in table] == pytest.approx([9, 13, 10, 5, 3])
    assert [[count for count, _ in row.cells] for row in table] == [
        pytest.approx([7, 4 / 3, 1 / 3, 1 / 3, 0]),
        pytest.approx([4 / 3, 10, 4 / 3, 1 / 3, 0]),
        pytest.approx([1 / 3, 4 / 3, 8, 1 / 3, 0]),
        pytest.approx([1 / 3, 1 / 3, 1 / 3, 4, 0]),
        pytest.approx([0, 0, 0, 0, 3]),
    ]


@given(st.lists(st.lists(st.integers(0, 5), min_size=4, max_size=4), max_size=8))
def test_each_vote_counts_once_and_shares_add_up(votes):
    table = grades_meet(items(*votes), [0, 1, 2, 3])
    assert sum(row.votes for row in table) == pytest.approx(sum(sum(item) for item in votes if sum(item) > 1))
    assert all(sum(share for _, share in row.cells) == pytest.approx(1) for row in table)


def test_nothing_meets_where_every_item_has_one_vote():
    assert grades_meet(items([1, 0], [0, 1]), [0, 1]) == []


def test_nobody_is_drawn_who_cannot_be_compared():
    assert scatter([NOBODY], {1: "w1"}, {1: "/w1/"}) is None


@pytest.mark.django_db
def test_the_page_has_both_and_each_mark_leads_to_its_worker(rita, crowd, report):
    page = rita.get(reverse("study_quality", args=[crowd.pk])).content.decode()
    assert "Which grades meet" in page
    assert re.search(r'<td class="num heat h\d">\d+ %</td>', page)
    figure = json.loads(re.search(r'<script id="workers-figure" type="application/json">(.*?)</script>', page)[1])
    addresses = [address for trace in figure["data"] for address in trace["meta"]["addresses"]]
    assert sorted(addresses) == sorted(reverse("study_worker", args=[crowd.pk, worker.pk]) for worker in crowd.workers.all())

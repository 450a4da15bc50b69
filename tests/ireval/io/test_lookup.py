"""Looking documents up by hashes finds what a join finds."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval.io import lookup
from ireval.io.files import BadInput
from ireval.io.lookup import Lookup

SCHEMA = {"topic": pl.String, "docno": pl.String}
ID = st.sampled_from(["", "1", "2", "11", "d", "é", "\x00"])
PAIRS = st.lists(st.tuples(ID, ID))


def frame(pairs):
    return pl.DataFrame(list(pairs), schema=SCHEMA, orient="row")


def matches(documents, rows):
    """Pairs of a row and its document, by nested loops."""
    return {(row, place) for row, pair in enumerate(rows) for place, document in enumerate(documents) if pair == document}


def pairs_of(result):
    rows, places = result
    return set(zip(rows.tolist(), places.tolist(), strict=True))


@given(documents=st.lists(st.tuples(ID, ID), unique=True), rows=PAIRS)
def test_rows_that_are_documents_are_found(documents, rows):
    assert pairs_of(Lookup(frame(documents)).find(frame(rows))) == matches(documents, rows)


@pytest.mark.parametrize("few", [1, 3])
@given(documents=st.lists(st.tuples(ID, ID), unique=True), rows=PAIRS)
def test_documents_that_share_a_hash_are_told_apart(few, documents, rows):
    with pytest.MonkeyPatch.context() as patch:
        honest = lookup.hashes_of
        patch.setattr(lookup, "hashes_of", lambda ids, key: honest(ids, key) % few * 2)
        assert pairs_of(Lookup(frame(documents)).find(frame(rows))) == matches(documents, rows)


@given(
    hashes=st.lists(st.integers(0, 2**64 - 1), unique_by=lambda number: number >> 1), wanted=st.lists(st.integers(0, 2**64 - 1))
)
def test_hashes_are_found_wherever_they_lie(hashes, wanted):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lookup, "hashes_of", lambda ids, key: np.array(hashes, np.uint64))
        table = Lookup(frame((str(number), "d") for number in hashes))
    rows, places = table.find_hashes(np.array(wanted, np.uint64) >> 1)
    halves = [number >> 1 for number in hashes]
    assert dict(zip(rows.tolist(), places.tolist(), strict=True)) == {
        row: halves.index(number >> 1) for row, number in enumerate(wanted) if number >> 1 in halves
    }


def test_ids_that_are_numbers_are_refused():
    with pytest.raises(BadInput, match="docno is of type Int64; expected text"):
        Lookup(frame([("1", "2")])).find(pl.DataFrame({"topic": ["1"], "docno": [2]}))

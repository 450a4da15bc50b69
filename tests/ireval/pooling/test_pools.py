"""Pools hold the top of every run, each document once."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import pool, read_qrels, read_run
from ireval.io.rank_order import rank_run
from tests.ireval.builders import ranked, run_of

RANKINGS = st.dictionaries(st.sampled_from(["1", "2"]), st.permutations(list("abcdefg")).map(lambda p: p[:5]), min_size=1)


@given(runs=st.lists(RANKINGS, max_size=4), depth=st.integers(1, 6))
def test_a_pool_is_the_union_of_the_tops(runs, depth):
    pooled = pool([rank_run(run_of({t: ranked(d) for t, d in run.items()})) for run in runs], depth)
    places: dict[tuple[str, str], list[int]] = {}
    for run in runs:
        for topic, docnos in run.items():
            for rank, docno in enumerate(docnos[:depth], start=1):
                places.setdefault((topic, docno), []).append(rank)
    expected = [(topic, docno, len(ranks), min(ranks)) for (topic, docno), ranks in places.items()]
    assert pooled.rows() == sorted(expected, key=lambda row: (row[0], row[3], row[1]))


def test_a_depth_below_one_is_refused():
    with pytest.raises(ValueError, match="expected at least 1"):
        pool([], 0)


def test_pooled_documents_of_contributing_runs_were_judged(shared_data):
    """TREC-COVID pooled its contributing runs at least five deep, so all of that pool has judgements."""
    folder = shared_data / "trec_covid_r1"
    runs = [read_run(folder / "runs" / f"{name}.xz") for name in ("run1", "T5R1", "sab20.1.meta.docs", "uogTrDPH_QE")]
    pooled = pool(runs, 5)
    assert pooled.join(read_qrels(folder / "qrels-rnd1.txt"), on=["topic", "docno"], how="anti").is_empty()

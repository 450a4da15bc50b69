"""Pooled documents: ranks in every run, and the grades that exist."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import BadInput, pool, pooled_documents, read_run, scan_run, write_run
from tests.ireval.builders import qrels_of, ranked, run_of, write

RANKINGS = st.dictionaries(st.sampled_from(["1", "2"]), st.permutations(list("abcdefg")).map(lambda p: p[:5]), min_size=2)


@given(runs=st.lists(RANKINGS, min_size=2, max_size=4), depth=st.integers(1, 6))
def test_what_is_unjudged_is_the_pools_and_ranks_are_the_runs(runs, depth):
    frames = [run_of({topic: ranked(order) for topic, order in run.items()}) for run in runs]
    named = {f"run{number}": frame for number, frame in enumerate(frames)}
    documents = pooled_documents(named, qrels_of({"1": {"a": 1, "z": 2}, "2": {"z": 0}}), depth=depth)
    unjudged = documents.frame.filter(pl.Series(~documents.judged)).rows()
    pooled = [row[:2] for row in pool(frames, depth).rows()]
    assert sorted(unjudged) == sorted({*pooled} - {("1", "a")})
    assert sorted(documents.frame.filter(pl.Series(documents.pooled)).rows()) == sorted(pooled)
    for (topic, docno), ranks in zip(documents.frame.rows(), documents.rank.tolist(), strict=True):
        expected = [run[topic].index(docno) + 1 if docno in run[topic] else 0 for run in runs]
        assert ranks == expected


def test_runs_may_be_stored_and_qrels_have_subtopics(tmp_path):
    run = read_run(write(tmp_path / "run", "1 Q0 a 1 3 t", "1 Q0 b 2 2 t"))
    write_run(run, tmp_path / "run.parquet")
    qrels = pl.DataFrame({"topic": ["1", "1"], "docno": ["b", "b"], "grade": [0, 2], "subtopic": ["1", "2"]})
    documents = pooled_documents({"x": scan_run(tmp_path / "run.parquet"), "y": tmp_path / "run"}, qrels)
    assert documents.rank.tolist() == [[1, 1], [2, 2]]
    assert (documents.grade.tolist(), documents.judged.tolist(), documents.top_grade) == ([0, 2], [False, True], 2)


def test_the_profile_orders_equal_scores():
    run = {"1": {"a": 0.100000001, "b": 0.1}}
    for profile, ranks in (("trec_eval-9", [[2, 2], [1, 1]]), ("trec_eval-10", [[1, 1], [2, 2]])):
        assert pooled_documents({"x": run, "y": run}, {"1": {"a": 1}}, profile=profile).rank.tolist() == ranks


def test_documents_need_two_runs_and_a_topic():
    run = {"1": {"a": 1.0}}
    with pytest.raises(BadInput, match="there is only x; expected at least two runs"):
        pooled_documents({"x": run}, {"1": {"a": 1}})
    with pytest.raises(BadInput, match="the runs share no topic"):
        pooled_documents({"x": run, "y": {"2": {"a": 1.0}}}, {"1": {"a": 1}})
    with pytest.raises(BadInput, match=r"no topic that all runs have: these have topic 1; new_topics"):
        pooled_documents({"x": run, "y": run}, {"2": {"a": 1}})
    new = pooled_documents({"x": run, "y": run}, {"2": {"a": 1}}, new_topics=True)
    assert (new.topics, new.left_out, new.judged.tolist()) == (("1",), 1, [False])

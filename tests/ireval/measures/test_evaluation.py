"""Which topics and documents count, and what the result says about how it came about."""

import polars as pl
import pytest

from ireval import BadFile, BadInput, BadMeasure, Qrels, evaluate, read_run
from ireval.io import columns as engine_columns
from ireval.io.rank_order import rank_run
from ireval.io.runs import run_blocks
from ireval.io.stored_runs import scan_run, write_run
from ireval.measures.evaluation import evaluate_file
from tests.ireval.builders import qrels_of, ranked, run_of, write

RUN = run_of({"2": ranked(["a", "b", "c"]), "10": ranked(["a", "b"]), "7": ranked(["x"])})
QRELS = qrels_of({"2": {"b": 1, "c": 2, "z": 1}, "10": {"a": 0, "b": 1}, "30": {"a": 1}})


def test_values_have_a_row_a_topic_in_string_order_and_a_column_a_measure():
    values = evaluate(RUN, QRELS, "AP NumRet").values
    assert values.rows() == [("10", 0.5, 2), ("2", (1 / 2 + 2 / 3) / 3, 3)]
    assert values.schema == pl.Schema({"topic": pl.String, "AP": pl.Float64, "NumRet": pl.Int64})


def test_the_result_says_which_topics_did_not_match():
    evaluation = evaluate(RUN, QRELS, "AP", relevant_from=2)
    assert (evaluation.missing, evaluation.unjudged, evaluation.n) == (("30",), ("7",), 2)
    assert (evaluation.profile, evaluation.topic_rule, evaluation.relevant_from) == ("trec_eval-9", "both", 2)


def test_missing_topics_count_as_nothing_under_the_rule_qrels():
    assert evaluate(RUN, QRELS, "RR", topics="qrels").means()["RR"] == pytest.approx((0.5 + 0.5 + 0) / 3)


def test_the_lowest_relevant_grade_can_be_raised_for_all_or_for_one():
    values = evaluate(RUN, QRELS, "AP AP(rel=1) AP(rel=2) nDCG", relevant_from=2).values
    assert values["AP"].to_list() == values["AP(rel=2)"].to_list() == [0, 1 / 3]
    assert values["AP(rel=1)"][0] == 0.5
    assert values["nDCG"].to_list() == evaluate(RUN, QRELS, "nDCG").values["nDCG"].to_list()


def test_sums_and_geometric_means_are_no_means():
    means = evaluate(RUN, QRELS, "num_q num_ret num_rel num_rel_ret gm_map").means()
    assert means == {"NumQ": 2, "NumRet": 5, "NumRel": 4, "NumRelRet": 3, "GMAP": pytest.approx((0.5 * 7 / 18) ** 0.5)}


def test_ranks_given_are_not_believed_where_there_are_scores():
    wrong = RUN.with_columns(rank=pl.lit(1, pl.Int32))
    assert evaluate(wrong, QRELS, "AP P.1").values.equals(evaluate(RUN, QRELS, "AP P.1").values)


def test_the_profile_decides_ties():
    run = run_of({"1": {"a": 0.100000001, "b": 0.1}})
    qrels = qrels_of({"1": {"a": 1}})
    assert evaluate(run, qrels, "RR").means()["RR"] == 0.5
    assert evaluate(run, qrels, "RR", profile="trec_eval-10").means()["RR"] == 1


def test_a_tied_run_has_one_reciprocal_rank():
    """RR and RR@10 differ on ties in a well-known library; here both see the same order."""
    run = run_of({"1": {f"d{number}": 1.0 for number in range(9)}})
    qrels = qrels_of({"1": {"d3": 1}})
    assert evaluate(run, qrels, "RR RR@10").values.row(0)[1:] == (1 / 6, 1 / 6)


def test_negative_grades_are_judged_and_gain_nothing():
    run, qrels = run_of({"1": ranked(["a", "b"])}), qrels_of({"1": {"a": -2, "b": 1}})
    assert evaluate(run, qrels, "nDCG P.1 Judged@2 bpref").values.row(0)[1:] == (pytest.approx(0.6309, abs=1e-4), 0, 1, 1)


def test_topics_whose_grades_are_all_negative():
    values = evaluate(run_of({"1": ranked(["a", "b"])}), qrels_of({"1": {"a": -2}}), "official nDCG RBP Judged@1").values
    assert set(values.drop("topic", "NumQ", "NumRet", "GMAP", "Judged@1").row(0)) == {0}
    assert values["Judged@1"].to_list() == [1]


def test_qrels_arranged_once_serve_many_runs():
    arranged = Qrels(QRELS)
    assert evaluate(RUN, arranged, "official").values.equals(evaluate(RUN, QRELS, "official").values)


def test_unknown_measures_and_profiles_are_refused():
    with pytest.raises(BadMeasure):
        evaluate(RUN, QRELS, "nonsense")
    with pytest.raises(ValueError, match="choose one of trec_eval-9, trec_eval-10, textbook"):
        evaluate(RUN, QRELS, "AP", profile="trec_eval-8")


@pytest.fixture
def long_run(tmp_path):
    lines = [f"{topic} Q0 d{doc} 0 {doc * 7 % 11} t" for topic in range(40) for doc in range(30)]
    return write(tmp_path / "run", *lines)


LONG_QRELS = qrels_of({str(topic): {f"d{doc}": doc % 3 for doc in range(topic % 30 + 1)} for topic in range(0, 60, 2)})


@pytest.mark.parametrize("topics", ["both", "qrels"])
def test_a_file_read_in_blocks_gives_the_same_values(long_run, monkeypatch, topics):
    whole = evaluate(read_run(long_run), LONG_QRELS, "official nDCG Judged@5", topics=topics, depth=20)
    monkeypatch.setattr(engine_columns, "BLOCK_BYTES", 200)
    blocks = evaluate(run_blocks(long_run), LONG_QRELS, "official nDCG Judged@5", topics=topics, depth=20)
    from_file, tag = evaluate_file(long_run, LONG_QRELS, "official nDCG Judged@5", topics=topics, depth=20)
    assert blocks.values.equals(whole.values)
    assert from_file.values.equals(whole.values)
    assert (tag, blocks.unjudged) == ("t", whole.unjudged)


@pytest.mark.parametrize("profile", ["trec_eval-9", "trec_eval-10"])
def test_a_stored_run_need_not_be_read_whole(tmp_path, profile):
    run = rank_run(run_of({"1": {"a": 0.100000001, "b": 0.1, "c": -1}, "2": {"c": 1.0}})).with_columns(tag=pl.lit("t"))
    write_run(run, tmp_path / "run.parquet")
    qrels = qrels_of({"1": {"a": 1, "c": 2}, "2": {"x": 1}, "3": {"y": 1}})
    stored = evaluate(scan_run(tmp_path / "run.parquet"), qrels, "official nDCG Judged", profile=profile, depth=2)
    assert stored.values.equals(evaluate(run, qrels, "official nDCG Judged", profile=profile, depth=2).values)


def test_a_file_with_scattered_topics_is_read_whole(tmp_path):
    path = write(tmp_path / "run", "1 Q0 a 1 1 t", "2 Q0 a 1 5 t", "1 Q0 b 1 3 t")
    evaluation, _ = evaluate_file(path, qrels_of({"1": {"a": 1}, "2": {"a": 1}}), "RR")
    assert evaluation.values.rows() == [("1", 0.5), ("2", 1.0)]


@pytest.mark.parametrize("topics", ["both", "qrels"])
def test_a_run_and_qrels_that_share_no_topic_are_refused_with_a_topic_of_each(topics, tmp_path):
    qrels, lines = qrels_of({"301": {"b": 1}, "302": {"b": 1}}), ["q301 Q0 b 1 2 t", "q7 Q0 b 1 2 t"]
    reason = "and the qrels share no topic: {} has topic q301 and 1 more, the qrels have topic 301 and 1 more; expected the same"
    with pytest.raises(BadInput, match="the run " + reason.format("the run")):
        evaluate(run_of({"q301": ranked(["b"]), "q7": ranked(["b"])}), qrels, "AP", topics=topics)
    scattered = [*lines, "q301 Q0 c 2 1 t"]
    for name, content in (("mine.run", lines), ("scattered.run", scattered)):
        with pytest.raises(BadInput, match=f"{name} " + reason.format(name)):
            evaluate_file(write(tmp_path / name, *content), qrels, "AP", topics=topics)


def test_a_caller_may_ask_for_an_evaluation_of_no_topic():
    evaluation = evaluate(run_of({"7": ranked(["x"])}), QRELS, "AP", may_share_none=True)
    assert (evaluation.n, evaluation.unjudged) == (0, ("7",))


TWICE = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "a"], "score": [2.0, 1.0], "rank": [1, 2]})


@pytest.mark.parametrize("run", [[TWICE], [], [TWICE.drop("docno")], (TWICE,)])
def test_a_list_of_frames_is_no_run(run):
    with pytest.raises(BadFile, match=r"^run: is .*expected a path, a frame of polars or pandas, or \{topic"):
        evaluate(run, QRELS, "nDCG R@5")


@pytest.mark.parametrize(
    ("frame", "reason"),
    [
        (TWICE, "^frame 1 of the run: row 2: columns topic and docno have document a of topic 1 again"),
        (TWICE.head(1).with_columns(rank=None), "^frame 1 of the run: row 1: column rank is empty"),
        (TWICE.drop("docno"), "^frame 1 of the run: has columns topic, score, rank; expected also docno"),
        ("a.run", "^frame 1 of the run: is 'a.run', of type str; expected a"),
    ],
)
def test_frames_that_come_one_by_one_are_checked(frame, reason):
    with pytest.raises(BadFile, match=reason):
        evaluate(iter([frame]), QRELS, "nDCG R@5")


def test_the_lowest_relevant_grade_is_a_number():
    with pytest.raises(BadInput, match=r"^relevant_from is '1', of type str; expected a number$"):
        evaluate(RUN, QRELS, "AP", relevant_from="1")

"""`python -m ireval curve` and `contingency`: the textbook's two queries, in every form that is printed."""

import csv
import json

import numpy as np
import pytest

from ireval import evaluate
from tests.ireval.builders import qrels_of, ranked, run_of, write
from tests.ireval.cli.commands import complaint, printed

RELEVANT = {
    "q1": {"d3": 3, "d5": 3, "d9": 3, "d25": 2, "d39": 2, "d44": 2, "d56": 1, "d71": 1, "d89": 1, "d123": 1},
    "q2": {"d3": 3, "d56": 2, "d129": 1},
}
RETRIEVED = {
    "q1": ["d123", "d84", "d56", "d6", "d8", "d9", "d511", "d129", "d187", "d25", "d38", "d48", "d250", "d113", "d3"],
    "q2": ["d425", "d87", "d56", "d32", "d124", "d615", "d512", "d129", "d4", "d130", "d193", "d715", "d810", "d5", "d3"],
}


@pytest.fixture
def files(tmp_path) -> tuple[str, str]:
    grades = [f"{topic} 0 {docno} {grade}" for topic, of_topic in RELEVANT.items() for docno, grade in of_topic.items()]
    ranks = [f"{topic} Q0 {docno} 0 {-rank} book" for topic, docnos in RETRIEVED.items() for rank, docno in enumerate(docnos)]
    return str(write(tmp_path / "qrels", *grades)), str(write(tmp_path / "run", *ranks))


def columns(text: str) -> dict[str, list[str]]:
    rows = list(csv.DictReader(text.splitlines()))
    return {name: [row[name] for row in rows] for name in rows[0]}


def test_the_precision_recall_curve_of_one_query(files, capsys):
    """66.6 % at 20 % recall, and 25 % at 66.6 % recall (Modern Information Retrieval, ch. 4, slides 15 and 18)."""
    text = printed(capsys, "curve", "precision-recall", *files, "--topic", "q2", "-k", "8")
    assert text.splitlines()[0].endswith("run: precision-recall, topic q2")
    assert text.splitlines()[2].split() == ["1", "0.0000", "0.0000"]
    assert text.splitlines()[9].split() == ["8", "0.6667", "0.2500"]
    curve = columns(printed(capsys, "curve", "precision-recall", *files, "--topic", "q1", "--format", "csv"))
    assert len(curve["rank"]) == 20 and set(curve["topic"]) == {"q1"}
    assert (float(curve["recall"][2]), float(curve["precision"][2])) == (0.2, pytest.approx(2 / 3))


def test_eleven_points_are_the_books_mean(files, capsys):
    curve = json.loads(printed(capsys, "curve", "interpolated", *files, "--profile", "textbook", "--format", "json"))
    mean = [0.6667, 0.6667, 0.5, 0.4167, 0.325, 0.2917, 0.125, 0.1, 0.1, 0.1, 0.1]
    assert [round(point["precision"], 4) for point in curve["points"]] == mean
    assert (curve["n"], curve["area"], curve["topic"]) == (2, None, None)


@pytest.mark.parametrize("kind", ["ncg", "ndcg"])
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("form", [["--dcg", "log2"], ["--dcg", "jk"], ["--dcg", "jk", "--base", "3"], ["--dcg", "exp-log2"]])
def test_a_normalised_curve_is_the_measure_at_every_rank_by_the_discount_asked_for(files, capsys, kind, average, form):
    curve = json.loads(printed(capsys, "curve", kind, *files, "-k", "15", "--average", average, *form, "--format", "json"))
    settings = f"dcg='{form[1]}'," + (f"base={form[3]}," if "--base" in form else "") if kind == "ndcg" else ""
    names = [f"n{kind[1:].upper()}({settings}average={average})@{rank}" for rank in range(1, 16)]
    run = run_of({topic: ranked(docnos) for topic, docnos in RETRIEVED.items()})
    means = list(evaluate(run, qrels_of(RELEVANT), names).means().values())
    assert [list(point.values())[1] for point in curve["points"]] == pytest.approx(means)
    assert curve["area"] == pytest.approx(np.mean(means))


def test_areas_and_forms_stand_above_the_points(files, capsys):
    head = printed(capsys, "curve", "ndcg", *files, "--dcg", "jk", "--average", "micro", "-k", "15").splitlines()[0]
    assert head.endswith("run: ndcg, mean over 2 topics, dcg=jk, micro, area 0.2448")
    head = printed(capsys, "curve", "ncg", *files, "--average", "micro", "-k", "15").splitlines()[0]
    assert head.endswith("run: ncg, mean over 2 topics, micro, area 0.3295")


def test_cumulated_gains_stand_beside_the_ideal(files, capsys):
    curve = columns(printed(capsys, "curve", "cg", *files, "--topic", "q1", "-k", "15", "--format", "csv"))
    assert [int(float(gain)) for gain in curve["CG"]] == [1, 1, 2, 2, 2, 5, 5, 5, 5, 7, 7, 7, 7, 7, 10]
    assert [int(float(gain)) for gain in curve["ideal CG"]] == [3, 6, 9, 11, 13, 15, 16, 17, 18, *[19] * 6]


def test_roc_goes_down_the_whole_ranking(tmp_path, capsys):
    """Fourteen documents, relevant at 1, 2, 4, 6 and 13."""
    qrels = [f"1 0 d{rank} {int(rank in (1, 2, 4, 6, 13))}" for rank in range(1, 15)]
    ranks = [f"1 Q0 d{rank} {rank} {-rank} lecture" for rank in range(1, 15)]
    files = str(write(tmp_path / "qrels", *qrels)), str(write(tmp_path / "run", *ranks))
    assert "area 0.7556" in printed(capsys, "curve", "roc", *files)
    curve = columns(printed(capsys, "curve", "roc", *files, "--format", "csv"))
    assert [float(rate) for rate in curve["tpr"]] == [0, 0.2, 0.4, 0.4, 0.6, 0.6, *[0.8] * 7, 1, 1, 1, 1]
    assert [round(float(rate) * 9) for rate in curve["fpr"]] == [0, 0, 0, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8, 8, 9, 9, 9]


def test_the_area_of_a_mean_roc_curve_is_the_measures_mean(tmp_path, capsys):
    run = run_of({"1": ranked("abc"), "2": ranked("cba")})
    judged = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1, "b": 0, "c": 0}}
    ranks = [f"{topic} Q0 {docno} 0 {score} r" for topic, docno, score in run.iter_rows()]
    grades = [f"{topic} 0 {docno} {grade}" for topic, of_topic in judged.items() for docno, grade in of_topic.items()]
    files = str(write(tmp_path / "qrels", *grades)), str(write(tmp_path / "run", *ranks))
    mean = evaluate(run, qrels_of(judged), "AUC").means()["AUC"]
    assert printed(capsys, "curve", "roc", *files).splitlines()[0].endswith(f"mean over 2 topics, mean area {mean:.4f}")


def test_several_runs_follow_each_other_under_one_header(files, capsys):
    qrels, run = files
    lines = printed(capsys, "curve", "dcg", qrels, run, run, "-k", "2", "--format", "csv").splitlines()
    assert len(lines) == 5 and lines[0] == "run,topic,rank,DCG,ideal DCG" and lines[1] == lines[3]


def test_the_table_of_one_query_is_two_by_two(files, capsys):
    lines = printed(capsys, "contingency", *files, "--topic", "q1", "--documents", "100").splitlines()
    assert lines[1:4] == [
        "                 relevant  not relevant",
        "  retrieved      5         10",
        "  not retrieved  5         80",
    ]
    assert [line.split() for line in lines[4:8]] == [
        ["precision", "0.3333"], ["recall", "0.5000"], ["fallout", "0.1111"], ["generality", "0.1000"]
    ]  # fmt: skip
    assert printed(capsys, "contingency", *files, "--topic", "q1").splitlines()[3] == "  not retrieved  5         ?"


def test_all_queries_have_a_row_each_with_what_the_reader_knew(files, tmp_path, capsys):
    known = str(write(tmp_path / "known", "q1 0 d123 1", "q1 0 d5 1", "q1 0 d56 0"))
    table = columns(printed(capsys, "contingency", *files, "--known", known, "--format", "csv"))
    assert table["topic"] == ["q1", "q2", "all"]
    assert table["relevant_retrieved"] == ["5", "3", "8"]
    assert table["coverage"] == ["0.5", "", "0.5"]
    assert table["novelty"] == ["0.8", "1.0", "0.9"]
    content = json.loads(printed(capsys, "contingency", *files, "-M", "10", "--format", "json"))
    assert content["per_topic"][0]["relevant_retrieved"] == 4
    assert content["all"]["precision"] == pytest.approx((4 / 10 + 2 / 10) / 2)


def test_mistakes_are_named(files, capsys):
    assert complaint(capsys, "curve", "cg", *files, "--topic", "q9").endswith(
        "has no topic q9; expected one of its topics, such as q1"
    )
    assert complaint(capsys, "curve", "ndcg", *files, "--base", "3").startswith("--base is that of --dcg jk")
    assert complaint(capsys, "contingency", *files, "--topic", "q9") == (
        "run and the qrels share no topic q9; -c counts those of the qrels as 0"
    )
    assert complaint(capsys, "contingency", *files, "--documents", "19").startswith("documents is 19, but 20 were retrieved")
    qrels, _ = files
    assert complaint(capsys, "curve", "cg", qrels, qrels).startswith(qrels.rpartition("/")[2])


def test_a_topic_that_the_run_lacks_counts_only_if_asked(files, tmp_path, capsys):
    qrels, _ = files
    empty = str(write(tmp_path / "other", "q1 Q0 d3 1 1 other"))
    assert complaint(capsys, "curve", "cg", qrels, empty, "--topic", "q2").endswith(
        "share no topic; -c counts those of the qrels as 0"
    )
    assert json.loads(printed(capsys, "curve", "cg", qrels, empty, "-c", "--format", "json"))["n"] == 2

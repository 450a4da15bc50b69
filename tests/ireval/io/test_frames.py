"""Runs and qrels as a notebook holds them: the same numbers whatever they come as, and one refusal for what is wrong."""

import math
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ireval
from ireval import (
    BadFile,
    BadInput,
    Qrels,
    as_qrels,
    as_run,
    evaluate,
    pool,
    read_qrels,
    read_run,
    read_run_parquet,
    scan_run,
    write_run,
)
from ireval.io import checked_frames
from ireval.io.checked_frames import believed_kind
from ireval.stability import Panel

# Every form has its own, so that together they are many.
few = settings(max_examples=25)
without_pandas = pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed, so it has no frames to try")

Rows = list[tuple[object, object, object]]
# Topic, document, score and grade, as each tool calls them; and what its frames hold besides.
NAMES = {
    "ireval": ("topic", "docno", "score", "grade"),
    "ir_measures": ("query_id", "doc_id", "score", "relevance"),
    "ranx": ("q_id", "doc_id", "score", "score"),
    "pyterrier": ("qid", "docno", "score", "label"),
}
BESIDES: dict[str, dict[str, Any]] = {
    "pyterrier": {"rank": 7, "docid": 3, "query": "far more than one word"},
    "ir_measures": {"iteration": "0"},
}
MEASURES = ["nDCG@3", "AP", "RR", "P@2", "Bpref", "NumRet"]


def columns(rows: Rows, tool: str, place: int) -> dict[str, list]:
    """`place` is that of the value's name: 2 in runs, 3 in qrels."""
    topic, docno = NAMES[tool][:2]
    values = zip(*rows, strict=True) if rows else ([], [], [])
    named = dict(zip((topic, docno, NAMES[tool][place]), map(list, values), strict=True))
    return {**{name: [value] * len(rows) for name, value in BESIDES.get(tool, {}).items() if name not in named}, **named}


def as_polars(rows: Rows, tool: str, place: int) -> pl.DataFrame:
    return pl.DataFrame([mixed(name, values) for name, values in columns(rows, tool, place).items()])


def mixed(name: str, values: list) -> pl.Series:
    """polars makes no column of a type out of values of several, or takes true for 1."""
    try:
        return pl.Series(name, values, dtype=pl.Object if len({bool} & set(map(type, values))) else None)
    except (TypeError, OverflowError, UnicodeError):
        return pl.Series(name, values, dtype=pl.Object)


def as_pandas(rows: Rows, tool: str, place: int):
    import pandas

    try:
        return pandas.DataFrame(columns(rows, tool, place))
    except UnicodeEncodeError:  # pyarrow, which pandas uses where it is installed, takes half a character for no text
        return pandas.DataFrame(columns(rows, tool, place), dtype=object)


def as_dict(rows: Rows, tool: str, place: int) -> dict[Any, Any]:
    by_topic: dict[Any, Any] = {}
    for topic, docno, value in rows:
        by_topic.setdefault(topic, {})[docno] = value
    return by_topic


Form = Callable[[Rows, str, int], Any]
FRAMES = [
    *(pytest.param(as_polars, tool, id=f"polars-{tool}") for tool in NAMES),
    *(pytest.param(as_pandas, tool, id=f"pandas-{tool}", marks=without_pandas) for tool in NAMES),
]
FORMS = [*FRAMES, pytest.param(as_dict, "ireval", id="dict")]

IDS = st.text("abcXYZ019-_é", min_size=1, max_size=3)
SCORES = st.integers(-3, 3) | st.floats(-9, 9, width=32)
RUNS = st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=5), min_size=1, max_size=3)
GRADES = st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-1, 3), min_size=1, max_size=5), min_size=1, max_size=3)


def rows_of(table: dict[Any, Any]) -> Rows:
    return [(topic, docno, value) for topic, documents in table.items() for docno, value in documents.items()]


def written(folder: Path, run: dict, qrels: dict) -> tuple[Path, Path]:
    run_file, qrels_file = folder / "run", folder / "qrels"
    run_file.write_text("".join(f"{topic} Q0 {docno} 0 {score!r} t\n" for topic, docno, score in rows_of(run)), encoding="utf-8")
    qrels_file.write_text("".join(f"{topic} 0 {docno} {grade}\n" for topic, docno, grade in rows_of(qrels)), encoding="utf-8")
    return run_file, qrels_file


@pytest.mark.parametrize(("form", "tool"), FORMS)
@few
@given(run=RUNS, qrels=GRADES, data=st.data())
def test_the_numbers_are_those_of_the_files(tmp_path_factory, form: Form, tool, run, qrels, data):
    run_file, qrels_file = written(tmp_path_factory.mktemp("files"), run, qrels)
    expected = evaluate(read_run(run_file), read_qrels(qrels_file), MEASURES, may_share_none=True)
    rows = data.draw(st.permutations(rows_of(run)))
    evaluation = evaluate(form(rows, tool, 2), form(rows_of(qrels), tool, 3), MEASURES, may_share_none=True)
    assert evaluation.values.equals(expected.values)
    assert evaluate(run_file, str(qrels_file), MEASURES, may_share_none=True).values.equals(expected.values)
    assert evaluate(run_file, Qrels(form(rows_of(qrels), tool, 3)), MEASURES, may_share_none=True).values.equals(expected.values)


# What makes a good cell bad, and a word of what is said of it.
BAD_VALUES = [math.nan, math.inf, -math.inf, None, "1.5", True, [1], 10**400, {"a": 1}]
BAD_IDS = [None, "", 1.5, math.nan, True, "a\0", "\ud800", ("a",), b"a"]
BAD_GRADES = [*BAD_VALUES, 0.5, 2**31]


@pytest.mark.parametrize(("form", "tool"), FRAMES)
@few
@given(table=GRADES, data=st.data())
def test_whatever_cell_is_wrong_is_named_by_row_and_column(form: Form, tool, table, data):
    rows = rows_of(table)
    is_run = data.draw(st.booleans())
    column, row = data.draw(st.integers(0, 2)), data.draw(st.integers(0, len(rows) - 1))
    bad = data.draw(st.sampled_from(BAD_IDS if column < 2 else BAD_VALUES if is_run else BAD_GRADES))
    cells = list(rows[row])
    cells[column] = bad
    place = 2 if is_run else 3
    frame = form([*rows[:row], tuple(cells), *rows[row + 1 :]], tool, place)
    good = form(rows, tool, 5 - place)
    with pytest.raises(BadInput) as refusal:
        evaluate(frame, good, MEASURES) if is_run else evaluate(good, frame, MEASURES)
    name = NAMES[tool][column if column < 2 else place]
    source = "run" if is_run else "qrels"
    # A whole column of another type is wrong from its first row on.
    assert f"{source}: row {row + 1}: column {name} " in str(refusal.value) or f": row 1: column {name} is" in str(refusal.value)
    assert ": " in str(refusal.value).split("expected")[-1] or "which is" in str(refusal.value), "there is no mend"


@few
@given(table=RUNS, data=st.data())
def test_whatever_is_wrong_in_a_dictionary_is_named_by_its_keys(table, data):
    topic, docno, _ = data.draw(st.sampled_from(rows_of(table)))
    bad = data.draw(st.sampled_from(BAD_VALUES))
    with pytest.raises(BadFile) as refusal:
        evaluate({**table, topic: {**table[topic], docno: bad}}, {"1": {"a": 1}}, "AP")
    assert f"[{topic!r}][{docno!r}]: column score is" in str(refusal.value)
    with pytest.raises(BadFile, match=r"expected \{docno: score\}"):
        evaluate({**table, topic: bad if not isinstance(bad, dict) else 1}, {"1": {"a": 1}}, "AP")


@pytest.mark.parametrize(("form", "tool"), FRAMES)
@few
@given(table=GRADES, data=st.data())
def test_a_document_again_is_named_by_both_rows(form: Form, tool, table, data):
    rows = rows_of(table)
    row, value = data.draw(st.integers(0, len(rows) - 1)), data.draw(st.integers(0, 3))
    topic, docno, _ = rows[row]
    with pytest.raises(BadFile) as refusal:
        evaluate(form([*rows, (topic, docno, value)], tool, 2), form(rows, tool, 3), "nDCG")
    columns = " and ".join(NAMES[tool][:2])
    complaint = f"document {docno} of topic {topic} again; row {row + 1} has it: keep one of them"
    assert str(refusal.value) == f"run: row {len(rows) + 1}: columns {columns} have {complaint}"
    with pytest.raises(BadFile, match="again"):
        evaluate(form(rows, tool, 2), form([*rows, (topic, docno, value)], tool, 3), "nDCG")


ROWS: Rows = [("1", "a", 1), ("1", "b", 2), ("2", "a", 1)]


@pytest.mark.parametrize(("form", "tool"), FRAMES)
@pytest.mark.parametrize("column", range(3))
def test_a_column_that_is_missing(form: Form, tool, column):
    name = NAMES[tool][column]
    frame = form(ROWS, tool, 2)
    rest = frame[[header for header in frame.columns if header not in (name, "rank", "docid", "query")]]
    with pytest.raises(BadFile, match=f"expected also {('topic', 'docno', 'score')[column]}"):
        evaluate(rest, {"1": {"a": 1}}, "AP")


@pytest.mark.parametrize(
    ("more", "complaint"),
    [
        ("query_id", "columns query_id and topic both say the topic: drop all but one of them"),
        ("Docno", "columns Docno and docno both say the docno"),
        ("similarity", "columns score and similarity both say the score"),
    ],
)
def test_two_names_of_the_same_thing(more, complaint):
    frame = as_polars(ROWS, "ireval", 2).with_columns(pl.lit("1").alias(more))
    with pytest.raises(BadFile) as refusal:
        as_run(frame.select(sorted(frame.columns)))
    assert complaint in str(refusal.value)


@pytest.mark.parametrize("empty", [{}, {"1": {}}, as_polars([], "ireval", 2)])
def test_a_run_that_retrieved_nothing_gains_nothing(empty):
    assert evaluate(empty, {"1": {"a": 1}}, "AP", topics="qrels").values["AP"].to_list() == [0]


@pytest.mark.parametrize("empty", [{}, {"1": {}}, as_polars([], "ireval", 2)])
def test_what_is_empty_has_no_mean(empty):
    with pytest.raises(BadInput, match=r'the run holds no rows; topics="qrels" counts'):
        evaluate(empty, {"1": {"a": 1}}, "AP")
    for topics in ("both", "qrels"):
        with pytest.raises(BadInput, match="the qrels hold no rows"):
            evaluate({"1": {"a": 1}}, {}, "AP", topics=topics)
    assert not evaluate(empty, {}, "AP", may_share_none=True).n


@pytest.mark.parametrize("strange", [None, 7, [("1", "a", 1)], {"1": 3}, {"1": [("a", 1)]}, object()])
def test_what_is_no_run(strange):
    for refused in (lambda: evaluate(strange, {"1": {"a": 1}}, "AP"), lambda: evaluate({"1": {"a": 1}}, strange, "AP")):
        with pytest.raises(BadFile, match="expected"):
            refused()


def test_whole_numbers_are_ids():
    frame = pl.DataFrame({"q_id": [301, 301], "doc_id": [7, 8], "score": [1.0, 2.0]})
    assert as_run(frame)["docno"].to_list() == ["7", "8"]
    assert evaluate(frame, {301: {8: 1}}, "RR").means() == {"RR": 1.0}
    with pytest.raises(BadFile, match="again"):
        as_run({1: {"a": 1}, "1": {"a": 2}})


def test_ties_are_ordered_as_in_a_file_whatever_rank_a_frame_has():
    frame = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "score": [1.0, 1.0, 2.0], "rank": [0, 1, 2]})
    assert as_run(frame).sort("rank")["docno"].to_list() == ["c", "b", "a"]


def test_a_frame_of_ranks_alone_is_ordered_by_them():
    frame = pl.DataFrame({"qid": ["1"] * 3, "docno": ["a", "b", "c"], "rank": [2, 0, 1]})
    assert as_run(frame).sort("rank").select("docno", "rank").rows() == [("b", 1), ("c", 2), ("a", 3)]


def test_an_iteration_is_a_subtopic_where_trecs_second_column_is():
    rows = {"query_id": ["1"] * 2, "doc_id": ["a"] * 2, "relevance": [1, 0], "iteration": ["1", "2"]}
    assert as_qrels(pl.DataFrame(rows)).rows() == [("1", "a", 1, "1"), ("1", "a", 0, "2")]
    plain = pl.DataFrame({**rows, "doc_id": ["a", "b"], "iteration": [None, "x y"]})
    assert as_qrels(plain).rows() == [("1", "a", 1), ("1", "b", 0)]
    told_apart = pl.DataFrame({**rows, "doc_id": ["a", "b"]})
    assert evaluate({"1": {"a": 2, "b": 1}}, told_apart, "StRecall@1").means() == {"StRecall@1": 1.0}
    assert evaluate({"1": {"a": 2, "b": 1}}, told_apart.with_columns(relevance=1), "StRecall@1").means() == {"StRecall@1": 0.5}
    with pytest.raises(BadFile, match=r"columns query_id, iteration and doc_id have document a of topic 1 again"):
        as_qrels(pl.DataFrame({**rows, "iteration": ["0", "0"]}))


def test_nobody_checks_again_what_was_checked(tmp_path):
    run_file, qrels_file = written(tmp_path, {"1": {"a": 1.0, "b": 2.0}}, {"1": {"b": 1}})
    run, qrels = read_run(run_file), read_qrels(qrels_file)
    assert as_run(run) is run and as_qrels(qrels) is qrels
    write_run(run, tmp_path / "stored")
    assert isinstance(as_run(scan_run(tmp_path / "stored")), pl.LazyFrame)
    # Whatever is made of a frame that was checked is another frame.
    for changed in (pl.concat([run, run]), run.with_columns(score=pl.lit(math.nan)), scan_run(tmp_path / "stored").drop("docno")):
        with pytest.raises(BadFile):
            evaluate(changed, qrels, "AP")
    run.extend(run.clone())
    with pytest.raises(BadFile, match="again"):
        evaluate(run, qrels, "AP")


@pytest.mark.parametrize(("form", "tool"), FORMS)
def test_runs_and_qrels_are_written_from_whatever_they_come_as(tmp_path, form: Form, tool):
    scores: Rows = [("1", "a", 2.0), ("1", "b", 1.0), ("2", "a", 1.0)]
    grades: Rows = [("1", "a", 2), ("1", "b", 0), ("2", "a", 1)]
    run, qrels = form(scores, tool, 2), form(grades, tool, 3)
    write_run(run, tmp_path / "stored")
    assert read_run_parquet(tmp_path / "stored").equals(as_run(run).lazy().collect())
    assert ireval.run_facts(run) == ireval.RunFacts(topics=2, rows=3, shortest=1, deepest=2, tags=("run",))
    for kind in ("trec", "csv", "jsonl", "parquet"):
        with (tmp_path / kind).open("wb") as file:
            ireval.write_qrels(qrels, file, kind)
        assert read_qrels(tmp_path / kind).rows() == grades


def test_what_was_changed_in_place_is_checked_again(tmp_path):
    run_file, qrels_file = written(tmp_path, {"1": {"a": 1.0, "b": 2.0}}, {"1": {"a": 1}})
    run, qrels = read_run(run_file), read_qrels(qrels_file)
    assert evaluate(run, qrels, "RR").means() == {"RR": 0.5}
    run[1, "score"] = 3.0
    assert evaluate(run, qrels, "RR").means() == {"RR": 1.0}
    run[1, "score"] = math.nan
    with pytest.raises(BadFile, match=r"row 2: column score is NaN"):
        evaluate(run, qrels, "RR")


def test_a_run_is_no_qrels(tmp_path):
    run_file, qrels_file = written(tmp_path, {"1": {"a": 1.0, "b": 2.0}}, {"1": {"a": 1}})
    run, qrels = read_run(run_file), read_qrels(qrels_file)
    with pytest.raises(BadFile, match=r"^qrels: was read as a run; expected qrels: change the arguments round$"):
        as_qrels(run)
    with pytest.raises(BadFile, match=r"was read as "):
        evaluate(qrels, run, "AP")
    write_run(run, tmp_path / "stored")
    with pytest.raises(BadFile, match="docno"):
        evaluate(read_run_parquet(tmp_path / "stored", columns=["topic", "rank"]), qrels, "AP")


def test_what_was_checked_is_forgotten_with_its_frame(tmp_path):
    run_file, _ = written(tmp_path, {"1": {"a": 1.0}}, {"1": {"b": 1}})
    run = read_run(run_file)
    assert believed_kind(run) == "run"
    kept = checked_frames._believed.copy()
    key = id(run)
    del run
    assert key in kept and key not in checked_frames._believed


@pytest.mark.parametrize(
    "bad",
    [{"1": {"a": math.nan}}, pl.DataFrame({"qid": ["1", "1"], "docno": ["a", "a"], "score": [1, 2]})],
    ids=["dict", "frame"],
)
def test_every_entry_point_checks(bad):
    good = {"1": {"a": 1, "b": 2}}
    for refused in (
        lambda: ireval.rankings_of(bad, good),
        lambda: pool([good, bad], 1),
        lambda: ireval.correlate_runs(good, bad, ["rbo"]),
        lambda: ireval.correlate_runs(bad, good, ["rbo"]),
        lambda: Panel(pl.DataFrame({"topic": ["1"], "docno": ["a"]}), {"bm25": bad}),
    ):
        with pytest.raises(BadFile, match=r"row \d"):
            refused()
    with pytest.raises(BadFile, match=r"^run 2: row"):
        pool([good, bad], 1)
    grades = {"1": {"a": 0.5}}
    for refused in (lambda: Qrels(grades), lambda: ireval.rankings_of(good, grades), lambda: ireval.intents_of(grades)):
        with pytest.raises(BadFile, match=r"row 1, \['1'\]\['a'\]: column grade is 0.5"):
            refused()


def test_every_refusal_is_a_bad_input():
    refusals = {name for name in ireval.__all__ if name.startswith("Bad")}
    assert {"BadFile", "BadMeasure", "BadLabels", "BadVotes", "BadClicks", "BadExperiment", "BadComparison"} < refusals
    assert all(issubclass(getattr(ireval, name), BadInput) for name in refusals)


@pytest.mark.parametrize("rule", [{"topics": "all"}, {"ties": "bset"}, {"profile": "trec"}])
def test_rules_that_do_not_exist(rule):
    with pytest.raises(BadInput, match=r"choose one of|expected one of"):
        evaluate({"1": {"a": 1}}, {"1": {"a": 1}}, "RR", **rule)


def test_nothing_else_is_imported():
    code = "import sys, ireval; print({'pandas', 'pyarrow', 'ir_measures'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


@without_pandas
def test_cells_that_only_pandas_leaves_empty():
    import pandas

    ids, scores = pandas.array(["a", None], dtype="string"), pandas.array([1, None], dtype="Int64")
    frame = pandas.DataFrame({"qid": pandas.Categorical([1, 1]), "docno": ids, "score": scores})
    with pytest.raises(BadFile) as refusal:
        as_run(frame)
    assert [line.partition(";")[0] for line in str(refusal.value).splitlines()] == [
        "run: row 2: column docno is empty",
        "run: row 2: column score is empty",
    ]
    twice = pandas.DataFrame([["1", "a", 1, 2]], columns=["qid", "docno", "score", "score"])
    with pytest.raises(BadFile, match="columns score and score both say the score"):
        as_run(twice)

"""Labels, votes, experiments and sessions from frames of pandas as of polars; what is wrong is named by row, column and mend."""

import math
from importlib.util import find_spec
from typing import Any

import polars as pl
import pytest

from ireval import (
    BadInput,
    click_preferences,
    experiment_of,
    gold_of,
    labels_of,
    measure_interval,
    near_duplicates,
    parse_measure,
    pooled_documents,
    sampled_differences,
    sessions_of,
    votes_of,
)
from ireval.behaviour import log_of
from ireval.clicks import fit, implicit_labels, preference_agreement
from ireval.clicks.sessions import small
from ireval.interleaving import scored
from ireval.stability import Panel

without_pandas = pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed, so it has no frames to try")

LABELS = {"item": ["a", "a", "b"], "worker": ["x", "y", "x"], "label": [0, 1, 2]}
VOTES = {
    "item": ["q1", "q1", "q2"],
    "left": ["new", "new", "old"],
    "right": ["old", "old", "new"],
    "winner": ["left", "tie", "right"],
    "worker": ["x", "y", "x"],
}
EXPERIMENT = {"unit": ["u", "v", "w"], "arm": ["a", "b", "a"], "clicks": [1, 0, 3]}
SESSIONS = {
    "impression": ["i", "i", "j"],
    "query": ["q"] * 3,
    "document": ["a", "b", "a"],
    "rank": [1, 2, 1],
    "clicks": [0, 1, 1],
}
EVIDENCE: list[Any] = [
    (labels_of, LABELS),
    (votes_of, VOTES),
    (experiment_of, EXPERIMENT),
    (sessions_of, SESSIONS),
]
COLUMNS = [(function, columns, name) for function, columns in EVIDENCE for name in columns]
# Votes may be without workers.
NEEDED = [(function, columns, name) for function, columns, name in COLUMNS if (function, name) != (votes_of, "worker")]
# A vote without a winner is left out and counted.
WRONG = [
    (function, columns, name, bad)
    for function, columns, name in COLUMNS
    for bad in (None, math.nan, math.inf, [1], {"a": 1}, b"x")
    if name != "winner" or bad not in (None, math.nan)
]


def column(name: str, values: list[Any]) -> pl.Series:
    try:
        return pl.Series(name, values)
    except TypeError:
        return pl.Series(name, values, dtype=pl.Object)


def as_polars(columns: dict[str, list[Any]]) -> pl.DataFrame:
    return pl.DataFrame([column(name, values) for name, values in columns.items()])


def as_pandas(columns: dict[str, list[Any]]):
    import pandas

    return pandas.DataFrame(columns)


FORMS = [as_polars, pytest.param(as_pandas, marks=without_pandas)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "columns"), EVIDENCE)
def test_good_frames_are_taken(form, function, columns):
    result = function(form(columns))
    assert getattr(result, "n", [1, 1]) is not None
    assert repr(result) == repr(function(pl.DataFrame(columns).lazy().collect()))


BOOLEANS = [(labels_of, LABELS, "label"), (experiment_of, EXPERIMENT, "clicks"), (sessions_of, SESSIONS, "clicks")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "columns", "name"), BOOLEANS)
def test_booleans_are_taken(form, function, columns, name):
    columns = {**columns, name: [True, False, True]}
    assert repr(function(form(columns))) == repr(function(pl.DataFrame(columns)))


UNKNOWN: list[Any] = [(experiment_of, {**EXPERIMENT, "clicks__before": [2.0, 1.0, 3.0]}, "clicks__before")]
UNKNOWN += [(votes_of, {**VOTES, "seconds": [2.0, 1.0, 3.0]}, "seconds")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("unknown", [None, math.nan])
@pytest.mark.parametrize(("function", "columns", "name"), UNKNOWN)
def test_numbers_that_may_be_unknown(form, function, columns, name, unknown):
    some, none = ({**columns, name: cells} for cells in ([2.0, unknown, 3.0], [unknown] * 3))
    assert repr(function(form(some))) == repr(function(pl.DataFrame({**columns, name: [2.0, None, 3.0]})))
    assert repr(function(form(none))) == repr(function(pl.DataFrame({**columns, name: [None] * 3})))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "columns", "name", "bad"), WRONG)
def test_a_cell_that_is_wrong(form, function, columns, name, bad):
    cells = [*columns[name][:1], bad, *columns[name][2:]]
    with pytest.raises(BadInput) as refusal:
        function(form({**columns, name: cells}))
    assert f"column {name}" in str(refusal.value) and "row " in str(refusal.value)
    assert ": " in str(refusal.value).partition(f"column {name}")[2] or "expected" in str(refusal.value)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "columns", "name"), NEEDED)
def test_a_column_that_is_missing(form, function, columns, name):
    with pytest.raises(BadInput, match=name if name != "clicks" else "clicks|metric"):
        function(form({other: values for other, values in columns.items() if other != name}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "columns"), EVIDENCE)
def test_a_row_that_is_there_again(form, function, columns):
    with pytest.raises(BadInput, match=r"^row 4: columns .* keep one"):
        function(form({name: [*values, values[0]] for name, values in columns.items()}))


@pytest.mark.parametrize("form", FORMS)
def test_gold_that_is_wrong(form):
    labels = labels_of(as_polars(LABELS))
    assert gold_of(form({"item": ["b"], "label": [1]}), labels).tolist() == [-1, 1]
    for columns, complaint in (
        ({"item": ["a", "b", "a"], "label": [1, 1, 2]}, "row 3: column item: item a has two gold labels; row 1"),
        ({"item": ["a", None], "label": [1, 1]}, "row 2: column item has an empty cell"),
        ({"item": ["a"], "marks": [1]}, "there is no column label"),
    ):
        with pytest.raises(BadInput, match=complaint):
            gold_of(form(columns), labels)


JUDGED = {"query": ["owls"] * 3, "document": ["a", "b", "c"], "grade": [0, 2, 1]}
SEARCHES = {"unit": [1, 2], "time": [0, 0], "query": [10, 20], "arm": [0, 1]}
EVENTS = {"unit": [1, 2], "time": [5, 6], "query": [10, 20], "action": ["click"] * 2, "rank": [1.0, None]}
SHOWN: dict[str, list[Any]] = {
    "impression": [7, 7],
    "rank": [1, 2],
    "document": ["a", "b"],
    "method": ["team_draft"] * 2,
    "share_0": [1.0, 0.0],
    "share_1": [0.0, 1.0],
}
RUNS = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "b": 1.0}}}
POOL = pooled_documents(RUNS, {"1": {"b": 1}}, depth=2)
DRAWS = {"topic": ["1"] * 2, "docno": ["c", "a"], "known": [0, 0], "probability": [0.5, 1.0], "grade": [0, None]}


def of_rule(preferences):
    return preference_agreement({"skip-above": preferences}, pl.DataFrame(JUDGED))


# A column, a cell that is wrong in the second row, and what is said of it.
TABLES: list[Any] = [
    (lambda frame: measure_interval(frame, parse_measure("RR")), {"topic": ["1", "2"], "RR": [0.5, 1.0]}, None, None),
    (lambda frame: preference_agreement({"skip-above": click_preferences(small(), "skip-above")}, frame), JUDGED, "grade", -1),
    (of_rule, click_preferences(small(), "skip-above").to_dict(as_series=False), None, None),
    (lambda frame: implicit_labels(fit(small(), "cascade"), frame, small(), thresholds=[0.2]).table, JUDGED, "grade", None),
    (lambda frame: scored(frame, pl.DataFrame({"impression": [7], "document": ["b"]})), SHOWN, "impression", None),
    (lambda frame: log_of(frame, pl.DataFrame(EVENTS), ("a", "b"), 0, 9).searches, SEARCHES, "unit", "u"),
    (lambda frame: log_of(frame, pl.DataFrame(EVENTS), ("a", "b"), 0, 9).searches, SEARCHES, "arm", 2),
    (lambda frame: log_of(pl.DataFrame(SEARCHES), frame, ("a", "b"), 0, 9).events, EVENTS, "time", None),
    (lambda frame: Panel(frame, RUNS).topics, {"topic": ["1", "1"], "docno": ["a", "b"]}, None, None),
    (lambda frame: sampled_differences(POOL, parse_measure("P@2"), frame).table, DRAWS, "probability", None),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("function", "columns", "name", "bad"), TABLES)
def test_tables_of_polars_and_pandas_give_the_same(form, function, columns, name, bad):
    assert repr(function(form(columns))) == repr(function(pl.DataFrame(columns, strict=False)))
    if name:
        cells = [columns[name][0], bad, *columns[name][2:]]
        with pytest.raises(BadInput, match=r"^row 2[: ]") as refusal:
            function(form({**columns, name: cells}))
        assert name in str(refusal.value)
    with pytest.raises(BadInput, match=r"expected a frame of polars or pandas; found 'a\.csv', of type str: read the file first"):
        function("a.csv")


@pytest.mark.parametrize("function", [function for function, _ in EVIDENCE])
@pytest.mark.parametrize("strange", [None, 7, [("a", "b")], {"item": ["a"]}])
def test_what_is_no_frame(function, strange):
    with pytest.raises(BadInput, match=r"expected a path, or a frame of polars or pandas|expected {worker: label}"):
        function(strange)


@pytest.mark.parametrize("form", [*FORMS, lambda columns: dict(zip(*columns.values(), strict=True))])
def test_documents_come_as_pairs_do(tmp_path, form):
    texts = {"docno": ["a", "b", "c"], "text": ["To be", "or not", "to be"]}
    path = tmp_path / "documents.tsv"
    path.write_text("".join(f"{docno}\t{text}\n" for docno, text in zip(*texts.values(), strict=True)), encoding="utf-8")
    expected = near_duplicates(zip(*texts.values(), strict=True))
    assert near_duplicates(form(texts)).equals(expected) and near_duplicates(path).equals(expected)
    with pytest.raises(BadInput, match=r"^there is no column text; expected docno, text: rename yours$"):
        near_duplicates(pl.DataFrame({"docno": ["a"], "body": ["to be"]}))

"""`python -m ireval aggregate` and `agreement`: what goes in, what comes out, and what is said of mistakes."""

import csv
import io
import json
import sys

import numpy as np
import pytest

from ireval.aggregation import METHODS, TIES
from ireval.agreement import LEVELS
from ireval.cli.main import main
from tests.ireval.builders import write
from tests.ireval.cli.commands import complaint, printed

# Of d1 most say 0, of d2 all say 2, d3 is a tie, and the third worker is late.
LABELS = [
    *("item,worker,label", "d1,ann,0", "d1,bob,0", "d2,ann,2", "d2,bob,2"),
    *("d3,ann,1", "d3,bob,2", "d1,cy,2", "d2,cy,2"),
]
GOLD = ["d1,0", "d2,2"]


@pytest.fixture
def labels(tmp_path) -> str:
    return str(write(tmp_path / "labels.csv", *LABELS))


@pytest.fixture
def gold(tmp_path) -> str:
    return str(write(tmp_path / "gold.csv", *GOLD))


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_an_item_has_its_label_and_how_sure_it_is(labels, capsys):
    assert printed(capsys, "aggregate", labels, "--method", "majority").splitlines() == [
        "item,label,confidence,n",
        "d1,0,0.6666666666666666,3",
        "d2,2,1.0,3",
        "d3,1|2,0.5,2",
    ]


@pytest.mark.parametrize(("ties", "label"), [("split", "1|2"), ("tie", ""), ("lowest", "1"), ("median", "1")])
def test_ties_as_told(labels, capsys, ties, label):
    assert rows(printed(capsys, "aggregate", labels, "--method", "majority", "--ties", ties))[2]["label"] == label


@pytest.mark.parametrize("method", METHODS)
def test_every_method_and_its_posteriors(labels, gold, capsys, method):
    table = rows(printed(capsys, "aggregate", labels, "--method", method, "--gold", gold, "--posteriors"))
    assert [row["label"] for row in table[:2]] == ["0", "2"]
    assert [list(row)[-3:] for row in table] == [["p(0)", "p(1)", "p(2)"]] * 3
    assert all(sum(float(row[f"p({value})"]) for value in "012") == pytest.approx(1) for row in table)


def test_json_says_how_it_came_about(labels, capsys):
    content = json.loads(printed(capsys, "aggregate", labels, "--method", "mean", "--format", "json"))
    assert (content["method"], content["labels"], content["items"], content["workers"]) == ("mean", 8, 3, 3)
    assert content["rows"][2] == {"item": "d3", "label": "1", "confidence": 0.5, "n": 2, "score": 1.5}


def test_the_default_suits_the_labels(tmp_path, labels, capsys):
    words = str(write(tmp_path / "words", "d1 ann low", "d1 bob high"))
    for path, method in ((labels, "ordinal"), (words, "dawid-skene")):
        content = json.loads(printed(capsys, "aggregate", path, "--format", "json"))
        assert content["method"] == method


def test_the_table_says_by_which_rules(labels, gold, capsys):
    text = printed(capsys, "aggregate", labels, "--method", "majority", "--gold", gold, "--format", "table").splitlines()
    assert text[0] == f"{labels}: 8 labels of 3 items by 3 workers, values 0 1 2, 2 items with gold"
    assert text[1] == "  majority: the commonest label; ties: the tied values share the item"
    assert text[2].split() == ["item", "label", "confidence", "n"]
    assert text[5].split() == ["d3", "1|2", "0.5000", "2"]


def test_a_long_table_says_where_the_rest_is(tmp_path, capsys):
    path = write(tmp_path / "many.csv", *(f"d{item},ann,1" for item in range(30)))
    assert "  … and 10 more, which --format csv prints" in printed(capsys, "aggregate", str(path), "--format", "table")


def test_workers_have_what_was_learnt_of_them(labels, capsys):
    table = rows(printed(capsys, "aggregate", labels, "--method", "dawid-skene", "--workers"))
    assert [(row["worker"], row["n"]) for row in table] == [("ann", "3"), ("bob", "3"), ("cy", "2")]
    assert all(sum(float(row[f"p({label}|0)"]) for label in "012") == pytest.approx(1) for row in table)
    assert [list(row) for row in rows(printed(capsys, "aggregate", labels, "--method", "majority", "--workers"))] == [
        ["worker", "n"]
    ] * 3


def test_the_scale_can_be_named(tmp_path, capsys):
    """A tie between the ends is in the middle, which nobody used; and words get an order."""
    path = str(write(tmp_path / "words", "d1 ann low", "d1 bob high"))
    assert rows(printed(capsys, "aggregate", path, "--ties", "median", "--values", "low,mid,high"))[0]["label"] == "mid"
    assert "needs labels in an order" in complaint(capsys, "aggregate", path, "--ties", "median")


def test_gold_may_have_a_value_that_nobody_gave(tmp_path, labels, capsys):
    gold = str(write(tmp_path / "gold", "d1 3"))
    assert rows(printed(capsys, "aggregate", labels, "--gold", gold))[0]["label"] == "3"


def test_standard_input(monkeypatch, capsys):
    class Stdin:
        buffer = io.BytesIO("\n".join(LABELS).encode())

    monkeypatch.setattr(sys, "stdin", Stdin)
    assert rows(printed(capsys, "aggregate", "-"))[1]["label"] == "2"


def test_agreement_has_intervals_and_reasons(labels, capsys):
    text = printed(capsys, "agreement", labels, "--level", "ordinal", "--resamples", "50", "--seed", "7").splitlines()
    assert text[1] == "  intervals: bootstrap over items, expanded percentiles, 50 resamples, seed 7"
    lines = [line.strip() for line in text if "percent agreement" in line or "Fleiss" in line]
    assert lines[0].startswith("percent agreement of pairs    0.5714  ")  # of 3, 3 and 1 pairs one, three and none
    assert lines[1].endswith("undefined because items have from 2 to 3 labels, and it needs the same number everywhere")


def test_topics_are_drawn_where_the_file_has_them(tmp_path, capsys):
    lines = [f"{topic},d{docno},{worker},{grade}" for topic in (1, 2) for docno in (1, 2, 3) for worker, grade in
             (("ann", docno % 2), ("bob", topic % 2))]  # fmt: skip
    path = str(write(tmp_path / "judgements.csv", "topic,docno,worker,grade", *lines))
    text = printed(capsys, "agreement", path).splitlines()
    assert text[1] == "  intervals: bootstrap over 2 topics, expanded percentiles, 1,000 resamples, seed 0"
    assert text[2] == "  with 2 topics the interval may be too narrow: 30 are needed"
    rows = json.loads(printed(capsys, "agreement", path, "--format", "json"))["agreement"]
    assert {row["topics"] for row in rows} == {2}


@pytest.mark.parametrize("level", LEVELS)
def test_agreement_in_every_format(labels, capsys, level):
    content = json.loads(printed(capsys, "agreement", labels, "--level", level, "--format", "json"))
    table = rows(printed(capsys, "agreement", labels, "--level", level, "--format", "csv"))
    assert content["level"] == level and content["resamples"] == 1000
    assert [entry["name"] for entry in content["agreement"]] == [row["name"] for row in table]
    for entry, row in zip(content["agreement"], table, strict=True):
        assert (entry["value"] is None) == (row["value"] == "") == bool(entry["undefined"])
        assert entry["value"] is None or entry["value"] == float(row["value"])


def test_resamples_without_a_value_are_admitted(tmp_path, capsys):
    path = write(tmp_path / "two", "d1 ann 1", "d1 bob 1", "d2 ann 0", "d2 bob 1")
    assert "resamples left out, in which it is undefined" in printed(capsys, "agreement", str(path))


def test_the_seed_decides(labels, capsys):
    first, again, other = (printed(capsys, "agreement", labels, "--format", "csv", "--seed", seed) for seed in "112")
    assert first == again != other


def test_each_worker_and_each_item(labels, gold, capsys):
    workers = rows(printed(capsys, "agreement", labels, "--by", "worker", "--gold", gold, "--format", "csv"))
    assert [(row["worker"], row["gold"], row["accuracy"]) for row in workers][::2] == [("ann", "2", "1.0"), ("cy", "2", "0.5")]
    items = json.loads(printed(capsys, "agreement", labels, "--by", "item", "--format", "json"))
    assert [row["entropy"] for row in items["rows"]] == pytest.approx([0.918296, 0, 1], abs=1e-6)
    assert "d3" in printed(capsys, "agreement", labels, "--by", "item")


AGAIN = (
    "labels, line 2: worker ann labels item d1 again; the first time is on line 1: keep one of them, or say repeats first or last"
)


@pytest.mark.parametrize(
    ("lines", "arguments", "message"),
    [
        (["d1,ann,0", "d1,ann,1"], ["aggregate"], AGAIN),
        (["d1,ann,0"], ["aggregate", "--method", "gold-weighted"], "no item has gold, which gold-weighted votes need"),
        (["d1,ann,a", "d2,ann,b"], ["aggregate", "--method", "mean"], "the label a is no number"),
        (["d1,ann,a", "d2,ann,b"], ["agreement", "--level", "interval"], "the label a is no number"),
        (["d1,ann,a"], ["agreement", "--values", "b,c"], "labels: the label a is none of b, c"),
        (["d1,ann,2"], ["aggregate", "--values", "2,2"], "the scale names a value twice; expected each once"),
    ],
)
def test_mistakes_are_said_in_a_line(tmp_path, capsys, lines, arguments, message):
    path = str(write(tmp_path / "labels", *lines))
    assert complaint(capsys, arguments[0], path, *arguments[1:]) == message


def test_a_file_that_is_not_there(capsys):
    assert complaint(capsys, "agreement", "nowhere.csv") == "nowhere.csv: No such file or directory"


def test_help_names_every_choice(capsys):
    with pytest.raises(SystemExit):
        main(["aggregate", "--help"])
    text = capsys.readouterr().out
    assert all(name in text for name in (*METHODS, *TIES))


def test_thousands_of_items_at_once(tmp_path, capsys):
    rng = np.random.default_rng(1)
    rated = rng.integers(0, 4, (2000, 3))
    lines = [f"d{item},w{worker},{rated[item, worker]}" for item in range(2000) for worker in range(3)]
    path = str(write(tmp_path / "many.csv", *lines))
    content = json.loads(printed(capsys, "agreement", path, "--level", "ordinal", "--format", "json", "--resamples", "200"))
    alpha = content["agreement"][-1]
    assert alpha["low"] < 0 < alpha["high"]  # random labels agree no more than by chance


def test_repeats_say_which_label_counts(tmp_path, capsys):
    path = str(write(tmp_path / "labels", "d1,ann,0", "d1,ann,1"))
    for repeats, label in (("first", "0"), ("last", "1")):
        assert main(["aggregate", path, "--repeats", repeats]) == 0
        streams = capsys.readouterr()
        assert streams.out.splitlines()[1].startswith(f"d1,{label},")
        assert streams.err == f"warning: labels: 1 row left out that repeats item and worker; the {repeats} of each counts\n"

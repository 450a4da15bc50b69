"""`python -m ireval effect`: what goes in, what comes out, and what is said of mistakes."""

import csv
import io
import json

import pytest

from ireval.cli.main import main
from tests.ireval.builders import write

LABELS = ["topic,docno,worker,grade"]
LABELS += [f"{topic},d{d},{worker},{grade}" for topic, d, worker, grade in [
    *((1, 1, "ann", 2), (1, 1, "bob", 2), (1, 1, "cy", 0), (1, 2, "ann", 0), (1, 2, "bob", 0), (1, 2, "cy", 2)),
    *((2, 1, "ann", 0), (2, 1, "bob", 1), (2, 1, "cy", 0), (2, 2, "ann", 2), (2, 2, "bob", 2), (2, 2, "cy", 1)),
    *((3, 1, "ann", 1), (3, 1, "bob", 1), (3, 1, "cy", 2), (3, 2, "ann", 0), (3, 2, "bob", 0), (3, 2, "cy", 0)),
]]  # fmt: skip


@pytest.fixture
def files(tmp_path) -> list[str]:
    def run(name, *orders):
        lines = [
            f"{topic} Q0 {docno} {place} {9 - place} {name}"
            for topic, order in enumerate(orders, 1)
            for place, docno in enumerate(order.split(), 1)
        ]
        return str(write(tmp_path / name, *lines))

    labels = str(write(tmp_path / "labels.csv", *LABELS))
    return [labels, run("one.run", "d1 d2 d9", "d2 d1", "d1 d2"), run("two.run", "d2 d9 d1", "d1 d2", "d1 d2")]


def printed(capsys, *arguments: str) -> str:
    assert main(["effect", *arguments]) == 0
    return capsys.readouterr().out


def test_a_table_says_how_sure_and_in_which_order(files, capsys):
    text = printed(capsys, *files, "--measures", "AP", "--methods", "majority,ordinal", "--resamples", "50")
    assert "3 topics, 3 workers, labels by majority" in text
    assert "50 resamples, seed 0, 95 %" in text
    row = next(line for line in text.splitlines() if "one.run" in line)
    assert "1.0000" in row  # the majority finds d1, d2 and d1 relevant, which is this run's order
    assert "AP under each aggregation" in text
    assert "majority  ordinal  1.0000 (0)" in text


def test_csv_has_a_row_a_run_and_measure(files, capsys):
    rows = list(csv.DictReader(io.StringIO(printed(capsys, *files, "--measures", "AP P@2", "--format", "csv"))))
    assert [(row["run"].rsplit("/")[-1], row["measure"]) for row in rows] == [
        ("one.run", "AP"), ("one.run", "P@2"), ("two.run", "AP"), ("two.run", "P@2"),
    ]  # fmt: skip
    assert float(rows[0]["mean"]) == 1
    assert float(rows[0]["judged"]) == pytest.approx((2 / 3 + 1 + 1) / 3)
    for row in rows:
        assert 0 <= float(row["low_both"]) <= float(row["mean"]) <= float(row["high_both"]) <= 1
        assert 0 <= float(row["low_topics"]) <= float(row["high_topics"]) <= 1


def test_json_has_the_orders_too_and_no_nan(files, capsys):
    content = json.loads(printed(capsys, *files, "--measures", "AP", "--format", "json", "--seed", "7"))
    assert (content["seed"], content["topics"], content["workers"], content["undefined"]) == (7, 3, 3, "")
    assert content["refused"] == {"gold-weighted": "no item has gold, which gold-weighted votes need"}
    assert {row["method"] for row in content["orders"]} == {"majority", "mean", "median", "dawid-skene", "ordinal"}
    assert [row["place"] for row in content["orders"] if row["method"] == "majority"] == [1, 2]


def test_the_same_seed_says_the_same(files, capsys):
    assert printed(capsys, *files, "--seed", "3") == printed(capsys, *files, "--seed", "3")


def test_gold_lets_votes_be_weighted(files, tmp_path, capsys):
    gold = str(write(tmp_path / "gold.csv", "topic,docno,label", "1,d1,2", "1,d2,0"))
    text = printed(capsys, *files, "--gold", gold, "--methods", "gold-weighted", "--method", "gold-weighted", "--resamples", "20")
    assert "2 items with gold" in text
    assert "gold-weighted" in text


def test_one_worker_is_said_to_be_too_few(files, tmp_path, capsys):
    labels = str(write(tmp_path / "ann.csv", LABELS[0], *(line for line in LABELS if ",ann," in line)))
    assert "workers add nothing that can be told: there is a single worker" in printed(capsys, labels, *files[1:])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--measures", "NumRel"], "NumRel is no mean over topics"),
        (["--measures", "nothing"], "nothing"),
        (["--method", "gold-weighted"], "no item has gold"),
    ],
)
def test_mistakes_are_named(files, arguments, why, capsys):
    assert main(["effect", *files, *arguments]) == 2
    assert why in capsys.readouterr().err


def test_items_need_a_topic(files, tmp_path, capsys):
    labels = str(write(tmp_path / "items.csv", "item,worker,label", "d1,ann,1", "d1,bob,0"))
    assert main(["effect", labels, files[1]]) == 2
    assert "item d1 is no topic and document" in capsys.readouterr().err


def test_a_method_that_does_not_exist_ends_with_the_choices(files, capsys):
    with pytest.raises(SystemExit):
        main(["effect", *files, "--methods", "magic"])
    assert "there is no method magic; expected some of majority" in capsys.readouterr().err

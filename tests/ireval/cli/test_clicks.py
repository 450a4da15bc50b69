"""`python -m ireval clicks`: what goes in, what comes out, and what is said of mistakes."""

import csv
import io
import json

import pytest

from ireval.cli.main import main
from ireval.clicks import RULES
from tests.ireval.builders import write
from tests.ireval.clicks.builders import write_ubi

SHOWN = ["a", "b", "c"]


def log_records():
    for number in range(12):
        about = {"query_id": str(number), "client_id": str(number), "user_query": "owls", "timestamp": "2026-01-01T10:00:00Z"}
        yield about | {"query_response_hit_ids": SHOWN if number % 2 else SHOWN[::-1]}
        if number % 3:
            clicked = {"event_attributes": {"object": {"object_id": "b" if number % 4 else "z"}}}
            yield about | clicked | {"action_name": "click", "timestamp": "2026-01-01T10:00:04Z"}


@pytest.fixture
def log(tmp_path) -> str:
    return str(write_ubi(tmp_path / "log.ndjson.gz", log_records()))


def printed(capsys, *arguments) -> str:
    assert main(["clicks", *arguments]) == 0
    return capsys.readouterr().out


def test_a_table_says_everything_that_there_is_to_read(log, capsys):
    text = printed(capsys, log).splitlines()
    assert text[0].endswith("log.ndjson.gz: 12 impressions of 1 queries, 12 sessions, 8 clicks")
    assert text[1].startswith("  2 clicks on what was not among the documents shown: counted elsewhere (first: line ")
    assert any(line.split()[:5] == ["2", "12", "6", "0.5000", "0.2538"] for line in text)
    assert any(line.split() == ["owls", "b", "a", "4", "0"] for line in text)
    assert any(line.startswith("  click > skip above: 2 preferences, said 6 times") for line in text)
    assert any(line.startswith("  dependent click model ") for line in text)
    assert any(line.startswith("  position-based model, ") for line in text)


@pytest.mark.parametrize("model", ["position-based", "cascade", "dependent-click", "simplified-dbn"])
def test_json_holds_all_of_it(log, capsys, model):
    content = json.loads(printed(capsys, log, "--format", "json", "--model", model, "--k", "2"))
    assert (content["impressions"], content["clicks"]) == (12, 8)
    assert {entry["kind"]: entry["cases"] for entry in content["deviations"]} == {"click-elsewhere": 2}
    assert [entry["name"] for entry in content["rates"]][:2] == ["ctr@2", "abandonment"]
    assert content["model"]["name"] == model
    assert {row["document"] for row in content["documents"]} == set(SHOWN)
    assert [entry["model"] for entry in content["held_out"]][:2] == ["rank-ctr", "position-based"]
    assert len(content["perplexity"]) == 3


@pytest.mark.parametrize(("table", "rows"), [("ranks", 3), ("preferences", 2), ("documents", 3)])
def test_csv_is_one_of_the_tables(log, capsys, table, rows):
    records = list(csv.DictReader(io.StringIO(printed(capsys, log, "--format", "csv", "--table", table))))
    assert len(records) == rows


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_can_be_asked_for(log, capsys, rule):
    assert f"  {RULES[rule][0]}: " in printed(capsys, log, "--rule", rule)


def test_a_single_session_is_not_held_out(tmp_path, capsys):
    path = write_ubi(tmp_path / "log.ndjson", [next(log_records())])
    assert "too few sessions to hold any out" in printed(capsys, str(path))


def test_mistakes_are_explained(tmp_path, capsys):
    path = write_ubi(tmp_path / "log.ndjson", [{"hello": 1}])
    assert main(["clicks", str(path)]) == 2
    assert "log.ndjson: holds no UBI queries" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["clicks", str(path), "--prior", "0"])


def test_models_are_tested_on_the_log_that_is_named(log, tmp_path, capsys):
    lines = ["7_1\ta,b,c : a , b; 7_1\ta,b,c :; owls\tb,a,c : a;"]
    test = str(write(tmp_path / "test.txt", *lines))
    content = json.loads(printed(capsys, log, "--test", test, "--format", "json"))
    assert {entry["impressions"] for entry in content["held_out"]} == {3}
    assert content["options"]["test"] == test
    assert f"  3 impressions of {test}; gain in log likelihood" in printed(capsys, log, "--test", test)

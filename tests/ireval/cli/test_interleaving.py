"""`python -m ireval interleaving`: what goes in, what comes out, and what is said of mistakes."""

import csv
import io
import json

import numpy as np
import polars as pl
import pytest

from ireval.cli.main import main
from ireval.interleaving import Credits, compare_interleaved, compare_multileaved, credit_table, read_credits
from tests.ireval.builders import write


@pytest.fixture
def three(tmp_path) -> str:
    """The third is better, the others are alike."""
    rng = np.random.default_rng(0)
    credit = rng.poisson([0.3, 0.3, 0.5], (800, 3))
    rows = [f"u{rng.integers(90)},q{rng.integers(40)},{','.join(map(str, row))}" for row in credit]
    return str(write(tmp_path / "three.csv", "user,query,old,same,new", *rows))


def printed(capsys, *arguments: str) -> str:
    assert main(["interleaving", *arguments]) == 0
    return capsys.readouterr().out


def complaint(capsys, *arguments: str) -> str:
    assert main(["interleaving", *arguments]) == 2
    return capsys.readouterr().err.rstrip("\n")


def test_two_systems_read_from_top_to_bottom(tmp_path, capsys):
    rows = ["ann,q1,2,1", "ann,q1,1,0", "ann,q2,0,1", "bob,q1,1,1", "bob,q2,0,0", "bob,q3,3,0", "cid,q2,0,2"]
    path = str(write(tmp_path / "two.csv", "user,query,A,B", *rows))
    text = printed(capsys, path, "--planned", "10").splitlines()
    users, queries, *credit = zip(*[line.split(",") for line in rows], strict=True)
    columns = {name: list(map(int, column)) for name, column in zip("AB", credit, strict=True)}
    comparison = compare_interleaved(Credits(users, queries, columns), planned=10)
    assert text[0] == f"{path}: 7 impressions of 3 users, 3 queries, 2 systems, 1 without any credit"
    assert text[1].startswith("  impressions vote; interval and p robust to users and queries")
    low, high = f"{comparison.delta_low:.4f}", f"{comparison.delta_high:.4f}"
    assert text[3].split()[:10] == ["A", "B", "6", "3", "1", "2", "0.0833", low, "to", high]
    assert "N* = 10)" in text[5]
    assert text[7].split()[:6] == ["A", "B", "0.0833", f"{comparison.always_low:.4f}", "to", f"{comparison.always_high:.4f}"]
    assert text[11].split()[:5] == ["A", "B", "2", "0", "1"]
    assert len(text) == 12, "two systems need no ranks"


def test_many_systems_have_ranks(three, capsys):
    lines = printed(capsys, three).splitlines()
    ranks = [line.split()[:3] for line in lines[-3:]]
    assert ranks[0] == ["1", "1–1", "new"] and {rank[1] for rank in ranks[1:]} == {"2–3"}


def test_formats_say_the_same(three, capsys):
    expected = compare_multileaved(three, confidence=0.9)
    content = json.loads(printed(capsys, three, "--format", "json", "--confidence", "0.9"))
    rows = list(csv.DictReader(io.StringIO(printed(capsys, three, "--format", "csv", "--confidence", "0.9"))))
    assert [pair["holm"] for pair in content["pairs"]] == [float(row["holm"]) for row in rows] == [p.holm for p in expected.pairs]
    assert [float(row["always_low"]) for row in rows] == [pair.analysis.always_low for pair in expected.pairs]
    assert [standing["system"] for standing in content["standings"]] == [standing.system for standing in expected.standings]
    assert "queries" not in content
    systems = csv.DictReader(io.StringIO(printed(capsys, three, "--format", "csv", "--table", "systems")))
    assert [row["system"] for row in systems] == [standing.system for standing in expected.standings]


def test_two_of_them_query_by_query(three, capsys):
    table = pl.read_csv(io.StringIO(printed(capsys, three, "--systems", "new", "old", "--format", "csv", "--table", "queries")))
    assert table.equals(credit_table(three, systems=["new", "old"]), null_equal=True)
    content = json.loads(printed(capsys, three, "--systems", "new", "old", "--format", "json"))
    assert content["systems"] == ["new", "old"] and len(content["queries"]) == len(table)


def test_others_may_vote_and_credit_be_shared(three, capsys):
    assert "users vote, once each;" in printed(capsys, three, "--voter", "user")
    assert "nothing allows for users" in printed(capsys, three, "--voter", "query")
    assert "  the first's part of the credit of both;" in printed(capsys, three, "--by", "credit")
    content = json.loads(printed(capsys, three, "--by", "credit", "--format", "json"))
    credits = read_credits(three)
    assert content["pairs"][0]["analysis"]["delta"] == pytest.approx(
        credits.credit["old"].sum() / (credits.credit["old"] + credits.credit["same"]).sum() - 0.5
    )


def test_what_is_unknown_says_why(tmp_path, capsys):
    path = str(write(tmp_path / "one.csv", "user,query,A,B,C", "u,q,1,0,0", "u,r,0,1,0"))
    text = printed(capsys, path)
    assert "  A, B: no interval because there is a single user\n" in text
    assert json.loads(printed(capsys, path, "--format", "json"))["pairs"][0]["analysis"]["score"]["p"] is None


def test_parquet_and_standard_input(three, tmp_path, capsys, monkeypatch):
    pl.read_csv(three).write_parquet(tmp_path / "three.parquet")
    from_csv = printed(capsys, three).splitlines()[1:]
    assert printed(capsys, str(tmp_path / "three.parquet")).splitlines()[1:] == from_csv
    with open(three, "rb") as stream:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(stream))
        assert printed(capsys, "-").splitlines()[1:] == from_csv


def test_mistakes_are_told(three, tmp_path, capsys):
    bad = str(write(tmp_path / "bad.csv", "user,query,A,B", "u,q,1,much"))
    assert complaint(capsys, bad) == 'bad.csv, line 2: column B is "much"; expected a number'
    none = str(write(tmp_path / "none.csv", "user,query,A,B", "u,q,0,0"))
    assert complaint(capsys, none) == "no impression gave any system credit"
    assert complaint(capsys, three, "--systems", "old", "z").endswith("there is no system z; expected some of old, same, new")
    queries = complaint(capsys, three, "--format", "csv", "--table", "queries")
    assert queries == "queries are of two systems; name them with --systems"
    assert complaint(capsys, three, "--by", "credit", "--voter", "user") == "by credit impressions count, and no user votes"
    assert complaint(capsys, str(tmp_path / "nowhere.csv")).endswith("nowhere.csv: No such file or directory")


def test_help_says_what_is_planned(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")
    with pytest.raises(SystemExit) as ended:
        main(["interleaving", "--help"])
    assert ended.value.code == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "--planned N votes, as independent ones count, at which always-valid intervals are narrowest (default 5000)" in text

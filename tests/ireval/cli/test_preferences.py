"""`python -m ireval preferences`: what goes in, what comes out, and what is said of mistakes."""

import csv
import gzip
import io
import json
import math

import numpy as np
import pytest

from ireval.cli.main import main
from ireval.preferences import DRAWN, MODELS
from tests.ireval.builders import write

HEADER = "item,left,right,winner,worker,seconds"
TWO = [
    *(HEADER, "q1,a,b,left,ann,4", "q1,b,a,right,bob,5", "q2,a,b,left,ann,3", "q2,a,b,tie,bob,4", "q3,b,a,left,ann,3"),
    *("q3,b,a,both_bad,bob,6", "q4,a,b,left,ann,2", "q4,b,a,right,bob,3", "q1,b,a,right,ann,3", "q5,a,b,,ann,1"),
]
THREE = [*TWO, "q1,a,c,left,ann,3", "q2,c,a,left,bob,3", "q3,c,b,left,ann,3", "q4,c,b,right,bob,3"]


@pytest.fixture
def two(tmp_path) -> str:
    return str(write(tmp_path / "two.csv", *TWO))


@pytest.fixture
def three(tmp_path) -> str:
    return str(write(tmp_path / "three.csv", *THREE))


def printed(capsys, *arguments: str) -> str:
    assert main(["preferences", *arguments]) == 0
    return capsys.readouterr().out


def complaint(capsys, *arguments: str) -> str:
    assert main(["preferences", *arguments]) == 2
    return capsys.readouterr().err.rstrip("\n")


def test_two_systems_begin_with_how_often_each_is_preferred(two, capsys):
    text = printed(capsys, two).splitlines()
    assert text[0] == f"{two}: 8 votes by 2 workers on a and b, 1 mirrored repeat; 1 row without a winner left out"
    assert text[1] == "  4 items of 4 topics"
    assert text[2].split()[:6] == ["won", "tied", "lost", "both", "bad", "score"]
    assert text[3].split()[:8] == ["a", "against", "b", "5", "2", "1", "1", "0.7500"]
    topics = next(line for line in text if "one vote each" in line)
    assert topics.split()[4:] == ["3", "0", "1", "0.6250", "0.6250", "0.6250"]
    assert any(line.split() == ["q3", "2", "0", "1", "1", "1", "0.2500"] for line in text)
    assert any(line.startswith("  side: 4 of 6 decided votes chose the left one (0.6667, ") for line in text)
    assert any(line.startswith("  consistency: 1 of 1 mirrored repeats say the same") for line in text)
    assert any("Krippendorff's α, ordinal" in line for line in text)
    assert any("seconds, ratio: " in line for line in text)


def test_the_pair_is_seen_from_the_one_that_is_named_first(two, capsys):
    line = next(line for line in printed(capsys, two, "--pair", "b", "a").splitlines() if "against" in line)
    assert line.split()[:8] == ["b", "against", "a", "1", "2", "5", "1", "0.2500"]


def test_more_systems_begin_with_their_ladder(three, capsys):
    text = printed(capsys, three, "--resamples", "50", "--seed", "3").splitlines()
    assert "12 votes by 2 workers on 3 systems" in text[0]
    assert "Davidson's model" in text[1]
    assert text[2] == "  intervals: strengths drawn, 50 times, seed 3, 95 %; those of ranks hold all together"
    assert text[3].startswith("  by attention: each vote counts as far as its worker's votes follow")
    assert text[4].split()[:3] == ["group", "rank", "system"]
    assert {line.split()[3] for line in text[5:8]} == {"a", "b", "c"}
    assert any(line.split()[:6] == ["a", "b", "8", "5", "2", "1"] for line in text)


@pytest.mark.parametrize("drawn", DRAWN)
@pytest.mark.parametrize("model", MODELS)
def test_every_model_and_way_to_draw(three, capsys, model, drawn):
    content = json.loads(printed(capsys, three, "--model", model, "--drawn", drawn, "--resamples", "20", "--format", "json"))
    assert (content["model"], content["drawn"]) == (model, drawn)
    assert sum(row["strength"] for row in content["ladder"]) == pytest.approx(0)
    assert (content["nu"] > 0) == (model == "davidson")


def test_json_has_everything_and_no_nan(two, three, capsys):
    content = json.loads(printed(capsys, two, "--format", "json"), parse_constant=pytest.fail)
    assert (content["votes"], content["left_out"], content["systems"]) == (8, 1, ["a", "b"])
    assert content["pairs"][0]["score"]["value"] == 0.75
    assert content["topics"][0]["topic"] == "q1"
    assert content["consistency"]["kappa"]["value"] is None
    assert "ladder" not in content
    content = json.loads(printed(capsys, three, "--format", "json"), parse_constant=pytest.fail)
    assert len(content["ladder"]) == len(content["pairs"]) == len(content["above"]) == 3
    assert "topics" not in content


def test_csv_is_topics_of_two_and_a_ladder_of_more(two, three, capsys):
    topics = list(csv.DictReader(io.StringIO(printed(capsys, two, "--format", "csv"))))
    assert [row["topic"] for row in topics] == ["q1", "q2", "q3", "q4"]
    ladder = list(csv.DictReader(io.StringIO(printed(capsys, three, "--format", "csv"))))
    assert [row["rank"] for row in ladder] == ["1", "2", "3"]
    assert len(list(csv.DictReader(io.StringIO(printed(capsys, three, "--format", "csv", "--pair", "a", "c"))))) == 2


def test_a_packed_file_with_a_byte_order_mark_and_windows_lines(tmp_path, two, capsys):
    (tmp_path / "two.csv.gz").write_bytes(gzip.compress(("\ufeff" + "\r\n".join(TWO)).encode()))
    plain = printed(capsys, two)
    assert printed(capsys, str(tmp_path / "two.csv.gz")).splitlines()[1:] == plain.splitlines()[1:]


def test_systems_that_cannot_be_told_are_said_to_be_so(tmp_path, capsys):
    rows = [HEADER, "q1,a,b,left,x,1", "q2,a,b,left,y,1", "q1,c,d,left,x,1", "q2,c,d,right,y,1"]
    text = printed(capsys, str(write(tmp_path / "votes.csv", *rows)))
    assert "votes alone have no finite strengths: a never lost and never tied against the others; 0.5 votes against" in text
    assert "2 groups of systems were never compared with each other" in text


def test_too_many_pairs_are_shown_one_by_one(tmp_path, capsys):
    rows = [f"q,s{number:02},s{other:02},left,w" for number in range(21) for other in range(number)]
    path = str(write(tmp_path / "votes.csv", "item,left,right,winner,worker", *rows))
    assert "  210 pairs of systems: --pair A B shows one" in printed(capsys, path)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("q9,a,b,first,ann,1", 'line 12: the winner is "first"; expected left, right, tie or both_bad'),
        (",a,b,left,ann,1", "line 12: has no item"),
        ("q9,a,b,left,,1", "line 12: has no worker"),
        ("q1,a,b,left,ann,1", "line 12: worker ann votes again on item q1; the first time is on line 2"),
    ],
)
def test_bad_rows_are_named(tmp_path, capsys, row, problem):
    assert complaint(capsys, str(write(tmp_path / "bad.csv", *TWO, row))) == f"bad.csv, {problem}"


def test_what_else_can_be_wrong(two, tmp_path, capsys):
    assert complaint(capsys, two, "--pair", "a", "z") == "there is no system z; expected one of a, b"
    assert complaint(capsys, str(tmp_path / "none.csv")).endswith("No such file or directory")
    with pytest.raises(SystemExit):
        main(["preferences", two, "--model", "elo"])


def test_without_workers_intervals_allow_for_topics_alone_and_say_so(tmp_path, capsys):
    rng = np.random.default_rng(3)
    rows = [f"q{topic},{'new,old' if rng.random() < 0.5 else 'old,new'},{rng.choice(['left', 'right'])}" for topic in range(30)]
    path = str(write(tmp_path / "votes.csv", "item,left,right,winner", *rows, "q1,new,new,tie"))
    assert main(["preferences", path, "--resamples", "20"]) == 0
    text = capsys.readouterr().out.splitlines()
    assert text[0] == f"{path}: 30 votes on new and old; 1 of a system against itself left out"
    assert (
        text[1] == "  no column says who voted: each vote counts as by a worker of its own, so intervals allow for topics alone"
    )
    assert main(["preferences", path, "--resamples", "20", "--format", "json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert (content["has_workers"], content["against_itself"]) == (False, 1)
    (pair,) = content["pairs"]
    wins = pair["wins"] / pair["n"]
    error = math.sqrt(wins * (1 - wins) / 30) * math.sqrt(30 / 29)
    assert pair["score"]["error"] == pytest.approx(error, rel=0.02)

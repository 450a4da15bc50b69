"""Bundles: written, read, computed again, and what is refused."""

import io
import json
import math
import time
import zipfile
from dataclasses import replace

import polars as pl
import pytest

from ireval.cli.main import main
from ireval.verdict import BadVerdict, Bundle, Scored, disagreements, read_bundle, result_of, write_bundle
from tests.ireval.cli.commands import complaint, printed
from tests.ireval.verdict.worlds import arms_of, graded, interleaved, voted


def bundle(**about) -> Bundle:
    return Bundle("old", "new", [graded(workers=6), voted(for_b=0.8), interleaved(), arms_of()], about=about)


@pytest.fixture
def path(tmp_path):
    write_bundle(bundle(asked="2026-11-01"), tmp_path / "verdict.zip")
    return tmp_path / "verdict.zip"


def test_a_bundle_is_read_as_it_was_written(path):
    again, result = read_bundle(path)
    assert (again.a, again.b, again.about) == ("old", "new", {"asked": "2026-11-01"})
    assert [part.kind for part in again.evidence] == ["grades", "side by side", "interleaving", "A/B test"]
    assert json.loads(json.dumps(result_of(again.verdict(), again))) == result


def test_it_is_reproduced_bit_for_bit(path, capsys):
    assert printed(capsys, "reproduce", str(path)) == f"{path}: every number is the same\n"


def test_it_is_the_same_bytes_whenever_it_is_written(path, tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 2e9)
    write_bundle(bundle(asked="2026-11-01"), tmp_path / "later.zip")
    assert (tmp_path / "later.zip").read_bytes() == path.read_bytes()


def test_what_differs_is_named(path, capsys):
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    result = json.loads(entries["result.json"])
    result["answers"][0]["decision"]["p"] = 0.5
    entries["result.json"] = json.dumps(result).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    message = complaint(capsys, "reproduce", str(path))
    assert "1 numbers differ" in message
    assert "answers[0].decision.p: 0.5 there" in message


def test_a_score_without_credit_is_read_as_nothing_known(tmp_path, capsys):
    """Of three interleaved systems only the third got credit."""
    path = tmp_path / "verdict.zip"
    write_bundle(Bundle("old", "new", [Scored("interleaving", 0.02, math.nan, math.nan, None, 0, planned=300, weight=0.0)]), path)
    (again, _) = read_bundle(path)
    assert again.evidence[0].score is None
    assert write_bundle(again, tmp_path / "again.zip").outcome == "unknown"
    assert printed(capsys, "reproduce", str(path)) == f"{path}: every number is the same\n"
    assert printed(capsys, "verdict", str(path)).startswith("Which of old and new is better is not known yet.\n")


def test_the_command_says_the_sentence_first(path, capsys):
    shown = printed(capsys, "verdict", str(path)).splitlines()
    assert shown[0] == "new is better than old, by grades, side by side, interleaving and A/B test."
    assert len([line for line in shown if "better" in line]) >= 4
    content = json.loads(printed(capsys, "verdict", str(path), "--format", "json"))
    assert content["outcome"] == "better"
    assert len(content["answers"]) == 4


def parquet(frame: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def parts_with(**more) -> bytes:
    """A spec whose first evidence has something besides."""
    content = io.BytesIO()
    write_bundle(bundle(), content)
    with zipfile.ZipFile(content) as archive:
        spec = json.loads(archive.read("verdict.json"))
    spec["evidence"][0] |= more
    return json.dumps(spec).encode()


def spoilt(entries: dict[str, bytes | None]) -> io.BytesIO:
    """A good bundle with some entries replaced, or (None) left out."""
    good, bad = io.BytesIO(), io.BytesIO()
    write_bundle(bundle(), good)
    with zipfile.ZipFile(good) as source, zipfile.ZipFile(bad, "w") as target:
        for name in source.namelist():
            content = entries.get(name, source.read(name))
            if content is not None:
                target.writestr(name, content)
    return bad


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"verdict.json": None}, "has no verdict.json"),
        ({"result.json": b"{"}, "result.json cannot be read"),
        ({"verdict.json": b"[]"}, "is no object"),
        ({"verdict.json": b'{"format": 2}'}, "format 2"),
        ({"verdict.json": b'{"format": 1, "evidence": 5}'}, "no list"),
        ({"verdict.json": b'{"format": 1, "evidence": [{"sort": "stars"}]}'}, "of the sort stars"),
        ({"verdict.json": b'{"format": 1, "evidence": [], "alpha": "x", "a": "a", "b": "b"}'}, "lacks a, b or alpha"),
        ({"verdict.json": b'{"format": 1, "evidence": [{"sort": "arms", "shoe": 5}]}'}, "has no table counts"),
        ({"3/counts.parquet": parquet(pl.DataFrame({"arm": ["a"]}))}, "with columns arm; expected arm, value, units"),
        ({"verdict.json": parts_with(shoe=5)}, "cannot be read"),
        ({"0/qrels.parquet": None}, "has no table qrels"),
        ({"0/qrels.parquet": b"PAR1"}, "is no Parquet file"),
    ],
)
def test_a_damaged_bundle_says_what_is_wrong(entries, why):
    with pytest.raises(BadVerdict, match=why):
        read_bundle(spoilt(entries))


def test_what_is_no_archive_is_refused(tmp_path, capsys):
    path = tmp_path / "verdict.zip"
    path.write_bytes(b"no zip")
    assert complaint(capsys, "verdict", str(path)) == f"{path}: is no zip archive."
    assert main(["verdict", str(tmp_path / "missing.zip")]) == 2


def test_topics_on_which_kinds_disagree_come_first():
    table = disagreements([graded(), voted(), arms_of()])
    assert table.columns == ["topic", "grades", "side by side", "apart"]
    assert table["apart"].is_sorted(descending=True)
    assert table.height == 30
    assert table["grades"].abs().max() <= 1


def test_a_single_graded_topic_is_silent_and_equal_differences_are_ahead_by_one():
    evidence = graded()
    first = evidence.qrels["topic"][0]
    assert disagreements([replace(evidence, qrels=evidence.qrels.filter(topic=first)), voted()]).is_empty()
    qrels = pl.DataFrame({"topic": ["1", "2"], "docno": ["d", "d"], "grade": [1, 1]})
    a, b = (pl.DataFrame({"topic": ["1", "2"], "docno": [docno] * 2, "score": [1.0, 1.0]}) for docno in ("other", "d"))
    assert replace(evidence, qrels=qrels, a=a, b=b, votes=None).by_topic()["ahead"].to_list() == [1.0, 1.0]
    assert replace(evidence, qrels=qrels, a=b, b=b, votes=None).by_topic()["ahead"].to_list() == [0.0, 0.0]


def test_grades_of_other_topics_than_the_runs_say_nothing():
    evidence = graded()
    elsewhere = replace(evidence, qrels=evidence.qrels.with_columns(topic=pl.format("x{}", "topic")), kind="elsewhere")
    table = disagreements([elsewhere, evidence, voted()])
    assert table["elsewhere"].is_null().all()
    assert table.drop("elsewhere").equals(disagreements([evidence, voted()]))
    bundle = Bundle("old", "new", [elsewhere, voted()])
    silent, _ = bundle.verdict().answers
    assert (silent.word, silent.line.n) == ("unknown", 0)

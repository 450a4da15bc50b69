"""Whatever bytes a file holds, a reader gives sound records, collects problems or raises BadFile: nothing else, ever."""

import dataclasses
import gzip
import lzma
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ireval.io.files import MAX_PROBLEMS, BadFile, ProblemList
from ireval.io.zst import zstd
from judging.collections.parsers import AUTO, FORMATS, ParsedDocument, ParsedJudgement, ParsedResult, ParsedSubtopic, ParsedTopic
from judging.collections.parsers.tag_lists import clean_tags
from tests.judging.collections.parsers import writers
from tests.judging.collections.parsers.readers import READERS, Files

DOCUMENTS = [
    ParsedDocument("d1", "Owls", "Owls eat voles,\n\nmice & birds.", "http://example.org/1", 0),
    ParsedDocument("d-2", "", 'He said "hoot", then 1 < 2.', "", 0),
    ParsedDocument("ü3", "Ïtem", "", "", 0),
]
TOPICS = [
    ParsedTopic(
        "1",
        "diet of owls",
        "What do\nowls eat?",
        "Voles & mice count.",
        (ParsedSubtopic("1", "voles", "inf"),),
        0,
        ("hard", "nav"),
    ),
    ParsedTopic("2", "swallow “migration”", "", "", (), 0),
]
RESULTS = [
    ParsedResult("A", "1", 1, "http://example.org/1", "Owls & voles", "http://example.org/1", "=Owls eat <voles>", 0),
    ParsedResult("B", "1", 1, "d-2", "", "", "He said “hoot”", 0),
    ParsedResult("B", "1", 2, "ü3", "Ïtem", "javascript:", "", 0),
]
VALID = {
    ("documents", "trec"): writers.trec_documents(DOCUMENTS),
    ("documents", "beir"): writers.beir_documents(DOCUMENTS),
    ("documents", "jsonl"): writers.jsonl_documents(DOCUMENTS),
    ("documents", "smart"): writers.smart_documents(DOCUMENTS),
    ("documents", "csv"): writers.document_table(DOCUMENTS, ","),
    ("documents", "tsv"): writers.document_table(DOCUMENTS, "\t"),
    ("topics", "trec"): writers.trec_topics(TOPICS),
    ("topics", "trec-xml"): writers.xml_topics(TOPICS),
    ("topics", "beir"): writers.beir_topics(TOPICS),
    ("topics", "jsonl"): writers.jsonl_topics(TOPICS),
    ("topics", "smart"): writers.smart_topics(TOPICS),
    ("topics", "csv"): writers.topic_table(TOPICS, ","),
    ("topics", "tsv"): writers.topic_table(TOPICS, "\t"),
    ("results", "csv"): writers.result_table(RESULTS, ","),
    ("results", "tsv"): writers.result_table(RESULTS, "\t"),
    ("results", "jsonl"): writers.jsonl_results(RESULTS) + writers.jsonl_lists(RESULTS).replace('"1"', '"2"'),
    ("qrels", ""): "1 184 2 \n1 29 3\n2 12 -1\n",
}
READINGS = list(VALID)
TOKENS = [
    b"\0", b"\xff", b"\xef\xbb\xbf", b"\r", b"\n", b"\t", b'"', b"'", b",", b";", b" ", b"&", b"&#0;", b"&#xD800;", b"&nbsp;",
    b"<", b">", b"<DOC>", b"</DOC>", b"<DOC id=>", b"<DOCNO>", b"<TEXT>", b"</TEXT>", b"<TITLE>", b"<!--", b"-->", b"<script>",
    b"<top>", b"</top>", b"<num>", b"<title>", b"<topic>", b"</topic>", b"<subtopic>", b"<!DOCTYPE a>", b"<![CDATA[", b"]]>",
    b"<?xml version='1.1'?>", b".I", b".I 1\n", b".W\n", b".T\n", b"{", b"}", b"[", b"null", b"\\ud800", b"\\u0000", b"1e999",
    b"NaN", b"\xc2\xa0", b"\xe2\x80\xa8", b"\xed\xa0\x80", b"\x1c", b"9" * 30, b"a" * 300,
]  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Files(tmp_path_factory.mktemp("files"))


@st.composite
def mutated(draw, content: bytes) -> bytes:
    """The content after some cuts, copies and insertions."""
    for _ in range(draw(st.integers(1, 4))):
        start, end = sorted(draw(st.tuples(*[st.integers(0, len(content))] * 2)))
        inserted = draw(st.sampled_from([b"", content[start:end] * 2, *TOKENS]) | st.binary(max_size=8))
        content = content[:start] + inserted + content[end if draw(st.booleans()) else start :]
    return content


def read(files: Files, kind: str, content: bytes, **options) -> tuple[list, list]:
    """(records, problems) of any content at all; anything but BadFile comes through and fails the test."""
    problems, records = ProblemList("fuzz"), []
    try:
        records += READERS[kind](files.write("fuzz", content), problems=problems, **options)
    except BadFile as bad:
        assert bad.problems == sorted(problems.problems)
        assert bad.problems
    return records, problems.problems


def check(files: Files, kind: str, content: bytes, **options) -> None:
    records, problems = read(files, kind, content, **options)
    assert records or problems, "nothing came out, and nobody was told"
    assert len(problems) <= MAX_PROBLEMS
    last_line = content.count(b"\n") + 1
    assert all(0 <= problem.line <= last_line and problem.message for problem in problems)
    identifiers = [sound(record) for record in records]
    assert len(set(identifiers)) == len(identifiers)


def sound(record: Any) -> object:
    """The id of a record that a database and a run file can take."""
    if isinstance(record, ParsedJudgement):
        assert type(record.grade) is int
        return record.topic, record.docno
    if isinstance(record, ParsedResult):
        return sound_result(record)
    identifier = record.docno if isinstance(record, ParsedDocument) else record.number
    assert identifier.split() == [identifier]
    assert identifier.isprintable()
    assert len(identifier) <= 200
    if isinstance(record, ParsedTopic):
        assert list(record.tags) == clean_tags(record.tags)
        assert record.title or record.tags
    text = repr(record) + "".join(value for value in dataclasses.astuple(record) if isinstance(value, str))
    assert "\0" not in text
    assert text.encode()
    return identifier


def sound_result(record: ParsedResult) -> object:
    for identifier in (record.topic, record.docno):
        assert identifier.split() == [identifier]
        assert identifier.isprintable()
    assert 0 <= record.rank <= 1_000_000
    assert record.title or record.url or record.snippet
    assert "\0" not in repr(record)
    assert "".join(text for text in record if isinstance(text, str)).encode()
    return record.system, record.topic, record.docno


@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize(("kind", "format"), READINGS)
def test_mutated_files(files, kind, format, data):
    content = data.draw(mutated(VALID[kind, format].encode()))
    check(files, kind, content, **({"format": format} if format else {}))


@settings(deadline=None)
@given(st.binary(max_size=200), st.sampled_from([b"", *TOKENS, *(text.encode() for text in VALID.values())]))
@pytest.mark.parametrize(("kind", "format"), [*READINGS, ("documents", AUTO), ("topics", AUTO), ("results", AUTO)])
def test_random_bytes(files, kind, format, content, beginning):
    check(files, kind, beginning + content, **({"format": format} if format else {}))


@settings(deadline=None)
@given(st.data())
@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd.compress])
def test_mutated_archives(files, compress, data):
    records, problems = read(files, "documents", data.draw(mutated(compress(VALID["documents", "csv"].encode()))))
    assert records or problems


@settings(deadline=None)
@given(st.data())
def test_any_file_in_any_format(files, data):
    kind = data.draw(st.sampled_from(["documents", "topics", "results"]))
    content = data.draw(st.sampled_from(list(VALID.values()))).encode()
    check(files, kind, content, format=data.draw(st.sampled_from([AUTO, *FORMATS])))

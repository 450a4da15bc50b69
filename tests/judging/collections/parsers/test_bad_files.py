"""Files that are no documents, topics or judgements at all: each gets a message that says what it is and what to do."""

import gzip
import lzma
import zipfile

import pytest

from ireval.io.files import BadFile, ProblemList
from ireval.io.zst import zstd
from judging.collections.parsers import read_documents

KINDS = ["documents", "topics", "qrels"]
GOOD = '{"_id": "a", "text": "x"}\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x7fELF\x02\x01\x01" + b"\0" * 9 + b"\xff\xfe" * 100, "this is a binary file; expected text"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff", "this is a binary file; expected text"),
        (b"PK\x03\x04 something", "this is a zip archive; unpack it, or compress the one file as gz, xz or zst"),
        (b"BZh91AY&SY", "this is a bzip2 file; compress it as gz, xz or zst"),
        (b"PAR1 something", "this is a Parquet file; expected text"),
        (b"%PDF-1.7\n", "this is a PDF file; expected text"),
        ("id,text\na,x\n".encode("utf-16"), "the text is UTF-16; save the file as UTF-8"),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_no_text(files, kind, content, message):
    assert files.problems(kind, "f", content) == [f"f: {message}"]


@pytest.mark.parametrize("kind", ["documents", "topics"])
@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)])
def test_nothing(files, kind, content):
    assert files.problems(kind, "f", content) == [f"f: the file is empty; expected {kind}"]
    assert files.problems(kind, "f", content, format="csv") == [f"f: no {kind} found; read as CSV table with a header"]


def test_an_archive_with_a_file_in_it(files):
    with zipfile.ZipFile(files.folder / "f.zip", "w") as archive:
        archive.writestr("corpus.jsonl", GOOD)
    content = (files.folder / "f.zip").read_bytes()
    assert files.problems("documents", "f.zip", content) == [
        "f.zip: this is a zip archive; unpack it, or compress the one file as gz, xz or zst"
    ]


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd.compress])
def test_compressed_files_are_read_as_they_are(files, compress):
    assert files.read("documents", "f", compress(GOOD.encode()))[0].docno == "a"


@pytest.mark.parametrize("compress", [gzip.compress, lzma.compress, zstd.compress])
def test_a_bomb_is_refused_before_it_goes_off(files, compress):
    content = compress(GOOD.encode() + b'{"_id": "b", "text": "' + b"a" * 5_000_000 + b'"}\n')
    assert len(content) < 20_000
    assert files.problems("documents", "f", content, max_bytes=1_000_000) == [
        "f: unpacks to more than 1,000,000 bytes, the largest accepted"
    ]


def test_a_line_without_end_is_not_gathered(files, monkeypatch):
    monkeypatch.setattr("judging.collections.parsers.text_files.MAX_LENGTH", 1000)
    content = GOOD + '{"_id": "b", "text": "' + "a" * 1000
    assert files.problems("documents", "f", content, format="beir") == [
        "f, line 2: the line is longer than 1,000 bytes, the longest accepted"
    ]


def test_a_damaged_archive_is_named_with_what_was_wrong_before_it(files):
    rows = '{"_id": ""}\n' + "".join(f'{{"_id": "{number}", "text": "{number * 7919 % 1009}"}}\n' for number in range(200_000))
    content = gzip.compress(rows.encode())
    first, second = files.problems("documents", "f.gz", content[: len(content) * 3 // 4])
    assert first.startswith("f.gz: the compressed file is damaged or cut short")
    assert second == 'f.gz, line 1: missing document id; expected a key "_id"'


def test_latin_1_is_named_by_line_and_column_wherever_it_is(files):
    content = "id,text\na,café\nb,tea\nc,naïve\n".encode("latin-1")
    assert files.problems("documents", "d.csv", content) == [
        "d.csv, line 2: byte 0xe9 in column 6 is not UTF-8; save the file as UTF-8",
        "d.csv, line 4: byte 0xef in column 5 is not UTF-8; save the file as UTF-8",
    ]


def test_a_stray_nul_is_named(files):
    assert files.problems("documents", "d.csv", b"id,text\na,x\0y\nb,\0\n") == [
        "d.csv, line 2: NUL character in column 4; remove it",
        "d.csv, line 3: NUL character in column 3; remove it",
        "d.csv, line 3: document b has neither title nor text; expected at least one of them",
    ]


@pytest.mark.parametrize("identifier", ["a" * 201, "two words", "no\u00a0break"])
def test_ids_are_one_word_of_a_sane_length(files, identifier):
    (problem,) = files.problems("documents", "d.csv", f"id,text\n{identifier},x\n")
    assert problem.startswith("d.csv, line 2: document id ")
    if len(identifier) > 200:
        assert problem.endswith("… has 201 characters; at most 200 are accepted")
    else:
        assert problem.endswith("contains white space; an id is one word, as in run files")


def test_an_id_of_200_characters_is_accepted(files):
    assert files.read("topics", "t.csv", f"qid,query\n{'a' * 200},x\n")[0].number == "a" * 200


def test_at_most_100_problems_are_collected_and_reading_stops(files):
    content = "id,text\n" + "".join(f"{number},\n" for number in range(1000))
    problems = files.problems("documents", "d.csv", content)
    assert len(problems) == 100
    assert problems[-1] == "d.csv, line 101: document 99 has neither title nor text; expected at least one of them"


def test_documents_without_problems_are_given_beside_those_with(files):
    problems = ProblemList("d.csv")
    path = files.write("d.csv", "id,text\na,x\nb,\nc,z\n")
    assert [document.docno for document in read_documents(path, problems=problems)] == ["a", "c"]
    assert len(problems.problems) == 1


def test_documents_are_given_before_the_file_is_read_to_its_end(files, monkeypatch):
    problems = ProblemList("f")
    path = files.write("f", GOOD + "x" * 3_000_000)
    documents = read_documents(path, problems=problems, max_bytes=2_000_000)
    assert next(documents).docno == "a"
    with pytest.raises(BadFile, match="the largest accepted"):
        next(documents)


@pytest.mark.parametrize("format", ["pdf", "trec-xml"])
def test_a_format_that_is_not_there_is_named(files, format):
    assert files.problems("documents", "f", GOOD, format=format) == [
        f"f: no format for documents is called '{format}'; expected one of auto, trec, beir, smart, csv, tsv, jsonl"
    ]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadFile, match="f: cannot be opened: No such file or directory"):
        list(read_documents(tmp_path / "f", problems=ProblemList("f")))
    with pytest.raises(BadFile, match="f: cannot be opened: Is a directory"):
        list(read_documents(tmp_path, problems=ProblemList("f")))


def test_line_ends_of_windows_make_no_difference(files):
    unix = {
        "trec": "<DOC>\n<DOCNO>a</DOCNO>\n<TEXT>\nx\ny\n</TEXT>\n</DOC>\n",
        "beir": GOOD,
        "smart": ".I a\n.W\nx\ny\n",
        "csv": 'id,text\na,"x\ny"\n',
        "tsv": "id\ttext\na\tx\n",
        "jsonl": '{"id": "a", "text": "x"}\n',
    }
    for format, content in unix.items():
        windows = content.replace("\n", "\r\n")
        assert files.read("documents", "f", windows, format=format) == files.read("documents", "f", content, format=format)

"""A file that is no run is refused, and the refusal says where and what was expected."""

import gzip
import lzma
import warnings
import zlib

import polars as pl
import pytest

from ireval.io.files import MAX_PROBLEMS, BadFile, IgnoredInput
from ireval.io.runs import read_run
from ireval.io.zst import zstd
from tests.ireval.builders import write

EXPECTED = "expected 6 columns (topic Q0 docno rank score tag)"


def refusal(path, **limits) -> list[str]:
    with pytest.raises(BadFile) as caught:
        read_run(path, **limits)
    return str(caught.value).split("\n")


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("1 Q0 d 1 0.5", f"{EXPECTED}, found 5"),
        ("1", f"{EXPECTED}, found 1"),
        ("1 Q0 a document 1 0.5 tag", f"{EXPECTED}, found 7"),
        ("1 Q0 document 12 1 0.5 tag", f"{EXPECTED}, found 7"),
        ("1,Q0,d,1,0.5,tag", f"{EXPECTED}, found 1"),
        ("1 Q0 d 1 abc tag", 'column 5 (score) is "abc"; expected a number'),
        ("1 Q0 d 1 0,5 tag", 'column 5 (score) is "0,5"; expected a number'),
        ("1 Q0 d 1 1_000 tag", 'column 5 (score) is "1_000"; expected a number'),
        ("1 Q0 d 1 ٣ tag", 'column 5 (score) is "٣"; expected a number'),
        ("1 Q0 d 1 0x10 tag", 'column 5 (score) is "0x10"; expected a number'),
        ("1 Q0 d 1 NaN tag", "column 5 (score) is NaN; expected a finite number"),
        ("1 Q0 d 1 -inf tag", "column 5 (score) is -inf; expected a finite number"),
        ("1 Q0 d 1 1e999 tag", "column 5 (score) is 1e999, which is too large; expected a finite number"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path, line, complaint):
    path = write(tmp_path / "run.txt", "1 Q0 d0 1 2.5 tag", "# comments count as lines", "", line, "1 Q0 d9 1 1 tag")
    assert refusal(path) == [f"run.txt, line 4: {complaint}"]


def test_the_first_line_may_be_the_bad_one(tmp_path):
    path = write(tmp_path / "run.txt", "topic Q0 docno rank score tag", "1 Q0 d9 1 1 tag")
    assert refusal(path) == ['run.txt, line 1: column 5 (score) is "score"; expected a number']


def test_a_document_twice_in_a_topic(tmp_path):
    path = write(tmp_path / "run.txt", "1 Q0 d1 1 2 t", "2 Q0 d1 1 2 t", "1 Q0 d2 2 1 t", "1 Q0 d1 3 2 t")
    assert refusal(path) == ["run.txt, line 4: document d1 of topic 1 again; it is on line 1 already"]


def test_all_problems_are_reported_together(tmp_path):
    path = write(tmp_path / "run.txt", "1 Q0 d1 1 x t", "1 Q0 d2 1 3", "1 Q0 d3 1 1 t", "1 Q0 d3 1 nan t")
    assert [line.split(":")[0] for line in refusal(path)] == [f"run.txt, line {number}" for number in (1, 2, 4, 4)]


def test_nobody_reads_more_than_a_hundred_problems(tmp_path):
    assert len(refusal(write(tmp_path / "run.txt", *["1 Q0 d 1"] * 1000))) == MAX_PROBLEMS


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment\n", "\ufeff"])
def test_a_file_without_results(tmp_path, text):
    path = tmp_path / "run.txt"
    path.write_text(text, encoding="utf-8")
    assert refusal(path) == [f"run.txt: holds no results; expected lines of {EXPECTED.removeprefix('expected ')}"]


@pytest.mark.parametrize("content", [b"\x00\x01\x02" * 99, b"1 Q0 d\0 1 0.5 tag\n"])
def test_a_binary_file(tmp_path, content):
    path = tmp_path / "run.txt"
    path.write_bytes(content)
    assert refusal(path) == ["run.txt: this is a binary file; expected text"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("compress", [bytes, gzip.compress], ids=["plain", "gz"])
def test_utf_16_is_named(tmp_path, encoding, compress):
    path = tmp_path / "run.txt"
    path.write_bytes(compress("1 Q0 café 1 0.5 tag\n".encode(encoding)))
    assert refusal(path) == ["run.txt: the text is UTF-16; save the file as UTF-8"]


@pytest.mark.parametrize(
    ("line", "remark"),
    [
        ("1 Q0 d -1 0.5 tag", 'line 4: column 4 (rank) is "-1"; it is ignored, as in trec_eval, and scores give the order'),
        ("1 Q0 d first 0.5 tag", 'line 4: column 4 (rank) is "first"; it is ignored, as in trec_eval, and scores give the order'),
        ("1 Q0 d 13.5 1 tag", 'line 4: column 4 (rank) is "13.5"; it is ignored, as in trec_eval, and scores give the order'),
        (
            "1 Q0 d -1 0.5 tag more",
            'line 4: column 4 (rank) is "-1"; it is ignored, as in trec_eval, and scores give the order; '
            "has 7 columns; those after column 6 (tag) are ignored",
        ),
        ("1\tQ0\td 1 0.5 tag more", "line 4: has 7 columns; those after column 6 (tag) are ignored"),
    ],
)
def test_what_is_not_read_is_said_once(tmp_path, line, remark):
    path = write(tmp_path / "run.txt", "1 Q0 d0 0 2.5 tag", "# a comment", "", line, line.replace("d", "e"), "1 Q0 d9 1 .1 tag")
    with pytest.warns(IgnoredInput) as caught:
        frame = read_run(path)
    assert [str(warning.message) for warning in caught] == [f"run.txt, {remark}"]
    assert sorted(frame["docno"]) == ["d", "d0", "d9", "e"]


def test_an_ordinary_run_is_worth_no_warning(tmp_path):
    with warnings.catch_warnings(action="error"):
        read_run(write(tmp_path / "run.txt", "1 Q0 d0 0 2.5 tag", "", "2 Q0 d 18446744073709551615 1 tag"))


def test_latin_1_text(tmp_path):
    path = tmp_path / "run.txt"
    path.write_bytes("1 Q0 d1 1 3 t\n1 Q0 café 2 2 t\n".encode("latin-1"))
    assert refusal(path) == ["run.txt, line 2: byte 0xe9 in column 9 is not UTF-8; save the file as UTF-8"]


def test_one_endless_line(tmp_path):
    path = tmp_path / "run.txt"
    path.write_bytes(b"x" * (3 * 2**20))
    assert "line of more than 1,048,576 bytes" in refusal(path)[0]


COMPRESSORS = {"gz": gzip.compress, "xz": lzma.compress, "zst": zstd.compress}
MANY = "".join(f"1 Q0 d{number} 1 {zlib.crc32(bytes(number)) / 7} t\n" for number in range(2000)).encode()


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("share", [0.2, 0.9, 0.999])
def test_a_compressed_file_that_was_cut_short(tmp_path, kind, share):
    data = COMPRESSORS[kind](MANY)
    path = tmp_path / "run"
    path.write_bytes(data[: int(len(data) * share)])
    assert refusal(path)[0].startswith("run: the compressed file is damaged or cut short")


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_a_damaged_compressed_file(tmp_path, kind):
    data = bytearray(COMPRESSORS[kind](MANY))
    for place in range(len(data) // 3, len(data) // 3 + 50):
        data[place] ^= 0x55
    path = tmp_path / "run"
    path.write_bytes(data)
    assert refusal(path)[0].startswith("run: the compressed file is damaged or cut short")


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_a_small_file_that_unpacks_to_a_huge_one(tmp_path, kind):
    path = tmp_path / "run"
    path.write_bytes(COMPRESSORS[kind](b"1 Q0 d1 1 1 t\n" * 500_000))
    assert path.stat().st_size < 50_000
    assert refusal(path, max_bytes=2**20) == ["run: unpacks to more than 1,048,576 bytes, the largest accepted"]


@pytest.mark.parametrize("lines", [["1 Q0 d1 1 1 t\n"], ["1 Q0 d1 1 1 t\n", "2 Q0 d1 1 1 t\n"]], ids=["together", "scattered"])
def test_a_run_that_repeats_itself_is_refused_before_its_end_is_read(tmp_path, lines):
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress("".join(lines * (1_500_000 // len(lines))).encode())[:-20])  # the end would be an error
    messages = refusal(path)
    assert "damaged" not in "".join(messages)
    assert len(messages) == MAX_PROBLEMS


GOOD = pl.DataFrame({"topic": ["1", "1"], "docno": ["a", "b"], "score": [1.0, 2.0]})


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (GOOD.drop("score"), "has columns topic, docno; expected also score"),
        (
            GOOD.with_columns(score=pl.lit("x")),
            "row 1: column score is 'x', of type str; expected a finite number: convert the column",
        ),
        (
            GOOD.with_columns(score=pl.lit(float("nan"))),
            "row 1: column score is NaN; expected a finite number: fill it in, or leave the row out",
        ),
        (
            GOOD.with_columns(docno=pl.lit("a")),
            "row 2: columns topic and docno have document a of topic 1 again; row 1 has it: keep one of them",
        ),
        (
            GOOD.with_columns(docno=pl.lit(None, pl.String)),
            "row 1: column docno is empty; expected an id: fill it in, or leave the row out",
        ),
        (
            GOOD.with_columns(docno=pl.lit(0.5)),
            "row 1: column docno is 0.5, of type float; expected text or whole numbers: convert the column",
        ),
        (GOOD.clear(), "holds no rows"),
        (GOOD.with_columns(docno=pl.Series(["a", ""])), "row 2: column docno is empty"),
        (GOOD.with_columns(docno=pl.Series(["a b", "c"])), "row 1: column docno is 'a b'; expected an id without blanks"),
        (GOOD.with_columns(docno=pl.Series(["a", "b\n"])), "row 2: column docno is 'b\\n'; expected an id without"),
        (GOOD.with_columns(topic=pl.lit("1\0")), "row 1: column topic is '1\\x00'; expected an id without"),
        (GOOD.with_columns(docno=pl.Series(["a" * 201, "b"])), "row 1: column docno has 201 characters; expected at most 200"),
    ],
)
def test_parquet_that_is_no_run(tmp_path, frame, complaint):
    frame.write_parquet(tmp_path / "run.parquet")
    assert refusal(tmp_path / "run.parquet")[0].startswith(f"run.parquet: {complaint}")


def test_damaged_parquet(tmp_path):
    GOOD.write_parquet(tmp_path / "run.parquet")
    data = (tmp_path / "run.parquet").read_bytes()
    (tmp_path / "run.parquet").write_bytes(data[: len(data) // 2])
    assert refusal(tmp_path / "run.parquet")[0].startswith("run.parquet: the Parquet file is damaged")


def test_parquet_of_more_rows_than_fit_into_the_memory(tmp_path):
    pl.DataFrame({"topic": ["1"], "docno": ["d"], "score": [1.0]}).select(pl.all().repeat_by(500_000).explode()).write_parquet(
        tmp_path / "run.parquet"
    )
    assert "holds 500,000 rows; at most 5,242 are accepted" in refusal(tmp_path / "run.parquet", max_bytes=2**20)[0]


@pytest.mark.parametrize("surplus", ["", " more"])
@pytest.mark.parametrize("rows", [2, 100_000])
def test_lines_that_end_with_carriage_returns_alone_are_not_taken_for_one(tmp_path, surplus, rows):
    path = tmp_path / "run"
    path.write_bytes("".join(f"1 Q0 d{row} 1 {rows - row} t{surplus}\r" for row in range(rows)).encode())
    assert refusal(path) == ["run: has lines that end with CR alone; save it with LF or CRLF"]


@pytest.mark.parametrize("text", ["1 Q0 a 1 2 t\r", "1 Q0 a 1 2 t\r\n1 Q0 b 2 1 t\r", "1\rQ0 a 1 2 t", "\r1 Q0 a 1 2 t\r\r"])
def test_other_carriage_returns_are_blanks(tmp_path, text):
    path = tmp_path / "run"
    path.write_bytes(text.encode())
    assert read_run(path)["docno"].to_list() == ["a", "b"][: text.count("Q0")]

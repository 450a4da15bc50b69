"""What a file is taken for: real files of every kind, small ones of every format, and those that are nothing that is read."""

import gzip
import io
import json
import lzma
import zipfile

import polars as pl
import pytest

from ireval.io.recognition import TAKEN, recognise, recognise_file
from ireval.io.zst import zstd
from ireval.translatable import Phrase

CRANFIELD = "1 184 2 \n1 29 1 \n1 31 4 \n1 12 -1 \n2 12 3 \n2 7 -1\n3 5 2\n"

# A file below shared/data (a folder's stand for one kind), what it is, and the format that its reader is told.
REAL = """
cisi/CISI.ALL.xz                                  documents smart
cisi/CISI.QRY                                     topics    smart
cisi/CISI.REL                                     qrels     smart
cranfield/cran.all.1400                           documents smart
cranfield/cran.qry                                topics    smart
cranfield/cranqrel                                qrels     smart
cranfield/cranqrel.readme                         -         -
trec_covid_r1/topics.covid-round1.xml             topics    trec-xml
trec_covid_r1/qrels-rnd1.txt                      qrels     auto
trec_covid_r1/runs/*.xz                           run       auto
trec_covid_r1/leaderboard.csv                     -         -
qrels_misc/qrels.*                                qrels     auto
trec_eval/test/qrels*                             qrels     auto
trec_eval/test/results*                           run       auto
trec_eval/test/out*                               -         -
trec_eval/test/prefs*test                         -         -
trec_eval/test/zscores_file                       -         -
ranx_tests/*.trec*                                by-name   auto
ranx_tests/*.parquet                              by-name   auto
ranx_tests/*.json                                 -         -
ranx_tests/run.lz4                                -         -
cwl_eval_tests/qrel_file                          qrels     auto
cwl_eval_tests/result_file                        run       auto
cwl_eval_tests/*gain_file                         -         -
cwl_eval_tests/*metrics*                          -         -
ir_measures_tests/*.qrels                         qrels     auto
ir_measures_tests/*.run                           run       auto
ir_measures_tests/expected*                       -         -
clicks_ubi_chorus/ubi_queries_events.ndjson.gz    clicks    jsonl
clicks_ubi_chorus/esci_us_judgments.json.gz       -         -
clicks_pyclick_yandex/trainSample.gz              clicks    auto
crowd_*/*                                         -         -
prefs_mirex_mturk/*                               -         -
significance_urbano2019/*                         -         -
ab_email_hillstrom/*                              -         -
"""
NOT_READ_THUS = {"prefs.results.test": "run"}  # a run in all but its name


@pytest.mark.parametrize("line", REAL.strip().splitlines(), ids=lambda line: line.split()[0])
def test_a_real_file(line, shared_data):
    pattern, kind, format = (word.strip("-") for word in line.split())
    files = [path for path in sorted(shared_data.glob(pattern)) if path.is_file()]
    assert files
    for path in files:
        wanted = NOT_READ_THUS.get(path.name) or (path.name.replace("small_", "").split(".")[0] if kind == "by-name" else kind)
        recognition = recognise_file(path)
        assert recognition.kind == wanted, f"{path.name}: {recognition}"
        assert recognition.format == ("auto" if path.name in NOT_READ_THUS else format), path.name
        assert isinstance(recognition.because, Phrase) and recognition.because.endswith(".")


SMALL = {
    "TREC documents": ("<DOC>\n<DOCNO> d1 </DOCNO>\n<TITLE>Owls</TITLE>\n</DOC>\n", "documents", "trec"),
    "TREC topics": ("<top>\n<num> Number: 301\n<title> Owls\n</top>\n", "topics", "trec"),
    "TREC topics in XML": (
        '<?xml version="1.0"?>\n<topics><topic number="1"><query>owls</query></topic></topics>',
        "topics",
        "trec-xml",
    ),
    "BEIR corpus": ('{"_id": "d1", "title": "", "text": "Owls hunt by night."}\n', "documents", "beir"),
    "BEIR queries": ('{"_id": "1", "text": "owls"}\n', "topics", "beir"),
    "BEIR qrels": ("query-id\tcorpus-id\tscore\n1\td1\t2\n", "qrels", "auto"),
    "documents as CSV": ("docno,title,text\nd1,Owls,They hunt by night\n", "documents", "csv"),
    "documents as CSV of Excel": ("\ufeffid;title;text\r\nd1;Owls;They hunt\r\n", "documents", "csv"),
    "documents as JSON Lines": ('{"docno": "d1", "text": "Owls"}\n', "documents", "jsonl"),
    "topics as TSV": ("qid\tquery\n1\towls at night\n", "topics", "tsv"),
    "topics as CSV, with ids only": ("id,query\n1,owls at night\n", "topics", "csv"),
    "tags": ("topic,tags\n1,hard\n", "topics", "csv"),
    "MS MARCO queries": ("1048585\twhat is an owl\n2\twhere do owls live\n", "topics", "tsv"),
    "MS MARCO passages": ("".join(f"{n}\t{'owls hunt by night ' * 12}\n" for n in range(9)), "documents", "tsv"),
    "qrels as CSV": ("topic,docno,grade\n1,d1,2\n", "qrels", "auto"),
    "qrels as JSON Lines": ('{"topic": "1", "docno": "d1", "grade": 2}\n', "qrels", "auto"),
    "qrels by subtopic": ("1 1 d1 1\n1 2 d1 0\n1 2 d2 1\n", "qrels", "auto"),
    "qrels with comments": ("# graded in May\n1 0 d1 1\n", "qrels", "auto"),
    "run": ("1 Q0 d1 1 9.5 bm25\n", "run", "auto"),
    "run by tabs": ("1\tQ0\td1\t1\t9.5\tbm25\n", "run", "auto"),
    "run with commas": ("301 Q0 a,1 1 2.5 t\n301 Q0 a,2 2 2.5 t\n", "run", "auto"),
    "qrels with semicolons": ("301 0 a;1 1\n301 0 b;2 0\n", "qrels", "auto"),
    "run with a broken line": ("".join(f"1 Q0 d{n} {n} 9.5 bm25\n" for n in range(9)) + "1 Q0 d10\n", "run", "auto"),
    "result lists": ("topic,rank,title,url\n1,1,Owls,https://owls.org\n", "results", "csv"),
    "result lists, a list a line": ('{"topic": "1", "results": [{"title": "Owls"}]}\n', "results", "jsonl"),
    "Cranfield's qrels": (CRANFIELD, "qrels", "smart"),
    "Yandex’s click log": ("0\t0\tQ\t8\t0\t103\t51\n0\t12\tC\t103\n", "clicks", "auto"),
    "click log": ('{"action_name": "click", "query_id": "q", "client_id": "c"}\n', "clicks", "jsonl"),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_plain_and_compressed(name):
    text, kind, format = SMALL[name]
    content = text.encode()
    for compressed, data in {
        "": content, "gz": gzip.compress(content), "xz": lzma.compress(content), "zst": zstd.compress(content)
    }.items():  # fmt: skip
        recognition = recognise(data)
        assert (recognition.kind, recognition.format, recognition.compressed) == (kind, format, compressed), recognition
        assert recognition.sample


NOTHING = {
    "empty": (b"", "an empty file"),
    "blank": (b" \n\n", "an empty file"),
    "zip": (b"PK\x03\x04rest", "a zip archive"),
    "PDF": (b"%PDF-1.7", "a PDF file"),
    "binary": (bytes(range(256)), "a binary file"),
    "UTF-16": ("1 Q0 d1 1 9 x".encode("utf-16"), "UTF-16"),
    "damaged gz": (b"\x1f\x8b\x08" + b"\xff" * 40, "a damaged gz file"),
    "prose": (b"Here are two files.\nRead them.\n", "none of the formats"),
    "HTML": (b"<!DOCTYPE html><title>Owls</title>", "a page of HTML"),
    "JSON array": (b'[{"_id": "1"}]', "one JSON array"),
    "JSON over lines": (b'{\n "q1": {"d1": 1}\n}', "one JSON object over several lines"),
    "three numbers": (b"1 1 0\n1 2 1\n", "Three columns of numbers"),
    "ranks": (b"1 12 1\n1 7 2\n1 9 3\n", "Three columns of numbers"),
    "single votes": (b"topicID,workerID,docID,label\n1,w1,d1,0\n", "Single workers"),
    "a run as a table": (b"qid,docno,rank,score\n1,d1,0,2.5\n", "runs are read in TREC"),
    "other columns": (b"size,colour\n1,red\n", "none that are known here: size, colour"),
    "grades that are no whole numbers": (b"T1 00 D1 1.0\n", "none of the formats"),
    "votes that look like qrels": (b"1\t20488_clueweb09-22\t685\t0\n", "none of the formats"),
    "Parquet of something else": (b"PAR1" + b"\0" * 99, "without the columns"),
}


@pytest.mark.parametrize("name", NOTHING)
def test_what_is_not_read_says_why(name):
    content, why = NOTHING[name]
    recognition = recognise(content, content)
    assert recognition.kind == recognition.format == ""
    assert why in recognition.because


def test_cranfields_codes_are_told_from_grades():
    assert recognise(CRANFIELD.encode()).options == {"scale": "cranfield"}
    assert recognise(CRANFIELD.replace(" -1", " 0").encode()).kind == ""  # 0 is none of its codes
    assert recognise(b"1 2 -1\n1 3 2\n2 3 1\n").kind == ""  # its -1 is each topic's last


def test_only_the_beginning_of_a_large_file_is_looked_at():
    text = "".join(f"1 Q0 d{n} {n} {9e6 - n} bm25\n" for n in range(200_000)).encode()
    for data in (text, gzip.compress(text), lzma.compress(text), zstd.compress(text)):
        assert recognise(data[:TAKEN]).kind == "run"


def test_a_line_that_is_cut_does_not_count():
    header, row = "docno,text\n", 'd{},"{}"\n'
    recognition = recognise((header + "".join(row.format(n, "owls " * 4000) for n in range(9))).encode()[:TAKEN])
    assert (recognition.kind, recognition.format) == ("documents", "csv")
    document = json.dumps({"_id": "d1", "title": "Owls", "text": "owls " * 20_000})
    assert recognise(document.encode()).kind == "documents"


@pytest.mark.parametrize(
    ("columns", "kind"), [(["topic", "docno", "score"], "run"), (["q_id", "doc_id", "rel"], "qrels"), (["a"], "")]
)
def test_parquet_by_the_end_of_the_file(columns, kind):
    content = io.BytesIO()
    pl.DataFrame({name: [1.5 if name == "score" else "1"] * 50_000 for name in columns}).write_parquet(content)
    assert recognise(content.getvalue()[:99], content.getvalue()[-(2**16) :]).kind == kind


@pytest.mark.parametrize("escaped", ["\\u0000", "\\ud800", "\\u202e"])
def test_what_cannot_be_stored_or_shown_is_not_passed_on(escaped):
    for recognition in (
        recognise(f'{{"topic": "1", "docno": "d{escaped}", "grade": 1}}\n'.encode()),
        recognise(f'{{"size{escaped}": "1"}}\n'.encode()),
        recognise(f'{{"action_name": "click", "query_id{escaped}": "q", "client_id": "c"}}\n'.encode()),
    ):
        assert all(text.isprintable() for text in (recognition.because, *recognition.sample, *recognition.sample.values()))


def test_images_and_archives_of_them():
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("D1/fig1.png", b"\x89PNG\r\n\x1a\n")
    for content in (b"\x89PNG\r\n\x1a\n...", b"GIF89a...", b"\xff\xd8\xff\xe0", b"RIFF....WEBPVP8 ", archive.getvalue()):
        assert recognise(content).kind == "images"


class Stream(io.BytesIO):
    """Bytes that zipfile writes one after the other, as into a pipe."""

    def tell(self):
        raise OSError


@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_zipped_folder_of_images_has_more_in_it_than_images(is_streamed):
    """Its own entry comes first, and what computers put there; a streamed archive does not say how long a file is."""
    content = Stream() if is_streamed else io.BytesIO()
    with zipfile.ZipFile(content, "w") as packed:
        for name in ("images/", "__MACOSX/images/._owl.png", "images/.DS_Store", "images/Owl.PNG"):
            packed.writestr(name, b"" if name.endswith("/") else b"\x89PNG\r\n\x1a\n")
    assert recognise(content.getvalue()).kind == "images"


@pytest.mark.parametrize("names", [["images/"], [".DS_Store"], ["texts/", "texts/a.txt", "owl.png"], []])
def test_other_zip_archives_are_no_images(names):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        for name in names:
            packed.writestr(name, "")
    assert not recognise(archive.getvalue()).kind

"""Random documents and topics, written as each format is written, come back as they were."""

import gzip
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judging.collections.parsers import ParsedDocument, ParsedResult, ParsedSubtopic, ParsedTopic, guess_format
from judging.collections.parsers.format_guess import Kind
from tests.judging.collections.parsers import writers
from tests.judging.collections.parsers.readers import Files

WORDS = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8)
IDS = st.text(st.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=20)
TITLES = st.lists(WORDS, max_size=5).map(" ".join)
TEXTS = st.lists(st.lists(WORDS | st.just(""), max_size=5).map(" ".join), max_size=5).map("\n".join).map(str.strip)
URLS = st.sampled_from(["", "http://example.org/a?b=1&amp=2", "https://example.org/ü"])
DOCUMENT = st.builds(ParsedDocument, docno=IDS, title=TITLES, text=TEXTS, url=URLS, line=st.just(0)).filter(
    lambda document: document.title or document.text
)
SUBTOPIC = st.builds(ParsedSubtopic, number=IDS, text=TEXTS, type=st.sampled_from(["", "inf", "nav"]))
TAG = TITLES.filter(lambda text: text and not {",", ";"} & set(text))
TAGS = st.lists(TAG, max_size=3, unique=True).map(tuple)
TOPIC = st.builds(
    ParsedTopic,
    number=IDS,
    title=TITLES.filter(bool),
    description=TEXTS,
    narrative=TEXTS,
    subtopics=st.lists(SUBTOPIC, max_size=3).map(tuple),
    line=st.just(0),
    tags=TAGS,
)
DOCUMENTS = st.lists(DOCUMENT, min_size=1, max_size=5, unique_by=lambda document: document.docno)
TOPICS = st.lists(TOPIC, min_size=1, max_size=5, unique_by=lambda topic: topic.number)
# A file may have come from Windows, and may have been compressed.
WRAPPINGS = st.sampled_from(
    [lambda text: text, lambda text: text.replace("\n", "\r\n"), lambda text: gzip.compress(text.encode())]
)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Files(tmp_path_factory.mktemp("files"))


def come_back(reading: tuple[Files, Kind, str], name: str, content: str | bytes, expected: list, **options) -> None:
    files, kind, format = reading
    records = files.read(kind, name, content, **options)
    assert [replace(record, line=0) for record in records] == expected
    assert [record.line for record in records] == sorted({record.line for record in records})
    assert guess_format(files.folder / name, kind) == format


@settings(deadline=None)
@given(DOCUMENTS, WRAPPINGS)
def test_documents(files, documents, wrapped):
    without_url = [replace(document, url="") for document in documents]
    come_back((files, "documents", "trec"), "d.sgml", wrapped(writers.trec_documents(documents)), documents)
    come_back((files, "documents", "beir"), "corpus.jsonl", wrapped(writers.beir_documents(documents)), documents)
    come_back((files, "documents", "jsonl"), "d.jsonl", wrapped(writers.jsonl_documents(documents)), documents)
    come_back((files, "documents", "csv"), "d.csv", wrapped(writers.document_table(documents, ",")), documents)
    come_back((files, "documents", "csv"), "d.csv.gz", wrapped(writers.document_table(documents, ";")), documents)
    come_back((files, "documents", "tsv"), "d.tsv", wrapped(writers.document_table(documents, "\t")), documents)
    if all(writers.fits_smart(document.title, document.text) for document in documents):
        come_back((files, "documents", "smart"), "d.all", wrapped(writers.smart_documents(documents)), without_url)


@settings(deadline=None)
@given(TOPICS, WRAPPINGS)
def test_topics(files, topics, wrapped):
    plain = [replace(topic, subtopics=()) for topic in topics]
    come_back((files, "topics", "trec"), "t.txt", wrapped(writers.trec_topics(topics)), plain)
    come_back((files, "topics", "trec-xml"), "t.xml", wrapped(writers.xml_topics(topics)), topics)
    come_back((files, "topics", "jsonl"), "t.jsonl", wrapped(writers.jsonl_topics(topics)), plain)
    come_back((files, "topics", "csv"), "t.csv", wrapped(writers.topic_table(topics, ",")), plain)
    come_back((files, "topics", "tsv"), "t.tsv", wrapped(writers.topic_table(topics, "\t")), plain)
    titles = [replace(topic, description="", narrative="", tags=()) for topic in plain]
    come_back((files, "topics", "beir"), "queries.jsonl", wrapped(writers.beir_topics(topics)), titles)
    if all(writers.fits_smart(topic.title, topic.description) for topic in topics):
        short = [replace(topic, narrative="", tags=()) for topic in plain]
        content = wrapped(writers.smart_topics(topics))
        come_back((files, "topics", "smart"), "t.qry", content, short, number_topics="as written")


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 10**6).map(str), TITLES.filter(bool)), min_size=1, unique_by=lambda row: row[0]), WRAPPINGS
)
def test_ms_marcos_passages_and_queries(files, rows, wrapped):
    content = wrapped("".join(f"{identifier}\t{text}\n" for identifier, text in rows))
    passages = [ParsedDocument(identifier, "", text, "", 0) for identifier, text in rows]
    come_back((files, "documents", "tsv"), "collection.tsv", content, passages)
    queries = [ParsedTopic(identifier, text, "", "", (), 0) for identifier, text in rows]
    come_back((files, "topics", "tsv"), "queries.tsv", content, queries)


RESULT = st.builds(
    ParsedResult,
    system=TITLES.filter(bool),
    topic=IDS,
    rank=st.integers(0, 10**6),
    docno=IDS,
    title=TITLES,
    url=URLS,
    snippet=TITLES,
    line=st.just(0),
).filter(lambda result: result.title or result.url or result.snippet)
RESULTS = st.lists(RESULT, min_size=1, max_size=5, unique_by=(lambda result: result.rank, lambda result: result.docno))


@settings(deadline=None)
@given(RESULTS, WRAPPINGS)
def test_result_lists(files, results, wrapped):
    in_lists = {}
    for result in results:
        in_lists.setdefault((result.system, result.topic), []).append(result)
    for name, content, expected in [
        ("r.csv", writers.result_table(results, ","), results),
        ("r.csv.gz", writers.result_table(results, ";"), results),
        ("r.tsv", writers.result_table(results, "\t"), results),
        ("r.jsonl", writers.jsonl_results(results), results),
        ("r.jsonl", writers.jsonl_lists(results), [result for ranking in in_lists.values() for result in ranking]),
    ]:
        hits = files.read("results", name, wrapped(content))
        assert [hit._replace(line=0) for hit in hits] == expected
        assert guess_format(files.folder / name, "results") == name.split(".")[1]


JUDGED = st.tuples(st.integers(1, 999), st.integers(1, 99_999))


@settings(deadline=None)
@given(st.dictionaries(JUDGED, st.integers(-1, 5), min_size=1), WRAPPINGS)
def test_relevance_files(files, judged, wrapped):
    rows = list(judged.items())
    codes = wrapped("".join(f"{topic} {docno} {code:2} \n" for (topic, docno), code in rows))
    judgements = files.read("qrels", "cranqrel", codes, scale="as written")
    assert judgements == [(str(topic), str(docno), code, line) for line, ((topic, docno), code) in enumerate(rows, start=1)]
    pairs = wrapped("".join(f"{topic:6} {docno:6}\t0\t0.000000\n" for topic, docno in judged))
    judgements = files.read("qrels", "CISI.REL", pairs)
    assert judgements == [(str(topic), str(docno), 1, line) for line, (topic, docno) in enumerate(judged, start=1)]

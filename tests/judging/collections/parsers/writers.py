"""Each format as it is written by those who publish in it: what the parsers must be able to read back."""

import csv
import html
import io
import json
import re
from xml.sax.saxutils import escape, quoteattr

from judging.collections.parsers import ParsedDocument, ParsedResult, ParsedTopic


def trec_documents(documents: list[ParsedDocument]) -> str:
    record = "<DOC>\n<DOCNO> {} </DOCNO>\n<URL>{}</URL>\n<TITLE>{}</TITLE>\n<TEXT>\n{}\n</TEXT>\n</DOC>\n"
    return "".join(record.format(*(html.escape(text) for text in (d.docno, d.url, d.title, d.text))) for d in documents)


def trec_topics(topics: list[ParsedTopic]) -> str:
    record = (
        "<top>\n<num> Number: {}\n<title> Topic: {}\n\n<desc> Description:\n{}\n\n<narr> Narrative:\n{}\n\n<type> {}\n</top>\n\n"
    )
    return "".join(
        record.format(*(html.escape(text) for text in (t.number, t.title, t.description, t.narrative, ", ".join(t.tags))))
        for t in topics
    )


def xml_topics(topics: list[ParsedTopic]) -> str:
    return "<?xml version='1.0' encoding='UTF-8'?>\n<topics>\n" + "".join(map(xml_topic, topics)) + "</topics>\n"


def xml_topic(topic: ParsedTopic) -> str:
    subtopics = "".join(
        f"<subtopic number={quoteattr(subtopic.number)} type={quoteattr(subtopic.type)}>{escape(subtopic.text)}</subtopic>\n"
        for subtopic in topic.subtopics
    )
    tags = quoteattr(";".join(topic.tags))
    return (
        f"<topic number={quoteattr(topic.number)} type={tags}>\n<query> {escape(topic.title)} </query>\n"
        f"<description>\n{escape(topic.description)}\n</description>\n{subtopics}"
        f"<narrative>{escape(topic.narrative)}</narrative>\n</topic>\n"
    )


def json_lines(records: list[dict]) -> str:
    """One object a line, the characters of every other one escaped."""
    return "".join(json.dumps(record, ensure_ascii=bool(place % 2)) + "\n" for place, record in enumerate(records))


def beir_documents(documents: list[ParsedDocument]) -> str:
    return json_lines([{"_id": d.docno, "title": d.title, "text": d.text, "metadata": {"url": d.url}} for d in documents])


def beir_topics(topics: list[ParsedTopic]) -> str:
    return json_lines([{"_id": t.number, "text": t.title, "metadata": {}} for t in topics])


def jsonl_documents(documents: list[ParsedDocument]) -> str:
    return json_lines([{"docid": d.docno, "headline": d.title, "contents": d.text, "url": d.url} for d in documents])


def jsonl_topics(topics: list[ParsedTopic]) -> str:
    return json_lines(
        [{"qid": t.number, "query": t.title, "desc": t.description, "narr": t.narrative, "Tags": list(t.tags)} for t in topics]
    )


def table(rows: list[list[str]], delimiter: str) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return out.getvalue()


def document_table(documents: list[ParsedDocument], delimiter: str) -> str:
    return table([["url", "text", "title", "id"], *([d.url, d.text, d.title, d.docno] for d in documents)], delimiter)


def topic_table(topics: list[ParsedTopic], delimiter: str) -> str:
    rows = [[t.number, t.title, t.description, "; ".join(t.tags), t.narrative] for t in topics]
    return table([["number", "title", "description", "category", "narrative"], *rows], delimiter)


def marked(text: str) -> str:
    return f'<em class="hit">{html.escape(text)}</em>' if text else ""


def result_rows(results: list[ParsedResult]) -> list[dict]:
    """As a site's developer would write them down: what is shown as it is marked up."""
    shown = [(r.system, r.topic, r.rank, r.docno, marked(r.title), r.url, marked(r.snippet)) for r in results]
    return [dict(zip(["system", "topic", "rank", "docno", "title", "url", "snippet"], row, strict=True)) for row in shown]


def result_table(results: list[ParsedResult], delimiter: str) -> str:
    rows = result_rows(results)
    return table([list(rows[0]), *([str(value) for value in row.values()] for row in rows)], delimiter)


def jsonl_results(results: list[ParsedResult]) -> str:
    return json_lines(result_rows(results))


def jsonl_lists(results: list[ParsedResult]) -> str:
    """A line a list."""
    lists: dict[tuple[str, str], list[dict]] = {}
    for row in result_rows(results):
        lists.setdefault((row.pop("system"), row.pop("topic")), []).append(row)
    return json_lines([{"system": system, "topic": topic, "results": rows} for (system, topic), rows in lists.items()])


def smart_documents(documents: list[ParsedDocument]) -> str:
    return "".join(f".I {d.docno}\n.T\n{d.title}\n.A\nSomebody\n.W\n{d.text}\n.X\n1\t5\t1\n" for d in documents)


def smart_topics(topics: list[ParsedTopic]) -> str:
    return "".join(f".I {t.number}\n.T\n{t.title}\n.W\n{t.description}\n" for t in topics)


def fits_smart(*texts: str) -> bool:
    """SMART has no way to write a text line that looks like its own marks."""
    return not any(re.match(r"\.[A-Z](\s|$)", line) for text in texts for line in text.split("\n"))

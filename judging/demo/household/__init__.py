"""Household tips: short pages, queries and grades that were written for the demo, under the licence of the code."""

from pathlib import Path

from judging.collections.parsers.parsed_records import ParsedDocument, ParsedTopic
from judging.demo import SEED
from judging.demo.demo_collection import DemoCollection, GivenGrades, Row
from judging.demo.rankings import rank_all

FOLDER = Path(__file__).parent
SYSTEMS = ("bm25-words", "bm25-4grams", "bm25-title")


def load() -> DemoCollection:
    documents = read_documents()
    topics, grades = read_topics()
    rows = tuple(
        (topic.number, document.docno, grades[topic.number].get(document.docno, 0)) for topic in topics for document in documents
    )
    return DemoCollection(
        name="Demo: household tips",
        description=describe(len(documents), len(topics)),
        documents=documents,
        topics=topics,
        qrels=GivenGrades(
            name="The author's grades",
            description=f"Whoever wrote the pages and the queries graded all pages for each query: {graded(rows)} help or are "
            "related, all others have grade 0.",
            rows=rows,
            recipe={"method": "graded by the author of documents and topics"},
        ),
        runs=rank_all(documents, topics, SYSTEMS),
        attribution="Documents, topics and grades were written for this demo and come under the licence of ireval.",
    )


def describe(documents: int, topics: int) -> str:
    return (
        f"{documents} pages on repairs, stains, cooking and plants, as a household magazine may have them, and {topics} queries "
        "that its readers may type. Written for this demo. The workers of its finished studies and the first visitors of its "
        f"search site are simulated, from seed {SEED}."
    )


def graded(rows: tuple[Row, ...]) -> int:
    return sum(grade > 0 for *_, grade in rows)


def read_documents() -> tuple[ParsedDocument, ...]:
    """One block per page: its name and title in a line, then its text."""
    return tuple(read_document(*block.split("\n", 1)) for block in blocks("documents.txt"))


def read_document(heading: str, text: str) -> ParsedDocument:
    docno, title = heading.split(": ", 1)
    return ParsedDocument(docno=docno, title=title, text=text.replace("\n", "\n\n"), url="", line=0)


def read_topics() -> tuple[tuple[ParsedTopic, ...], dict[str, dict[str, int]]]:
    """One block per topic: number, tag and query, description, narrative, and a line of pages for each grade."""
    topics, grades = [], {}
    for block in blocks("topics.txt"):
        heading, description, narrative, *graded = block.split("\n")
        known_as, title = heading.split(": ", 1)
        number, tag = known_as.split()
        topics.append(ParsedTopic(number, title, description, narrative, subtopics=(), line=0, tags=[tag]))
        lines = (line.split(": ") for line in graded)
        grades[number] = {docno: int(grade) for grade, docnos in lines for docno in docnos.split()}
    return tuple(topics), grades


def blocks(name: str) -> list[str]:
    return (FOLDER / name).read_text(encoding="utf-8").strip().split("\n\n")

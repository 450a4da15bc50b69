"""The weaknesses of software as a collection, made from files of this folder in about a second; no Django, no network.

Loading it imports bm25s, which takes half a second.
"""

from judging.collections.parsers.parsed_records import ParsedDocument
from judging.demo.cwe import Catalogue, Weakness, read_catalogue, read_notice
from judging.demo.demo_collection import DemoCollection
from judging.demo.mappings import docno, map_topics
from judging.demo.owasp_topics import top_ten, vulnerabilities
from judging.demo.rankings import rank_all

SYSTEMS = ("bm25-words", "bm25-4grams", "bm25-title", "tfidf-words")


def load() -> DemoCollection:
    """Build the demo collection. The same packages give the same collection, down to the order of every row."""
    catalogue = read_catalogue()
    live = [weakness for weakness in catalogue.weaknesses.values() if not weakness.withdrawn]
    mapped_topics = top_ten(catalogue) + vulnerabilities(live)
    documents = tuple(document(weakness) for weakness in live)
    topics = tuple(mapped.topic for mapped in mapped_topics)
    return DemoCollection(
        name=f"Demo: software weaknesses (CWE {catalogue.version})",
        description=describe(catalogue, len(documents)),
        documents=documents,
        topics=topics,
        qrels=map_topics(mapped_topics, (document.docno for document in documents), catalogue),
        runs=rank_all(documents, topics, SYSTEMS),
        attribution=f"Documents, topics and mappings: CWE™ {catalogue.version} ({catalogue.date}), The MITRE Corporation.",
        notice=read_notice(),
    )


def document(weakness: Weakness) -> ParsedDocument:
    """A weakness as a document: its name and its description fields, nothing else.

    The catalogue's other fields would give the answers away, or repeat themselves from entry to entry as consequences do.
    Observed examples are the vulnerabilities that are searched for. Taxonomy mappings and notes name OWASP's categories.
    """
    return ParsedDocument(
        docno=docno(weakness.number),
        title=weakness.name,
        text=weakness.description,
        url=f"https://cwe.mitre.org/data/definitions/{weakness.number}.html",
        line=0,
    )


def describe(catalogue: Catalogue, documents: int) -> str:
    return (
        f"The {documents} weaknesses of MITRE's Common Weakness Enumeration {catalogue.version} ({catalogue.date}) that are not "
        "withdrawn, with their descriptions alone. Topics: the ten categories of OWASP's Top Ten of 2021, and 40 vulnerabilities "
        "that the catalogue cites as examples."
    )

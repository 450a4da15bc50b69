"""The demo's qrels: the weaknesses that people at OWASP and MITRE mapped to its topics."""

from collections.abc import Iterable, Sequence

from judging.demo.cwe import Catalogue
from judging.demo.demo_collection import GivenGrades
from judging.demo.owasp_topics import MappedTopic


def docno(number: int) -> str:
    return f"CWE-{number}"


def map_topics(topics: Sequence[MappedTopic], documents: Iterable[str], catalogue: Catalogue) -> GivenGrades:
    """Grade 1 for every document mapped to a topic, in the order of the topics; nothing at all for the others."""
    present = set(documents)
    mapped = [(topic.topic.number, docno(number)) for topic in topics for number in topic.mapped]
    rows = tuple((topic, name, 1) for topic, name in mapped if name in present)
    left_out = len(mapped) - len(rows)
    return GivenGrades(
        name=f"MITRE mappings (CWE {catalogue.version})",
        description=describe(catalogue, topics=len(topics), rows=len(rows), left_out=left_out),
        rows=rows,
        sparse=True,
        recipe={"method": "taken from the catalogue's own mappings", "left out": f"{left_out} mapped categories"},
    )


def describe(catalogue: Catalogue, *, topics: int, rows: int, left_out: int) -> str:
    return (
        f"Taken from MITRE's CWE {catalogue.version} ({catalogue.date}), not from judges who read these documents for these "
        "topics: the weaknesses that OWASP maps to a category of its Top Ten of 2021, as MITRE publishes them, and those for "
        f"which MITRE cites a vulnerability as an observed example. {rows} mappings for {topics} topics. They are sparse and "
        "binary: a mapped document has grade 1; one that is not mapped may never have been considered, so unmapped does not mean "
        f"irrelevant. {left_out} more members of the OWASP categories are themselves categories: no document stands for them, "
        "and they are left out."
    )

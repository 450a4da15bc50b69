"""Whether a run or qrels belongs to the collection it is imported into: its topics and documents are looked up."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from judging.models import Collection
from judging.storing import known_docnos
from metrics.engine.files import MAX_PROBLEMS, BadFile, Problem, lines

from .imported import counted, largest_unpacked

SHOWN = 3
WRONG_FILE = "is this the wrong file, or the wrong collection?"


@dataclass(frozen=True)
class Fitted:
    """The rows that can be imported, and what was found out about the others."""

    frame: pl.DataFrame
    skipped_topics: list[str]
    topics_without_rows: int
    unknown_documents: int

    @property
    def counts(self) -> dict[str, int]:
        return {
            "rows": self.frame.height,
            "topics": self.frame["topic"].n_unique(),
            "skipped_topics": len(self.skipped_topics),
            "topics_without_rows": self.topics_without_rows,
            "unknown_documents": self.unknown_documents,
        }

    def notes(self, what: str, unknown_means: str) -> list[str]:
        """What the importer should know, as sentences; `what` is the kind of a row."""
        said = []
        if self.skipped_topics:
            left = counted(len(self.skipped_topics), "topic")
            said.append(f"{left} left out, as the collection does not have them: {some(self.skipped_topics)}.")
        if self.topics_without_rows:
            said.append(f"{counted(self.topics_without_rows, 'topic')} of the collection without any {what} here.")
        if self.unknown_documents:
            rows = counted(self.unknown_documents, "row")
            said.append(f"{rows} about documents that the collection does not have: {unknown_means}.")
        return said


def fit(frame: pl.DataFrame, collection: Collection, path: Path, *, filename: str, skip_unknown_topics: bool) -> Fitted:
    """Compare with what the collection has; where it has no topics or no documents yet, there is nothing to compare with.

    Raises BadFile for unknown topics (unless they are to be skipped), and where no topic or no document is known.
    """
    topics = list(collection.topics.values_list("number", flat=True))
    present = frame["topic"].unique(maintain_order=True).to_list()
    known = set(topics)
    unknown = [topic for topic in present if topic not in known] if topics else []
    if unknown and len(unknown) == len(present):
        raise BadFile.because(
            filename, f"none of its topics ({some(present)}) is one of the collection's ({some(topics)}): {WRONG_FILE}"
        )
    if unknown and not skip_unknown_topics:
        raise BadFile(unknown_topics(unknown, topics, path, filename))
    if unknown:
        frame = frame.filter(~pl.col("topic").is_in(pl.Series(unknown).implode()))
    return Fitted(
        frame=frame,
        skipped_topics=unknown,
        topics_without_rows=len(known - set(present)),
        unknown_documents=unknown_documents(frame, collection, filename),
    )


def unknown_documents(frame: pl.DataFrame, collection: Collection, filename: str) -> int:
    """How many rows name a document that the collection lacks; all of them means that something else is wrong."""
    some_of_ours = list(collection.documents.values_list("docno", flat=True)[:SHOWN])
    if not some_of_ours:
        return 0
    known = known_docnos(collection, frame["docno"].unique())
    if known.is_empty():
        theirs = frame["docno"].head(SHOWN).to_list()
        raise BadFile.because(
            filename,
            f"none of its documents ({some(theirs)}) is in the collection, which has {some(some_of_ours)}: {WRONG_FILE}",
        )
    return frame.filter(~pl.col("docno").is_in(known.implode())).height


def unknown_topics(unknown: list[str], topics: list[str], path: Path, filename: str) -> list[Problem]:
    """One problem a topic, at its first line, after the one that says what can be done."""
    first = first_lines(set(unknown[: MAX_PROBLEMS - 1]), path, filename)
    expected = f"expected one of its {counted(len(topics), 'topic')} ({some(topics)})"
    remedy = f"{counted(len(unknown), 'topic')} not in the collection: import them first, or choose to leave unknown topics out"
    problems = [
        Problem(filename, first.get(topic, 0), f"topic {topic} is not in the collection; {expected}") for topic in unknown
    ]
    return [Problem(filename, 0, remedy), *sorted(problems[: MAX_PROBLEMS - 1])]


def first_lines(wanted: set[str], path: Path, filename: str) -> dict[str, int]:
    """Where each topic is first named in the first column; in Parquet and JSON nowhere, which is no harm."""
    found: dict[str, int] = {}
    try:
        for number, line in lines(path, name=filename, max_bytes=largest_unpacked()):
            column = line.replace(",", " ").replace(";", " ").split(maxsplit=1)
            topic = column[0].strip('"') if column else ""
            if topic in wanted:
                found.setdefault(topic, number)
                if len(found) == len(wanted):
                    break
    except BadFile:  # Parquet is no text
        pass
    return found


def some(ids: list[str]) -> str:
    """The first few of a list of ids.

    >>> some(["1", "2", "3", "4"]), some(["1"])
    ('1, 2, 3, …', '1')
    """
    return ", ".join(ids[:SHOWN]) + (", …" if len(ids) > SHOWN else "")

"""The fit of a run or qrels to the collection that it is imported into: its topics and documents are looked up."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from ireval.io.files import MAX_PROBLEMS, BadFile, Problem, TooMuch
from ireval.io.tables import is_parquet
from ireval.translatable import Phrase
from judging.collections.imports.outcome import number_with_noun
from judging.collections.storage import known_docnos
from judging.models import Collection

SHOWN = 3


@dataclass(frozen=True)
class Source:
    """A file of rows about topics and documents, and how one of its kind is read and located (ireval.io.row_lines).

    `any_documents` where nobody expects that the collection has them: result lists say themselves what is to be seen.
    """

    path: Path
    filename: str
    max_bytes: int
    reader: Callable[..., pl.DataFrame]
    locator: Callable[..., pl.DataFrame]
    any_documents: bool = False

    def read(self) -> pl.DataFrame:
        return self.reader(self.path, name=self.filename, max_bytes=self.max_bytes)

    def locate(self, last: int | None = None) -> pl.DataFrame:
        return self.locator(self.path, name=self.filename, max_bytes=self.max_bytes, last=last)


@dataclass(frozen=True)
class FittedRows:
    """The rows that can be imported, and facts about the others."""

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

    def notes(self, what: Phrase, unknown_means: Phrase) -> list[Phrase]:
        """What the importer should know, as sentences; `what` is the kind of a row."""
        sentences = []
        if self.skipped_topics:
            skipped = Phrase(
                "%(topics)s left out, as the collection does not have them: %(first)s.",
                topics=number_with_noun(len(self.skipped_topics), "topic"),
                first=first_ids(self.skipped_topics),
            )
            sentences.append(skipped)
        if self.topics_without_rows:
            topics = number_with_noun(self.topics_without_rows, "topic")
            sentences.append(Phrase("%(topics)s of the collection without any %(what)s here.", topics=topics, what=what))
        if self.unknown_documents:
            unknown = Phrase(
                "%(rows)s about documents that the collection does not have: %(means)s.",
                rows=number_with_noun(self.unknown_documents, "row"),
                means=unknown_means,
            )
            sentences.append(unknown)
        return sentences


class CollectionCheck:
    """Rows compared with what the collection has. Where it has no topics or no documents yet, these are not compared."""

    def __init__(self, rows: pl.DataFrame, collection: Collection, skip_unknown_topics: bool, any_documents: bool):
        self.topics = list(collection.topics.values_list("number", flat=True))
        self.documents = list(collection.documents.values_list("docno", flat=True)[:SHOWN])
        present = rows["topic"].unique(maintain_order=True).to_list()
        topics = set(self.topics)
        self.unknown_topics = [topic for topic in present if topic not in topics] if self.topics else []
        self.no_topic_known = bool(present) and len(self.unknown_topics) == len(present)
        self.topics_without_rows = len(topics - set(present))
        self.skip_unknown_topics = skip_unknown_topics
        self.any_documents = any_documents
        self.kept = self.wanted(rows)
        self.known_docnos = (
            known_docnos(collection, self.kept["docno"].unique()) if self.documents else pl.Series(dtype=pl.String)
        )
        self.unknown_documents = self.strange(self.kept).height

    @property
    def refuses(self) -> bool:
        unknown_topics = self.unknown_topics and not self.skip_unknown_topics
        no_document_known = self.unknown_documents == self.kept.height and not self.any_documents
        return bool(unknown_topics) or self.no_topic_known or no_document_known

    def wanted(self, rows: pl.DataFrame) -> pl.DataFrame:
        left_out = self.unknown_topics if self.skip_unknown_topics else []
        return rows.filter(~pl.col("topic").is_in(pl.Series(left_out, dtype=pl.String).implode())) if left_out else rows

    def strange(self, rows: pl.DataFrame) -> pl.DataFrame:
        """The rows whose documents the collection lacks."""
        return rows.filter(~pl.col("docno").is_in(self.known_docnos.implode())) if self.documents else rows.clear()

    def problems(self, located: pl.DataFrame, filename: str, *, whole: bool = True) -> list[Problem]:
        """What is wrong, by line; `whole` is false where `located` is only the beginning of the file."""
        complaints = [*self.about_topics(located, whole), *self.about_documents(self.wanted(located), whole)]
        return [Problem(filename, line, message) for line, message in complaints]

    def about_topics(self, located: pl.DataFrame, whole: bool) -> list[tuple[int, Phrase]]:
        """One complaint per topic, at its first line, after the complaint that says what can be done."""
        if self.no_topic_known and whole:
            none = Phrase(
                "none of its topics (%(theirs)s) is one of the collection's (%(ours)s): is this the wrong file, or the wrong "
                "collection?",
                theirs=first_ids(self.unknown_topics),
                ours=first_ids(self.topics),
            )
            return [(0, none)]
        if self.skip_unknown_topics or not self.unknown_topics:
            return []
        first = located.group_by("topic").agg(pl.col("line").min()).filter(pl.col("topic").is_in(self.unknown_topics))
        remedy = Phrase("some topics are not in the collection: import them first, or choose to leave unknown topics out")
        lines = first.sort("line").head(MAX_PROBLEMS).iter_rows()
        return [(0, remedy), *((line, self.about_topic(topic)) for topic, line in lines)]

    def about_topic(self, topic: str) -> Phrase:
        return Phrase(
            "topic %(topic)s is not in the collection; expected one of its %(topics)s (%(first)s)",
            topic=topic,
            topics=number_with_noun(len(self.topics), "topic"),
            first=first_ids(self.topics),
        )

    def about_documents(self, located: pl.DataFrame, whole: bool) -> list[tuple[int, Phrase]]:
        """Complaints about unknown documents. Some alone refuse no file; beside other problems they are mentioned once."""
        strange = self.strange(located)
        if strange.is_empty() or self.any_documents:
            return []
        if strange.height == located.height and whole:
            none = Phrase(
                "none of its documents (%(theirs)s) is in the collection, which has %(ours)s: is this the wrong file, or the "
                "wrong collection?",
                theirs=first_ids(strange["docno"].head(SHOWN).to_list()),
                ours=first_ids(self.documents),
            )
            return [(0, none)]
        line, docno = strange.sort("line").select("line", "docno").row(0)
        some = Phrase(
            "document %(docno)s is not in the collection (%(rows)s of that sort, which alone refuse no file)",
            docno=docno,
            rows=number_with_noun(strange.height, "row"),
        )
        return [(line, some)]


def fit(source: Source, collection: Collection, *, skip_unknown_topics: bool) -> FittedRows:
    """Read a file and compare it with what the collection has. Raises BadFile with all that is wrong with either.

    Wrong are also unknown topics (unless they are to be skipped), and a file of which no topic or no document is known.
    """
    try:
        frame = source.read()
    except TooMuch:
        raise
    except BadFile as bad:
        raise with_unfit_rows(bad, source, collection, skip_unknown_topics) from bad
    check = CollectionCheck(frame, collection, skip_unknown_topics, source.any_documents)
    if check.refuses:
        raise BadFile(sorted(check.problems(source.locate(), source.filename)))
    return FittedRows(check.kept, check.unknown_topics, check.topics_without_rows, check.unknown_documents)


def with_unfit_rows(bad: BadFile, source: Source, collection: Collection, skip_unknown_topics: bool) -> BadFile:
    """What is wrong with the rows that parse as well, so that nobody has to mend a file twice.

    Of a text that cannot be read as a whole (damaged, binary, too large) no line is looked at again.
    """
    if any(problem.line == 0 for problem in bad.problems) and not is_parquet(source.path):
        return bad
    full = len(bad.problems) == MAX_PROBLEMS
    located = source.locate(bad.problems[-1].line if full else None)
    check = CollectionCheck(located, collection, skip_unknown_topics, source.any_documents)
    return BadFile(sorted(bad.problems + check.problems(located, source.filename, whole=not full)))


def first_ids(ids: list[str]) -> str:
    """The first few of a list of ids.

    >>> first_ids(["1", "2", "3", "4"]), first_ids(["1"])
    ('1, 2, 3, …', '1')
    """
    return ", ".join(ids[:SHOWN]) + (", …" if len(ids) > SHOWN else "")

"""Importing documents: read once to check, read again to insert, never held whole in memory."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import polars as pl

from judging.models import Collection, Document, Run, User
from judging.parsers import ParsedDocument, read_documents
from judging.storing import qrels_frame, run_frame, unknown_rows
from metrics.engine.files import BadFile, ProblemList

from .imported import Imported, Insert, Progress, counted, insert_whole, largest_unpacked, lock, say_nothing

BATCH = 2000


def import_documents(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> Imported:
    """Read, check and insert a file of documents; see check_documents."""
    return insert_whole(check_documents(collection, path, by=by, **options))


def check_documents(
    collection: Collection,
    path: str | os.PathLike[str],
    *,
    by: User,
    filename: str = "",
    format: str = "auto",
    only_mentioned: bool = False,
    progress: Progress = say_nothing,
) -> Insert:
    """Read a file of documents and compare it with the collection: the same document is skipped, another text is wrong.

    `only_mentioned` leaves out documents that no run and no qrels of the collection mention: of a corpus of millions, the
    thousands come in that anybody will look at.
    """
    filename = filename or Path(path).name
    mentioned = mentioned_docnos(collection, filename) if only_mentioned else None
    file = DocumentFile(path, filename, format, collection, mentioned)
    file.check(progress)

    def insert() -> Imported:
        lock(collection)
        warnings, tally = ProblemList(filename), Tally()
        for new in file.new_documents(warnings, tally):
            Document.objects.bulk_create(new, batch_size=BATCH)
        recount_unknown_documents(collection)
        return Imported("documents", tally.counts, notes(tally, warnings))

    return insert


class Tally:
    """What became of a file's documents."""

    def __init__(self) -> None:
        self.read = self.added = self.already_there = 0

    @property
    def counts(self) -> dict[str, int]:
        not_mentioned = self.read - self.added - self.already_there
        return {"read": self.read, "added": self.added, "already_there": self.already_there, "not_mentioned": not_mentioned}


@dataclass(frozen=True)
class DocumentFile:
    """A file beside the collection that it goes into; `mentioned` are the only ids that are wanted, or None for all."""

    path: str | os.PathLike[str]
    filename: str
    format: str
    collection: Collection
    mentioned: frozenset[str] | None

    def check(self, progress: Progress) -> None:
        """Go through the whole file without keeping anything of it."""
        tally = Tally()
        for _ in self.new_documents(ProblemList(self.filename), tally, progress):
            pass
        if not tally.added and not tally.already_there:
            raise BadFile.because(
                self.filename,
                f"not one of its {counted(tally.read, 'document')} is mentioned in the collection's runs and qrels: "
                "is this the wrong file?",
            )

    def new_documents(self, warnings: ProblemList, tally: Tally, progress: Progress = say_nothing) -> Iterator[list[Document]]:
        """What the collection does not have yet, in batches. BadFile at the end, or once there are 100 problems."""
        problems = ProblemList(self.filename)
        growing = self.collection.documents.exists()
        for batch in batches(self.read(problems, warnings)):
            wanted = [document for document in batch if self.mentioned is None or document.docno in self.mentioned]
            here = already_there(self.collection, wanted, problems) if growing else set()
            new = [as_document(document, self.collection) for document in wanted if document.docno not in here]
            tally.read += len(batch)
            tally.already_there += len(here)
            tally.added += len(new)
            if not problems.problems:
                yield new
            progress(batch[-1].line)
            if problems.full:
                break
        problems.raise_if_any()

    def read(self, problems: ProblemList, warnings: ProblemList) -> Iterator[ParsedDocument]:
        limit = largest_unpacked()
        return read_documents(self.path, format=self.format, max_bytes=limit, problems=problems, warnings=warnings)


def batches(documents: Iterable[ParsedDocument]) -> Iterator[list[ParsedDocument]]:
    iterator = iter(documents)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def already_there(collection: Collection, batch: list[ParsedDocument], problems: ProblemList) -> set[str]:
    """Ids of the batch that the collection has; a problem for each that it has with other words."""
    docnos = [document.docno for document in batch]
    rows = collection.documents.filter(docno__in=docnos).values_list("docno", "title", "text", "url")
    here = {docno: words for docno, *words in rows}
    for document in batch:
        if document.docno in here and here[document.docno] != [document.title, document.text, document.url]:
            problems.add(document.line, f"document {document.docno} is in the collection already, with another text")
    return set(here)


def as_document(parsed: ParsedDocument, collection: Collection) -> Document:
    return Document(collection=collection, docno=parsed.docno, title=parsed.title, text=parsed.text, url=parsed.url)


def mentioned_docnos(collection: Collection, filename: str) -> frozenset[str]:
    frames = [run_frame(run, columns=["docno"]) for run in collection.runs.all()]
    frames += [qrels_frame(qrels).select("docno") for qrels in collection.qrels.all()]
    if not frames:
        raise BadFile.because(
            filename, "the collection has no runs and no qrels that could mention documents; import those first, or all documents"
        )
    return frozenset(pl.concat(frame.unique() for frame in frames)["docno"].unique())


def recount_unknown_documents(collection: Collection) -> None:
    """Runs that came before the documents had nothing to be compared with."""
    for run in collection.runs.all():
        unknown = unknown_rows(run_frame(run, columns=["docno"]), collection)
        Run.objects.filter(pk=run.pk).exclude(unknown_documents=unknown).update(unknown_documents=unknown)


def notes(tally: Tally, warnings: ProblemList) -> list[str]:
    said = [f"{counted(tally.added, 'document')} imported."]
    if tally.already_there:
        said.append(f"{counted(tally.already_there, 'document')} already here, with the same text.")
    if left := tally.counts["not_mentioned"]:
        said.append(f"{counted(left, 'document')} left out: no run and no qrels of the collection mention them.")
    return said + [str(warning) for warning in warnings.problems]

"""Importing documents: checked while they are read, inserted once all of them are known to be good."""

import dataclasses
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import polars as pl
from django.db import connection

from ireval.io.files import BadFile, ProblemList
from ireval.translatable import Phrase
from judging.collections.imports.outcome import (
    ImportResult,
    Insert,
    Progress,
    insert_whole,
    lock,
    number_with_noun,
    say_nothing,
)
from judging.collections.imports.spool import Spool
from judging.collections.parsers import ParsedDocument, read_documents
from judging.collections.parsers.acceptance import is_storable
from judging.collections.size_limits import largest_unpacked
from judging.collections.storage import qrels_frame, run_frame
from judging.database.planner import update_statistics
from judging.models import Collection, Document, Markup, Run, User
from judging.text.document_html import LONGEST, is_usable

BATCH = 2000

# docno, title, text, url, html, line
Row = list


def import_documents(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> ImportResult:
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

    `only_mentioned` leaves out documents that no run and no qrels of the collection mention. Of a corpus of millions, the
    thousands come in that anybody will look at.
    """
    filename = filename or Path(path).name
    mentioned = mentioned_docnos(collection, filename) if only_mentioned else None
    problems, warnings, tally, spool = ProblemList(filename), ProblemList(filename), DocumentCounts(), Spool()
    documents = read_documents(path, format=format, max_bytes=largest_unpacked(), problems=problems, warnings=warnings)
    growing = collection.documents.exists()
    for batch in batches(documents):
        named = [document for document in batch if mentioned is None or document.docno in mentioned]
        wanted = [as_row(with_usable_html(document, warnings)) for document in named]
        tally.read += len(batch)
        tally.wanted += len(wanted)
        if growing:
            new_rows(collection, wanted, problems)
        spool.add(wanted)
        progress(batch[-1].line)
        if problems.full:
            break
    problems.raise_if_any()
    refuse_without_wanted(tally, filename)
    mentions = {run.pk: mentions_of(run) for run in collection.runs.all()}

    def insert() -> ImportResult:
        lock(collection)
        growing = collection.documents.exists()
        for wanted in spool.batches():
            new = new_rows(collection, wanted, problems) if growing else wanted
            problems.raise_if_any()  # only if another import has come in between
            tally.added += insert_rows(collection, new)
            tally.with_html += insert_html(collection, wanted)
        update_statistics(Document, added=tally.added)
        recount_unknown_documents(collection, mentions)
        return ImportResult("documents", tally.counts, notes(tally, warnings))

    return insert


class DocumentCounts:
    """What became of a file's documents."""

    def __init__(self) -> None:
        self.read = self.wanted = self.added = self.with_html = 0

    @property
    def counts(self) -> dict[str, int]:
        return {
            "read": self.read,
            "added": self.added,
            "already_there": self.wanted - self.added,
            "not_mentioned": self.read - self.wanted,
        } | ({"with_html": self.with_html} if self.with_html else {})


def as_row(document: ParsedDocument) -> Row:
    return [document.docno, document.title, document.text, document.url, document.html, document.line]


def with_usable_html(document: ParsedDocument, warnings: ProblemList) -> ParsedDocument:
    """The document without HTML that would take long to clean and to show, or that no database takes."""
    if not document.html or (is_storable(document.html) and is_usable(document.html)):
        return document
    left_out = Phrase(
        "the HTML of document %(docno)s is left out and its text kept: over %(most)s characters, or tags within tags without end",
        docno=document.docno,
        most=f"{LONGEST:,}",
    )
    warnings.add(document.line, left_out)
    return dataclasses.replace(document, html="")


def new_rows(collection: Collection, rows: list[Row], problems: ProblemList) -> list[Row]:
    """The rows whose documents the collection lacks; adds a problem for each that it has with another text or other HTML."""
    docnos = [docno for docno, *_ in rows]
    present = collection.documents.filter(docno__in=docnos).values_list("docno", "title", "text", "url")
    here = {docno: words for docno, *words in present}
    pages = html_of(collection, [docno for docno, *_, html, _ in rows if html and docno in here])
    for docno, *words, html, line in rows:
        if docno in here and here[docno] != words:
            problems.add(line, Phrase("document %(docno)s is in the collection already, with another text", docno=docno))
        elif pages.get(docno, html) != html:
            problems.add(line, Phrase("document %(docno)s is in the collection already, with other HTML", docno=docno))
    return [row for row in rows if row[0] not in here]


def html_of(collection: Collection, docnos: list[str]) -> dict[str, str]:
    kept = Markup.objects.filter(document__collection=collection, document__docno__in=docnos)
    return dict(kept.values_list("document__docno", "html")) if docnos else {}


def insert_rows(collection: Collection, rows: list[Row]) -> int:
    """Insert without making an object of every row, which would take twice the time."""
    table, fields = Document._meta.db_table, ("collection_id", "docno", "title", "text", "url")
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {table} ({', '.join(fields)}) VALUES ({', '.join(['%s'] * len(fields))})",  # noqa: S608  our own names
            [(collection.pk, *row[:-2]) for row in rows],
        )
    return len(rows)


def insert_html(collection: Collection, rows: list[Row]) -> int:
    """Keep the documents' HTML, also of those that came without it before."""
    pages = [(html, collection.pk, docno) for docno, *_, html, _ in rows if html]
    with connection.cursor() as cursor:
        cursor.executemany(
            "INSERT INTO judging_markup (document_id, html) SELECT id, CAST(%s AS text) FROM judging_document"
            " WHERE collection_id = %s AND docno = %s ON CONFLICT DO NOTHING",
            pages,
        )
    return len(pages)


def refuse_without_wanted(tally: DocumentCounts, filename: str) -> None:
    if not tally.wanted:
        none = Phrase(
            "not one of its %(documents)s is mentioned in the collection's runs and qrels: is this the wrong file?",
            documents=number_with_noun(tally.read, "document"),
        )
        raise BadFile.because(filename, none)


def batches(documents: Iterable[ParsedDocument]) -> Iterator[list[ParsedDocument]]:
    iterator = iter(documents)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def mentioned_docnos(collection: Collection, filename: str) -> frozenset[str]:
    frames = [run_frame(run, columns=["docno"]) for run in collection.runs.all()]
    frames += [qrels_frame(qrels).select("docno") for qrels in collection.qrels.all()]
    if not frames:
        none = Phrase(
            "the collection has no runs and no qrels that could mention documents; import those first, or all documents"
        )
        raise BadFile.because(filename, none)
    return frozenset(pl.concat(frame.unique() for frame in frames)["docno"].unique())


def mentions_of(run: Run) -> pl.DataFrame:
    """How often a run names each document: docno and count."""
    return run_frame(run, columns=["docno"])["docno"].value_counts()


def recount_unknown_documents(collection: Collection, mentions: dict[int, pl.DataFrame]) -> None:
    """Runs that came before the documents had nothing to be compared with.

    This happens while others wait: `mentions` of the runs were read before, but for those that came in since then.
    """
    runs = list(collection.runs.all())
    if not runs:
        return
    docnos = collection.documents.order_by().values_list("docno", flat=True)
    present = pl.Series("docno", list(docnos.iterator(chunk_size=BATCH)), dtype=pl.String).to_frame()
    for run in runs:
        mentioned = mentions[run.pk] if run.pk in mentions else mentions_of(run)
        unknown = int(mentioned.join(present, on="docno", how="anti")["count"].sum())
        Run.objects.filter(pk=run.pk).exclude(unknown_documents=unknown).update(unknown_documents=unknown)


def notes(tally: DocumentCounts, warnings: ProblemList) -> list[Phrase]:
    sentences = [Phrase("%(documents)s imported.", documents=number_with_noun(tally.added, "document"))]
    if here := tally.counts["already_there"]:
        same = number_with_noun(here, "document")
        sentences.append(Phrase("%(documents)s already here, with the same text.", documents=same))
    if tally.with_html:
        pages = number_with_noun(tally.with_html, "document")
        sentences.append(Phrase("%(documents)s with HTML: workers read it as a page.", documents=pages))
    if left := tally.counts["not_mentioned"]:
        strangers = number_with_noun(left, "document")
        sentences.append(
            Phrase("%(documents)s left out: no run and no qrels of the collection mention them.", documents=strangers)
        )
    return sentences + [warning.phrase for warning in warnings.problems]

"""Runs and qrels as files to take away, in portions: a run of millions of rows never stands in memory."""

import io
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import polars as pl
from django.utils.text import slugify
from django.utils.translation import gettext as _

from ireval.io.csv_rows import csv_of_frame
from ireval.io.files import BadInput
from ireval.io.stored_runs import scan_run
from ireval.io.written_qrels import FORMATS as QRELS_FORMATS
from ireval.io.written_qrels import refuse_blanks, write_qrels
from judging.collections.parsers.shown_results import as_markup
from judging.collections.storage import SHOWN, open_file, qrels_table, source
from judging.errors import Impossible
from judging.models import Qrels, Run
from judging.text.library_words import in_reader_language

# Of files, by format.
ENDINGS = {"trec": "txt", "csv": "csv", "jsonl": "jsonl", "parquet": "parquet"}
RUN_FORMATS = ("trec", "parquet", "csv", "jsonl")
# Those that have what a system's site shows of each result.
SHOWN_FORMATS = ("csv", "jsonl")
ROWS_A_PORTION = 250_000


class OtherFormatNeeded(Impossible):
    """What is asked for cannot be written in this format."""


__all__ = ["QRELS_FORMATS", "RUN_FORMATS", "filename", "formats_of", "qrels_file", "run_file"]


def filename(kept: Run | Qrels, form: str) -> str:
    version = f"-v{kept.version}" if isinstance(kept, Qrels) else ""
    return f"{slugify(kept.name) or kept.pk}{version}.{ENDINGS[form]}"


def run_file(run: Run, form: str) -> Iterator[bytes]:
    """The bytes of a run: "trec" (six columns), "parquet" (the stored file), or its result lists as "csv" or "jsonl".

    OtherFormatNeeded: ids that TREC's columns cannot carry, or a run that came without result lists.
    """
    if form == "parquet":
        with open_file(run.file) as stored:
            yield from stored.chunks()
    elif form in SHOWN_FORMATS:
        yield from result_lists(run, form)
    else:
        yield from trec_columns(run)


def trec_columns(run: Run) -> Iterator[bytes]:
    scan = scan_run(source(run.file))
    for start in range(0, run.rows, ROWS_A_PORTION):
        rows = scan.slice(start, ROWS_A_PORTION).collect()
        with ids_that_fit():
            refuse_blanks(rows)
        # A blank, as in a file's name, would begin another column.
        tag = pl.col("tag").cast(pl.String).str.replace_all(r"\s", "_")
        six = rows.select("topic", pl.lit("Q0").alias("Q0"), "docno", "rank", "score", tag)
        yield six.write_csv(include_header=False, separator=" ", quote_style="never").encode()


def result_lists(run: Run, form: str) -> Iterator[bytes]:
    """What importing result lists reads, to the letter."""
    if not run.shown:
        raise OtherFormatNeeded(
            _("The run “%(run)s” came without titles, urls and snippets. Take another format.") % {"run": run}
        )
    halves = (scan_run(source(run.file)).select("topic", "rank", "docno"), scan_run(source(run.shown)).select(SHOWN))
    for start in range(0, run.rows, ROWS_A_PORTION):
        rows = pl.concat([half.slice(start, ROWS_A_PORTION).collect() for half in halves], how="horizontal")
        yield results_text(rows, form, with_header=start == 0)


def results_text(rows: pl.DataFrame, form: str, *, with_header: bool) -> bytes:
    rows = rows.with_columns(as_written(as_markup, ["title", "snippet"]))
    if form == "jsonl":
        return rows.write_ndjson().encode()
    return csv_of_frame(rows, to_the_letter=("topic", "docno"), header=with_header).encode()


def as_written(write: Callable[[str], str], columns: Iterable[str]) -> pl.Expr:
    return pl.col(columns).map_elements(write, return_dtype=pl.String)


def formats_of(run: Run) -> tuple[str, ...]:
    return tuple(form for form in RUN_FORMATS if run.shown or form not in SHOWN_FORMATS)


def qrels_file(qrels: Qrels, form: str) -> bytes:
    """The bytes of a qrels version as one of QRELS_FORMATS, but for TREC's with how sure each grade is where that is known.

    OtherFormatNeeded: an id that TREC's format cannot carry.
    """
    return grades_file(qrels_table(qrels), form)


def grades_file(grades: pl.DataFrame, form: str) -> bytes:
    content = io.BytesIO()
    with ids_that_fit():
        write_qrels(grades, content, form)
    return content.getvalue()


@contextmanager
def ids_that_fit() -> Iterator[None]:
    """Raise OtherFormatNeeded for ids that the format cannot carry."""
    try:
        yield
    except BadInput as why:
        raise OtherFormatNeeded(_("%(why)s. Take another format.") % {"why": in_reader_language(str(why))}) from why

"""Runs and qrels as files to take away, in portions: a run of millions of rows never stands in memory."""

import io
from collections.abc import Iterator

import polars as pl
from django.utils.text import slugify

from judging.exporting import ENDINGS
from judging.models import Qrels, Run
from judging.storing import qrels_table, source
from metrics.engine.qrels import FORMATS as QRELS_FORMATS
from metrics.engine.qrels import refuse_blanks, write_qrels
from metrics.engine.runs import scan_run

RUN_FORMATS = ("trec", "parquet")
ROWS_A_PORTION = 250_000

__all__ = ["QRELS_FORMATS", "RUN_FORMATS", "filename", "qrels_file", "run_file"]


def filename(kept: Run | Qrels, form: str) -> str:
    version = f"-v{kept.version}" if isinstance(kept, Qrels) else ""
    return f"{slugify(kept.name) or kept.pk}{version}.{ENDINGS[form]}"


def run_file(run: Run, form: str) -> Iterator[bytes]:
    """The bytes of a run as "trec" (six columns) or "parquet" (the stored file). ValueError: see refuse_blanks."""
    if form == "parquet":
        with run.file.open("rb") as stored:
            yield from stored.chunks()
        return
    scan = scan_run(source(run.file))
    for start in range(0, run.rows, ROWS_A_PORTION):
        rows = scan.slice(start, ROWS_A_PORTION).collect()
        refuse_blanks(rows)
        six = rows.select("topic", pl.lit("Q0").alias("Q0"), "docno", "rank", "score", "tag")
        yield six.write_csv(include_header=False, separator=" ", quote_style="never").encode()


def qrels_file(qrels: Qrels, form: str) -> bytes:
    """The bytes of a qrels version as one of QRELS_FORMATS, but for TREC's with how sure each grade is where that is known.

    ValueError: an id that TREC's format cannot carry.
    """
    content = io.BytesIO()
    write_qrels(qrels_table(qrels), content, form)
    return content.getvalue()

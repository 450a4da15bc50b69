"""Qrels written to files, in the formats that read_qrels reads."""

import os
import re
from collections.abc import Mapping
from typing import BinaryIO

import polars as pl

from ireval.io.arguments import is_name_in
from ireval.io.cells import shown
from ireval.io.columns import ids_of
from ireval.io.csv_rows import csv_of_frame
from ireval.io.files import BadInput
from ireval.io.frames import Source, as_qrels, as_table
from ireval.io.qrels import QRELS_SCHEMA, SUBTOPIC_SCHEMA

FORMATS = ("trec", "csv", "jsonl", "parquet")
# Columns that say how sure a grade is: of how many votes, how likely each grade, and whether a person settled it.
HOW_SURE = re.compile(r"votes|confidence|p-?\d+|estimate|low|high|support|adjudicated", re.ASCII)


def write_qrels(qrels: Source, file: BinaryIO, kind: str) -> None:
    """Write topic, docno, grade and any subtopics to a binary file object, as "trec", "csv", "jsonl" or "parquet".

    `qrels` may be all that as_qrels takes. The order of rows is kept. read_qrels restores the same frame from every format; from
    TREC's, subtopics may have to be asked for. Other formats than TREC's also get columns that say how sure a grade is. These are
    votes, confidence, p0, p1 …; estimate, low, high and support of clicks; adjudicated, 1 where a person settled it. These are
    not read back. Raises BadInput for ids that TREC's format cannot hold (with a blank in them, or a # in front), BadFile as
    as_qrels does.
    """
    if not hasattr(file, "write"):
        raise BadInput(f"file is {shown(file)}; expected a binary file, such as open(path, 'wb')")
    if not is_name_in(kind, FORMATS):
        raise BadInput(f"there is no format {kind!r}; choose one of {', '.join(FORMATS)}")
    frame = with_how_sure(qrels)
    if kind == "trec":
        refuse_blanks(frame)
        second = pl.col("subtopic") if "subtopic" in frame.columns else pl.lit("0").alias("iteration")
        trec = frame.select("topic", second, "docno", "grade")
        trec.write_csv(file, include_header=False, separator=" ", quote_style="never")
    elif kind == "csv":
        file.write(csv_of_frame(frame, to_the_letter=SUBTOPIC_SCHEMA).encode())
    elif kind == "jsonl":
        frame.write_ndjson(file)
    else:
        frame.write_parquet(file, compression="zstd")


def with_how_sure(qrels: Source) -> pl.DataFrame:
    """The qrels, checked unless a frame has our columns and types, with the columns that say how sure the grades are."""
    if isinstance(qrels, str | os.PathLike | Mapping):
        return as_qrels(qrels)
    table = as_table(qrels, BadInput)
    how_sure = [column for column in table.columns if HOW_SURE.fullmatch(column)]
    if all(table.schema.get(column) == kind for column, kind in QRELS_SCHEMA.items()):
        return table.select([*(column for column in SUBTOPIC_SCHEMA if column in table.columns), *how_sure])
    return as_qrels(qrels).hstack(table.select(how_sure).get_columns())


def refuse_blanks(frame: pl.DataFrame) -> None:
    for column in ids_of(frame):
        split_up = frame[column].filter(frame[column].str.contains(r"^$|^#|\s"))
        if len(split_up):
            raise BadInput(f"{column} {split_up[0]!r} cannot be written in TREC's format, whose columns blanks separate")

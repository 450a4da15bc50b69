"""Small runs and qrels, written the way a test wants to read them."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import polars as pl

RUN = {"topic": pl.String, "docno": pl.String, "score": pl.Float64}
QRELS = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}


def run_of(topics: Mapping[str, Mapping[str, float]]) -> pl.DataFrame:
    """{"1": {"d3": 2.5, …}} as a run."""
    rows = [(topic, docno, score) for topic, scores in topics.items() for docno, score in scores.items()]
    return pl.DataFrame(rows, schema=RUN, orient="row")


def qrels_of(topics: Mapping[str, Mapping[str, int]]) -> pl.DataFrame:
    rows = [(topic, docno, grade) for topic, grades in topics.items() for docno, grade in grades.items()]
    return pl.DataFrame(rows, schema=QRELS, orient="row")


def ranked(docnos: Sequence[str]) -> dict[str, float]:
    """Scores that put documents in this order."""
    return {docno: float(len(docnos) - place) for place, docno in enumerate(docnos)}


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path

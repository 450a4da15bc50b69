"""Runs: a system's rankings of documents for many topics, in TREC files or Parquet."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import polars as pl

from ireval.io.cells import Table, distinct
from ireval.io.checked_frames import believe
from ireval.io.columns import Layout, bounded, distinct_blocks, explain, has_duplicates, read_blocks
from ireval.io.files import MAX_BYTES, local_file, name_of
from ireval.io.profiles import DEFAULT_PROFILE
from ireval.io.rank_order import Custom, in_order, with_ranks, with_ties_by_custom, with_topics_together
from ireval.io.tables import DOCNO, SCORE, TOPIC, is_parquet, read_parquet_table
from ireval.translatable import Phrase

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

# trec_eval ignores a seventh column. So do we if the rank is a number and the tag is not. Otherwise the document id has a blank
# in it, and the columns after it are shifted.
SURPLUS = re.compile(rb"^(\S+ \S+ \S+ -?\d+ \S+ (?![\d.eE+-]+ )\S+) .*$", re.MULTILINE)

RUN_ALIASES = {"topic": TOPIC, "docno": DOCNO, "score": SCORE}
RUN_SCHEMA = {"topic": pl.String, "docno": pl.String, "score": pl.Float64, "rank": pl.Int32, "tag": pl.Categorical}


class ScatteredTopics(Exception):
    """The lines of a topic do not stand together, so that the file cannot be read topic by topic."""


def complaint_about_score(text: str) -> Phrase | None:
    if text.lower().lstrip("+-") in {"nan", "inf", "infinity"}:
        return Phrase("is %(text)s; expected a finite number", text=text)
    if not NUMBER.fullmatch(text):
        return Phrase('is "%(text)s"; expected a number', text=text)
    if abs(float(text)) < float("inf"):
        return None
    return Phrase("is %(text)s, which is too large; expected a finite number", text=text)


RUN = Layout(
    what=Phrase("results"),
    columns=("topic", "Q0", "docno", "rank", "score", "tag"),
    kept={"topic": pl.String, "docno": pl.String, "score": pl.Float64, "tag": pl.String},
    checked="score",
    check=complaint_about_score,
    surplus=SURPLUS,
    unread=("rank", pl.UInt64),
)


def read_run(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    max_bytes: int = MAX_BYTES,
    profile: str = DEFAULT_PROFILE,
    ties: Custom = "trec_eval",
) -> pl.DataFrame:
    """Read a run: TREC's six columns (blanks or tabs; gz, xz, zst or plain; "-" is standard input) or Parquet.

    Returns topic, docno, score, rank, tag (RUN_SCHEMA), sorted by topic and in evaluator order. That is score descending, ties by
    docno descending in byte order, or by another of the CUSTOMS. The profile says how scores are compared. The file's own rank
    column is ignored, as by trec_eval, and so is a seventh column. IgnoredInput warns of a seventh column, and of a rank that is
    no whole number from 0.

    Raises BadFile, with up to 100 problems: wrong numbers of columns, scores that are no finite numbers, and documents twice in a
    topic. Also for a file without results, and one that is no UTF-8 text.
    """
    with local_file(path, max_bytes=max_bytes) as local:
        name = name or name_of(path)
        if is_parquet(local):
            frame = run_from_parquet(local, name, max_bytes, profile)
        else:
            frame = run_from_text(local, name, max_bytes, profile)
    return believe(in_order(frame if ties == "trec_eval" else with_ties_by_custom(frame, ties, profile)), "run")


def run_from_text(path: Path, name: str, max_bytes: int, profile: str) -> pl.DataFrame:
    try:
        blocks = bounded(run_blocks(path, name=name, max_bytes=max_bytes, profile=profile), name=name, max_bytes=max_bytes)
        return pl.concat(map(typed, blocks), rechunk=True)
    except ScatteredTopics:
        blocks = distinct_blocks(path, RUN, name=name, max_bytes=max_bytes)
        frame = pl.concat(bounded(blocks, name=name, max_bytes=max_bytes))
        return typed(checked_and_ranked(with_topics_together(frame), path, name, max_bytes, profile))


def run_blocks(
    path: str | os.PathLike[str], *, name: str | None = None, max_bytes: int = MAX_BYTES, profile: str = DEFAULT_PROFILE
) -> Iterator[pl.DataFrame]:
    """Yield a TREC run in frames of whole topics, checked and with ranks, in bounded memory.

    They have RUN_SCHEMA's columns in any order, the tag as text; rows are in the order of the file. Raises ScatteredTopics if a
    topic comes back later, and BadFile as read_run does.
    """
    name = name or name_of(path)
    blocks = read_blocks(path, RUN, name=name, max_bytes=max_bytes)
    for frame in whole_topics(refuse_if_repetitive(block, path, name, max_bytes) for block in blocks):
        yield checked_and_ranked(frame, path, name, max_bytes, profile)


def refuse_if_repetitive(block: pl.DataFrame, path: str | os.PathLike[str], name: str, max_bytes: int) -> pl.DataFrame:
    """Refuse duplicates in a block of a single topic, which may be part of an endless one that would fill the memory."""
    if block["topic"][0] == block["topic"][-1]:
        refuse_duplicates(block, path, name, max_bytes)
    return block


def whole_topics(frames: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
    """Yield frames regrouped so that none ends within a topic: the last topic of each waits for the next frame."""
    finished: set[str] = set()
    waiting: pl.DataFrame | None = None
    stretches: list[tuple[str, int]] = []
    for frame in frames:
        block = frame
        if waiting is not None:
            *before, (_, size) = stretches
            if before:
                finished.update(topic for topic, _ in before)
                yield waiting[:-size]
            block = pl.concat([waiting[-size:], frame])
        stretches = block["topic"].rle().struct.unnest().select("value", "len").rows()
        topics = {topic for topic, _ in stretches}
        if len(topics) < len(stretches) or not finished.isdisjoint(topics):
            raise ScatteredTopics
        waiting = block
    if waiting is not None:
        yield waiting


def checked_and_ranked(
    frame: pl.DataFrame, path: str | os.PathLike[str], name: str, max_bytes: int, profile: str
) -> pl.DataFrame:
    refuse_duplicates(frame, path, name, max_bytes)
    return with_ranks(frame, profile)


def refuse_duplicates(frame: pl.DataFrame, path: str | os.PathLike[str], name: str, max_bytes: int) -> None:
    if has_duplicates(frame):
        raise explain(path, RUN, name=name, max_bytes=max_bytes)


def run_from_parquet(path: Path, name: str, max_bytes: int, profile: str) -> pl.DataFrame:
    """A run from a Parquet file with topic, docno and score under any of their usual names."""
    table = read_parquet_table(path, RUN_ALIASES, name=name, max_bytes=max_bytes)
    return ranked_table(table, Path(name).stem, profile)


def ranked_table(table: Table, tag: str, profile: str) -> pl.DataFrame:
    """A table of topic, docno and score or rank, checked and ranked by the profile: RUN_SCHEMA. Raises BadFile."""
    frame = distinct(table)
    if "score" not in frame.columns:
        frame = frame.with_columns(score=-pl.col("rank"))
    return typed(with_ranks(with_topics_together(frame), profile).with_columns(tag=pl.lit(tag)))


def typed(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.select(list(RUN_SCHEMA)).cast({"tag": pl.Categorical})

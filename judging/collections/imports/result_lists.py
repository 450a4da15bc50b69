"""Importing result lists: what search sites show, kept as one run per system, with titles, addresses and snippets beside it."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path

import polars as pl

from ireval.io.files import BadFile, ProblemList
from ireval.io.row_lines import A_PORTION, located
from ireval.translatable import Phrase
from judging.collections.imports.file_names import name_for
from judging.collections.imports.fit import FittedRows, fit
from judging.collections.imports.kept_files import source_of, twins
from judging.collections.imports.outcome import ImportResult, Insert, Progress, insert_whole, lock, number_with_noun, say_nothing
from judging.collections.imports.runs import facts, refuse_if_taken
from judging.collections.parsers import ParsedResult, read_results
from judging.collections.storage import SHOWN_SCHEMA, in_ranking_order, ordered_run, store_run
from judging.models import Collection, Run, User

# More in one file are no systems: the wrong column was taken for theirs.
MOST_SYSTEMS = 100
FRAME = dict.fromkeys(ParsedResult._fields, pl.String) | {"rank": pl.Int32, "line": pl.UInt32}

Read = Callable[..., Iterator[ParsedResult]]


def import_results(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> ImportResult:
    """Read, check and keep a file of result lists; see check_results."""
    return insert_whole(check_results(collection, path, by=by, **options))


def check_results(
    collection: Collection,
    path: str | os.PathLike[str],
    *,
    by: User,
    filename: str = "",
    name: str = "",
    format: str = "auto",
    description: str = "",
    skip_unknown_topics: bool = False,
    progress: Progress = say_nothing,
) -> Insert:
    """Read what systems' sites show and check it against the collection, which need not have the documents.

    A system without a name in the file has the given one, or else the file's. Raises BadFile as read_results and fit do,
    and for names that are taken.
    """
    filename = filename or Path(path).name
    read = partial(read_results, format=format, system=name_for(name, filename))
    reader, locator = partial(results_frame, read=read, progress=progress), partial(located_results, read=read)
    source = source_of(path, filename, reader, locator, any_documents=True)
    fitted = fit(source, collection, skip_unknown_topics=skip_unknown_topics)
    systems = systems_of(fitted.frame)
    refuse_if_any_is_taken(collection, systems, filename)

    def insert() -> ImportResult:
        lock(collection)
        refuse_if_any_is_taken(collection, systems, filename)
        runs = [
            store_run(
                system.ranking, collection=collection, name=system.name, by=by, source_name=filename, description=description,
                shown=system.shown,
            )
            for system in systems
        ]  # fmt: skip
        counts = fitted.counts | {"runs": len(runs)}
        return ImportResult("results", counts, notes(runs, fitted), runs[0] if len(runs) == 1 else None, runs)

    return insert


def results_frame(path: Path, *, name: str, max_bytes: int, read: Read, progress: Progress) -> pl.DataFrame:
    problems = ProblemList(name)
    results = read(path, max_bytes=max_bytes, problems=problems)
    portions = [pl.DataFrame(schema=FRAME)]
    while portion := list(islice(results, A_PORTION)):
        portions.append(pl.DataFrame(portion, schema=FRAME, orient="row"))
        progress(portion[-1].line)
    frame = pl.concat(portions)
    complain_about_systems(frame, problems)
    problems.raise_if_any()
    return frame


def complain_about_systems(frame: pl.DataFrame, problems: ProblemList) -> None:
    first = frame.group_by("system", maintain_order=True).agg(pl.col("line").first())
    if first.height > MOST_SYSTEMS:
        too_many = Phrase(
            "holds %(systems)s, at most %(most)s are accepted; is “system” their name?",
            systems=number_with_noun(first.height, "system"),
            most=MOST_SYSTEMS,
        )
        problems.add(0, too_many)
        return
    for system, line in first.iter_rows():
        try:
            name_for(system, problems.file)
        except BadFile as bad:
            problems.add(line, bad.problems[0].message)


def located_results(path: Path, *, name: str, max_bytes: int, read: Read, last: int | None = None) -> pl.DataFrame:
    results = read(path, max_bytes=max_bytes, problems=ProblemList(name))
    return located(((row.line, row.topic, row.docno, "", "") for row in results), last)


@dataclass(frozen=True)
class System:
    """One system's part of a file: its ranking as a run, and what is shown of each result."""

    name: str
    ranking: pl.DataFrame
    shown: pl.DataFrame


def systems_of(frame: pl.DataFrame) -> list[System]:
    return [system_of(part["system"][0], part) for part in frame.partition_by("system", maintain_order=True)]


def system_of(name: str, part: pl.DataFrame) -> System:
    """Its scores are the ranks below zero, so that the evaluator's order is that of the ranks."""
    ranking = ordered_run(part.select("topic", "docno", score=-pl.col("rank").cast(pl.Float64)), tag=name)
    return System(name, ranking, in_ranking_order(part.select(list(SHOWN_SCHEMA)), ranking))


def refuse_if_any_is_taken(collection: Collection, systems: list[System], filename: str) -> None:
    problems = []
    for system in systems:
        try:
            refuse_if_taken(collection, system.name, system.ranking, filename, shown=system.shown)
        except BadFile as bad:
            problems += bad.problems
    if problems:
        raise BadFile(problems)


def notes(runs: list[Run], fitted: FittedRows) -> list[Phrase]:
    sentences = [facts(run) for run in runs]
    if len(runs) > 1:
        sentences = [Phrase("%(name)s: %(facts)s", name=run.name, facts=facts(run)) for run in runs]
        sentences.insert(0, Phrase("%(systems)s.", systems=number_with_noun(len(runs), "system")))
    unread = Phrase("their lists can be compared and evaluated, but nobody can read the documents here")
    sentences += fitted.notes(Phrase("results"), unread)
    return sentences + [note for run in runs for note in twins(run)]

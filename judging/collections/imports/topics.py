"""Importing topics: what somebody needs to know, under the collection's own numbers."""

import dataclasses
import os
from pathlib import Path

from ireval.io.files import ProblemList
from judging.collections.imports.outcome import (
    ImportResult,
    Insert,
    Progress,
    insert_whole,
    largest_unpacked,
    lock,
    number_with_noun,
    say_nothing,
)
from judging.collections.parsers import ParsedTopic, read_topics
from judging.collections.parsers.formats import MAX_READABLE_BYTES
from judging.database.planner import update_statistics
from judging.models import Collection, Topic, User

NUMBERINGS = {
    "auto": "Tell from the file",
    "as written": "Keep the numbers after .I",
    "file order": "Count 1, 2, 3, … (Cranfield's qrels do)",
}


def import_topics(collection: Collection, path: str | os.PathLike[str], *, by: User, **options) -> ImportResult:
    """Read, check and insert a topic file; see check_topics."""
    return insert_whole(check_topics(collection, path, by=by, **options))


def check_topics(
    collection: Collection,
    path: str | os.PathLike[str],
    *,
    by: User,
    filename: str = "",
    format: str = "auto",
    number_topics: str = "auto",
    progress: Progress = say_nothing,
) -> Insert:
    """Read a topic file and compare it with the collection: the same topic is skipped, another one of that number is wrong."""
    filename = filename or Path(path).name
    problems, warnings = ProblemList(filename), ProblemList(filename)
    topics = list(
        read_topics(
            path, format=format, max_bytes=largest_unpacked(MAX_READABLE_BYTES), problems=problems, warnings=warnings,
            number_topics=number_topics,  # type: ignore[arg-type]  # the form and the API offer NUMBERINGS only
        )
    )  # fmt: skip
    new_ones(topics, collection, problems)
    problems.raise_if_any()
    progress(topics[-1].line)

    def insert() -> ImportResult:
        lock(collection)
        new = new_ones(topics, collection, problems)
        problems.raise_if_any()  # only if another import has come in between
        Topic.objects.bulk_create(new, batch_size=1000)
        update_statistics(Topic)
        return ImportResult("topics", {"added": len(new), "already_there": len(topics) - len(new)}, notes(topics, new, warnings))

    return insert


def new_ones(topics: list[ParsedTopic], collection: Collection, problems: ProblemList) -> list[Topic]:
    """The topics that the collection lacks; adds a problem for each that it has with other words."""
    here = {topic.number: topic for topic in collection.topics.all()}
    parsed = [as_topic(topic, collection) for topic in topics]
    for source, topic in zip(topics, parsed, strict=True):
        if topic.number in here and (changed := difference(here[topic.number], topic)):
            problems.add(source.line, f"topic {topic.number} is in the collection already, with other words ({changed})")
    return [topic for topic in parsed if topic.number not in here]


def as_topic(parsed: ParsedTopic, collection: Collection) -> Topic:
    return Topic(
        collection=collection,
        number=parsed.number,
        title=parsed.title,
        description=parsed.description,
        narrative=parsed.narrative,
        subtopics=[dataclasses.asdict(subtopic) for subtopic in parsed.subtopics],
    )


def difference(old: Topic, new: Topic) -> str:
    fields = ("title", "description", "narrative", "subtopics")
    return ", ".join(field for field in fields if getattr(old, field) != getattr(new, field))


def notes(topics: list[ParsedTopic], new: list[Topic], warnings: ProblemList) -> list[str]:
    sentences = [f"{number_with_noun(len(new), 'topic')} imported."]
    if len(topics) > len(new):
        sentences.append(f"{number_with_noun(len(topics) - len(new), 'topic')} already here, with the same words.")
    return sentences + [str(warning) for warning in warnings.problems]

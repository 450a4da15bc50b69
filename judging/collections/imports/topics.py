"""Importing topics: what somebody needs to know, under the collection's own numbers."""

import dataclasses
import os
from pathlib import Path

from django.utils.translation import gettext_lazy as _

from ireval.io.files import ProblemList
from ireval.translatable import Phrase
from judging.audit import note
from judging.collections.imports.outcome import (
    ImportResult,
    Insert,
    Progress,
    insert_whole,
    lock,
    number_with_noun,
    say_nothing,
)
from judging.collections.parsers import ParsedTopic, read_topics
from judging.collections.parsers.acceptance import complaint_about_title
from judging.collections.parsers.formats import MAX_READABLE_BYTES
from judging.collections.size_limits import largest_unpacked
from judging.database.planner import update_statistics
from judging.models import AuditEntry, Collection, Topic, User

NUMBERINGS = {
    "auto": _("Tell from the file"),
    "as written": _("Keep the numbers after .I"),
    "file order": _("Count 1, 2, 3, … (Cranfield's qrels do)"),
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
    """Read a topic file and compare it with the collection: the same topic is skipped, another one of that number is wrong.

    A topic that is there already gets the file's tags, if the file has any for it; its words may then be left out.
    """
    filename = filename or Path(path).name
    problems, warnings = ProblemList(filename), ProblemList(filename)
    topics = list(
        read_topics(
            path, format=format, max_bytes=largest_unpacked(MAX_READABLE_BYTES), problems=problems, warnings=warnings,
            number_topics=number_topics,  # type: ignore[arg-type]  # the form and the API offer NUMBERINGS only
        )
    )  # fmt: skip
    compare(topics, collection, problems)
    problems.raise_if_any()
    progress(topics[-1].line)

    def insert() -> ImportResult:
        lock(collection)
        new, tagged = compare(topics, collection, problems)
        problems.raise_if_any()  # only if another import has come in between
        Topic.objects.bulk_create(new, batch_size=1000)
        Topic.objects.bulk_update(tagged, ["tags"], batch_size=1000)
        if tagged:
            numbers = ", ".join(topic.number for topic in tagged)
            note(AuditEntry.Deed.CHANGED, f"tags by {filename}, topics {numbers}", by, collection=collection)
        update_statistics(Topic, added=len(new))
        counts = {"added": len(new), "already_there": len(topics) - len(new), "tagged": len(tagged)}
        return ImportResult("topics", counts, [*notes(counts), *(warning.phrase for warning in warnings.problems)])

    return insert


def compare(topics: list[ParsedTopic], collection: Collection, problems: ProblemList) -> tuple[list[Topic], list[Topic]]:
    """The topics that the collection lacks, and those that it has with other tags, with the new ones.

    Adds a problem for each that it has with other words, and for each that it lacks without a title.
    """
    here = {topic.number: topic for topic in collection.topics.all()}
    new, tagged = [], []
    for source in topics:
        topic, old = as_topic(source, collection), here.get(source.number)
        if not old and not source.title:
            problems.add(source.line, complaint_about_title(source))
        elif not old:
            new.append(topic)
        elif source.title and (changed := difference(old, topic)):
            other_words = Phrase(
                "topic %(topic)s is in the collection already, with other words (%(changed)s)",
                topic=topic.number,
                changed=changed,
            )
            problems.add(source.line, other_words)
        elif topic.tags and topic.tags != old.tags:
            old.tags = topic.tags
            tagged.append(old)
    return new, tagged


def as_topic(parsed: ParsedTopic, collection: Collection) -> Topic:
    return Topic(
        collection=collection,
        number=parsed.number,
        title=parsed.title,
        description=parsed.description,
        narrative=parsed.narrative,
        subtopics=[dataclasses.asdict(subtopic) for subtopic in parsed.subtopics],
        tags=list(parsed.tags),
    )


def difference(old: Topic, new: Topic) -> str:
    fields = ("title", "description", "narrative", "subtopics")
    return ", ".join(field for field in fields if getattr(old, field) != getattr(new, field))


def notes(counts: dict[str, int]) -> list[Phrase]:
    added, tagged = counts["added"], counts["tagged"]
    sentences = []
    if added or not tagged:
        sentences.append(Phrase("%(topics)s imported.", topics=number_with_noun(added, "topic")))
    if tagged:
        sentences.append(Phrase("%(topics)s given the tags of the file.", topics=number_with_noun(tagged, "topic")))
    if unchanged := counts["already_there"] - tagged:
        sentences.append(Phrase("%(topics)s already here, with the same words.", topics=number_with_noun(unchanged, "topic")))
    return sentences

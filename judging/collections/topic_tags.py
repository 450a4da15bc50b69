"""Topics by their tags, and tags that are given by hand."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import F, Q, QuerySet, Value
from django.utils.translation import gettext as _

from judging.audit import note, value_text
from judging.collections.parsers.tag_lists import BadTags, clean_tags
from judging.database.json_lists import ListHolds
from judging.errors import BadFields
from judging.models import AuditEntry, Topic, User
from judging.text.library_words import in_reader_language


@transaction.atomic
def set_tags(topic: Topic, tags: Iterable[Any], *, by: User) -> Topic:
    """Give the topic these tags and no others."""
    try:
        wanted = clean_tags(tags)
    except BadTags as bad:
        raise BadFields(tags=_("These tags cannot be kept: %(why)s.") % {"why": in_reader_language(bad.why)}) from None
    topic = Topic.objects.select_for_update(no_key=True).get(pk=topic.pk)
    if wanted != topic.tags:
        change = f"{value_text(topic.tags)} → {value_text(wanted)}"
        note(AuditEntry.Deed.CHANGED, f"tags of topic {topic.number}: {change}", by, collection=topic.collection)
        topic.tags = wanted
        topic.save(update_fields=["tags"])
    return topic


def with_tag(topics: QuerySet[Topic], *tags: str) -> QuerySet[Topic]:
    """The topics that have one of these tags."""
    return topics.filter(Q(*(ListHolds(F("tags"), Value(tag)) for tag in tags), _connector=Q.OR))


def tag_counts(topics: QuerySet[Topic]) -> list[tuple[str, int]]:
    """Each tag and the number of its topics, by name."""
    lists = topics.exclude(tags=[]).order_by().values_list("tags", flat=True)
    return sorted(Counter(tag for tags in lists for tag in tags).items())

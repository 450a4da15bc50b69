"""Chosen documents: the growth of a launched study beyond its pool, and studies that begin with them."""

import itertools
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db import transaction
from django.db.models import Max, Min, QuerySet
from django.utils.translation import gettext as _

from judging.access import last_graded_study
from judging.audit import Deed, note, quoted
from judging.collections.storage import document_ids
from judging.database.planner import update_statistics
from judging.database.portions import in_portions
from judging.errors import Impossible
from judging.models import Addition, Collection, Item, Run, Slot, Study, Topic, User
from judging.models.slot import SPAN
from judging.studies.launch import MOST_JUDGEMENTS, in_random_order, slots_of_item
from judging.work import checks

NAMED = 3  # of what is missing


class CannotGrow(Impossible):
    """Why documents can't be added to a study; the text says what to do."""


@dataclass(frozen=True)
class Growth:
    """How many documents were added to a study, and how many it had already, as work or as checks.

    `addition` is what they belong to, and are taken back by (`additions`); None if none were added.
    """

    added: int
    already: int
    addition: Addition | None = field(default=None, compare=False)


LIKE = ("instructions", "consent", "scale", "overlap", "currency", "pay_an_hour", "pay_a_judgement", "seconds_a_judgement")


@transaction.atomic
def begin_with(pairs: Iterable[tuple[str, str]], *, collection: Collection, runs: Iterable[Run], by: User) -> Study:
    """Draft a graded study of these documents, (topic number, docno); what workers read and get is as in the collection's last.

    `runs` are those between which the documents were chosen; they make no pool.
    """
    last = last_graded_study(by, collection)
    study = Study(collection=collection, created_by=by, name=free_name(collection), chosen=list(map(list, dict.fromkeys(pairs))))
    for setting in LIKE if last else ():
        setattr(study, setting, getattr(last, setting))
    study.save()
    study.runs.set(runs)
    study.members.add(by)
    return study


def free_name(collection: Collection) -> str:
    taken = set(collection.studies.values_list("name", flat=True))
    return next(name for number in itertools.count(1) if (name := f"Judge next {number}") not in taken)


@transaction.atomic
def add_items(study: Study, pairs: Iterable[tuple[str, str]], *, by: User | None = None, seed: int | None = None) -> Growth:
    """Add documents, (topic number, docno), with as many slots each as the study's overlap; skip those that it has.

    They come behind the items that are there, and their slots among those of their topic. Workers who had finished get work
    again once the study runs. `seed` fixes the shuffle, for tests. Raises CannotGrow, and adds nothing, unless the study is a
    launched graded one that is not archived. Also for what the collection lacks, and for too many judgements.
    """
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    refuse_unless_open(study)
    wanted = keys_of(study, dict.fromkeys(pairs))
    of_topics = [study.items.filter(topic__in=some) for some in in_portions(topic for topic, _ in wanted)]
    present = {pair for items in of_topics for pair in items.values_list("topic", "document")}
    new = [pair for pair in wanted if pair not in present]
    if not new:
        return Growth(added=0, already=len(wanted))
    refuse_if_too_many(study, len(new))
    addition = Addition.objects.create(study=study, by=by)
    make(study, new, addition, random.Random(seed))  # noqa: S311  no secret
    note(Deed.CHANGED, f"{quoted(study)}: {len(new):,} items more, {len(new) * study.overlap:,} judgements", by, study)
    return Growth(len(new), len(wanted) - len(new), addition)


def refuse_unless_open(study: Study) -> None:
    if study.compares:
        raise CannotGrow(_("This study compares lists: its workers grade no documents. Choose a graded study."))
    if not study.is_launched:
        raise CannotGrow(_("This study is a draft: its runs are its pool. Launch it first, then add documents."))
    if study.archived:
        raise CannotGrow(_("This study is archived. Restore it first."))


def keys_of(study: Study, pairs: Iterable[tuple[str, str]]) -> list[tuple[int, int]]:
    """The primary keys of these topics and documents. Raises CannotGrow for those that are not in the collection."""
    named = list(pairs)
    topics = dict(Topic.objects.filter(collection=study.collection_id).values_list("number", "pk"))
    documents = document_ids(study.collection, {docno for _, docno in named})
    if unknown := listed(topic for topic, _ in named if topic not in topics):
        text = _("Topic %(names)s: not in the study’s collection. Import what is missing, or leave it out.")
        raise CannotGrow(text % {"names": unknown})
    if unknown := listed(docno for _, docno in named if docno not in documents):
        text = _("Document %(names)s: not in the study’s collection. Import what is missing, or leave it out.")
        raise CannotGrow(text % {"names": unknown})
    return [(topics[topic], documents[docno]) for topic, docno in named]


def listed(names: Iterable[str]) -> str:
    """The first of these names, each once, and how many more there are."""
    every = list(dict.fromkeys(names))
    shown = ", ".join(f"“{name[:100]}”" for name in every[:NAMED])
    if len(every) <= NAMED:
        return shown
    return _("%(names)s and %(count)s more") % {"names": shown, "count": f"{len(every) - NAMED:,}"}


def refuse_if_too_many(study: Study, more: int) -> None:
    """Where overlap is adaptive, every item may come to ask for the most."""
    most = study.most_overlap or study.overlap
    there = study.pool_counts.get("items", 0) * most if study.is_adaptive else asked(study)
    refuse_beyond_most(there + more * most)


def asked(study: Study) -> int:
    """How many judgements a launched study asks for: those that are there, with a vote or without, and those to come."""
    return Slot.objects.filter(study=study, number__isnull=False).count()


def refuse_beyond_most(judgements: int) -> None:
    if judgements > MOST_JUDGEMENTS:
        text = _("This would make %(count)s judgements; one study may ask for %(most)s. Ask for fewer.")
        raise CannotGrow(text % {"count": f"{judgements:,}", "most": f"{MOST_JUDGEMENTS:,}"})


def make(study: Study, pairs: list[tuple[int, int]], addition: Addition, random_order: random.Random) -> None:
    """The items and their slots, counted with the (locked) study."""
    pool = study.items.filter(position__lt=checks.FIRST_POSITION)
    topics = {topic for topic, _ in pairs}
    new_topics = topics - topics_in(pool, topics)
    last = pool.aggregate(last=Max("position"))["last"]
    places = enumerate(in_random_order(pairs, random_order), 0 if last is None else last + 1)
    work = {"study": study, "wanted": study.overlap, "addition": addition}
    items = [Item(**work, topic_id=topic, document_id=document, position=position) for position, (topic, document) in places]
    Slot.objects.bulk_create(slots_of(study, Item.objects.bulk_create(items, batch_size=2000), random_order), batch_size=2000)
    update_statistics(Item, Slot, added=len(items) * study.overlap)
    count(study, items=len(items), topics=len(new_topics))


def topics_in(items: QuerySet[Item], topics: Iterable[int]) -> set[int]:
    """Which of these topics the items are of."""
    return {key for some in in_portions(topics) for key in items.filter(topic__in=some).values_list("topic", flat=True)}


def slots_of(study: Study, items: list[Item], random_order: random.Random) -> Iterator[Slot]:
    """K slots an item: among those of its topic, or for a topic that has none, behind all others."""
    last = Slot.objects.filter(study=study, number__isnull=False).aggregate(last=Max("position"))["last"]
    free = 0 if last is None else last // SPAN + 1
    blocks = blocks_of(study, {item.topic_id for item in items})
    for item in items:
        if item.topic_id not in blocks:
            blocks[item.topic_id], free = free, free + 1
        yield from slots_of_item(item, study.overlap, blocks[item.topic_id], random_order)


def blocks_of(study: Study, topics: set[int]) -> dict[int, int]:
    """The stretch of positions of each of these topics that has slots."""
    slots = Slot.objects.filter(study=study, number__isnull=False).order_by().values_list("item__topic")
    firsts = slots.annotate(first=Min("position"))
    return {topic: first // SPAN for some in in_portions(topics) for topic, first in firsts.filter(item__topic__in=some)}


def count(study: Study, *, items: int, topics: int) -> None:
    """Note with the study how many items and topics it has more, or fewer, and how its checks are mixed in now."""
    more = {"items": items, "topics": topics, "added": items}
    study.pool_counts = study.pool_counts | {name: study.pool_counts.get(name, 0) + number for name, number in more.items()}
    if not study.pool_counts["added"]:
        del study.pool_counts["added"]
    study.save(update_fields=["pool_counts"])
    if checks.has_checks(study):
        checks.count_checks(study)

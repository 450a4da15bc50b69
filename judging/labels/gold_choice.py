"""The choice of items with known grades: from settled grades, or from items on which all workers agreed."""

import random
from collections import Counter
from itertools import chain, cycle, islice, zip_longest

import polars as pl
from django.db import transaction
from django.db.models import Count, F, Max, Min
from django.db.models.functions import Greatest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judging.audit import Deed, in_english, note, quoted, value_text
from judging.collections.storage import document_ids, qrels_frame
from judging.errors import Impossible
from judging.models import Document, Item, Judgement, Listing, Qrels, Slot, Study, Topic, User
from judging.studies.pool_plan import lot, plan
from judging.work import checks, mirrors
from judging.work.overlap import balance

USUALLY_ONE_IN = 10
TRIES = 50  # of documents at random, for each that is wanted, before there is taken to be none


class NothingToChoose(Impossible):
    """There is no item of that kind; the text says why, for the researcher."""


class DocumentInUse(Impossible):
    """The document has a part in the study already; the text says which."""


USED_AS = {
    Item.Role.WORK: gettext_noop("work"),
    Item.Role.TRAINING: gettext_noop("training"),
    Item.Role.TEST: gettext_noop("qualification test"),
    Item.Role.GOLD: gettext_noop("gold"),
    Item.Role.ATTENTION: gettext_noop("attention check"),
}


def in_use(item: Item) -> str:
    """Why the item's document cannot be a check."""
    return _("%(document)s is used for topic %(topic)s already: %(use)s.") % {
        "document": item.document,
        "topic": item.topic.number,
        "use": _(USED_AS[Item.Role(item.role)]),
    }


def take_from_qrels(
    study: Study,
    qrels: Qrels,
    *,
    role: Item.Role,
    count: int,
    grade: int | None = None,
    leeway: int = 0,
    by: User | None = None,
    seed: int | None = None,
) -> int:
    """Make checks of judged documents of the study's topics: of this grade, or of all grades in turn. Returns how many.

    The pool stays work, so that each of its documents gets a label. A grade at most `leeway` away is right, too.
    """
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        pool, used = pool_and_items(study)
        every, pooled = Topic.objects.filter(collection=study.collection_id), {topic for topic, _ in pool}
        topics = {number: key for number, key in every.values_list("number", "pk") if key in pooled}
        usable = pl.col("topic").is_in(list(topics)) & pl.col("grade").is_in(study.grades if grade is None else [grade])
        rows = qrels_frame(qrels).filter(usable).select("topic", "docno", "grade").rows()
        documents = document_ids(study.collection, sorted({row[1] for row in rows}))
        candidates = [(topics[topic], documents[docno], known) for topic, docno, known in rows if docno in documents]
        free = [candidate for candidate in candidates if candidate[:2] not in used]
        if not free:
            raise NothingToChoose(_("These qrels have no grade for more documents of the study's topics than its pool has."))
        chosen = spread_over_grades(free, count, random.Random(seed))  # noqa: S311  no secret
        for topic, document, known in chosen:
            checks.mark([new_item(study, topic, document).pk], role, right=grades_near(known, leeway, study))
        recount(study)
        if role == Item.Role.GOLD:
            mix_in(study)
        note(
            Deed.CHECKED,
            f"{len(chosen)} × {in_english(Item.Role(role).label).lower()}, made of the qrels {quoted(qrels)}",
            by,
            study,
        )
    return len(chosen)


Pairs = set[tuple[int, int]]  # topic and document, by primary key


def pool_and_items(study: Study) -> tuple[Pairs, Pairs]:
    """The study's pool, of a draft as it is planned; and with it all that has a part in the study already."""
    rows = list(study.items.values_list("topic", "document", "position"))
    items = {(topic, document) for topic, document, _ in rows}
    if study.is_launched:
        return {(topic, document) for topic, document, position in rows if position < checks.FIRST_POSITION}, items
    pool = set(plan(study).pool)
    return pool, pool | items


def to_judge(study: Study) -> list[tuple[int, int]]:
    """What of a draft's pool its researchers may judge themselves: first what is for the topics with the fewest checks."""
    if study.is_launched:
        raise NothingToChoose(_("The study is launched: what is left of its pool is its workers' to judge."))
    had = Counter(study.items.values_list("topic", flat=True))
    return sorted(plan(study).items, key=lambda pair: (had[pair[0]], lot(study.topic_seed, "{} {}".format(*pair))))


def add(
    study: Study,
    *,
    topic: Topic,
    document: Document,
    role: Item.Role,
    right: list[int],
    explanation: str = "",
    by: User | None = None,
) -> Item:
    """Make a check of one document outside the pool, which stays work: workers are to grade all of it. Or in a draft of one in
    the pool, which then has this grade if it is the only right one. In training it comes behind what is there already."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        existing = study.items.filter(topic=topic, document=document).first()
        if existing and existing.role != Item.Role.RETIRED:
            raise DocumentInUse(in_use(existing))
        item = existing or new_item(study, topic.pk, document.pk)
        checks.designate([item], role, right=right, explanation=explanation)
        if role in checks.MIXED_IN:
            mix_in(study)
        if role == Item.Role.TRAINING:
            put_last(item)
        note(
            Deed.CHECKED,
            f"{in_english(role.label).lower()}: {topic.number}, {document}, right: {value_text(sorted(right))}",
            by,
            study,
        )
    return item


def put_last(item: Item) -> None:
    Item.objects.filter(pk=item.pk).update(position=next_position(item.study))


def next_position(study: Study) -> int:
    """The position behind those of the pool and of all checks, before those of mirrored pairs."""
    last = study.items.filter(position__lt=mirrors.FIRST_POSITION).aggregate(last=Max("position"))["last"] or 0
    return max(last + 1, checks.FIRST_POSITION)


def recount(study: Study) -> None:
    """Count the (locked) study's checks anew."""
    checks.count_checks(Study.objects.get(pk=study.pk))


def mix_in(study: Study) -> None:
    """Have workers meet gold: who makes the first of it need not say how often."""
    Study.objects.filter(pk=study.pk, gold_every=0).update(gold_every=USUALLY_ONE_IN)


def spread_over_grades(rows: list[tuple[int, int, int]], count: int, order: random.Random) -> list[tuple[int, int, int]]:
    """Choose rows at random, the grades taking turns: gold of a single grade would be guessed by whoever always gives it."""
    by_grade: dict[int, list] = {}
    for row in order.sample(rows, len(rows)):
        by_grade.setdefault(row[2], []).append(row)
    turns = chain.from_iterable(zip_longest(*(by_grade[grade] for grade in sorted(by_grade))))
    return [row for row in turns if row is not None][:count]


def grades_near(grade: int, leeway: int, study: Study) -> list[int]:
    return [other for other in study.grades if abs(other - grade) <= leeway]


def new_item(study: Study, topic: int, document: int) -> Item:
    """An item behind those of the pool."""
    place = {"position": next_position(study), "wanted": study.overlap}
    return Item.objects.create(study=study, topic_id=topic, document_id=document, **place)


def agreed(study: Study, *, least: int = 2) -> list[tuple[int, int, int]]:
    """Work that has all its votes, at least `least`, and all of the same grade: topic, item and grade."""
    votes = Judgement.objects.filter(item__study=study, item__role=Item.Role.WORK).voting().order_by()
    items = votes.values("item", "item__topic", "item__wanted")
    counted = items.annotate(votes=Count("id"), lowest=Min("grade"), highest=Max("grade"))
    alike = counted.filter(lowest=F("highest"), votes__gte=Greatest(F("item__wanted"), least))
    return [(row["item__topic"], row["item"], row["lowest"]) for row in alike.order_by("item")]


@transaction.atomic
def attention(study: Study, *, count: int, by: User | None = None, seed: int | None = None) -> int:
    """Ask of documents that were pooled for other topics only: whoever reads them gives the lowest grade. Returns how many."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    chosen = strangers(study, count, random.Random(seed))  # noqa: S311  no secret
    if not chosen:
        raise NothingToChoose(_("Every pooled document is used for every topic: there is none that belongs to others only."))
    checks.designate([new_item(study, *pair) for pair in chosen], Item.Role.ATTENTION, right=[min(study.grades)])
    mix_in(study)
    note(Deed.CHECKED, f"{len(chosen)} × attention check, made of other topics' documents", by, study)
    return len(chosen)


def strangers(study: Study, count: int, order: random.Random) -> list[tuple[int, int]]:
    """Topics, taking turns, each with a document that none of its items shows; none is chosen twice."""
    pool, shown = pool_and_items(study)
    topics, documents = sorted({topic for topic, _ in pool}), sorted({document for _, document in pool})
    chosen: dict[int, int] = {}
    for topic in islice(cycle(order.sample(topics, len(topics))), TRIES * (count + TRIES)):
        document = order.choice(documents)
        if len(chosen) < count and document not in chosen and (topic, document) not in shown:
            chosen[document] = topic
    return [(topic, document) for document, topic in chosen.items()]


@transaction.atomic
def promote(study: Study, *, count: int, by: User | None = None, seed: int | None = None) -> int:
    """Make gold of items on which all workers agreed, as many of each grade as there are. Returns how many."""
    study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
    candidates = agreed(study)
    if not candidates:
        raise NothingToChoose(_("There is no item yet on which at least two workers agreed and nobody disagreed."))
    chosen = spread_over_grades(candidates, count, random.Random(seed))  # noqa: S311  no secret
    for __, item, grade in chosen:
        checks.mark([item], Item.Role.GOLD, right=[grade])
    recount(study)
    mix_in(study)
    note(Deed.CHECKED, f"{len(chosen)} × gold, made of what workers agreed on", by, study)
    return len(chosen)


def withdraw(item: Item, *, by: User | None = None) -> None:
    """Ask the check of nobody any more. One of the pool is work again; what has been answered of it is kept."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=item.study_id)
        note(Deed.CHECKED, f"withdrawn: {name_of(item)}", by, study)
        Slot.objects.filter(item=item, number__isnull=True, judged_at__isnull=True).delete()
        of_the_pool = item.position < checks.FIRST_POSITION
        if of_the_pool:
            count_as_work(study, item)
            Item.objects.filter(pk=item.pk).update(role=Item.Role.WORK, right=[])
            balance([item.pk])
        elif Slot.objects.filter(item=item).exists() or item.judgements.exists():
            Item.objects.filter(pk=item.pk).update(role=Item.Role.RETIRED)
        else:
            Item.objects.filter(pk=item.pk).delete()
            Listing.objects.filter(pk__in=[item.first_id, item.second_id]).delete()
        recount(study)


def name_of(item: Item) -> str:
    """What the audit calls a check."""
    return f"{item.topic.number}, {item.document.docno if item.document_id else 'a pair of lists'}"


def count_as_work(study: Study, item: Item) -> None:
    """Count a pooled document of which the grade was known, and which nobody was to judge."""
    if not study.pool_counts.get("known") or item.slots.filter(number__isnull=False).exists():
        return
    had_work = study.items.filter(topic=item.topic_id, slots__number__isnull=False).exists()
    more = {"items": 1, "topics": int(not had_work), "known": -1}
    study.pool_counts |= {name: study.pool_counts.get(name, 0) + number for name, number in more.items()}
    study.save(update_fields=["pool_counts"])

"""The launch of a study: what will be judged is settled once, as items and their slots."""

import random
from collections.abc import Iterable, Iterator
from itertools import groupby

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.database.planner import update_statistics
from judging.errors import Impossible
from judging.models import Item, Listing, Outbox, Slot, Study, Topic, User
from judging.models.slot import SPAN
from judging.studies import pair_plan
from judging.studies.pair_plan import PairPlan
from judging.studies.pool_plan import PoolPlan, plan
from judging.work import pair_answers

MOST_JUDGEMENTS = 1_000_000  # a slot each; more is a slip of the finger, not a study


class CannotLaunch(Impossible):
    """Why a study can't be launched as it is; the text says what to change."""


@transaction.atomic
def launch(study: Study, *, by: User | None = None, paused: bool = False, seed: int | None = None) -> PoolPlan | PairPlan:
    """Snapshot the pool as items with K slots each and open the study, or have it wait: checks can then be made before anybody
    judges. `seed` fixes the shuffle, for tests."""
    Study.objects.select_for_update().get(pk=study.pk)
    study.refresh_from_db()  # another tab may have changed the draft since this page showed it
    if study.state != Study.State.DRAFT:
        raise CannotLaunch(_("This study is already launched."))
    planned: PoolPlan | PairPlan = pair_plan.plan(study) if study.compares else plan(study)
    if not planned.items:
        raise CannotLaunch(why_empty(study, planned))
    if planned.most_judgements > MOST_JUDGEMENTS:
        raise CannotLaunch(too_many(study) % {"asked": f"{planned.most_judgements:,}", "most": f"{MOST_JUDGEMENTS:,}"})
    refuse_if_unanswerable(study, planned)
    refuse_if_off_scale(study)
    refuse_if_off_depth(study)
    random_order = random.Random(seed)  # noqa: S311  no secret
    make(study, planned, random_order)
    study.state, study.launched = Study.State.PAUSED if paused else Study.State.RUNNING, timezone.now()
    study.pool_counts = planned.counts
    if isinstance(planned, PoolPlan):
        study.depth = planned.depth
    else:
        study.scale = pair_answers.scale_of(study.comparison)
    study.save(update_fields=["state", "launched", "pool_counts", "scale", "depth"])
    note(Deed.LAUNCHED, f"{quoted(study)}: {len(planned.items):,} items, {planned.judgements:,} judgements", by, study)
    return planned


def too_many(study: Study) -> str:
    if study.compares:
        return _("This asks for %(asked)s judgements; one study may ask for %(most)s. Take fewer topics, or set a budget.")
    return _("This asks for %(asked)s judgements; one study may ask for %(most)s. Pool less deeply.")


def refuse_if_unanswerable(study: Study, planned: PoolPlan | PairPlan) -> None:
    """Refuse to ask something of each subtopic where no topic has any."""
    by_subtopic = [question.text for question in study.question_list if question.by_subtopic]
    if not by_subtopic or isinstance(planned, PairPlan):
        return
    divided = set(Topic.objects.filter(collection=study.collection_id).exclude(subtopics=[]).values_list("pk", flat=True))
    if divided.isdisjoint(topic for topic, __ in planned.items):
        raise CannotLaunch(
            _(
                "“%(question)s” is asked of each subtopic, and no topic of the pool has subtopics."
                " Import topics with them, or ask it once a document."
            )
            % {"question": by_subtopic[0]}
        )


def refuse_if_off_scale(study: Study) -> None:
    """Refuse checks whose right grades nobody can give: the scale has changed since they were made."""
    for check in study.items.exclude(role=Item.Role.WORK).select_related("topic", "document"):
        if not set(check.right) & set(study.grades):
            raise CannotLaunch(
                _(
                    "The scale does not have the right grade of a check: %(document)s for topic %(topic)s."
                    " Withdraw the check, or change the scale."
                )
                % {"document": check.document, "topic": check.topic.number}
            )


def refuse_if_off_depth(study: Study) -> None:
    """Refuse checks whose lists are longer or shorter than the study's: workers would see which ones they are."""
    for check in study.items.filter(first__isnull=False).select_related("topic", "first"):
        if check.first and len(check.first.results) != study.depth:
            raise CannotLaunch(
                _(
                    "The check of topic %(topic)s shows %(shown)s results a list, the study %(depth)s."
                    " Withdraw the check, or change the results per list."
                )
                % {"topic": check.topic.number, "shown": len(check.first.results), "depth": study.depth}
            )


def make(study: Study, planned: PoolPlan | PairPlan, random_order: random.Random) -> None:
    """The items and their slots."""
    if isinstance(planned, PairPlan):
        items = Item.objects.bulk_create(pair_plan.items_of(study, planned, random_order), batch_size=2000)
        slots = pair_plan.slots_of(items, study.overlap, random_order)
    else:
        study.items.filter(pk__in=[check.pk for check in planned.overtaken]).delete()
        items = Item.objects.bulk_create(items_of(study, planned, random_order), batch_size=2000)
        slots = slots_of(items, study.overlap, random_order)
        place_known(study, planned)
    Slot.objects.bulk_create(slots, batch_size=2000)
    update_statistics(Item, Slot, Listing, added=len(items) * max(study.overlap, 2))  # a pair shows two lists


def items_of(study: Study, planned: PoolPlan, random_order: random.Random) -> list[Item]:
    pairs = enumerate(in_random_order(planned.items, random_order))
    work = {"study": study, "wanted": study.overlap}
    return [Item(**work, topic_id=topic, document_id=document, position=position) for position, (topic, document) in pairs]


def place_known(study: Study, planned: PoolPlan) -> None:
    """Let the checks of the draft that are in the pool stand there, behind the work, which they are should they be withdrawn."""
    for position, check in enumerate(planned.known, len(planned.items)):
        study.items.filter(pk=check.pk).update(position=position)
    study.items.filter(pk__in=[check.pk for check in planned.checks_left]).update(wanted=study.overlap)


def in_random_order(pairs: Iterable[tuple[int, int]], random_order: random.Random) -> list[tuple[int, int]]:
    """Topics in random order, each one's documents together and shuffled: rank must not shine through."""
    topics = [list(group) for _, group in groupby(sorted(pairs), key=lambda pair: pair[0])]
    random_order.shuffle(topics)
    for documents in topics:
        random_order.shuffle(documents)
    return [pair for documents in topics for pair in documents]


def slots_of(items: list[Item], overlap: int, random_order: random.Random) -> Iterator[Slot]:
    """K slots an item, scattered over the positions of their topic."""
    for block, (__, documents) in enumerate(groupby(items, key=lambda item: item.topic_id)):
        for item in documents:
            yield from slots_of_item(item, overlap, block, random_order)


def slots_of_item(item: Item, overlap: int, block: int, random_order: random.Random) -> Iterator[Slot]:
    """K slots in the stretch of positions of one topic, its `block`."""
    for number in range(1, overlap + 1):
        position = block * SPAN + random_order.randrange(SPAN)
        yield Slot(study=item.study, item=item, position=position, number=number)


def why_empty(study: Study, planned: PoolPlan | PairPlan) -> str:
    if isinstance(planned, PairPlan):
        return why_no_pairs(study, planned)
    if not study.runs.exists():
        return _("Choose at least one run: its best results become the pool.")
    if planned.over_budget:
        return _(
            "The budget is too small: the first results of the runs alone take %(count)s judgements."
            " Raise it, or choose fewer topics."
        ) % {"count": f"{planned.over_budget:,}"}
    return why_no_work(planned)


def why_no_work(planned: PoolPlan) -> str:
    if not planned.pooled:
        return _("The runs found nothing for the chosen topics. Choose other topics.")
    if planned.known:
        return _("The grades of all pooled documents are known: nothing is left to judge. Pool more deeply.")
    if planned.without_topic == planned.pooled:
        return _("The runs' topics are not in the collection. Import its topics first, or choose other runs.")
    return _("None of the pooled documents is in the collection. Import their texts first: workers must have something to read.")


def why_no_pairs(study: Study, planned: PairPlan) -> str:
    if study.runs.count() < 2:
        return _("Choose at least two runs to compare.")
    if planned.over_budget:
        return _("The budget is too small for a single pair of lists. Raise it, or have fewer workers compare each.")
    if planned.same and not planned.without_document:
        return _("The runs show the same on every topic: there is nothing to compare.")
    if planned.without_document:
        return _("The runs' documents are not in the collection. Import them first: workers must have something to read.")
    return _("No two of the runs have results for the same topic of this collection.")


def pause(study: Study, *, by: User | None = None) -> None:
    move(study, {Study.State.RUNNING}, Study.State.PAUSED, deed=Deed.PAUSED, by=by)


def resume(study: Study, *, by: User | None = None) -> None:
    move(study, {Study.State.PAUSED, Study.State.CLOSED}, Study.State.RUNNING, deed=Deed.RESUMED, by=by)


def close(study: Study, *, by: User | None = None) -> None:
    move(study, {Study.State.RUNNING, Study.State.PAUSED}, Study.State.CLOSED, deed=Deed.CLOSED, by=by)


@transaction.atomic
def archive(study: Study, *, by: User | None = None) -> None:
    """Close a launched study and have lists leave it out, until it is brought back."""
    launched = Study.objects.filter(pk=study.pk, archived__isnull=True).exclude(state=Study.State.DRAFT)
    if launched.update(state=Study.State.CLOSED, archived=timezone.now()):
        note(Deed.ARCHIVED, quoted(study), by, study)
        apply_rules(study)


@transaction.atomic
def restore(study: Study, *, by: User | None = None) -> None:
    """Bring an archived study back into the lists, closed as it is."""
    if Study.objects.filter(pk=study.pk, archived__isnull=False).update(archived=None):
        note(Deed.RESTORED, quoted(study), by, study)


@transaction.atomic
def move(study: Study, sources: set[Study.State], target: Study.State, *, deed: Deed, by: User | None) -> None:
    """Change the state if it is still one of `sources`: two people who click at once do no harm. The archived stay closed."""
    if Study.objects.filter(pk=study.pk, state__in=sources, archived__isnull=True).update(state=target):
        study.state = target
        note(deed, quoted(study), by, study)
        if target != Study.State.RUNNING:
            apply_rules(study)


def apply_rules(study: Study) -> None:
    """Have a stopped study's rules act on what was judged just before: the sweep looks at running studies alone."""
    if study.rules.filter(ended__isnull=True).exists():
        Outbox.objects.post_anew("judging.tasks.apply_rules", study=study.pk)

"""Exclusions: a worker's work is set aside, or counts again. Nothing of it is deleted, and each item gets the votes that it
lacks."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone

from judging.audit import Deed, in_english, note
from judging.models import Arrival, Exclusion, Rule, Slot, User, Worker
from judging.work import adaptive_overlap, assignment
from judging.work.overlap import balance, locked_items

Outcome, Standing = Arrival.Outcome, Worker.Standing
HARDEST_FIRST = (Standing.EXCLUDED, Standing.BLOCKED, Standing.WARNED)


def exclude(
    worker: Worker,
    *,
    reason: str,
    by: User | None = None,
    standing: Worker.Standing = Standing.EXCLUDED,
    rule: Rule | None = None,
) -> Exclusion:
    """Give the worker no more work unless they are only warned, and their judgements no vote if they are excluded.

    `by` nobody: a rule or the qualification test did it.
    """
    with transaction.atomic():
        locked_worker(worker)
        exclusion = Exclusion.objects.create(worker=worker, standing=standing, reason=reason, by=by, rule=rule)
        surplus = [] if standing == Standing.WARNED else assignment.free_slots(worker)[1]
        restate(worker, surplus)  # last: an answer that was waited for is among those that lose their votes
        note(Deed.EXCLUDED, f"{worker}, {exclusion_text(exclusion)}", by, worker.study)
    return exclusion


def lift(exclusion: Exclusion, *, by: User) -> None:
    """Take it back: if nothing else stands against the worker, they go on, and their judgements vote again."""
    with transaction.atomic():
        worker = locked_worker(exclusion.worker)
        if Exclusion.objects.filter(pk=exclusion.pk, lifted__isnull=True).update(lifted=timezone.now(), lifted_by=by):
            restate(worker)
            if worker.may_work:  # was sent back as having failed, and has not: paid like others, and let in again
                arrivals = Arrival.objects.filter(worker=worker)
                arrivals.filter(outcome=Outcome.FAILED_CHECK).update(outcome=Outcome.COMPLETED)
                arrivals.filter(outcome=Outcome.SCREENED_OUT).update(outcome=Outcome.WORKING, ended=None)
            note(Deed.LIFTED, f"{worker}, {exclusion_text(exclusion)}", by, worker.study)


def exclude_all(workers: Iterable[Worker], *, reason: str, by: User, standing: Worker.Standing = Standing.EXCLUDED) -> int:
    """Set each of these workers aside, all or none of them. Returns how many they are."""
    with transaction.atomic():
        keys = [worker.pk for worker in workers]
        hold(keys)
        for worker in Worker.objects.filter(pk__in=keys).select_related("study").order_by("pk"):
            exclude(worker, reason=reason, by=by, standing=standing)
    return len(keys)


def lift_all(workers: Iterable[Worker], *, by: User) -> int:
    """Take back all that stands against these workers, all or nothing. Returns how many exclusions that was."""
    with transaction.atomic():
        against = Exclusion.objects.filter(worker__in=list(workers), lifted__isnull=True).select_related("worker__study")
        exclusions = list(against.order_by("worker", "pk"))
        hold([exclusion.worker_id for exclusion in exclusions])
        for exclusion in exclusions:
            lift(exclusion, by=by)
    return len(exclusions)


def hold(workers: Sequence[int]) -> None:
    """Hold these workers, and then their items, until the transaction ends; in order, or two of us might wait for each other."""
    list(Worker.objects.filter(pk__in=workers).select_for_update(no_key=True).order_by("pk").values_list("pk"))
    locked_items(Slot.objects.filter(worker__in=workers, number__isnull=False).values_list("item", flat=True))


def exclusion_text(exclusion: Exclusion) -> str:
    return f"{in_english(Standing(exclusion.standing).label).split(':')[0].lower()}: {exclusion.reason}"


def acknowledge(worker: Worker, *, until: int) -> None:
    """The worker has read the warnings up to this one, and goes on."""
    with transaction.atomic():
        worker = locked_worker(worker)
        worker.exclusions.filter(standing=Standing.WARNED, lifted=None, pk__lte=until).update(lifted=timezone.now())
        restate(worker)


def locked_worker(worker: Worker) -> Worker:
    """The worker, held until the transaction ends; judgements that refer to them can still be stored."""
    return Worker.objects.select_for_update(of=("self",), no_key=True).select_related("study").get(pk=worker.pk)


def restate(worker: Worker, surplus: Iterable[int] = ()) -> None:
    """Let the worker's standing be what the exclusions come to, and the items have the slots that they need now.

    All items at once, with those that have a slot too many: who locked them by turns could wait for somebody who waits for them.
    """
    before = Worker.objects.values_list("standing", flat=True).get(pk=worker.pk)
    against = set(worker.exclusions.filter(lifted__isnull=True).values_list("standing", flat=True))
    worker.standing = next((standing for standing in HARDEST_FIRST if standing in against), Standing.GOOD)
    worker.save(update_fields=["standing"])
    items = [*surplus]
    if Standing.EXCLUDED in (before, worker.standing) and before != worker.standing:
        items += Slot.objects.filter(worker=worker, judged_at__isnull=False, number__isnull=False).values_list("item", flat=True)
    if items:
        balance(items)
    if worker.standing != Standing.EXCLUDED and worker.study.is_adaptive:
        for item in sorted(set(items)):
            adaptive_overlap.count_again(item, worker.study)

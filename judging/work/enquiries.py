"""Enquiries: a worker asks the researchers, who reply to that worker alone or to all workers of the study, or write unasked."""

from collections.abc import Collection as Some
from collections.abc import Iterable

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note
from judging.errors import Impossible
from judging.models import Enquiry, Item, Study, User, Worker
from judging.work.exclusions import locked_worker
from judging.work.presence import is_there

MOST_TEXT = 2000
MOST_OPEN = 20


def ask(*, worker: Worker, text: str, item: Item | None = None) -> Enquiry:
    """Keep a worker's question. The same one, sent again before its reply, is kept once."""
    with transaction.atomic():
        locked_worker(worker)  # or two questions at once would both be the last that is allowed
        waiting = worker.enquiries.filter(replied__isnull=True)
        if same := waiting.filter(text=text, item=item).first():
            return same
        if waiting.count() >= MOST_OPEN:
            raise Impossible(_("Twenty of your questions wait for a reply. Ask again when one of them has it."))
        if item and not is_there(item.pk):
            item = None  # was taken back at this moment
        return Enquiry.objects.create(worker=worker, text=text, item=item)


def reply(enquiry: Enquiry, *, text: str, by: User, published: bool = False) -> None:
    """Answer a question, once. `published` shows it with the reply to all workers of the study.

    The audit outlives whoever is erased, so that it holds none of the words.
    """
    with transaction.atomic():
        waiting = Enquiry.objects.filter(pk=enquiry.pk, replied__isnull=True)
        if not waiting.update(reply=text, replied=timezone.now(), replied_by=by, published=published):
            raise Impossible(_("This question has its reply already, or its worker was erased. Yours was not sent."))
        note(Deed.REPLIED, f"{enquiry}{', for all workers' if published else ''}", by, enquiry.worker.study)


def write(study: Study, workers: Some[Worker], *, text: str, by: User, after: int | None = None) -> list[Enquiry]:
    """Tell each of the study's workers something that they have not asked; they see it where replies come.

    `after` is the last enquiry that whoever writes has seen: who presses the button twice writes once.
    """
    if any(worker.machine for worker in workers):
        raise Impossible(_("A machine judge reads no messages."))
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        same = Enquiry.objects.filter(worker__in=workers, text="", reply=text)
        if after is not None and same.filter(pk__gt=after).exists():
            raise Impossible(_("This message went to these workers a moment ago. It was not sent again."))
        fields = {"reply": text, "replied": timezone.now(), "replied_by": by}
        messages = Enquiry.objects.bulk_create(Enquiry(worker=worker, **fields) for worker in workers)
        note(Deed.WRITTEN, f"to {', '.join(map(str, workers))}", by, study)
    return messages


def last_enquiry(study: Study) -> int:
    """The number of the study's latest question or message; 0 before the first."""
    return Enquiry.objects.filter(worker__study=study).order_by("-pk").values_list("pk", flat=True).first() or 0


def mark_read(worker: Worker, shown: Iterable[Enquiry]) -> None:
    """Note that the worker saw these replies; one that came meanwhile is still new."""
    keys = [enquiry.pk for enquiry in shown if enquiry.worker_id == worker.pk and enquiry.replied and not enquiry.read]
    if keys:
        Enquiry.objects.filter(pk__in=keys).update(read=timezone.now())


def own_enquiries(worker: Worker) -> QuerySet[Enquiry]:
    """A worker's questions, the latest first."""
    return with_items(worker.enquiries.all()).order_by("-id")


def published_enquiries(worker: Worker) -> QuerySet[Enquiry]:
    """What others asked and all may read, the latest reply first."""
    everybodys = Enquiry.objects.filter(worker__study=worker.study_id, published=True)
    return everybodys.exclude(worker=worker).order_by("-replied", "-id")


def enquiries_of(study: Study) -> QuerySet[Enquiry]:
    """The study's questions, and messages that nobody asked for: who has waited longest first, then those with a reply, the
    latest first."""
    asked = with_items(Enquiry.objects.filter(worker__study=study)).select_related("worker", "replied_by")
    return asked.order_by(F("replied").desc(nulls_first=True), "id")


def open_enquiries(study: Study) -> int:
    """How many questions wait for a reply."""
    return Enquiry.objects.filter(worker__study=study, replied__isnull=True).count()


def with_items(enquiries: QuerySet[Enquiry]) -> QuerySet[Enquiry]:
    """With what they are about, but not its text, which may be long."""
    return enquiries.select_related("item__topic", "item__document").defer("item__document__text")


def forget(worker: Worker) -> None:
    """Delete what a worker asked: people write their names into questions."""
    worker.enquiries.all().delete()


def item_for(worker: Worker, pk: int | None) -> Item | None:
    """An item of the worker's study, to ask about."""
    items = Item.objects.select_related("topic", "document").defer("document__text")
    return items.filter(pk=pk, study=worker.study_id).first() if pk else None

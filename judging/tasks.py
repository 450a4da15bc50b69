import time
from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from judging import balancing, checking, orphans, prioritising, ruling
from judging.demo import visitors
from judging.logs import deleting, keys, partitions, retention
from judging.models import Collection, Outbox, Site, Study
from judging.search import indexing
from judging.search.rankers import RANKERS

# Younger messages are about to be sent by the process that wrote them.
SETTLED = timedelta(seconds=3)


@shared_task
def sweep_outbox() -> int:
    """Send what was written but not sent, because the broker was away or a process died in between."""
    waiting = Outbox.objects.filter(created__lt=timezone.now() - SETTLED)[:500]
    sent = 0
    for message in waiting:
        if not message.send():
            break
        sent += 1
    return sent


@shared_task
def check_upload(upload: str) -> None:
    """Read a received file and import it, or say what is wrong with it."""
    checking.check(upload)


@shared_task
def sweep_uploads() -> None:
    checking.sweep()


@shared_task
def sweep_files() -> None:
    orphans.delete_orphans()


@shared_task
def sweep_slots() -> None:
    balancing.sweep()
    prioritising.sweep()


@shared_task
def sweep_rules() -> None:
    ruling.sweep()


@shared_task
def apply_rules(study: int) -> None:
    """Let the study's rules act on whomever they catch now, also while it is paused or closed."""
    ruling.apply(Study.objects.get(pk=study))


@shared_task
def sweep_logs() -> None:
    """Make room for what sites will send, and let go what is too old."""
    partitions.make_ahead(timezone.now())
    retention.sweep()


@shared_task
def build_search_index(collection: int, ranker: str) -> None:
    """For the search page, which waits for it."""
    found = Collection.objects.filter(pk=collection).first()
    if found and ranker in RANKERS:
        indexing.build(found, RANKERS[ranker])


@shared_task
def delete_records(site: int) -> None:
    """Take away what a deleted site has sent, once no process takes its key any more."""
    time.sleep(keys.REMEMBERED)
    deleting.delete_records(site)


@shared_task
def send_demo_visitors(site: int) -> None:
    found = Site.objects.filter(pk=site).select_related("collection").first()
    if found:
        visitors.send(found)

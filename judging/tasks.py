import time
from collections.abc import Iterator
from contextlib import contextmanager

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from judging.accounts import links, mail, sign_ins
from judging.background import executions, status
from judging.background.executions import NotNow, OutboxTask, from_outbox, periodic
from judging.backups import nightly
from judging.backups.archive import BackupProblem
from judging.collections import attachments, duplicate_search, local_copies, orphans, upload_check
from judging.database import traces
from judging.demo import simulation
from judging.logs import keys, partitions, retention, site_deletion
from judging.logs.archive import files, moves
from judging.models import Collection, Outbox, Study
from judging.news import delivery, study_endings
from judging.rules import enforcement
from judging.search import indexes, own_runs
from judging.search.rankers import RANKERS
from judging.work import leases, overlap, priority


@periodic
def sweep_outbox() -> int:
    """Send what was written but not sent, or was sent and forgotten: the broker was away, or a process died in between."""
    sent = executions.sweep_outbox()
    status.note_end(status.MOST_FREQUENT_SWEEP)
    return sent


@shared_task(base=OutboxTask, give_up=staticmethod(upload_check.give_up), again=staticmethod(upload_check.again))
def check_upload(upload: str) -> None:
    """Read a received file and import it, or say what is wrong with it."""
    upload_check.check(upload)


@from_outbox
def mail_link(request: int) -> None:
    """Send somebody the link to their account that they asked for."""
    with mail_server_may_be_away():
        links.mail(request)


@from_outbox
def mail_invitation(invitation: int) -> None:
    with mail_server_may_be_away():
        links.mail_invitation(invitation)


@contextmanager
def mail_server_may_be_away() -> Iterator[None]:
    try:
        yield
    except OSError as error:  # all of smtplib's errors are
        if mail.is_final(error):
            raise
        raise NotNow(f"The mail server refused it: {error}") from error


@shared_task(base=OutboxTask, give_up=staticmethod(duplicate_search.give_up), again=staticmethod(duplicate_search.again))
def find_near_duplicates(search: int) -> None:
    """Compare a collection's documents, and keep which are nearly the same."""
    duplicate_search.find(search)


@periodic
def sweep_uploads() -> None:
    upload_check.sweep()


@periodic
def sweep_files() -> None:
    """Forget what the database keeps too long; then clear away files that nothing names, unless their storage is away."""
    executions.forget_old()
    sign_ins.forget_expired()
    with status.at_work("judging.tasks.sweep_files"):
        local_copies.make_room()
        attachments.forget_removed()
        orphans.sweep()


@periodic
def sweep_slots() -> None:
    leases.shorten()
    overlap.sweep()
    priority.sweep()


@periodic
def sweep_rules() -> None:
    enforcement.sweep()


@from_outbox
def apply_rules(study: int) -> None:
    """Let the study's rules act on whomever they catch now, also while it is paused or closed."""
    enforcement.apply(Study.objects.get(pk=study))


@shared_task(base=OutboxTask, time_limit=60)  # it waits for machines of others
def deliver_message(message: int, tries: int) -> None:
    """Make a try to send a piece of news; what fails is tried again later, by the sweep."""
    delivery.deliver(message, tries)


@periodic
def sweep_messages() -> None:
    delivery.sweep()


@periodic
def sweep_studies() -> None:
    study_endings.sweep()


@periodic
def sweep_logs() -> None:
    """Make room for what sites will send, and let go what is too old."""
    with status.at_work("judging.tasks.sweep_logs"):
        partitions.make_ahead(timezone.now())
        retention.sweep()


@periodic
def sweep_archive() -> None:
    """Move what large sites sent on past days from the database into files."""
    with status.at_work("judging.tasks.sweep_archive"):
        moves.sweep()


@from_outbox
def build_search_index(collection: int, ranker: str) -> None:
    """Build the index that the search page waits for."""
    collection_row = Collection.objects.filter(pk=collection).first()
    if collection_row and ranker in RANKERS:
        indexes.build(collection_row, RANKERS[ranker])


@shared_task(base=OutboxTask, give_up=staticmethod(own_runs.give_up), again=staticmethod(own_runs.again))
def make_own_run(own: int) -> None:
    """Rank a collection's documents for its topics, and keep the ranking as a run."""
    own_runs.make(own)


@from_outbox
def delete_records(site: int) -> None:
    """Take away what a deleted site has sent, once no process takes its key any more."""
    time.sleep(keys.REMEMBERED)
    site_deletion.delete_records(site)


@from_outbox
def delete_log_files(names: list[str]) -> None:
    """Delete files of the archive that nothing names any more, if whoever saw to that did not live to."""
    files.forget(names)


@from_outbox
def simulate_demo(collection: int) -> None:
    """Have simulated people work in the demo's studies and come to its site, then ask for all reports on what they did."""
    for demo in Collection.objects.filter(pk=collection):
        simulation.run(demo)
        Outbox.objects.post("metrics.tasks.report_on_demo", collection=demo.pk)


@periodic
def sweep_traces() -> None:
    """Wipe the traces that were left where somebody was reading when a person was erased."""
    traces.wipe()


@periodic
def sweep_backups() -> None:
    nightly.post_if_due()


# A large one takes hours. Redis would hand its message out again after one, unless that was acknowledged when it began. Should
# its process be killed, the outbox sends it again.
@from_outbox(acks_late=False, time_limit=43_200)
def make_backup(night: str) -> None:
    """Make the backup of a night in the folder that the settings name."""
    if not settings.BACKUP_TO:
        raise BackupProblem("IREVAL_BACKUP_TO is not set for this Celery worker: give all of them the same settings.")
    nightly.make(settings.BACKUP_TO)

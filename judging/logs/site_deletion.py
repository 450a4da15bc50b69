"""Deletion of a site: it is gone at once, and its records follow in batches that nobody has to wait for."""

from collections.abc import Iterator
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.collections.deletion import InUse
from judging.logs.archive.files import drop, hold, named
from judging.models import Event, Experiment, Outbox, Query, Seen, Site, User
from judging.models.log import Record

BATCH = 50_000


@transaction.atomic
def delete_site(site: Site, *, by: User) -> None:
    """Forget a site with its keys, experiments and reports. Nobody can look at its records from then on."""
    locked = Site.objects.select_for_update().get(pk=site.pk)
    running = locked.experiments.filter(state=Experiment.State.RUNNING).first()
    if running:
        raise InUse(_("The experiment “%(name)s” is running, so the site stays. Stop it first.") % {"name": running})
    note(Deed.DELETED, f"site {quoted(locked.name)} with its records", by, site=locked)
    quarantine = locked.quarantine.all()
    quarantine._raw_delete(quarantine.db)
    locked.experiments.all().delete()  # before their groups, to which they hold on
    locked.delete()
    Outbox.objects.post("judging.tasks.delete_records", site=site.pk)


def delete_records(site: int) -> int:
    """Take away what a deleted site has sent; says how many records that were. Can be called again."""
    assert not Site.objects.filter(pk=site).exists()
    deleted = sum(batches_of(Event, site)) + sum(batches_of(Query, site)) + drop_archive(site)
    for start, end in stretches():
        some = Seen.objects.filter(site=site, **start, **end)
        some._raw_delete(some.db)
    return deleted


def drop_archive(site: int) -> int:
    with transaction.atomic():
        hold(site, wait=True)
        files = named(site)
        drop(files)
    return sum(file.rows for file in files)


def batches_of(model: type[Record], site: int) -> Iterator[int]:
    """Delete a site's records in batches, and yield how many each had. A batch ends at a moment of receipt, by the index: what
    came at one moment goes at once."""
    while True:
        rows = model._default_manager.filter(site=site)
        end = next(iter(rows.order_by("received").values_list("received", flat=True)[BATCH - 1 : BATCH]), None)
        yield raw_delete(rows.filter(received__lte=end) if end else rows)
        if end is None:
            return


def raw_delete(rows: QuerySet) -> int:
    """Without looking for what refers to each: nothing does."""
    return rows._raw_delete(rows.db)


def stretches() -> Iterator[tuple[dict[str, UUID], dict[str, UUID]]]:
    """The whole table Seen, in stretches of its only index."""
    start: dict[str, UUID] = {}
    while True:
        rows = Seen.objects.filter(**start).order_by("pk").values_list("pk", flat=True)
        end = next(iter(rows[BATCH - 1 : BATCH]), None)
        yield start, {"pk__lte": end} if end else {}
        if end is None:
            return
        start = {"pk__gt": end}

"""Retention: deletes what is too old, that is records, refused ones too, and the secrets of epochs of which nothing is left.

Every step is a short transaction: a sweep that is killed has done what it did, and the next one goes on.
"""

import logging
from datetime import UTC, datetime, time, timedelta
from functools import partial

from django.db import OperationalError, connection, transaction
from django.db.models import Case, Max, Model, Q, QuerySet, Value, When
from django.utils import timezone

from judging.logs import partitions, site_sweeps
from judging.logs.archive import files
from judging.logs.moments import micros
from judging.logs.pseudonyms import DAY
from judging.models import ArchiveFile, Epoch, Event, Quarantined, Query, Seen, Site

BATCH = 50_000
# Longer than processes remember a key, and than a clock may be ahead.
MARGIN = timedelta(days=3)
# Seen has no index by time, which every record would pay for. It is read once from end to end, so many rows at a time.
PLACES = {
    "postgresql": ("ctid >= '({},0)'::tid AND ctid < '({},0)'::tid", BATCH // 100),
    "sqlite": ("rowid >= {} AND rowid < {}", BATCH),
}
END = {
    "postgresql": "SELECT pg_relation_size('judging_seen') / current_setting('block_size')::int",
    "sqlite": "SELECT coalesce(max(rowid), 0) + 1 FROM judging_seen",
}
log = logging.getLogger(__name__)


def sweep(now: datetime | None = None) -> None:
    now = now or timezone.now()
    drop_months(now)
    failed = site_sweeps.try_each(partial(sweep_site, now=now))
    # What is still there has been seen.
    swept = Site.objects.exclude(pk__in=failed)
    forget_seen({site.pk: now - timedelta(days=site.keep_days) for site in swept})
    site_sweeps.tell(failed)


def drop_months(now: datetime) -> None:
    """The months that even the site that keeps its records longest does not want, and those of which everything is archived."""
    longest = Site.objects.aggregate(longest=Max("keep_days"))["longest"] or 0
    unwanted = partitions.months_before(now - timedelta(days=longest))
    for name in partitions.months_before(now):
        try:
            if name in unwanted or partitions.is_empty(name):
                partitions.drop(name, anyway=name in unwanted)
        except OperationalError:
            log.info("%s is in use; it goes with the next sweep", name)


def sweep_site(site: Site, now: datetime) -> None:
    for model in (Query, Event):
        delete_before(model._default_manager.filter(site=site), now - timedelta(days=site.keep_days))
    delete_archived(site, now - timedelta(days=site.keep_days))
    delete_before(Quarantined.objects.filter(site=site), now - timedelta(days=site.keep_quarantine_days))
    destroy_epochs(site, now)


def delete_before(rows: QuerySet, moment: datetime) -> None:
    """Delete rows by steps in the order of receipt, which an index knows. All of one request came at one moment."""
    old = rows.filter(received__lt=moment).order_by("received")
    while last := old.values_list("received", flat=True)[BATCH - 1 : BATCH].first():
        rows.filter(received__lte=last).delete()
    rows.filter(received__lt=moment).delete()


def delete_archived(site: Site, moment: datetime) -> None:
    """Drop files, by whole days: the records of a day go once all are too old. So no file is written anew every hour."""
    midnight = datetime.combine(moment.astimezone(UTC).date(), time.min, UTC)
    for file in ArchiveFile.objects.filter(site=site, first__lt=midnight):
        with transaction.atomic():
            if not files.hold(site.pk):
                return
            if file not in files.named(site.pk):
                continue  # somebody was erased meanwhile, and the file that took its place goes with the next sweep
            if file.last < midnight:
                files.drop([file])
            else:
                files.rewrite(file, "received >= $1", [micros(midnight)])


def destroy_epochs(site: Site, now: datetime) -> None:
    """Makes pseudonyms final. As long as a record has one, its user can still ask to be forgotten."""
    kept = timedelta(days=max(site.keep_days, site.keep_quarantine_days))
    for epoch in site.epochs.all():
        is_over = end_of(epoch) + kept + MARGIN < now
        if is_over and not has_files(epoch) and not any(has_records(model, epoch) for model in (Query, Event)):
            epoch.delete()


def has_records(model: type[Model], epoch: Epoch) -> bool:
    """Whether an epoch still has records; those that came late are kept longer."""
    return model._default_manager.filter(site=epoch.site_id, time__gte=start_of(epoch), time__lt=end_of(epoch)).exists()


def has_files(epoch: Epoch) -> bool:
    """Whether archived records may be of the epoch."""
    return ArchiveFile.objects.filter(site=epoch.site_id, latest__gte=start_of(epoch), earliest__lt=end_of(epoch)).exists()


def start_of(epoch: Epoch) -> datetime:
    return datetime.fromtimestamp(epoch.number * epoch.days * DAY, UTC)


def end_of(epoch: Epoch) -> datetime:
    return start_of(epoch) + timedelta(days=epoch.days)


def forget_seen(kept_from: dict[int, datetime]) -> None:
    """Delete each site's rows of Seen from before that moment."""
    where, step = PLACES[connection.vendor]
    old = Q(received__lt=Case(*(When(site=site, then=Value(moment)) for site, moment in kept_from.items())))
    for start in range(0, places(), step):
        Seen.objects.extra(where=[where.format(start, start + step)]).filter(old).delete()  # noqa: S610  numbers of ours


def places() -> int:
    with connection.cursor() as cursor:
        cursor.execute(END[connection.vendor])
        return cursor.fetchone()[0]

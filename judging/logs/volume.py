"""The number of records that a site has sent, without counting all of many: the newest million, by the index alone."""

from collections import Counter
from datetime import date, datetime, timedelta
from typing import NamedTuple

from django.db import connection
from django.db.models import Count, F, Max, Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.logs.archive import lookups
from judging.logs.archive.files import steadily
from judging.logs.archive.layout import MODELS
from judging.logs.privacy import K
from judging.models import ArchiveFile, Event, Quarantined, Query, Site
from judging.models.log import Record

MOST = 1_000_000
DAYS = 14  # on the chart
SPANS = {"hour": timedelta(hours=1), "day": timedelta(days=1), "month": timedelta(days=30)}
# What the index does not know is asked of so many of the newest records: their own times, whose they are.
SAMPLE = 10_000
SKEWED = timedelta(days=1)
DAY_OF = {"postgresql": "(received AT TIME ZONE 'UTC')::date", "sqlite": "substr(received, 1, 10)"}


class Number(NamedTuple):
    """A count, or the count above which there are more."""

    least: int
    more: bool = False

    def __str__(self) -> str:
        return _("more than %(n)s") % {"n": f"{self.least:,}"} if self.more else f"{self.least:,}"

    def __bool__(self) -> bool:
        return self.least > 0


class LogVolume(NamedTuple):
    hour: Number
    day: Number
    month: Number
    all: Number
    days: dict[date, int | None]  # the last DAYS, oldest first; None: before what was counted


class Skew(NamedTuple):
    """How many of the last day's records say another time than that of their receipt."""

    skewed: int
    of: int

    @property
    def share(self) -> float:
        return self.skewed / self.of if self.of else 0.0


def counts(site: Site, model: type[Record], now: datetime | None = None) -> LogVolume:
    """One pass over the newest records; each span is counted to the end unless it holds more than MOST."""
    now = now or timezone.now()
    rows = day_counts(site, model, now)
    hour, day, month, every = (sum(row[place] for row in rows) for place in range(1, 5))
    return LogVolume(number(hour), number(day), number(month), number(every), by_day(rows, now, whole=every <= MOST))


def day_counts(site: Site, model: type[Record], now: datetime) -> list[tuple]:
    """Rows of a day, how many in the last hour, in the last day, in the last month, and altogether."""
    adapt = connection.ops.adapt_datetimefield_value
    since = [now - span for span in SPANS.values()]
    sql = f"""SELECT day, {", ".join(["count(*) FILTER (WHERE received > %s)"] * len(since))}, count(*)
FROM (SELECT received, {DAY_OF[connection.vendor]} AS day FROM {model._meta.db_table}
      WHERE site_id = %s ORDER BY received DESC LIMIT %s) AS newest GROUP BY day"""  # noqa: S608  names of ours

    def read(files: list[ArchiveFile]) -> list[tuple]:
        with connection.cursor() as cursor:
            cursor.execute(sql, [*map(adapt, since), site.pk, MOST + 1])
            rows = cursor.fetchall()
        near = lookups.newest([file for file in files if MODELS[file.kind] is model], MOST - sum(row[-1] for row in rows))
        return rows + lookups.day_counts(near, since)

    return steadily(site.pk, read)


def number(count: int) -> Number:
    return Number(min(count, MOST), more=count > MOST)


def by_day(rows: list[tuple], now: datetime, *, whole: bool) -> dict[date, int | None]:
    by_date: Counter[date] = Counter()
    for row in rows:
        by_date[date.fromisoformat(str(row[0]))] += row[-1]
    complete = date.min if whole else min(by_date) + timedelta(days=1)
    days = [now.date() - timedelta(days=back) for back in reversed(range(DAYS))]
    return {day: by_date.get(day, 0) if day >= complete else None for day in days}


def skew(site: Site, now: datetime | None = None) -> Skew:
    """The skew of the newest records of the last day."""
    since = (now or timezone.now()) - SPANS["day"]
    both = [skew_of(newest(site, model).filter(received__gt=since)[:SAMPLE]) for model in (Query, Event)]
    return Skew(sum(part.skewed for part in both), sum(part.of for part in both))


def skew_of(rows: QuerySet) -> Skew:
    other = Q(time__lt=F("received") - SKEWED) | Q(time__gt=F("received") + SKEWED)
    row = rows.aggregate(of=Count("identity"), skewed=Count("identity", filter=other))
    return Skew(row["skewed"], row["of"])


def newest(site: Site, model: type[Record]) -> QuerySet:
    return model._default_manager.filter(site=site).order_by("-received")


def total(site: Site, model: type[Record]) -> Number:
    archived = archived_of(site, model).aggregate(rows=Sum("rows"))["rows"] or 0
    return number(newest(site, model)[: MOST + 1].count() + archived)


def has_queries(site: Site) -> bool:
    return Query.objects.filter(site=site).exists() or archived_of(site, Query).exists()


def users(site: Site, model: type[Record]) -> int:
    """The number of users in the newest records."""
    rows = newest(site, model)[:SAMPLE].values_list(Coalesce("person", "client"), flat=True)
    users = set(rows)
    if len(users) < K and (near := lookups.newest(archived_of(site, model), SAMPLE)):
        users |= {user for _, (user,) in lookups.select(near, ["coalesce(person, client)"], f"TRUE LIMIT {SAMPLE}")}
    return len(users - {None})


def last(site: Site) -> datetime | None:
    """When the newest record came."""
    moments = [newest(site, model).values_list("received", flat=True).first() for model in (Query, Event)]
    moments.append(ArchiveFile.objects.filter(site=site).aggregate(last=Max("last"))["last"])
    return max((moment for moment in moments if moment), default=None)


def archived_of(site: Site, model: type[Record]) -> QuerySet[ArchiveFile]:
    return ArchiveFile.objects.filter(site=site, kind=next(kind for kind, of_kind in MODELS.items() if of_kind is model))


def refused_count(site: Site) -> Number:
    """How many wait in quarantine."""
    return number(Quarantined.objects.filter(site=site, replayed__isnull=True)[: MOST + 1].count())

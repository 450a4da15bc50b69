"""Lists of single records: the newest first, or those of a day, a page at a time; and those that belong to one search."""

import re
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from judging.models import Event, Query, Site
from judging.models.log import Record

A_PAGE = 50
# Nothing finds an action, a day, or the events of a search by an index: so many records are looked through at a time.
FAR = 50_000
NEAR = timedelta(days=1)
MOST_OF_A_SEARCH = 500
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
PLACE = re.compile(r"[0-9]{1,16}-[0-9a-f]{32}")


class Place(NamedTuple):
    """The place of a record among those of its site; as a text it stands in addresses."""

    received: datetime
    identity: uuid.UUID

    def __str__(self) -> str:
        return f"{(self.received - EPOCH) // MICROSECOND}-{self.identity.hex}"


class Page(NamedTuple):
    records: list[Record]
    next: Place | None
    looked_through: int | None  # where the search for an action or a day ended before the page was full


class Search(NamedTuple):
    """The records of one search, as they happened, and whether all of them can be there."""

    records: list[Record]
    whole: bool


def place_of(record: Record) -> Place:
    return Place(record.received, record.identity)


def place_in(text: str) -> Place | None:
    if not PLACE.fullmatch(text):
        return None
    micros, _, identity = text.partition("-")
    try:
        return Place(EPOCH + int(micros) * MICROSECOND, uuid.UUID(identity))
    except OverflowError:
        return None


def newest(site: Site, model: type[Record], *, after: Place | None = None, action: str = "", most: int = A_PAGE) -> Page:
    """Records from a place on, back in time."""
    rows = model._default_manager.filter(site=site).order_by("-received", "-identity")
    return page(rows.filter(before(after)) if after else rows, with_action(action), before, most)


def of_day(
    site: Site, model: type[Record], day: date, *, after: Place | None = None, action: str = "", most: int = A_PAGE
) -> Page:
    """Records of what happened on a day (UTC), from a place on, as they were received: from the day before, by fast clocks."""
    start = datetime.combine(day, time.min, UTC)
    rows = model._default_manager.filter(site=site, received__gte=start - NEAR).order_by("received", "identity")
    happened = Q(time__gte=start, time__lt=start + timedelta(days=1))
    return page(rows.filter(behind(after)) if after else rows, happened & with_action(action), behind, most)


def with_action(action: str) -> Q:
    return Q(action=action) if action else Q()


def page(rows: QuerySet[Any], chosen: Q, beyond: Callable[[Place], Q], most: int) -> Page:
    """The first of the chosen rows; where not all are chosen, among the first FAR rows. What comes later is `beyond` a place."""
    end = next((Place(*key) for key in rows.values_list("received", "identity")[FAR : FAR + 1]), None) if chosen else None
    near = rows.filter(chosen).exclude(beyond(end)) if end else rows.filter(chosen)
    records = list(near[: most + 1])
    if len(records) > most:
        return Page(records[:most], place_of(records[most - 1]), None)
    return Page(records, end, FAR if end else None)


def before(place: Place) -> Q:
    """The first condition follows from the second, but only the first can use the index."""
    same = Q(received=place.received, identity__lt=place.identity)
    return Q(received__lte=place.received) & (Q(received__lt=place.received) | same)


def behind(place: Place) -> Q:
    same = Q(received=place.received, identity__gt=place.identity)
    return Q(received__gte=place.received) & (Q(received__gt=place.received) | same)


def record_at(site: Site, place: Place) -> Record | None:
    for model in (Query, Event):
        record = model.objects.filter(site=site, received=place.received, identity=place.identity).first()
        if record:
            return record
    return None


def search_of(site: Site, record: Record) -> Search:
    """The records with the same query_id that were received near this one."""
    if record.query is None:
        return Search([record], whole=True)
    queries, events = records_near(site, Query, record), records_near(site, Event, record)
    records = sorted([*queries.records, *events.records], key=as_it_happened)
    return Search(records, whole=queries.whole and events.whole)


def as_it_happened(record: Record) -> tuple[datetime, bool, datetime]:
    """A sort key: a query comes before its events, also where its site says the same time for both."""
    return record.time, isinstance(record, Event), record.received


def records_near(site: Site, model: type[Record], record: Record) -> Search:
    rows = model._default_manager.filter(site=site)
    earlier = rows.filter(received__range=(record.received - NEAR, record.received)).order_by("-received")
    later = rows.filter(received__range=(record.received, record.received + NEAR)).order_by("received")
    first, last = end_of(earlier), end_of(later)
    start, stop = first or record.received - NEAR, last or record.received + NEAR
    records = rows.filter(received__range=(start, stop), query=record.query).order_by("received")[:MOST_OF_A_SEARCH]
    return Search(list(records), whole=not (first or last))


def end_of(rows: QuerySet) -> datetime | None:
    """The moment at which the search for records stops, as there are too many; None where it need not."""
    return next(iter(rows.values_list("received", flat=True)[FAR : FAR + 1]), None)

"""Lists of single records: the newest first, or those of a day, a page at a time; and those that belong to one search."""

import re
import uuid
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet

from judging.logs.archive import lookups
from judging.logs.archive.files import steadily
from judging.logs.archive.layout import MODELS
from judging.logs.archive.selections import EVER
from judging.logs.moments import EPOCH, micros
from judging.models import ArchiveFile, Event, Query, Site
from judging.models.log import Record

A_PAGE = 50
# Nothing finds an action, a day, or the events of a search by an index: so many records are looked through at a time.
FAR = 50_000
NEAR = timedelta(days=1)
MOST_OF_A_SEARCH = 500
ACTIONS_OF = 1000
MICROSECOND = timedelta(microseconds=1)
FIRST, LAST = uuid.UUID(int=0), uuid.UUID(int=2**128 - 1)
Ends = tuple[datetime, datetime]
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


class Listing(NamedTuple):
    """The records of a site that a list has: of an action, of what happened on a day (UTC), where it says so.

    Those of a day go as they were received, all others back in time.
    """

    site: Site
    model: type[Record]
    action: str = ""
    day: date | None = None

    @property
    def times(self) -> tuple[datetime, datetime]:
        start = datetime.combine(self.day, time.min, UTC) if self.day else EPOCH
        return start, start + timedelta(days=1)

    @property
    def rows(self) -> QuerySet[Any]:
        """Those of a day from the day before on, since clocks may be fast."""
        rows = self.model._default_manager.filter(site=self.site)
        if self.day is None:
            return rows.order_by("-received", "-identity")
        return rows.filter(received__gte=self.times[0] - NEAR).order_by("received", "identity")

    @property
    def chosen(self) -> Q:
        happened = Q(time__gte=self.times[0], time__lt=self.times[1]) if self.day else Q()
        return happened & (Q(action=self.action) if self.action else Q())

    def beyond(self, place: Place) -> Q:
        return behind(place) if self.day else before(place)

    def rank(self, place: Place) -> int:
        """A number that grows along the list."""
        number = micros(place.received) << 128 | place.identity.int
        return number if self.day else -number

    def rank_of(self, record: Any) -> int:
        return self.rank(place_of(record))

    def ends_of(self, file: ArchiveFile) -> tuple[Place, Place]:
        """The first and the last place that a record of the file can have."""
        ends = Place(file.first, FIRST), Place(file.last, LAST)
        return ends if self.day else ends[::-1]

    def may_be_in(self, file: ArchiveFile, after: Place | None, end: Place | None) -> bool:
        """Whether a file can have records of the list that are behind one place, and not behind another."""
        if MODELS[file.kind] is not self.model:
            return False
        if self.day and not (file.latest >= self.times[0] and file.earliest < self.times[1]):
            return False
        first, last = map(self.rank, self.ends_of(file))
        return (after is None or self.rank(after) < last) and (end is None or first <= self.rank(end))

    def nearest(self, files: list[ArchiveFile], after: Place | None, enough: int) -> tuple[list[ArchiveFile], Place | None]:
        """The files with the next records, more than enough, and up to where these are all; None where no file is left out.

        A file that begins before the place is read, and does not count: most of its records may have been shown.
        """
        rows, end = 0, after
        for file in sorted(files, key=lambda file: self.rank(self.ends_of(file)[0])):
            first, last = self.ends_of(file)
            if after is None or self.rank(after) < self.rank(first):
                rows, end = rows + file.rows, max(end or last, last, key=self.rank)
            if end and rows > enough:
                near = [other for other in files if self.rank(self.ends_of(other)[0]) <= self.rank(end)]
                return near, end if len(near) < len(files) else None
        return files, None

    def archived(self, files: list[ArchiveFile], after: Place | None, most: int) -> list[Any]:
        """The first of its archived records."""
        conditions: list[str] = ["TRUE"]
        values: list[Any] = []
        if self.day:
            conditions, values = ["time >= ? AND time < ?"], [*map(micros, self.times)]
        if self.action:
            conditions, values = [*conditions, "action = ?"], [*values, self.action]
        if after:
            beyond, place = in_files(after, ">" if self.day else "<")
            conditions, values = [*conditions, beyond], [*values, *place]
        order = "received, identity" if self.day else "received DESC, identity DESC"
        return lookups.records(files, f"{' AND '.join(conditions)} ORDER BY {order} LIMIT {most}", values)


def actions(site: Site) -> list[str]:
    """The actions to choose from: those that happened lately."""
    newest = Event.objects.filter(site=site).order_by("-received").values_list("action", flat=True)[:ACTIONS_OF]

    def read(files: list[ArchiveFile]) -> list[str]:
        rows = list(newest)
        near = lookups.newest([file for file in files if MODELS[file.kind] is Event], ACTIONS_OF - len(rows))
        archived = lookups.select(near, ["action"], "TRUE GROUP BY ALL") if near else []
        return sorted({*rows, *(action for _, (action,) in archived)})

    return steadily(site.pk, read)


def newest(site: Site, model: type[Record], *, after: Place | None = None, action: str = "", most: int = A_PAGE) -> Page:
    """Records from a place on, back in time."""
    return page(Listing(site, model, action), after, most)


def of_day(
    site: Site, model: type[Record], day: date, *, after: Place | None = None, action: str = "", most: int = A_PAGE
) -> Page:
    """Records of what happened on a day (UTC), from a place on, as they were received."""
    return page(Listing(site, model, action, day), after, most)


def page(listing: Listing, after: Place | None, most: int) -> Page:
    return steadily(listing.site.pk, lambda files: page_with(listing, after, most, files))


def page_with(listing: Listing, after: Place | None, most: int, files: list[ArchiveFile]) -> Page:
    """A page of records from tables and from files, of which no more are opened than it takes, or as have FAR records."""
    result = page_of_rows(listing, after, most)
    files = [file for file in files if listing.may_be_in(file, after, result.next)]
    if not files:
        return result
    files, end = listing.nearest(files, after, FAR if listing.chosen else most)
    if end and (result.next is None or listing.rank(end) < listing.rank(result.next)):
        result = result._replace(next=end, looked_through=sum(file.rows for file in files))
    records = sorted([*result.records, *listing.archived(files, after, most + 1)], key=listing.rank_of)
    every = [record for record in records if result.next is None or listing.rank_of(record) <= listing.rank(result.next)]
    return Page(every[:most], place_of(every[most - 1]), None) if len(every) > most else result._replace(records=every)


def page_of_rows(listing: Listing, after: Place | None, most: int) -> Page:
    """The first of the chosen rows; where not all are chosen, among the first FAR rows."""
    rows, chosen = listing.rows, listing.chosen
    rows = rows.filter(listing.beyond(after)) if after else rows
    end = next((Place(*key) for key in rows.values_list("received", "identity")[FAR : FAR + 1]), None) if chosen else None
    near = rows.filter(chosen).exclude(listing.beyond(end)) if end else rows.filter(chosen)
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


def in_files(place: Place, sign: str) -> tuple[str, list[Any]]:
    """DuckDB's condition for records beyond a place, and its values."""
    moment = micros(place.received)
    return f"received {sign}= ? AND (received {sign} ? OR identity {sign} CAST(? AS UUID))", [moment, moment, str(place.identity)]


def record_at(site: Site, place: Place) -> Record | None:
    for model in (Query, Event):
        record = model.objects.filter(site=site, received=place.received, identity=place.identity).first()
        if record:
            return record
        for record in archived_near(site, model, (place.received,) * 2, "identity = $3::UUID", str(place.identity)):
            return record
    return None


def archived_near(site: Site, model: type[Record], ends: Ends, condition: str, value: Any, *, about: Ends = EVER) -> list[Any]:
    """Archived records that were received between two moments, and fulfil a condition; of files `about` a time."""
    first, last = ends
    values = [micros(first), micros(last), value]

    def read(files: list[ArchiveFile]) -> list[Any]:
        near = [
            file
            for file in files
            if MODELS[file.kind] is model
            and (file.first <= last and file.last >= first)
            and (file.earliest <= about[1] and file.latest >= about[0])
        ]
        return lookups.records(near, f"received BETWEEN $1 AND $2 AND {condition} LIMIT {MOST_OF_A_SEARCH}", values)

    return steadily(site.pk, read)


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
    near = rows.filter(received__range=(start, stop), query=record.query).order_by("received")[:MOST_OF_A_SEARCH]
    # Days of a log may have been loaded within an hour.
    received, about = ((moment - NEAR, moment + NEAR) for moment in (record.received, record.time))
    archived = archived_near(site, model, received, "query = $3", record.query, about=about)
    return Search([*near, *archived], whole=not (first or last))


def end_of(rows: QuerySet) -> datetime | None:
    """The moment at which the search for records stops, as there are too many; None where it need not."""
    return next(iter(rows.values_list("received", flat=True)[FAR : FAR + 1]), None)

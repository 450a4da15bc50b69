"""The intake of records: each is accepted, a duplicate, a conflict or rejected. What is accepted is committed before the
answer."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.utils import timezone

from ireval.clicks.records import unpacked
from judging.logs.agents import agent_number
from judging.logs.inserts import contents_of, store
from judging.logs.partitions import make_month
from judging.logs.pseudonyms import Hasher
from judging.logs.quarantine import Suspect, keep
from judging.logs.records import Reader, RecordRefused, Row
from judging.models import Site

ACCEPTED, DUPLICATE, CONFLICT, REJECTED = STATUSES = ("accepted", "duplicate", "conflict", "rejected")
SAME_ID = "its event_id was used for another event before"


class Unreadable(NamedTuple):
    """A line that is not JSON."""

    text: str


class Receipt(NamedTuple):
    """What became of each record, in the order in which they were sent, and why of those that were not accepted."""

    statuses: list[str]
    why: dict[int, str]

    @property
    def counts(self) -> dict[str, int]:
        tally = Counter(self.statuses)
        return {status: tally[status] for status in STATUSES}


class Batch:
    """Records on their way: what can be stored, what became of the others."""

    def __init__(self, reader: Reader, sent: Sequence[Any]):
        self.reader, self.sent = reader, sent
        self.statuses = [ACCEPTED] * len(sent)
        self.why: dict[int, str] = {}
        self.suspects: list[Suspect] = []
        self.rows: dict[str, tuple[int, Row]] = {}
        for place, content in enumerate(sent):
            self.read(place, content)

    def read(self, place: int, content: Any) -> None:
        try:
            if isinstance(content, Unreadable):
                raise RecordRefused("is not JSON")  # noqa: TRY301
            row = self.reader.row(content)
        except RecordRefused as refusal:
            self.refuse(place, REJECTED, str(refusal))
            return
        _, standing = self.rows.setdefault(row.identity, (place, row))
        if standing is not row:
            self.compare(place, row, standing.content)

    def compare(self, place: int, row: Row, content: int) -> None:
        if row.content == content:
            self.statuses[place] = DUPLICATE
        else:
            self.refuse(place, CONFLICT, SAME_ID)

    def refuse(self, place: int, status: str, why: str) -> None:
        self.statuses[place], self.why[place] = status, why
        content = self.sent[place]
        text = content.text if isinstance(content, Unreadable) else None
        self.suspects.append(Suspect(status, why, unpacked(content) if text is None else None, text))

    def settle(self, fresh: set[str]) -> None:
        """Tell duplicates and conflicts among what was not new."""
        old = [identity for identity in self.rows if identity not in fresh]
        contents = contents_of(old) if old else {}
        for identity in old:
            place, row = self.rows[identity]
            self.compare(place, row, contents[identity])


def receive(site: Site, sent: Sequence[Any], *, kind: str | None = None, agent: str = "", now: datetime | None = None) -> Receipt:
    """Store what a site sent: parsed JSON, or lines that could not be parsed. When it returns, it is committed.

    `kind` (query, event) refuses the other kind; `agent` is what the sender's browser calls itself.
    """
    now = now or timezone.now()
    batch = Batch(Reader(Hasher(site, now), kind=kind, agent=agent_number(agent)), sent)
    try:
        store_batch(site, batch, now)
    except IntegrityError as error:
        if "no partition" not in str(error):
            raise
        make_month(now)
        store_batch(site, batch, now)
    return Receipt(batch.statuses, batch.why)


@transaction.atomic(durable=True)
def store_batch(site: Site, batch: Batch, now: datetime) -> None:
    """Apart from reading: what processes remember of epochs and agents is committed by then, whatever becomes of the batch."""
    batch.settle(store(site.pk, rows_of(batch.rows.values()), now))
    keep(batch.reader, batch.suspects)


def rows_of(placed: Iterable[tuple[int, Row]]) -> list[Row]:
    return [row for _, row in placed]

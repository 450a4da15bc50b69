"""Refused records in quarantine, by the reason why they were refused."""

from collections import defaultdict
from datetime import datetime
from typing import NamedTuple

from django.db.models import Q, QuerySet

from judging.logs import resubmission
from judging.logs.pseudonyms import Hasher
from judging.logs.record_list import Place, record_at
from judging.logs.records import Reader, RecordRefused
from judging.logs.request_bodies import parsed_json
from judging.models import Event, Quarantined, Seen, Site

MOST = 20_000
EXAMPLES = 3


class Reason(NamedTuple):
    kind: str
    why: str
    records: int
    newest: datetime
    examples: list[Quarantined]

    @property
    def conflicts(self) -> bool:
        return self.kind == Quarantined.Kind.CONFLICT


class Reasons(NamedTuple):
    reasons: list[Reason]  # the most frequent first
    records: int
    more: bool  # than MOST: older ones were not looked at


def open_of(site: Site) -> QuerySet[Quarantined]:
    return site.quarantine.filter(replayed__isnull=True)


def because(rows: QuerySet[Quarantined], why: str) -> QuerySet[Quarantined]:
    """The records refused for a reason, whatever stands behind its colon."""
    return rows.filter(Q(why=why) | Q(why__startswith=f"{why}:"))


def to_replay(site: Site, why: str = "", *, after: int = 0) -> tuple[list[Quarantined], bool]:
    """The records to send in at a time, the oldest first, and whether there are more. Conflicts are left out."""
    rejected = open_of(site).filter(kind=Quarantined.Kind.REJECTED, pk__gt=after).order_by("pk")
    rows = list((because(rejected, why) if why else rejected)[: resubmission.MOST + 1])
    return rows[: resubmission.MOST], len(rows) > resubmission.MOST


def reasons_of(site: Site) -> Reasons:
    rows = list(open_of(site).order_by("-received", "-pk").values_list("kind", "why", "received", "pk")[: MOST + 1])
    groups = defaultdict(list)
    for kind, why, received, pk in rows[:MOST]:
        groups[kind, why.partition(":")[0]].append((received, pk))
    shown = Quarantined.objects.in_bulk([pk for group in groups.values() for _, pk in group[:EXAMPLES]])
    reasons = [
        Reason(kind, why, len(group), group[0][0], [shown[pk] for _, pk in group[:EXAMPLES] if pk in shown])
        for (kind, why), group in groups.items()
    ]
    return Reasons(sorted(reasons, key=lambda reason: -reason.records), min(len(rows), MOST), len(rows) > MOST)


def first_ones(site: Site, conflicts: list[Quarantined]) -> dict[int, Event]:
    """The events that had the conflicts' event_ids first, by the conflicts' keys."""
    identities = {row.pk: identity for row in conflicts if (identity := identity_of(site, row))}
    seen = dict(Seen.objects.filter(pk__in=identities.values()).values_list("pk", "received"))
    places = [Place(received, identity) for identity, received in seen.items()]
    events = [event for place in places if isinstance(event := record_at(site, place), Event)]
    by_identity = {event.identity.hex: event for event in events}
    return {pk: by_identity[identity] for pk, identity in identities.items() if identity in by_identity}


def identity_of(site: Site, row: Quarantined) -> str | None:
    try:
        return Reader(Hasher(site, row.received)).row(parsed_json(row.raw)).identity
    except RecordRefused:
        return None

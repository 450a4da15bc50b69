"""Resubmission of refused records that would be taken now."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone

from judging.audit import Deed, note, quoted
from judging.logs.inserts import contents_of, store
from judging.logs.partitions import make_month
from judging.logs.pseudonyms import Hasher
from judging.logs.records import Reader, RecordRefused, Row
from judging.logs.request_bodies import parsed_json
from judging.models import Quarantined, Site, User

MOST = 5_000


class Outcome(NamedTuple):
    """What became of them: accepted and duplicate ones have left the quarantine."""

    sent: int
    accepted: int
    duplicate: int
    conflict: int
    rejected: int


def replay(site: Site, rows: Sequence[Quarantined], *, by: User, now: datetime | None = None) -> Outcome:
    """Read records with today's rules and store those that pass. None is deleted; what is still refused stays as it is."""
    now = now or timezone.now()
    # Before the transaction: what processes remember of epochs must be committed, whatever becomes of the rest.
    attempts = {row.pk: read_again(site, row) for row in rows}
    read = {pk: row for pk, row in attempts.items() if row is not None}
    if not read:
        return Outcome(len(attempts), 0, 0, 0, len(attempts))
    make_month(now)
    with transaction.atomic():
        outcome = settle(site, len(attempts), read, now)
        if outcome.accepted or outcome.duplicate:
            note(Deed.REPLAYED, f"site {quoted(site.name)}, from quarantine: {outcome_text(outcome)}", by, site=site)
    return outcome


def read_again(site: Site, row: Quarantined) -> Row | None:
    """Read a record as of the moment when it came. Its pseudonyms are of then, and so is the time of a query without one. Its
    identity is that of the text before pseudonyms stood in it. So it counts once if its site has sent it again, too."""
    content = parsed_json(row.raw)
    if row.known and isinstance(content, dict):
        content = content | {"event_id": row.known}
    try:
        return Reader(Hasher(site, row.received), agent=row.agent).row(content)
    except RecordRefused:
        return None


def settle(site: Site, sent: int, read: dict[int, Row], now: datetime) -> Outcome:
    first: dict[str, Row] = {}
    for row in read.values():
        first.setdefault(row.identity, row)
    accepted = len(store(site.pk, list(first.values()), now))
    contents = contents_of(list(first))
    stored = [pk for pk, row in read.items() if contents.get(row.identity) == row.content]
    Quarantined.objects.filter(pk__in=stored, replayed__isnull=True).update(replayed=now)
    return Outcome(sent, accepted, len(stored) - accepted, len(read) - len(stored), sent - len(read))


def outcome_text(outcome: Outcome) -> str:
    """
    >>> outcome_text(Outcome(sent=5, accepted=2, duplicate=1, conflict=0, rejected=2))
    '5 sent: 2 accepted, 1 duplicate, 0 conflict, 2 rejected'
    """
    sent, *others = outcome._asdict().items()
    return f"{sent[1]:,} sent: " + ", ".join(f"{number:,} {name}" for name, number in others)

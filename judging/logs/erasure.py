"""Erasure of somebody who searched: their records go, wherever their pseudonyms and sessions lead.

What was seen of them stays: it says nothing of anybody, and keeps a file that is sent again from bringing them back.
"""

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from functools import reduce
from itertools import islice, zip_longest
from operator import or_
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from judging.audit import Deed, note, quoted
from judging.database import traces
from judging.logs.archive.files import hold, named, rewrite, steadily
from judging.logs.archive.layout import MODELS
from judging.logs.archive.lookups import find
from judging.logs.pseudonyms import PSEUDONYM, all_of, written
from judging.models import ArchiveFile, Event, Outbox, Quarantined, Query, Site, User

A_STEP = 5000
RecordModel = type[Query] | type[Event]


class RecordLink(NamedTuple):
    """What of a record says whose it is, and what leads on from it; and its file, where it is archived."""

    pk: UUID
    received: datetime
    client: int | None
    person: int | None
    session: int | None
    query: int | None
    file: ArchiveFile | None = None


class Wanted(NamedTuple):
    """Ids that records are looked for by; one of them is enough."""

    client: Collection[int] = ()
    person: Collection[int] = ()
    session: Collection[int] = ()
    query: Collection[int] = ()

    @property
    def condition(self) -> Q:
        return reduce(or_, (Q(**{f"{name}__in": ids}) for name, ids in self._asdict().items()))


class RecordCounts(NamedTuple):
    queries: int
    events: int
    quarantined: int

    def __str__(self) -> str:
        return f"{self.queries:,} queries, {self.events:,} events, {self.quarantined:,} records in quarantine"


class Trail:
    """The records of a client or user of a site.

    The records that name this client or user belong to it. Unless they name somebody else, so do those of the same sessions and
    searches, and of browsers in which the user was signed in.
    """

    def __init__(self, site: Site, files: list[ArchiveFile], *, client: str = "", user: str = ""):
        self.site, self.files = site, files
        self.clients = set(all_of(site, "client", client)) if client else set()
        self.persons = set(all_of(site, "user", user)) if user else set()
        self.records: dict[RecordModel, dict[UUID, RecordLink]] = {Query: {}, Event: {}}
        self.sessions: set[int] = set()
        self.searches: set[int] = set()
        self.begin()
        while self.leads:
            self.follow(self.leads)
        self.refused = list(refused_records(site, self.clients | self.persons | self.sessions, [client, user]))

    @property
    def counts(self) -> RecordCounts:
        return RecordCounts(len(self.records[Query]), len(self.records[Event]), len(self.refused))

    def begin(self) -> None:
        # A user may have been signed in in any browser; whoever else is theirs names one of these browsers, or none.
        own = list(self.facts(Wanted(client=self.clients, person=self.persons), of=None if self.persons else self.clients))
        browsers = {fact.client for _, fact in own if fact.client is not None} - self.clients
        self.clients |= browsers
        self.persons |= {fact.person for _, fact in own if fact.person is not None}
        self.leads = self.take(own)
        for some in steps(browsers):
            self.leads += self.take(self.theirs(Wanted(client=some)))

    def follow(self, leads: list[RecordLink]) -> None:
        """Once more through the log, where sessions or searches have come up that nobody has looked for."""
        sessions = {fact.session for fact in leads if fact.session is not None} - self.sessions
        searches = {fact.query for fact in leads if fact.query is not None} - self.searches
        self.sessions |= sessions
        self.searches |= searches
        self.leads = []
        for some, others in zip_longest(steps(sessions), steps(searches), fillvalue=()):
            self.leads += self.take(self.theirs(Wanted(session=some, query=others)))

    def facts(self, wanted: Wanted, *, of: Collection[int] | None) -> Iterator[tuple[RecordModel, RecordLink]]:
        """The records that have one of these ids; `of` these clients or of none."""
        for model in self.records:
            rows = model.objects.filter(wanted.condition, site=self.site).values_list(*RecordLink._fields[:-1])
            yield from ((model, RecordLink._make((*row, None))) for row in rows.iterator())
        for file, row in find(self.files, RecordLink._fields[:-1], wanted._asdict(), of=of):
            yield MODELS[file.kind], RecordLink._make((*row, file))

    def theirs(self, wanted: Wanted) -> Iterator[tuple[RecordModel, RecordLink]]:
        for model, fact in self.facts(wanted, of=self.clients):
            if fact.client in {None, *self.clients} and fact.person in {None, *self.persons}:
                yield model, fact

    def take(self, facts: Iterable[tuple[RecordModel, RecordLink]]) -> list[RecordLink]:
        """Add these, and say which were new."""
        fresh = [(model, fact) for model, fact in facts if fact.pk not in self.records[model]]
        for model, fact in fresh:
            self.records[model][fact.pk] = fact
        return [fact for _, fact in fresh]


def trail_of(site: Site, *, client: str = "", user: str = "") -> Trail:
    return steadily(site.pk, lambda files: Trail(site, files, client=client, user=user))


def refused_records(site: Site, pseudonyms: Iterable[int], names: Iterable[str]) -> Iterator[int]:
    """Records in quarantine with one of the pseudonyms or, where they could not be read when they came, a plain name."""
    tokens = set(map(written, pseudonyms))
    plain = re.compile("|".join(rf"(?<![\w-]){re.escape(form)}(?![\w-])" for name in names if name for form in forms_of(name)))
    for pk, raw in Quarantined.objects.filter(site=site).values_list("pk", "raw").iterator():
        if not tokens.isdisjoint(PSEUDONYM.findall(raw)) or (plain.search(raw) and not was_read(raw)):
            yield pk


def forms_of(name: str) -> set[str]:
    """The name as it is, and as it stands in JSON."""
    return {name, json.dumps(name)[1:-1], json.dumps(name, ensure_ascii=False)[1:-1]}


def was_read(raw: str) -> bool:
    try:
        content = json.loads(raw)
    except (ValueError, RecursionError):
        return False
    # What is still inside `_source` was kept as it came.
    return isinstance(content, dict) and "_source" not in content


def erase(site: Site, *, client: str = "", user: str = "", by: User | None = None) -> RecordCounts:
    """Delete all that is left of a client or user of a site; the audit says how much, and not whose."""
    while True:
        trail = trail_of(site, client=client, user=user)
        with transaction.atomic():
            hold(site.pk, wait=True)
            if named(site.pk) == trail.files:  # else records have moved since they were looked for
                take_out(trail)
                note(Deed.ERASED, f"a user of site {quoted(site.name)}: {trail.counts}", by, site=site)
                transaction.on_commit(traces.wipe, robust=True)
                return trail.counts


def take_out(trail: Trail) -> None:
    site = trail.site
    for model, records in trail.records.items():
        delete(model, site, [link for link in records.values() if link.file is None])
        for file, links in by_file(records.values()).items():
            rewrite(file, "identity NOT IN (SELECT unnest($1::UUID[]))", [[str(link.pk) for link in links]])
    for some in steps(trail.refused):
        Quarantined.objects.filter(site=site, pk__in=some).delete()
    Outbox.objects.post_anew("metrics.tasks.forget_users", site=site.pk)


def by_file(links: Iterable[RecordLink]) -> dict[ArchiveFile, list[RecordLink]]:
    files: dict[ArchiveFile, list[RecordLink]] = defaultdict(list)
    for link in links:
        if link.file is not None:
            files[link.file].append(link)
    return files


def delete(model: RecordModel, site: Site, links: Iterable[RecordLink]) -> None:
    """Delete records in the order of receipt, which an index knows; there is no index of identities."""
    for some in steps(sorted(links, key=lambda link: link.received)):
        span = some[0].received, some[-1].received
        model.objects.filter(site=site, received__range=span, pk__in=[link.pk for link in some]).delete()


def steps(values: Iterable[Any]) -> Iterator[list[Any]]:
    left = iter(values)
    while some := list(islice(left, A_STEP)):
        yield some

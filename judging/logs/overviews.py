"""Overviews of a site: its owner sees everything, readers only totals over many users."""

from datetime import date, datetime
from typing import Any, NamedTuple

from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from judging.logs import volume
from judging.logs.privacy import shown
from judging.models import ArchiveFile, Event, Experiment, Query, Site, User
from judging.models.log import Record


class Bar(NamedTuple):
    """A day on the chart; None where it was not counted."""

    day: date
    queries: int | None
    events: int | None


class SiteOverview(NamedTuple):
    queries: volume.LogVolume
    events: volume.LogVolume
    bars: list[Bar]
    last: datetime | None
    skew: volume.Skew
    quarantined: volume.Number

    @property
    def is_fresh(self) -> bool:
        """Whether nothing was ever sent."""
        return not (self.queries.all or self.events.all or self.quarantined)


class Totals(NamedTuple):
    """How much there is; None where that would be of too few users."""

    queries: volume.Number | None
    events: volume.Number | None


def overview(site: Site, now: datetime | None = None) -> SiteOverview:
    now = now or timezone.now()
    queries, events = (volume.counts(site, model, now) for model in (Query, Event))
    bars = [Bar(day, number, events.days[day]) for day, number in queries.days.items()]
    return SiteOverview(queries, events, bars, volume.last(site), volume.skew(site, now), volume.refused_count(site))


def totals(site: Site, user: User) -> Totals:
    """The totals for readers, without days and hours: the difference between two of these may be of a single user."""
    return Totals(*(total(site, model, user) for model in (Query, Event)))


def total(site: Site, model: type[Record], user: User) -> volume.Number | None:
    return volume.total(site, model) if shown(volume.users(site, model), site, user) else None


def with_activity(sites: QuerySet[Site]) -> QuerySet[Any]:
    """The sites with the number of their running experiments, and the times of the last query and event."""
    running = Experiment.objects.filter(site=OuterRef("pk"), state=Experiment.State.RUNNING).order_by().values("site")
    archived = ArchiveFile.objects.filter(site=OuterRef("pk"))
    return sites.annotate(
        running=Coalesce(Subquery(running.annotate(number=Count("pk")).values("number")), 0),
        last_query=last_of(Query),
        last_event=last_of(Event),
        last_archived=Subquery(archived.order_by("-last").values("last")[:1]),
    )


def last_of(model: type[Record]) -> Subquery:
    return Subquery(model._default_manager.filter(site=OuterRef("pk")).order_by("-received").values("received")[:1])


def last_of_both(site: Any) -> datetime | None:
    """The newest record of a site from `with_activity`."""
    return max((moment for moment in (site.last_query, site.last_event, site.last_archived) if moment), default=None)

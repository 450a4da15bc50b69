"""Filters of programs among a site's clients, in versions. Nothing is deleted: whoever counts leaves out whom a version
catches, and says so."""

from datetime import datetime, timedelta
from typing import NamedTuple

import polars as pl
from django.db import connection, transaction
from django.db.models import Count
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.logs.moments import MICROS, as_text
from judging.models import Agent, BotFilter, Event, Query, Site, User

# What programs call themselves. (Cubot makes telephones.)
AGENTS = (
    r"[^u]bot|^bot|crawl|spider|slurp|headless|phantomjs|selenium|puppeteer|playwright|scrapy|lighthouse|pingdom|monitor"
    r"|facebookexternalhit|python-|aiohttp|httpx|curl/|wget/|libwww|java/|go-http|axios|node-fetch|apachebench"
)
LONGEST = 500
DAYS = 7
MOST = 2_000_000
MINUTE, DAY = 60_000_000, 86_400_000_000  # microseconds
MOST_AGENTS = 50
A_STEP = 50_000


class Limits(NamedTuple):
    """Whoever does more than that is a program; None is no limit."""

    agents: str = AGENTS
    records_a_minute: int | None = 120
    searches_a_day: int | None = 500


class BadPattern(ValueError):
    """A regular expression that cannot be used, and why."""


def current(site: Site) -> BotFilter:
    """The newest version; the first is made when it is needed."""
    newest = BotFilter.objects.filter(site=site).first()
    return newest or BotFilter.objects.get_or_create(site=site, version=1, defaults=Limits()._asdict())[0]


def limits_of(version: BotFilter) -> Limits:
    return Limits(*(getattr(version, name) for name in Limits._fields))


@transaction.atomic
def save(site: Site, limits: Limits, *, by: User | None, why: str = "") -> BotFilter:
    """A new version, unless nothing is different. Reports keep the version that they were made with."""
    Site.objects.select_for_update(no_key=True).get(pk=site.pk)
    newest = current(site)
    if limits_of(newest) == limits:
        return newest
    checked_pattern(limits.agents)
    made = BotFilter.objects.create(site=site, version=newest.version + 1, note=why, created_by=by, **limits._asdict())
    note(Deed.CHANGED, f"what the site {quoted(site.name)} takes for programs: {made}", by, site=site)
    return made


def checked_pattern(pattern: str) -> str:
    """The pattern, if it can be used. The engine that matches it needs time in proportion to the text, whatever the pattern."""
    if len(pattern) > LONGEST:
        raise BadPattern(_("The expression is longer than %(most)s characters.") % {"most": LONGEST})
    try:
        if pattern and matches([""], pattern)[0]:
            raise BadPattern(_("The expression matches an empty name, and so would any browser's."))
    except pl.exceptions.PolarsError as error:
        message = next((line for line in str(error).splitlines() if line.startswith("error: ")), str(error).splitlines()[0])
        why = {"why": message.removeprefix("error: ")}
        raise BadPattern(_("The regular expression cannot be used: %(why)s.") % why) from None
    return pattern


def matches(names: list[str], pattern: str) -> list[bool]:
    return pl.Series(names, dtype=pl.String).str.contains(f"(?i){pattern}").to_list()


def agents_caught(pattern: str) -> list[int]:
    """The rows of Agent that an expression matches."""
    if not pattern:
        return []
    keys: list[int] = []
    rows = Agent.objects.order_by("pk").values_list("pk", "text")
    last = 0
    while some := list(rows.filter(pk__gt=last)[:A_STEP]):
        names = [text for _, text in some]
        keys += [pk for (pk, _), is_one in zip(some, matches(names, pattern), strict=True) if is_one]
        last = some[-1][0]
    return keys


class Window(NamedTuple):
    """Records that were received since a moment: of the last days, or the newest ones where these are too many."""

    since: datetime
    is_whole: bool


def window_of(site: Site, now: datetime | None = None) -> Window:
    since = (now or timezone.now()) - timedelta(days=DAYS)
    queries, events = (
        model.objects.filter(site=site, received__gte=since).order_by().values_list("received", flat=True)
        for model in (Query, Event)
    )
    beyond = list(queries.union(events, all=True).order_by("-received")[MOST : MOST + 1])
    return Window(beyond[0] + timedelta(microseconds=1), is_whole=False) if beyond else Window(since, is_whole=True)


class BotPreview(NamedTuple):
    """How many clients and records there are, and how many of them a filter would leave out."""

    clients: int
    caught: int
    records: int
    left_out: int
    is_whole: bool


def preview(site: Site, limits: Limits, window: Window | None = None) -> BotPreview:
    """Counted by the database. A record without a client is nobody's, and is never left out."""
    window = window or window_of(site)
    since = window.since if connection.vendor == "postgresql" else as_text(window.since)
    with connection.cursor() as cursor:
        cursor.execute(counting(limits), [site.pk, since] * 2)
        clients, caught, records, left_out = (int(count or 0) for count in cursor.fetchone())
    return BotPreview(clients, caught, records, left_out, window.is_whole)


def counting(limits: Limits) -> str:
    """SQL that counts clients and records, and those of programs.

    More than n records in a minute: one that comes less than a minute after the n-th before it. A search counts once, however
    often it was logged.
    """
    time = MICROS[connection.vendor]
    agents = ", ".join(map(str, agents_caught(limits.agents)))
    named = f"CASE WHEN agent IN ({agents}) THEN 1 ELSE 0 END" if agents else "0"
    hurried = too_close(limits.records_a_minute, MINUTE, "client")
    searching = too_close(limits.searches_a_day, DAY, "client, is_search")
    return f"""
WITH searches AS (
    SELECT client, min({time}) AS moment, count(*) AS n, max({named}) AS named FROM judging_query
    WHERE site_id = %s AND received >= %s GROUP BY client, query, CASE WHEN query IS NULL THEN identity END),
records AS (
    SELECT client, moment, n, named, 1 AS is_search FROM searches UNION ALL
    SELECT client, {time}, 1, {named}, 0 FROM judging_event WHERE site_id = %s AND received >= %s),
marked AS (SELECT client, n, CASE WHEN named = 1 OR {hurried} OR (is_search = 1 AND {searching}) THEN 1 ELSE 0 END AS marked
    FROM records),
clients AS (SELECT client, sum(n) AS n, max(marked) AS caught FROM marked GROUP BY client)
SELECT count(client), sum(CASE WHEN client IS NOT NULL THEN caught END), sum(n),
    sum(CASE WHEN client IS NOT NULL AND caught = 1 THEN n END) FROM clients"""  # noqa: S608  numbers and names of ours


def too_close(most: int | None, span: int, whose: str) -> str:
    if most is None:
        return "1 = 0"
    return f"coalesce(moment - lag(moment, {int(most)}) OVER (PARTITION BY {whose} ORDER BY moment) < {span}, 1 = 0)"


class Browser(NamedTuple):
    text: str
    records: int
    is_caught: bool


def browsers(site: Site, pattern: str, window: Window | None = None) -> list[Browser]:
    """What those who sent records call themselves, the most frequent first, and whom the expression matches."""
    since = (window or window_of(site)).since
    counts: dict[int, int] = {}
    for model in (Query, Event):
        rows = model.objects.filter(site=site, received__gte=since, agent__isnull=False)
        for agent, count in rows.values_list("agent").annotate(count=Count("*")).order_by("-count")[:MOST_AGENTS]:
            counts[agent] = counts.get(agent, 0) + count
    chosen = sorted(counts, key=lambda agent: -counts[agent])[:MOST_AGENTS]
    texts = Agent.objects.in_bulk(chosen)
    named = [(texts[agent].text, counts[agent]) for agent in chosen if agent in texts]
    marks = matches([text for text, _ in named], pattern) if pattern else [False] * len(named)
    return [Browser(text, count, mark) for (text, count), mark in zip(named, marks, strict=True)]

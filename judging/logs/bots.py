"""Filters of programs among a site's clients, in versions. Nothing is deleted: whoever counts leaves out whom a version
catches, and says so."""

from datetime import datetime, timedelta
from typing import NamedTuple

import polars as pl
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.errors import BadFields
from judging.logs.archive import lookups
from judging.logs.archive.selections import EVER, Rows, Selection, ask
from judging.models import Agent, ArchiveFile, BotFilter, Site, User

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
    refuse_bad_pattern(limits.agents)
    made = BotFilter.objects.create(site=site, version=newest.version + 1, note=why, created_by=by, **limits._asdict())
    note(Deed.CHANGED, f"what the site {quoted(site.name)} takes for programs: {made}", by, site=site)
    return made


def refuse_bad_pattern(pattern: str) -> None:
    """Refuse a pattern that cannot be used. Matching takes time in proportion to the text, whatever the pattern."""
    if len(pattern) > LONGEST:
        raise BadFields(agents=_("The expression is longer than %(most)s characters.") % {"most": LONGEST})
    try:
        if pattern and matches([""], pattern)[0]:
            raise BadFields(agents=_("The expression matches an empty name, and so would any browser's."))
    except pl.exceptions.PolarsError as error:
        message = next((line for line in str(error).splitlines() if line.startswith("error: ")), str(error).splitlines()[0])
        why = {"why": message.removeprefix("error: ")}
        raise BadFields(agents=_("The regular expression cannot be used: %(why)s.") % why) from None


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


def last_days(site: Site, now: datetime | None = None) -> Selection:
    """What was received in the last days; of archived records those in the newest files where these have enough."""
    since = (now or timezone.now()) - timedelta(days=DAYS)
    newest = lookups.newest(ArchiveFile.objects.filter(site=site, last__gte=since), MOST + 1)
    if sum(file.rows for file in newest) > MOST:
        since = max(since, min(file.first for file in newest))
    return Selection(site.pk, since, EVER[1], *EVER)


class BotPreview(NamedTuple):
    """How many clients and records there are, and how many of them a filter would leave out."""

    clients: int
    caught: int
    records: int
    left_out: int
    is_whole: bool


def preview(site: Site, limits: Limits, now: datetime | None = None) -> BotPreview:
    """A record without a client is nobody's, and is never left out."""
    tables = dict.fromkeys(("queries", "events"), Rows(newest=MOST + 1))
    clients, caught, records, left_out, of = ask(last_days(site, now), counting(limits), **tables).fill_null(0).row(0)
    return BotPreview(clients, caught, records, left_out, of <= MOST)


def counting(limits: Limits) -> str:
    """SQL that counts clients and records, and those of programs, in the newest; and all.

    More than n records in a minute: one that comes less than a minute after the n-th before it. A search counts once, however
    often it was logged.
    """
    agents = ", ".join(map(str, agents_caught(limits.agents)))
    named = f"CASE WHEN agent IN ({agents}) THEN 1 ELSE 0 END" if agents else "0"
    hurried = too_close(limits.records_a_minute, MINUTE, "client")
    searching = too_close(limits.searches_a_day, DAY, "client, is_search")
    return f"""
WITH sent AS (
    SELECT received, time AS moment, client, query, {named} AS named, 1 AS is_search FROM queries UNION ALL
    SELECT received, time, client, NULL, {named}, 0 FROM events),
newest AS (SELECT * FROM sent ORDER BY received DESC LIMIT {MOST}),
records AS (
    SELECT client, min(moment) AS moment, count(*) AS n, max(named) AS named, is_search FROM newest
    WHERE query IS NOT NULL GROUP BY client, query, is_search UNION ALL
    SELECT client, moment, 1, named, is_search FROM newest WHERE query IS NULL),
marked AS (SELECT client, n, CASE WHEN named = 1 OR {hurried} OR (is_search = 1 AND {searching}) THEN 1 ELSE 0 END AS marked
    FROM records),
clients AS (SELECT client, sum(n)::BIGINT AS n, max(marked) AS caught FROM marked GROUP BY client)
SELECT count(client), sum(CASE WHEN client IS NOT NULL THEN caught END)::BIGINT, sum(n)::BIGINT,
    sum(CASE WHEN client IS NOT NULL AND caught = 1 THEN n END)::BIGINT, (SELECT count(*) FROM sent) FROM clients"""  # noqa: S608  numbers and names of ours


def too_close(most: int | None, span: int, whose: str) -> str:
    if most is None:
        return "1 = 0"
    return f"coalesce(moment - lag(moment, {int(most)}) OVER (PARTITION BY {whose} ORDER BY moment) < {span}, 1 = 0)"


class Browser(NamedTuple):
    text: str
    records: int
    is_caught: bool


def browsers(site: Site, pattern: str, now: datetime | None = None) -> list[Browser]:
    """What those who sent records call themselves, the most frequent first, and whom the expression matches."""
    sql = f"""
SELECT agent, count(*) AS records FROM (SELECT agent FROM queries UNION ALL SELECT agent FROM events)
GROUP BY agent ORDER BY records DESC, agent LIMIT {MOST_AGENTS}"""  # noqa: S608  a number of ours
    tables = dict.fromkeys(("queries", "events"), Rows("agent IS NOT NULL", newest=MOST))
    counts = dict(ask(last_days(site, now), sql, **tables).rows())
    texts = Agent.objects.in_bulk(counts)
    named = [(texts[agent].text, count) for agent, count in counts.items() if agent in texts]
    marks = matches([text for text, _ in named], pattern) if pattern else [False] * len(named)
    return [Browser(text, count, mark) for (text, count), mark in zip(named, marks, strict=True)]

"""Simulated visitors of the demo's search site: two weeks of searches and clicks, so that its reports have something to say.

They look at results from the top, less often the further down. Pages that help they click often and read for long, anything
else seldom and briefly. So a ranking is clicked as much as it deserves, by that rule, and no arm is favoured. Some
visitors click more than others, some come back; a few are programs, and some records are sent twice. All say `application:
simulated`. Everything follows from the site's experiments and SEED: sent again, all of it is a duplicate.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Min
from django.utils import timezone

from judging.demo import SEED
from judging.demo.search_site import DAYS
from judging.demo.voters import relevant_documents
from judging.experiments.arms import Running, running_on
from judging.experiments.drafts import INTERLEAVED
from judging.logs.intake import receive
from judging.models import Experiment, Site, Topic
from judging.search.ranking import search_for_arm
from judging.search.self_log import place
from judging.search.treatment import arms_that_search, attributes_of_first, treated_search
from judging.search.visits import Visitor

APPLICATION = "simulated"
VISITORS, PROGRAMS = 2000, 3
EXPERIMENTS = 2
SHOWN, CRAWLED = 10, 3
BROWSERS = (
    "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
)
CRAWLER = "Mozilla/5.0 (compatible; ExampleBot/2.1; +https://example.com/bot)"
LEFT_AT_THE_NEXT = 0.6, 0.76  # how much of the attention at one rank is left at the next
CLICKS_RELEVANT, CLICKS_OTHER = 0.55, 0.07
READS_RELEVANT, READS_OTHER = 80.0, 9.0  # seconds, the median
ENOUGH = timedelta(seconds=30)
SENT_TWICE = 0.02
PORTION = 1000

Record = dict[str, Any]


class SentRecord(NamedTuple):
    """A record, when it happened and from which browser."""

    at: datetime
    agent: str
    record: Record


class FollowingRecord(NamedTuple):
    """A record, and how long after the search."""

    at: timedelta
    record: Record


class World(NamedTuple):
    """What visitors meet: experiments, what each of their arms finds for each topic, and what is relevant to it."""

    experiments: list[Running]
    topics: list[Topic]
    rankings: dict[tuple[str, str, str], list[str]]  # by experiment, arm and topic
    relevant: dict[str, set[str]]
    begin: datetime


def send(site: Site) -> None:
    """Send the visitors' records a day at a time, each day as if received at its end. Sends nothing if one of the experiments
    was stopped."""
    world = world_of(site)
    if len(world.experiments) < EXPERIMENTS:
        return
    days: dict[int, list[SentRecord]] = defaultdict(list)
    for record in sorted(visits(world), key=lambda record: record.at):
        days[(record.at - world.begin).days].append(record)
    for day, sent in days.items():
        now = min(world.begin + timedelta(days=day + 1), timezone.now())
        for agent in sorted({record.agent for record in sent}):
            records = [record.record for record in sent if record.agent == agent]
            for start in range(0, len(records), PORTION):
                receive(site, records[start : start + PORTION], agent=agent, now=now)


def world_of(site: Site) -> World:
    assert site.collection is not None
    arms, topics = arms_that_search(site), list(site.collection.topics.all())
    rankings = {
        (name, arm.name, topic.number): search_for_arm(site.collection, arm, topic.title) or []
        for name, its_arms in arms.items()
        for arm in its_arms
        for topic in topics
    }
    started = Experiment.objects.filter(site=site, name__in=arms).aggregate(first=Min("started"))["first"]
    return World([running_on(site)[name] for name in arms], topics, rankings, relevant_documents(site.collection), started)


def visits(world: World) -> Iterator[SentRecord]:
    for number in range(VISITORS):
        yield from with_repeats(visits_of(world, f"{APPLICATION}-{number}"), chance_of("twice", number))
    for number in range(PROGRAMS):
        yield from crawling(world, f"{APPLICATION}-program-{number}")


def chance_of(*what: object) -> random.Random:
    return random.Random(f"{SEED} {what}")  # noqa: S311  nothing here is secret


def with_repeats(sent: Iterable[SentRecord], chance: random.Random) -> Iterator[SentRecord]:
    """Repeat some records, as sites do that send again what arrived before."""
    for record in sent:
        yield record
        if chance.random() < SENT_TWICE:
            yield record


def visits_of(world: World, client: str) -> Iterator[SentRecord]:
    """Most come once or twice, and each has a temper: some click a third more than others."""
    chance = chance_of(client)
    temper, agent = chance.uniform(0.7, 1.2), chance.choice(BROWSERS)
    for session in range(1 + (chance.random() < 0.35) + (chance.random() < 0.15)):
        at = world.begin + timedelta(days=chance.random() * (DAYS - 0.05))
        for topic in topics_of(world, chance):
            for sent in searching(world, Visitor(client, f"{client}-{session}"), topic, temper, chance):
                yield SentRecord(at + sent.at, agent, {**sent.record, "timestamp": (at + sent.at).isoformat()})
            at += sent.at + timedelta(seconds=chance.uniform(5, 120))


def topics_of(world: World, chance: random.Random) -> list[Topic]:
    """What is searched for in a visit: some topics more often than others, none twice."""
    count = 1 + (chance.random() < 0.45) + (chance.random() < 0.2)
    drawn = [min(int(chance.expovariate(0.06)), len(world.topics) - 1) for _ in range(count)]
    return [world.topics[place] for place in dict.fromkeys(drawn)]


def searching(world: World, visitor: Visitor, topic: Topic, temper: float, chance: random.Random) -> Iterator[FollowingRecord]:
    """A search and what was clicked, from the top until something is read for long."""
    record = search_record(world, visitor, topic)
    at, attention = timedelta(0), temper
    yield FollowingRecord(at, record)
    for rank, docno in enumerate(record["query_response_hit_ids"], start=1):
        at += timedelta(seconds=chance.uniform(0.5, 4))
        is_relevant = docno in world.relevant[topic.number]
        if chance.random() < attention * (CLICKS_RELEVANT if is_relevant else CLICKS_OTHER):
            yield FollowingRecord(at, event("click", record, docno, rank))
            read = timedelta(seconds=chance.lognormvariate(0, 0.7) * (READS_RELEVANT if is_relevant else READS_OTHER))
            at += read
            yield FollowingRecord(at, event("leave", record, docno, rank))
            if read > ENOUGH:
                return
        attention *= chance.uniform(*LEFT_AT_THE_NEXT)


def search_record(world: World, visitor: Visitor, topic: Topic) -> Record:
    """What the search page would log."""
    experiment = next(experiment for experiment in world.experiments if experiment.has(visitor.client))
    arm = INTERLEAVED if experiment.interleaves else experiment.arm_of(visitor.client)
    lists = {name: world.rankings[experiment.name, name, topic.number] for name in experiment.arms}
    got = treated_search(experiment, lists, {experiment.name: arm}, topic.title, visitor)
    hits = got.docnos[:SHOWN]
    return {
        "application": APPLICATION,
        "query_id": got.query_id,
        "client_id": visitor.client,
        "session_id": visitor.session,
        "user_query": topic.title,
        "object_id_field": "docno",
        "query_response_hit_ids": hits,
        "query_attributes": attributes_of_first(got.attributes, len(hits)),
    }


def event(action: str, query: Record, docno: str, rank: int) -> Record:
    return {
        "application": APPLICATION,
        "action_name": action,
        "event_id": f"{query['query_id']}:{action}:{docno}",
        "query_id": query["query_id"],
        "client_id": query["client_id"],
        "session_id": query["session_id"],
        "event_attributes": place(docno, rank),
    }


def crawling(world: World, client: str) -> Iterator[SentRecord]:
    """A program that follows the first links of every topic, quickly; some say what they are, some say they are a browser."""
    chance = chance_of(client)
    at, agent = world.begin + timedelta(days=chance.uniform(0, DAYS - 1)), chance.choice([CRAWLER, BROWSERS[0]])
    for topic in world.topics:
        query = search_record(world, Visitor(client, f"{client}-0"), topic)
        hits = query["query_response_hit_ids"][:CRAWLED]
        for record in (query, *(event("click", query, docno, rank) for rank, docno in enumerate(hits, start=1))):
            yield SentRecord(at, agent, {**record, "timestamp": at.isoformat()})
            at += timedelta(seconds=0.4)

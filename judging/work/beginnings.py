"""Where newcomers begin: in a topic that others left, and else in any topic.

Workers who judge a little each would otherwise begin a topic each, and finish none. Which topic is begun next stays a matter of
chance, as the launch shuffled them. A newcomer is sent into a begun topic by chance, too: because of who came and went, and of no
grade. So slots beyond the study's overlap do not count here: they were opened because of votes.
"""

import secrets
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from judging.models import Study
from judging.models.slot import SPAN
from judging.work.assignment import moment

STEPS = 300  # of a walk over topics: milliseconds, however many topics there are
NEWEST = 100  # workers who may be on their way to their first document
NO_END = 2**40


def beginning(study: Study, *, machine: bool = False) -> int:
    """The position at which a newcomer is let in: workers spread over the study instead of queueing at its start.

    Machines go through all items in an order of their own. Studies that compare lists have a few pairs a topic, and nothing
    waits until all of a topic are judged.
    """
    topic = None if machine or study.compares else left_topic(study)
    return (any_topic(study) if topic is None else topic) * SPAN


def any_topic(study: Study) -> int:
    return secrets.randbelow(study.pool_counts.get("topics", 0) or 1)


def left_topic(study: Study) -> int | None:
    """A topic with judgements and open slots, in which nobody works and to which nobody is on their way.

    It is the first one behind a random topic. None if there is none, or among very many topics, none near.
    """
    now = timezone.now()
    since = moment(now - timedelta(minutes=study.lease_minutes))
    numbers = {"study": study.pk, "overlap": study.overlap, "random": any_topic(study)}
    with connection.cursor() as cursor:
        cursor.execute(LEFT_TOPIC, {**numbers, "now": moment(now), "since": since})
        return cursor.fetchone()[0]


def next_topic(which: str, first: str) -> str:
    """The expression for the next topic that has such slots, from topic `first` (an expression) on."""
    return f"""(SELECT slot.position / {SPAN} FROM judging_slot slot
    WHERE slot.study_id = %(study)s AND {which} AND slot.number IS NOT NULL AND slot.number <= %(overlap)s
    AND slot.position >= {first} * {SPAN} ORDER BY slot.position LIMIT 1)"""  # noqa: S608  expressions of ours


BEGUN, OPEN = "slot.judged_at IS NOT NULL", "slot.judged_at IS NULL"

# Both are scalars with a limit, for which PostgreSQL takes an index; for NOT EXISTS it reads the whole table.
HELD = f"""(SELECT slot.id FROM judging_slot slot
    WHERE slot.study_id = %(study)s AND {OPEN} AND slot.number IS NOT NULL AND slot.leased_until >= %(now)s
    AND slot.position >= open * {SPAN} AND slot.position < open * {SPAN} + {SPAN}
    ORDER BY slot.position LIMIT 1)"""  # noqa: S608  expressions of ours

# Who was let in and has judged nothing yet: before they have a lease, everybody else who comes would be sent after them.
EXPECTED = f"""(SELECT newcomer.id FROM (SELECT * FROM judging_worker ORDER BY id DESC LIMIT {NEWEST}) newcomer
    WHERE newcomer.study_id = %(study)s AND newcomer.start = open * {SPAN} AND newcomer.consented >= %(since)s
    AND NOT EXISTS (SELECT 1 FROM judging_slot slot WHERE slot.worker_id = newcomer.id AND slot.judged_at IS NOT NULL)
    LIMIT 1)"""  # noqa: S608  expressions of ours


def first_left(first: str, end: str) -> str:
    """The expression for the first such topic from topic `first` on, before topic `end` (expressions).

    Each step looks for the next begun topic and for the next open one, from the later of those before. So it jumps over long
    stretches of topics that are all judged, or not begun.
    """
    onward = "CASE WHEN begun = open THEN open + 1 WHEN begun > open THEN begun ELSE open END"
    return f"""(WITH RECURSIVE walk (begun, open) AS (
    SELECT {next_topic(BEGUN, first)}, {next_topic(OPEN, first)}
    UNION ALL SELECT {next_topic(BEGUN, onward)}, {next_topic(OPEN, onward)} FROM walk WHERE begun < {end} AND open < {end})
SELECT open FROM (SELECT begun, open FROM walk LIMIT {STEPS}) near
WHERE begun = open AND {HELD} IS NULL AND {EXPECTED} IS NULL LIMIT 1)"""  # noqa: S608  expressions of ours


RANDOM = "CAST(%(random)s AS bigint)"
LEFT_TOPIC = f"SELECT coalesce({first_left(RANDOM, str(NO_END))}, {first_left('CAST(0 AS bigint)', RANDOM)})"

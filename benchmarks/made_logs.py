"""Large logs for benchmarks: of an experiment, as rows that PostgreSQL writes by itself, or as files of the archive.

`ab` has two weeks of an experiment of two arms, and two weeks before. `interleaving` and `clicks` have two weeks of merged lists
of ten, of 5,000 queries with so many documents each. Users look at rank r with probability 1 / r.
"""

import json
import os
import subprocess
import sys
import time
import uuid
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

from benchmarks.judging import ROOT

DAY = timedelta(days=1)
METRICS = [
    *("ctr", "ctr@3", "clicks", "first-click-rr", "abandonment", "seconds", "long-clicks", "reformulation"),
    *("successful-sessions", "conversion:purchase", "value:purchase"),
]
HASH = "('x' || substr(md5({}), 1, 16))::bit(64)::bigint"
SEARCHES = f"""
INSERT INTO judging_query (identity, site_id, received, time, query, client, person, session, agent, raw, text, hits, arms)
SELECT gen_random_uuid(), %(site)s, moment, moment, {HASH.format("'q' || n")}, {HASH.format("'c' || u")}, NULL,
    {HASH.format("'s' || u || '-' || date_trunc('day', moment)")}, NULL,
    jsonb_build_object('user_query', 'bag for a laptop ' || n %% 5000, 'query_id', md5('q' || n),
        'client_id', '~' || md5('c' || u), 'timestamp', moment,
        'query_attributes', jsonb_build_object('experiment', 'ranker', 'device', 'phone')),
    'bag for a laptop ' || n %% 5000, NULL,
    CASE WHEN moment < %(start)s THEN '{{}}' WHEN u %% 2 = 0 THEN '{{"ranker": "control"}}' ELSE '{{"ranker": "new"}}' END::jsonb
FROM (SELECT n, (n * 7919::bigint + (n / %(users)s) * 31) %% %(users)s AS u,
        %(start)s::timestamptz + (random() * 28 - 14) * interval '1 day' AS moment
    FROM generate_series(1, %(searches)s) AS n) AS made"""
EVENTS = """
INSERT INTO judging_event
    (identity, site_id, received, time, query, client, person, session, agent, raw, action, object, ordinal, value)
SELECT gen_random_uuid(), %(site)s, later, later, query, client, NULL, session, NULL,
    jsonb_build_object('action_name', 'click', 'query_id', n, 'client_id', client, 'session_id', session, 'timestamp', later,
        'message_type', 'INFO', 'message', 'clicked on a result', 'user_query', text,
        'event_attributes', jsonb_build_object('object',
            jsonb_build_object('object_id', 'P' || n %% 100000, 'object_id_field', 'sku'))),
    CASE WHEN n %% 50 = 0 THEN 'purchase' WHEN n %% 3 = 0 THEN 'click' ELSE 'impression' END, 'P' || n %% 100000, 1 + n %% 10,
    CASE WHEN n %% 50 = 0 THEN n %% 90 END
FROM (SELECT query, client, session, text, n, time + n * random() * interval '20 seconds' AS later
    FROM judging_query, generate_series(1, %(each)s) AS n WHERE site_id = %(site)s) AS made"""
# Documents of a query move up and down the lists, so that models can tell documents from ranks.
LISTS = f"""
INSERT INTO judging_query (identity, site_id, received, time, query, client, person, session, agent, raw, text, hits, arms)
SELECT gen_random_uuid(), %(site)s, moment, moment, {HASH.format("'q' || n")}, {HASH.format("'c' || u")}, NULL,
    {HASH.format("'s' || u || '-' || date_trunc('day', moment)")}, NULL,
    jsonb_build_object('user_query', 'bag for a laptop ' || n %% 5000, 'query_id', md5('q' || n),
        'client_id', '~' || md5('c' || u), 'timestamp', moment, 'query_response_hit_ids', hits,
        'query_attributes', jsonb_build_object('experiment', 'ranker', 'arm', 'interleaved', 'interleaving', %(made)s::jsonb)),
    'bag for a laptop ' || n %% 5000, hits, '{{"ranker": "interleaved"}}'
FROM (SELECT n, (n * 7919::bigint + (n / %(users)s) * 31) %% %(users)s AS u,
        %(start)s::timestamptz + random() * 14 * interval '1 day' AS moment,
        (SELECT jsonb_agg('P' || n %% 5000 || '-' || (n / 5000 * 3 + rank * 7) %% %(documents)s)
            FROM generate_series(1, 10) AS rank) AS hits
    FROM generate_series(1, %(searches)s) AS n) AS shown"""
MADE = {
    "method": "team_draft",
    "arms": ["control", "new"],
    "shares": [[1, 0], [0, 1], [0, 1], [1, 0], [1, 0], [0, 1], [0, 1], [1, 0], [0, 1], [1, 0]],
    "places": [[1, 3], [2, 1], [3, 2], [4, 4], [5, 6], [6, 5], [7, 7], [8, 9], [9, 8], [10, 10]],
}
CLICKS = """
INSERT INTO judging_event
    (identity, site_id, received, time, query, client, person, session, agent, raw, action, object, ordinal, value)
SELECT gen_random_uuid(), %(site)s, later, later, query, client, NULL, session, NULL,
    (raw - 'query_attributes' - 'query_response_hit_ids') || jsonb_build_object('action_name', 'click',
        'event_attributes', jsonb_build_object('object', jsonb_build_object('object_id', document))),
    'click', document, rank, NULL
FROM (SELECT query, client, session, raw, document, rank, time + rank * interval '3 seconds' AS later
    FROM judging_query, jsonb_array_elements_text(hits) WITH ORDINALITY AS shown (document, rank)
    WHERE site_id = %(site)s AND random() * rank < (1 + (hashtext(document) & 7)) / 10.0) AS made"""

# The same log as SEARCHES and EVENTS make, of one day, in the archive's columns.
NUMBER = "CAST(hash({}) >> 1 AS BIGINT)"
DAY_OF_SEARCHES = f"""
SELECT {{bucket}} AS bucket, gen_random_uuid() AS identity, moment AS received, moment AS time,
    {NUMBER.format("'q' || n")} AS query,
    client, CAST(NULL AS BIGINT) AS person, {NUMBER.format("'s' || u || '-{day}'")} AS session, CAST(NULL AS BIGINT) AS agent,
    '{{{{"query_id": "' || md5('q' || n) || '", "client_id": "~' || md5('c' || u) || '", "timestamp": "' || moment
        || '", "user_query": "' || text || '", "query_attributes": {{{{"device": "phone", "experiment": "ranker"}}}}}}}}' AS raw,
    text, CAST(NULL AS VARCHAR[]) AS hits, {{arms}} AS arms, MAP {{{{'device': 'phone', 'experiment': 'ranker'}}}} AS attributes,
    CAST(NULL AS VARCHAR) AS made
FROM (SELECT n, u, {NUMBER.format("'c' || u")} AS client, 'bag for a laptop ' || n % 5000 AS text,
        {{since}} + CAST(hash('t' || n) % 86400000000 AS BIGINT) AS moment
    FROM (SELECT n, (n * 7919 + (n // {{users}}) * 31) % {{users}} AS u FROM range({{first}}, {{last}}) AS made (n)))"""
DAY_OF_EVENTS = """
SELECT bucket, gen_random_uuid() AS identity, later AS received, later AS time, query, client, person, session, agent,
    '{{"action_name": "click", "query_id": ' || k || ', "client_id": ' || client || ', "session_id": ' || session
        || ', "timestamp": "' || later || '", "message_type": "INFO", "message": "clicked on a result", "user_query": "' || text
        || '", "event_attributes": {{"object": {{"object_id": "P' || k % 100000 || '", "object_id_field": "sku"}}}}}}' AS raw,
    CASE WHEN k % 50 = 0 THEN 'purchase' WHEN k % 3 = 0 THEN 'click' ELSE 'impression' END AS action,
    'P' || k % 100000 AS object, 1 + k % 10 AS ordinal, CASE WHEN k % 50 = 0 THEN CAST(k % 90 AS DOUBLE) END AS value
FROM (SELECT *, CAST(abs(query) % 1000 AS BIGINT) + n AS k, time + CAST(n * 7000000 AS BIGINT) AS later
    FROM {searches}, range(1, {each} + 1) AS made (n))"""

# The same as a site would send it.
AS_SENT = {
    "queries": "SELECT 'q' || query AS query_id, text AS user_query, 'c' || client AS client_id, 's' || session AS session_id,"
    " time // 1000 AS timestamp, {'experiment': 'ranker', 'arm': arms['ranker'], 'device': 'phone'} AS query_attributes",
    "events": "SELECT action AS action_name, 'e' || identity AS event_id, 'q' || query AS query_id, 'c' || client AS client_id,"
    " 's' || session AS session_id, time // 1000 AS timestamp, {'object': {'object_id': object, 'object_id_field': 'sku'},"
    " 'position': {'ordinal': ordinal}, 'value': value} AS event_attributes",
}


def fill_files(experiment: int, values: dict[str, Any]) -> None:
    """Write the archive of such a log, a day at a time."""
    from judging.logs.archive import engine
    from judging.logs.archive.layout import REVERSED
    from judging.logs.moments import micros
    from judging.models import Experiment

    ended = Experiment.objects.get(pk=experiment)
    assert ended.started
    start, a_day, importing = time.perf_counter(), values["searches"] // 28, 0.0
    for day in range(28):
        since = ended.started + DAY * (day - 14)
        arms = (
            "MAP {'ranker': CASE WHEN u % 2 = 0 THEN 'control' ELSE 'new' END}"
            if day >= 14
            else "CAST(MAP {} AS MAP(VARCHAR, VARCHAR))"
        )
        bucket = f"CAST({REVERSED} AS UTINYINT)"
        searches = DAY_OF_SEARCHES.format(
            bucket=bucket, arms=arms, since=micros(since), day=since.astimezone(UTC).date(), users=values["users"],
            first=day * a_day, last=(day + 1) * a_day,
        )  # fmt: skip
        with engine.folder() as folder, engine.database(folder, threads=os.cpu_count() or 1) as db:
            events = DAY_OF_EVENTS.format(searches=f"read_parquet('{folder}/queries')", each=values["each"])
            sources = {"queries": searches, "events": events}
            for kind, sql in sources.items():
                db.execute(f"COPY ({sql}) TO '{folder}/{kind}' (FORMAT parquet, COMPRESSION lz4)").fetchall()
            if values["imported"]:
                importing += import_day(db, folder, ended.site.slug, values["processes"])
            else:
                write_day(db, folder, ended.site_id, {"queries": a_day, "events": a_day * values["each"]})
        print(f"day {day + 1}: {time.perf_counter() - start:.0f} s, of these {importing:.0f} s to import", flush=True)


def write_day(db: Any, folder: Path, site: int, rows: dict[str, int]) -> None:
    from judging.logs.archive import moves

    for kind, count in rows.items():
        select = f"SELECT * FROM read_parquet('{folder}/{kind}')"
        moves.write_buckets(db, select, folder, site=site, kind=kind, buckets=moves.buckets_for(count))


def import_day(db: Any, folder: Path, site: str, processes: int) -> float:
    """Each process has its share of the clients. How many seconds they took, without writing what they read."""
    for kind, select in AS_SENT.items():
        for number in range(processes):
            sql = f"{select} FROM read_parquet('{folder}/{kind}') WHERE client % {processes} = {number}"
            db.execute(f"COPY ({sql}) TO '{folder}/{kind}-{number}.ndjson.gz' (FORMAT json)").fetchall()
    commands = [
        [
            sys.executable,
            "manage.py",
            "import_log",
            "--archive",
            site,
            *(f"{folder}/{kind}-{number}.ndjson.gz" for kind in AS_SENT),
        ]
        for number in range(processes)
    ]
    start = time.perf_counter()
    running = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for command in commands]
    for process in running:
        said, _ = process.communicate()
        if process.returncode:
            raise SystemExit(said)
    return time.perf_counter() - start


def fill(kind: str, values: dict[str, Any]) -> int:
    """An experiment that has just ended, in a log of that size."""
    from django.core.management import call_command
    from django.db import connection
    from django.utils import timezone

    from judging.logs.partitions import make_month
    from judging.models import Arm, Experiment, Site, User

    call_command("migrate", verbosity=0)
    now = timezone.now()
    start = now - timedelta(days=14)
    for days in (-1, 0, 14, 28, 30):
        make_month(now - timedelta(days=days))
    user = User.objects.create_user(uuid.uuid4().hex, is_researcher=True)
    site = Site.objects.create(name=uuid.uuid4().hex, slug=uuid.uuid4().hex, owner=user)
    experiment = Experiment.objects.create(
        site=site,
        name="ranker",
        kind="ab" if kind == "ab" else "interleaving",
        created_by=user,
        state="stopped",
        started=start,
        stopped=now,
        metrics=METRICS if kind == "ab" else [],
    )
    for name in ("control", "new"):
        Arm.objects.create(experiment=experiment, name=name, is_control=name == "control")
    values |= {"site": site.pk, "start": start, "made": json.dumps(MADE), "each": round(values["events"] / values["searches"])}
    if values["straight"] or values["imported"]:
        fill_files(experiment.pk, values)
        return experiment.pk
    with connection.cursor() as cursor:
        for statement in (SEARCHES, EVENTS) if kind == "ab" else (LISTS, CLICKS):
            cursor.execute(statement, values)
        for table in ("judging_query", "judging_event"):
            cursor.execute(f"ANALYZE {table}")
            cursor.execute(f"SELECT count(*) FROM {table} WHERE site_id = %s", [site.pk])
            print(f"{table}: {cursor.fetchone()[0]:,} rows")
    return experiment.pk

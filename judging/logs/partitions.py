"""PostgreSQL's tables of records, one a month of receipt."""

import logging
import re
from datetime import UTC, datetime, timedelta

from django.db import OperationalError, connection, transaction

log = logging.getLogger(__name__)

TABLES = ("judging_query", "judging_event")
PATIENCE = "2s"
# Two processes may find a month missing at the same moment.
LOCK = "SELECT pg_advisory_xact_lock(hashtext('partitions of the log'))"
CREATE = "CREATE TABLE IF NOT EXISTS {table}_{start:%Y_%m} PARTITION OF {table} FOR VALUES FROM ('{start}') TO ('{end}')"
EVERY_MONTH = """SELECT child.relname FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid
JOIN pg_class parent ON parent.oid = inhparent WHERE parent.relname = ANY(%s) ORDER BY 1"""
MONTHLY = re.compile(r"_\d{4}_\d\d$")


def month_of(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def month_after(month: datetime) -> datetime:
    return month_of(month + timedelta(days=31))


def make_month(moment: datetime, *, patience: str = "") -> None:
    """See that records received in the month of that moment have a place. OperationalError after so much waiting, if any."""
    if connection.vendor != "postgresql":
        return
    start = month_of(moment)
    with transaction.atomic(), connection.cursor() as cursor:
        if patience:
            cursor.execute(f"SET LOCAL lock_timeout = '{patience}'")
        cursor.execute(LOCK)
        for table in TABLES:
            cursor.execute(CREATE.format(table=table, start=start, end=month_after(start)))


def make_ahead(now: datetime) -> None:
    """Make this month's and the next month's partitions, before anybody waits for them.

    While this waits for whoever reads, all who write wait for this: so not for long. The next sweep tries again.
    """
    try:
        for moment in (now, month_after(month_of(now))):
            make_month(moment, patience=PATIENCE)
    except OperationalError as error:
        log.info("the tables of the next month wait for whoever reads: %s", error)


def months_before(moment: datetime) -> list[str]:
    """The tables of months that were over by then."""
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        cursor.execute(EVERY_MONTH, [list(TABLES)])
        names = [name for (name,) in cursor.fetchall() if MONTHLY.search(name)]
    return [name for name in names if month_after(datetime.strptime(name[-7:], "%Y_%m").replace(tzinfo=UTC)) <= moment]


def is_empty(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT NOT EXISTS (SELECT FROM {name})")  # noqa: S608  a name of ours
        return bool(cursor.fetchone()[0])


def drop(name: str, *, anyway: bool = False) -> None:
    """Drop a month that is empty, or `anyway`. Whoever writes waits while this waits for whoever reads: so not for long."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
        cursor.execute(f"LOCK TABLE {name} IN ACCESS EXCLUSIVE MODE")
        if anyway or is_empty(name):
            cursor.execute(f"DROP TABLE {name}")

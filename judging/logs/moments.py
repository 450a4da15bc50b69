"""Moments as the tables hold them, where SQL is written out."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# SQL for microseconds since 1970. (`extract` computes with decimals, several times slower than `date_part`.)
IN_MICROS = {
    "postgresql": "round(date_part('epoch', {0}) * 1000000)::bigint",
    "sqlite": "unixepoch(substr({0}, 1, 19)) * 1000000 + CAST(substr(substr({0}, 21) || '000000', 1, 6) AS INTEGER)",
}


def micros(moment: datetime) -> int:
    return round(moment.timestamp() * 1_000_000)


def moment_of(micros: int) -> datetime:
    return EPOCH + timedelta(microseconds=micros)


def as_text(moment: datetime) -> str:
    """The moment as Django writes it into SQLite."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ")

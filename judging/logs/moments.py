"""Moments as the tables hold them, where SQL is written out."""

from datetime import UTC, datetime

# SQL for microseconds since 1970 of the column time. (`extract` computes with decimals, several times slower than `date_part`.)
MICROS = {
    "postgresql": "round(date_part('epoch', time) * 1000000)::bigint",
    "sqlite": "unixepoch(substr(time, 1, 19)) * 1000000 + CAST(substr(substr(time, 21) || '000000', 1, 6) AS INTEGER)",
}


def as_text(moment: datetime) -> str:
    """The moment as Django writes it into SQLite."""
    return moment.astimezone(UTC).replace(tzinfo=None).isoformat(" ")

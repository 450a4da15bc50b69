"""Keys in portions: PostgreSQL takes 65,535 values a statement, and SQLite 250,000."""

from collections.abc import Iterable, Iterator

AT_ONCE = 10_000


def in_portions(keys: Iterable[int]) -> Iterator[list[int]]:
    """The keys in ascending order, each once: two who lock rows by their keys, one portion after the other, do not deadlock."""
    ordered = sorted(set(keys))
    return (ordered[start : start + AT_ONCE] for start in range(0, len(ordered), AT_ONCE))

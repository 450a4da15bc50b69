"""The moments at which a report looks at an experiment."""

from datetime import datetime, timedelta

MOST_LOOKS = 20


def looks_of(start: datetime, until: datetime) -> list[datetime]:
    """The moments of the looks: the ends of days, or of several days, and `until`.

    A test of less than four days gets twelve even steps.
    """
    days = (until - start) / timedelta(days=1)
    if days < 4:
        return [start + (until - start) * step / 12 for step in range(1, 13)] if until > start else []
    every = -int(-days // MOST_LOOKS)
    first = (start + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    ends = [first + timedelta(days=every * number) for number in range(MOST_LOOKS)]
    return [*(end for end in ends if start < end < until), until]

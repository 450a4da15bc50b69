"""The two systems that a reader looks at, and all of them beside each other; what is chosen stands in the address."""

from typing import Any

from django.http import QueryDict

from judging.database.numbers import number_in
from metrics.kinds.preferences.results import Duel, Found, by_name
from metrics.kinds.preferences.words import headline, outlook
from metrics.models import Report


def chosen(report: Report, query: QueryDict) -> dict[str, Any]:
    """The pair that the address names, else the strongest two; `runs` are the keys of those that were compared."""
    found, keys = Found.of(report), by_name(report.subject)
    names = {keys[name]: name for name in found.pairs["systems"] if name in keys}
    first, second = (names.get(number_in(query.get(side, "")) or 0) for side in ("first", "second"))
    one = found.duel(first, second) if first and second else found.first_to_show()
    if one:
        first, second = one["first"], one["second"]
        one = {**one, "said": headline(one, len(found.duels)), "outlook": outlook(one, len(found.duels))}
    return {"found": found, "runs": names, "keys": keys, "first": first, "second": second, "duel": one}


def matrix(found: Found, names: list[str]) -> list[tuple[str, list[tuple[float, Duel | None] | None]]]:
    """For each system how surely it is above each other: the share of draws, and the pair if it was compared."""
    return [
        (name, [None if other == name else (found.systems["above"][name][other], found.duel(name, other)) for other in names])
        for name in names
    ]

"""The two systems that a reader chose in the address, and the matrix of all systems."""

from typing import Any

from django.http import QueryDict

from judging.database.numbers import number_in
from judging.models import User
from metrics.kinds.margins import versions_of_runs, way_to_verdict, what_matters
from metrics.kinds.preferences.results import Duel, PreferenceResults, by_name
from metrics.kinds.preferences.words import headline, numbers, outlook, these_workers
from metrics.models import Report


def chosen_pair(report: Report, query: QueryDict, user: User) -> dict[str, Any]:
    """The context of the pair that the address names, else of the strongest two.

    `runs` are the systems that were compared, by key; `keys` are all runs of the study, by name.
    """
    results, keys = PreferenceResults.of(report), by_name(report.subject)
    names = {keys[name]: name for name in results.pairs["systems"] if name in keys}
    first, second = (names.get(number_in(query.get(side, "")) or 0) for side in ("first", "second"))
    duel = results.duel(first, second) if first and second else results.first_to_show()
    way = None
    if duel:
        first, second = duel["first"], duel["second"]
        versions = versions_of_runs(keys.get(first), keys.get(second))
        matters, way = what_matters("votes", versions, user=user), way_to_verdict(versions, user)
        texts = {"headline": headline(duel), "numbers": numbers(duel), "outlook": outlook(duel, matters)}
        duel = {**duel, **texts, "these_workers": these_workers(duel, len(results.duels))}
    return {
        "results": results,
        "runs": names,
        "keys": keys,
        "first": first,
        "second": second,
        "duel": duel,
        "way_to_verdict": way,
    }


def matrix(results: PreferenceResults, names: list[str]) -> list[tuple[str, list[tuple[float, Duel | None] | None]]]:
    """One row per system: how often it is above each other one in the draws, and their duel if they were compared.

    The diagonal is None.
    """
    return [
        (name, [None if other == name else (results.systems["above"][name][other], results.duel(name, other)) for other in names])
        for name in names
    ]

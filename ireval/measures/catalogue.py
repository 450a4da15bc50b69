"""Search in the catalogue of measures, and its entries as plain data."""

from collections.abc import Callable, Iterable
from typing import Any

from ireval.measures.registry import MEASURES, Kind


def search(query: str = "", translate: Callable[[str], str] = str) -> list[Kind]:
    """The measures in which every word of the query occurs: in a name, an alias, the title, the citation or a property.

    The title counts in English and as `translate` has it.

    >>> [kind.name for kind in search("gm_map")], search("no such measure")
    (['GMAP'], [])
    """
    words = query.casefold().split()
    return [kind for kind in MEASURES.values() if all(word in search_text(kind, translate) for word in words)]


def search_text(kind: Kind, translate: Callable[[str], str]) -> str:
    return " ".join([*names(kind), kind.title, translate(kind.title), kind.citation, kind.looks_at, kind.gains]).casefold()


def names(kind: Kind) -> list[str]:
    return [kind.name, *kind.aliases, *trec_names(kind)]


def trec_names(kind: Kind) -> list[str]:
    return [name for name in (kind.trec, kind.trec_at and f"{kind.trec_at}_k") if name]


def entries(kinds: Iterable[Kind]) -> list[dict[str, Any]]:
    """Each measure as plain data, for JSON."""
    return [
        {
            "name": kind.name,
            "title": kind.title,
            "example": kind.example,
            "trec_eval": trec_names(kind),
            "also": list(kind.aliases),
            "parameters": {parameter.name: parameter.meaning for parameter in kind.all_parameters},
            "formula": kind.formula,
            "looks_at": kind.looks_at,
            "gains": kind.gains,
            "by_subtopic": kind.by_intent,
            "degenerate": kind.degenerate,
            "citation": kind.citation,
        }
        for kind in kinds
    ]

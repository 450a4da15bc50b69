"""Cautions about a verdict's evidence: grades of few documents, and grades and votes that no person gave."""

from collections.abc import Iterator, Mapping
from typing import Any

from judging.labels.results import current
from judging.models import Qrels, Study
from metrics.kinds.runs.words import about_simulated, about_sparse
from metrics.kinds.studies import not_people

PEOPLE = ("experts", "workers")


def about_sources(sources: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Warn of each kind of evidence, by the keys of what it was made of."""
    for kind, keys in sources.items():
        if kind in PEOPLE and (qrels := Qrels.objects.filter(pk=keys["qrels"]).first()):
            yield from filter(None, [about_sparse(qrels), about_simulated(qrels)])
        if kind == "votes" and (study := Study.objects.filter(pk=keys["study"]).first()):
            yield from filter(None, [about_votes(study)])


def about_votes(study: Study) -> str:
    votes = current(study).filter(preference__isnull=False)
    return not_people({"votes": votes.count(), "simulated": votes.filter(worker__simulated=True).count()})

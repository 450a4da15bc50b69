"""Evidence of a graded study's report: votes and signals, read once, and a fingerprint that tells them from later evidence."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from ireval import Labels, Resampling, labels_of
from judging.labels.results import votes
from judging.models import Item, Study
from judging.rules.signals import signals
from metrics.kinds.studies import hash_of, judgement_facts
from metrics.models import Report
from metrics.stored_tables import Tables, table_of


@dataclass(frozen=True)
class Evidence:
    """The evidence that every step gets.

    `votes` are the judgements that decide on labels, in the order given: item, topic, docno, grade, worker, simulated. `signals`
    are `judging.rules.signals.signals` of all workers.
    """

    study: Study
    votes: pl.DataFrame
    signals: pl.DataFrame
    spec: dict[str, Any]
    facts: dict[str, Any]

    @cached_property
    def labels(self) -> Labels:
        """The votes as the engine's labels, on the whole scale; `items` are keys as text. Raises BadLabels without votes."""
        votes = self.votes.select("item", "topic", "worker", label="grade")
        return labels_of(votes, values=[str(grade) for grade in sorted(self.study.grades)])

    @property
    def resampling(self) -> Resampling:
        return Resampling(**self.spec["intervals"])


def fingerprint(study: Study) -> dict[str, Any]:
    """Facts that change whenever a number of the report would; a few small queries."""
    checks = Item.objects.filter(study=study).exclude(role=Item.Role.WORK).order_by("pk")
    rules = study.rules.filter(ended__isnull=True).order_by("pk")
    return {
        **judgement_facts(study),
        "checks": hash_of(checks.values_list("pk", "role", "right")),
        "rules": [list(rule) for rule in rules.values_list("signal", "threshold", "least")],
        "least_seconds": study.least_seconds,
    }


def read(study: Study) -> Tables:
    return {"votes": read_votes(study), "signals": signals(study)}


def read_votes(study: Study) -> pl.DataFrame:
    keys = Item.objects.filter(study=study).values_list("topic__number", "document__docno", "pk")
    schema = {"topic": pl.String, "docno": pl.String, "item": pl.Int64}
    items = pl.DataFrame(list(keys), schema=schema, orient="row")
    rows = votes(study).join(items, on=["topic", "docno"], maintain_order="left")
    return rows.select("item", "topic", "docno", "grade", "worker", "simulated")


def evidence_of(report: Report) -> Evidence:
    """The evidence as it was read when computing began."""
    votes, signals = table_of(report, "votes"), table_of(report, "signals")
    assert votes is not None
    assert signals is not None
    return Evidence(report.subject, votes, signals, report.spec, report.evidence)

"""What a study's report is computed from: read once, told from later evidence by a fingerprint that takes a few small queries."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from ireval import Labels, Resampling, labels_of
from judging.labels.results import votes
from judging.models import Item, Study
from judging.rules.signals import signals
from metrics.kinds.studies import hashed, judged
from metrics.models import Report
from metrics.stored_tables import Tables, table_of


@dataclass(frozen=True)
class Evidence:
    """What every step gets.

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
        """The same for the engine, on the whole scale; `items` are keys as text. BadLabels if there are no votes."""
        return labels_of(
            self.votes.select("item", "worker", label="grade"), values=[str(grade) for grade in sorted(self.study.grades)]
        )

    @property
    def resampling(self) -> Resampling:
        return Resampling(**self.spec["intervals"])


def fingerprint(study: Study) -> dict[str, Any]:
    """Changes with whatever changes a number in the report."""
    checks = Item.objects.filter(study=study).exclude(role=Item.Role.WORK).order_by("pk")
    rules = study.rules.filter(ended__isnull=True).order_by("pk")
    return {
        **judged(study),
        "checks": hashed(checks.values_list("pk", "role", "right")),
        "rules": [list(rule) for rule in rules.values_list("signal", "threshold", "least")],
        "least_seconds": study.least_seconds,
    }


def read(study: Study) -> Tables:
    return {"votes": read_votes(study), "signals": signals(study)}


def read_votes(study: Study) -> pl.DataFrame:
    keys = Item.objects.filter(study=study).values_list("topic__number", "document__docno", "pk")
    schema = {"topic": pl.String, "docno": pl.String, "item": pl.Int64}
    items = pl.DataFrame(list(keys), schema=schema, orient="row")
    found = votes(study).join(items, on=["topic", "docno"], maintain_order="left")
    return found.select("item", "topic", "docno", "grade", "worker", "simulated")


def evidence_of(report: Report) -> Evidence:
    """What was read when computing began."""
    votes, signals = table_of(report, "votes"), table_of(report, "signals")
    assert votes is not None
    assert signals is not None
    return Evidence(report.subject, votes, signals, report.spec, report.evidence)

"""What a study's report is computed from: read once, told from later evidence by a fingerprint that takes a few small queries."""

import hashlib
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import polars as pl
from django.db.models import Max, OuterRef, Subquery

from ireval import ENGINE_VERSION, Labels, Resampling, labels_of
from judging.labels.results import current, votes
from judging.models import Item, Judgement, Study, Worker
from judging.rules.signals import signals
from metrics.models import StudyReport


class Part(NamedTuple):
    """What a step comes to: a result that JSON can hold, and rows where there are many."""

    result: dict[str, Any]
    rows: pl.DataFrame | None = None


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


def judged(study: Study) -> dict[str, Any]:
    """What has been judged, and by whom. Judgements are only added, so their count and the latest tell."""
    people = Worker.objects.filter(study=study).order_by("pk")
    own = Judgement.objects.filter(worker=OuterRef("pk")).order_by("-pk").values("pk")[:1]
    return {
        "judgements": current(study).count(),
        "latest": people.order_by().annotate(own=Subquery(own)).aggregate(latest=Max("own"))["latest"] or 0,
        "excluded": hashed(people.filter(standing=Worker.Standing.EXCLUDED).values_list("pk")),
    }


def hashed(rows: Iterable[tuple]) -> str:
    return hashlib.sha256(json.dumps(list(rows)).encode()).hexdigest()[:16]


def digest(study: Study, spec: dict[str, Any], facts: dict[str, Any]) -> str:
    content = {"study": study.pk, "engine": ENGINE_VERSION, "spec": spec, "evidence": facts}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read(study: Study) -> dict[str, bytes]:
    return {"votes": as_parquet(read_votes(study)), "signals": as_parquet(signals(study))}


def read_votes(study: Study) -> pl.DataFrame:
    keys = Item.objects.filter(study=study).values_list("topic__number", "document__docno", "pk")
    schema = {"topic": pl.String, "docno": pl.String, "item": pl.Int64}
    items = pl.DataFrame(list(keys), schema=schema, orient="row")
    found = votes(study).join(items, on=["topic", "docno"], maintain_order="left")
    return found.select("item", "topic", "docno", "grade", "worker", "simulated")


def evidence_of(report: StudyReport) -> Evidence:
    """What was read when computing began."""
    assert report.votes is not None and report.signals is not None
    return Evidence(report.study, from_parquet(report.votes), from_parquet(report.signals), report.spec, report.evidence)


def as_parquet(frame: pl.DataFrame) -> bytes:
    content = io.BytesIO()
    frame.write_parquet(content)
    return content.getvalue()


def from_parquet(content: bytes | memoryview) -> pl.DataFrame:
    return pl.read_parquet(io.BytesIO(content))

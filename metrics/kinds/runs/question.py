"""Questions that reports on runs answer: checked, given a digest and sent to Celery; the same question has one report."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from ireval import DEFAULT_PROFILE, ENGINE_VERSION, PROFILES, BadMeasure, parse_measures
from judging.errors import Unacceptable
from judging.models import Collection, NearDuplicates, Qrels, Run, User
from metrics import pipeline
from metrics.kinds.runs.parts import is_complete
from metrics.kinds.runs.results import graded_by
from metrics.kinds.runs.rules import DEEPEST_CUT, HIGHEST_GRADE, TIES, TOPICS, USUAL, counts_once, in_short, rules_of
from metrics.models import Part, Report

DEFAULT_MEASURES = "nDCG@10 AP RR P@5 P@10 R@100 Rprec Judged@10"
MOST_PARTS = 1000
MOST_MEASURES = 60


class CannotAsk(Unacceptable):
    """The question has no answer; `errors` says what is wrong, by field."""

    def __init__(self, errors: dict[str, list[str]]):
        self.errors = errors
        super().__init__(" ".join(message for messages in errors.values() for message in messages))


@dataclass(frozen=True)
class Question:
    """The question of a report: everything that its numbers depend on."""

    collection: Collection
    runs: Sequence[Run]
    qrels: Sequence[Qrels]
    measures: Sequence[str]
    profile: str
    topics: str
    relevant_from: int
    depth: int | None
    judged_only: bool
    ties: str
    duplicates: NearDuplicates | None

    @property
    def spec(self) -> dict:
        further = {"depth": self.depth, "judged_only": self.judged_only, "ties": self.ties}
        groups = {"duplicates": {"id": self.duplicates.pk, "sha256": self.duplicates.sha256}} if self.duplicates else {}
        return {
            "runs": [{"id": run.pk, "name": run.name, "sha256": run.sha256} for run in self.runs],
            "qrels": [{"id": qrels.pk, "name": str(qrels), "sha256": qrels.sha256} for qrels in self.qrels],
            "measures": list(self.measures),
            "profile": self.profile,
            "topics": self.topics,
            "relevant_from": self.relevant_from,
            **{rule: value for rule, value in further.items() if value != USUAL[rule]},
            **groups,
        }

    @property
    def digest(self) -> str:
        """The hash of the question and the engine's version; the order of measures and the names of runs make no difference.

        Nor does which of several searches found the same groups of near-duplicates.
        """
        facts = {
            **self.spec,
            **({"duplicates": self.duplicates.sha256} if self.duplicates else {}),
            "runs": sorted([run.pk, run.sha256] for run in self.runs),
            "qrels": sorted([qrels.pk, qrels.sha256] for qrels in self.qrels),
            "measures": sorted(self.measures),
            "engine": ENGINE_VERSION,
        }
        return hashlib.sha256(json.dumps(facts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()

    def complaints(self) -> dict[str, list[str]]:
        """Messages on what is wrong with the question, by field; empty if nothing is."""
        by_field = {
            "runs": complaints_about(self.runs, self.collection, "run") or self.too_much(),
            "qrels": complaints_about(self.qrels, self.collection, "qrels version"),
            "measures": complaints_about_measures(self.measures),
            "profile": [] if self.profile in PROFILES else [f"“{self.profile}” is not one of {', '.join(PROFILES)}."],
            "topics": [] if self.topics in TOPICS else [f"“{self.topics}” is not one of {', '.join(TOPICS)}."],
            "relevant_from": [] if 1 <= self.relevant_from <= HIGHEST_GRADE else [f"Choose a grade from 1 to {HIGHEST_GRADE}."],
            "depth": complaints_about_depth(self.depth),
            "ties": [] if self.ties in TIES else [f"“{self.ties}” is not one of {', '.join(TIES)}."],
            "duplicates_once": complaints_about_duplicates(self.duplicates, self.collection, self.ties),
        }
        return {field: messages for field, messages in by_field.items() if messages}

    def too_much(self) -> list[str]:
        parts = len(self.runs) * len(self.qrels)
        if parts <= MOST_PARTS:
            return []
        return [f"{len(self.runs)} runs × {len(self.qrels)} qrels are {parts}: at most {MOST_PARTS} go into one report."]


def request_report(
    *,
    collection: Collection,
    runs: Sequence[Run],
    qrels: Sequence[Qrels],
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    profile: str = DEFAULT_PROFILE,
    topics: str = "both",
    relevant_from: int = 1,
    depth: int | None = None,
    judged_only: bool = False,
    ties: str = "profile",
    duplicates: NearDuplicates | None = None,
    title: str = "",
    by: User,
) -> Report:
    """Return the report that answers this question: the existing one, or a new one sent to Celery.

    `measures` are names in any of the three dialects. `topics` is "both" (those of run and qrels) or "qrels" (all of the
    qrels, as trec_eval -c). Grades of `relevant_from` and above count as relevant. `depth`, `judged_only` and `ties` are the
    engine's (see `evaluate`). Each group of `duplicates` counts once. A question that failed is tried again.
    Raises CannotAsk, with what is wrong by field, and stores nothing.
    """
    names, unknown = canonical(measures)
    question = Question(
        collection=collection,
        runs=sorted(set(runs), key=lambda run: (run.name, run.pk)),
        qrels=sorted(set(qrels), key=lambda version: (version.name, version.version)),
        measures=names,
        profile=profile,
        topics=topics,
        relevant_from=relevant_from,
        depth=depth,
        judged_only=judged_only,
        ties=ties,
        duplicates=duplicates,
    )
    complaints = question.complaints() | unknown
    if complaints:
        raise CannotAsk(complaints)
    report = get_or_create_report(question, title.strip()[:200] or suggested_title(question.spec), by)
    if report.is_failed:
        pipeline.try_again(report)
        report.refresh_from_db()
    return report


def suggested_title(spec: dict[str, Any]) -> str:
    runs, qrels = spec["runs"], " and ".join(version["name"] for version in spec["qrels"])
    systems = runs[0]["name"] if len(runs) == 1 else f"{len(runs)} runs"
    return ", ".join([f"{systems} under {qrels}", *in_short(spec)])[:200]


def ask_again(report: Report, by: User, qrels: Sequence[Qrels] | None = None) -> Report:
    """Ask a report's question of today's engine, and of other qrels if they are given.

    The answer is another report, or this one, computed anew if it lacks a part.
    """
    spec: dict[str, Any] = report.spec
    answer = request_report(
        collection=report.subject,
        runs=list(Run.objects.filter(pk__in=[run["id"] for run in spec["runs"]])),
        qrels=qrels or graded_by(report),
        measures=spec["measures"],
        duplicates=NearDuplicates.objects.get(pk=spec["duplicates"]["id"]) if counts_once(spec) else None,
        title="" if report.title == suggested_title(spec) else report.title,
        by=by,
        **rules_of(spec),
    )
    if answer.is_done and not is_complete(answer):
        pipeline.compute_anew(answer)
    return answer


@transaction.atomic
def get_or_create_report(question: Question, title: str, by: User) -> Report:
    report, is_new = Report.objects.get_or_create(
        digest=question.digest,
        defaults={
            "kind": Report.Kind.RUNS,
            "collection": question.collection,
            "title": title,
            "spec": question.spec,
            "engine_version": ENGINE_VERSION,
            "created_by": by,
        },
    )
    if is_new:
        Part.objects.bulk_create(
            Part(report=report, name=str(run.pk), run=run, qrels=qrels) for run in question.runs for qrels in question.qrels
        )
        pipeline.send(report)
    return report


def canonical(measures: str | Sequence[str]) -> tuple[list[str], dict[str, list[str]]]:
    """The measures' canonical names, and the message under "measures" if one is unknown."""
    try:
        return [str(measure) for measure in parse_measures(measures)], {}
    except BadMeasure as error:
        message = str(error)
        return [], {"measures": [message[0].upper() + message[1:]]}


def complaints_about_measures(names: Sequence[str]) -> list[str]:
    if not names:
        return ["Name at least one measure, such as nDCG@10."]
    if len(names) > MOST_MEASURES:
        return [f"{len(names)} measures are too many: at most {MOST_MEASURES} go into one report."]
    return []


def complaints_about_depth(depth: int | None) -> list[str]:
    if depth is None or 1 <= depth <= DEEPEST_CUT:
        return []
    return [f"Choose a rank from 1 to {DEEPEST_CUT:,}, or none."]


def complaints_about_duplicates(duplicates: NearDuplicates | None, collection: Collection, ties: str) -> list[str]:
    if duplicates is None:
        return []
    if duplicates.collection_id != collection.pk or duplicates.state != NearDuplicates.State.DONE:
        return [f"Near-duplicates of “{collection}” have not been found: look for them first."]
    if ties != USUAL["ties"]:
        return ["Ties by grade do not go with it: which of a group counts depends on the order."]
    return []


def complaints_about(chosen: Sequence[Run] | Sequence[Qrels], collection: Collection, what: str) -> list[str]:
    if not chosen:
        return [f"Choose at least one {what}."]
    foreign = [evidence for evidence in chosen if evidence.collection_id != collection.pk]
    return [f"The {what} “{evidence}” belongs to another collection than “{collection}”." for evidence in foreign]

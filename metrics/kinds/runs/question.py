"""Questions that reports on runs answer: checked, given a digest and sent to Celery; the same question has one report."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from django.db import transaction
from django.utils.translation import gettext as _

from ireval import ENGINE_VERSION, PROFILES, BadMeasure, parse_measures
from ireval.measures.evaluation import EvaluationRules
from judging.errors import BadFields, Impossible
from judging.models import Collection, NearDuplicates, Qrels, Run, User
from metrics import pipeline
from metrics.kinds.runs.parts import is_complete
from metrics.kinds.runs.results import graded_by
from metrics.kinds.runs.rules import DEEPEST_CUT, DEFAULTS, HIGHEST_GRADE, TIES, TOPICS, USUAL, counts_once, in_short, rules_of
from metrics.models import Part, Report

DEFAULT_MEASURES = "nDCG@10 AP RR P@5 P@10 R@100 Rprec Judged@10"
MOST_PARTS = 1000
MOST_MEASURES = 60


@dataclass(frozen=True)
class Question:
    """The question of a report: everything that its numbers depend on."""

    collection: Collection
    runs: Sequence[Run]
    qrels: Sequence[Qrels]
    measures: Sequence[str]
    rules: EvaluationRules
    duplicates: NearDuplicates | None

    @property
    def spec(self) -> dict:
        groups = {"duplicates": {"id": self.duplicates.pk, "sha256": self.duplicates.sha256}} if self.duplicates else {}
        return {
            "runs": [{"id": run.pk, "name": run.name, "sha256": run.sha256} for run in self.runs],
            "qrels": [{"id": qrels.pk, "name": str(qrels), "sha256": qrels.sha256} for qrels in self.qrels],
            "measures": list(self.measures),
            **{rule: value for rule, value in self.rules.items() if rule not in USUAL or value != USUAL[rule]},
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
        rules = self.rules
        by_field = {
            "runs": complaints_about_runs(self.runs, self.collection) or self.too_much(),
            "qrels": complaints_about_qrels(self.qrels, self.collection),
            "measures": complaints_about_measures(self.measures),
            "profile": complaints_about_name(rules["profile"], PROFILES),
            "topics": complaints_about_name(rules["topics"], TOPICS),
            "relevant_from": complaints_about_threshold(rules["relevant_from"]),
            "depth": complaints_about_depth(rules["depth"]),
            "ties": complaints_about_name(rules["ties"], TIES),
            "duplicates_once": complaints_about_duplicates(self.duplicates, self.collection, rules["ties"]),
        }
        return {field: messages for field, messages in by_field.items() if messages}

    def too_much(self) -> list[str]:
        parts = len(self.runs) * len(self.qrels)
        if parts <= MOST_PARTS:
            return []
        text = _("%(runs)s runs × %(qrels)s qrels are %(parts)s: at most %(most)s go into one report.")
        return [text % {"runs": len(self.runs), "qrels": len(self.qrels), "parts": parts, "most": MOST_PARTS}]


def request_report(
    *,
    collection: Collection,
    runs: Sequence[Run],
    qrels: Sequence[Qrels],
    measures: str | Sequence[str] = DEFAULT_MEASURES,
    duplicates: NearDuplicates | None = None,
    title: str = "",
    by: User,
    **rules: Unpack[EvaluationRules],
) -> Report:
    """Return the report that answers this question: the existing one, or a new one sent to Celery.

    `measures` are names in any of the three dialects. `rules` are the engine's (see `evaluate`), by default `DEFAULTS`. Each
    group of `duplicates` counts once. A question that failed is tried again.
    Raises BadFields and stores nothing; TypeError for a rule that there is not.
    """
    if stray := rules.keys() - DEFAULTS.keys():
        raise TypeError(f"there is no rule {min(stray)}")
    names, unknown = canonical(measures)
    question = Question(
        collection=collection,
        runs=sorted(set(runs), key=lambda run: (run.name, run.pk)),
        qrels=sorted(set(qrels), key=lambda version: (version.name, version.version)),
        measures=names,
        rules={**DEFAULTS, **rules},
        duplicates=duplicates,
    )
    complaints = question.complaints() | unknown
    if complaints:
        raise BadFields(**complaints)
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
    try:
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
    except BadFields as why:
        raise Impossible(_("This question can no longer be asked. %(why)s") % {"why": why}) from None
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
        return [_("Name at least one measure, such as nDCG@10.")]
    if len(names) > MOST_MEASURES:
        text = _("%(n)s measures are too many: at most %(most)s go into one report.")
        return [text % {"n": len(names), "most": MOST_MEASURES}]
    return []


def complaints_about_name(name: str, known: Mapping[str, Any]) -> list[str]:
    if name in known:
        return []
    return [_("“%(name)s” is not one of %(known)s.") % {"name": name, "known": ", ".join(known)}]


def complaints_about_threshold(grade: int) -> list[str]:
    return [] if 1 <= grade <= HIGHEST_GRADE else [_("Choose a grade from 1 to %(most)s.") % {"most": HIGHEST_GRADE}]


def complaints_about_depth(depth: int | None) -> list[str]:
    if depth is None or 1 <= depth <= DEEPEST_CUT:
        return []
    return [_("Choose a rank from 1 to %(most)s, or none.") % {"most": f"{DEEPEST_CUT:,}"}]


def complaints_about_duplicates(duplicates: NearDuplicates | None, collection: Collection, ties: str) -> list[str]:
    if duplicates is None:
        return []
    if duplicates.collection_id != collection.pk or duplicates.state != NearDuplicates.State.DONE:
        return [_("Near-duplicates of “%(collection)s” have not been found: look for them first.") % {"collection": collection}]
    if ties != USUAL["ties"]:
        return [_("Ties by grade do not go with it: which of a group counts depends on the order.")]
    return []


def complaints_about_runs(runs: Sequence[Run], collection: Collection) -> list[str]:
    if not runs:
        return [_("Choose at least one run.")]
    text = _("The run “%(run)s” belongs to another collection than “%(collection)s”.")
    return [text % {"run": run, "collection": collection} for run in runs if run.collection_id != collection.pk]


def complaints_about_qrels(qrels: Sequence[Qrels], collection: Collection) -> list[str]:
    if not qrels:
        return [_("Choose at least one qrels version.")]
    text = _("The qrels version “%(qrels)s” belongs to another collection than “%(collection)s”.")
    foreign = [version for version in qrels if version.collection_id != collection.pk]
    return [text % {"qrels": version, "collection": collection} for version in foreign]

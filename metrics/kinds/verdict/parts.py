"""Parts of a verdict: one line of evidence each, with the tables behind it; together they are decided."""

import hashlib
import json
import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from django.core.exceptions import ObjectDoesNotExist
from django.utils import timezone

from ireval import ENGINE_VERSION, evaluate
from ireval.io.files import BadInput
from ireval.io.plain import from_plain, plain
from ireval.significance.decision import Estimate
from ireval.translatable import Phrase
from ireval.verdict import Bundle, Evidence, Grades, Line, disagreements, result_of, verdict
from ireval.verdict.bundle import fields_of, read_evidence, tables_of
from judging.models import Hypothesis
from metrics import pipeline
from metrics.kinds.runs.values import JUDGED
from metrics.kinds.verdict.evidence import Source, evidence_of, left_out, sources
from metrics.models import Part, Report
from metrics.pipeline import CannotCompute, Findings, Kind, Reading
from metrics.stored_tables import table_of_part

KIND = Report.Kind.VERDICT


def fingerprint(all_sources: Sequence[Source]) -> dict[str, Any]:
    return {source.kind: source.facts for source in all_sources}


def digest(hypothesis: Hypothesis, facts: dict[str, Any]) -> str:
    content = {"hypothesis": hypothesis.pk, "engine": ENGINE_VERSION, "evidence": facts}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def read(report: Report) -> Reading:
    all_sources = sources(report.subject)
    facts = fingerprint(all_sources)
    if not all_sources:
        none = Phrase("There is no evidence on both systems yet: runs with qrels, side-by-side votes or an experiment.")
        raise CannotCompute(none)
    return Reading(
        timezone.now(),
        spec={"sources": {source.kind: source.keys for source in all_sources}, "left_out": left_out(report.subject)},
        evidence=facts,
        digest=digest(report.subject, facts),
        parts=[source.kind for source in all_sources],
    )


def compute(parts: Sequence[Part]) -> Iterable[Findings]:
    for part in parts:
        report = part.report
        source = Source(part.name, report.spec["sources"][part.name], report.evidence[part.name])
        try:
            evidence = evidence_of(source, report.subject)
            line = evidence.line()
        except ObjectDoesNotExist:
            gone = Phrase("What the %(evidence)s came from was deleted meanwhile. Ask again.", evidence=Phrase(source.label))
            raise CannotCompute(gone) from None
        except BadInput as why:
            raise CannotCompute(Phrase("%(evidence)s: %(why)s", evidence=Phrase(source.label), why=str(why))) from why
        result = {"line": plain(line), "fields": fields_of(evidence), "judged": plain(judged(evidence))}
        yield Findings(result, dict(tables_of(evidence)))


def judged(evidence: Evidence) -> list[float]:
    """Of A's and of B's first ten documents, the share that has a grade; nothing for evidence other than grades."""
    if not isinstance(evidence, Grades):
        return []
    return [evaluate(run, evidence.qrels, JUDGED, may_share_none=True).means()[JUDGED] for run in (evidence.a, evidence.b)]


def whole(report: Report) -> Findings:
    lines = [line_from(part.result["line"]) for part in report.parts.order_by("pk") if part.result]
    bundle = bundle_of(report)
    conclusion = verdict(lines, alpha=report.subject.alpha)
    topics = disagreements(bundle.evidence)
    return Findings(result_of(conclusion, bundle), {} if topics.is_empty() else {"topics": topics})


def line_from(fields: dict[str, Any]) -> Line:
    """A line that JSON kept: null is not a number, of degrees of freedom and bounds without end."""
    estimates = {name: Estimate(**from_plain(fields[name])) for name in ("difference", "share")}
    endless = {
        name: estimate._replace(freedom=math.inf) if math.isnan(estimate.freedom) and estimate.error > 0 else estimate
        for name, estimate in estimates.items()
    }
    low, high = fields["bounds"]
    return Line(**{**fields, **endless, "bounds": (-math.inf if low is None else low, math.inf if high is None else high)})


def bundle_of(report: Report) -> Bundle:
    """The evidence as it was read, with the question."""
    hypothesis: Hypothesis = report.subject
    evidence = [
        read_evidence(part.result["fields"], partial(table_or_none, report, part.name))
        for part in report.parts.order_by("pk")
        if part.result
    ]
    about = {"asked": hypothesis.created.isoformat(), "read": report.as_of and report.as_of.isoformat(), "why": hypothesis.why}
    return Bundle(hypothesis.a.name, hypothesis.b.name, evidence, hypothesis.alpha, {**about, "engine": report.engine_version})


def table_or_none(report: Report, part: str, name: str) -> Any:
    return table_of_part(report, part, name) if report.tables.filter(part__name=part, name=name).exists() else None


VERDICT = Kind(KIND, read, compute, whole)


def request_verdict(hypothesis: Hypothesis) -> Report:
    """Return the verdict that is being computed, or the newest if nothing has come since; else ask for a new one."""
    report, _, waiting = pipeline.latest_reports(KIND, hypothesis)
    if waiting:
        return waiting
    if report and is_current(report):
        return report
    return pipeline.ask(KIND, hypothesis, {})


def is_current(report: Report) -> bool:
    return report.digest == digest(report.subject, fingerprint(sources(report.subject)))

"""A verdict in words."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from judging.labels.results import current
from judging.models import Qrels, Study, User
from judging.models.hypothesis import GRADED
from judging.text.library_words import in_reader_language
from metrics.kinds.grade_cautions import about_simulated, about_sparse
from metrics.kinds.runs.results import Outcome
from metrics.kinds.runs.words import about_few, about_judged
from metrics.kinds.studies import not_people
from metrics.kinds.verdict.evidence import LABELS
from metrics.kinds.verdict.obstacles import OBSTACLES
from metrics.kinds.verdict.results import Row, VerdictResults
from metrics.models import Report
from metrics.sentences import decimal, decimals, signed


def sentence(report: Report, user: User) -> str:
    """The verdict in one sentence."""
    return in_one_sentence(VerdictResults(report)) if report.result else ""


def in_one_sentence(results: VerdictResults) -> str:
    """The verdict, with the difference, the interval and n of the first kind of evidence that says so; of two in conflict."""
    words = ("better", "worse") if results.outcome == "conflict" else (results.outcome,)
    first = [next((row for row in results.rows if row.word == word), None) for word in words]
    return " ".join([results.sentence, *(in_numbers(row) for row in first if row)])


def in_numbers(row: Row) -> str:
    """One kind's difference with the interval that its word rests on: where two one-sided tests gave it, that of both."""
    decision, line = row.decision, row.line
    low, high, level = decision.low, decision.high, decision.level
    if row.word in ("equal", "not worse", "not better"):
        (low, high), level = row.two_one_sided, 1 - 2 * decision.alpha
    words = {
        "kind": row.name,
        "value": signed(decision.value),
        "measure": row.measure,
        "low": decimal(low, decimals([low], 4)),
        "high": decimal(high, decimals([high], 4)),
        "level": f"{100 * level:.3g}",
        "n": f"{line.n:,}",
        "unit": row.unit,
    }
    text = _("By %(kind)s: %(value)s %(measure)s, n = %(n)s %(unit)s.")
    if not math.isnan(low):
        text = _("By %(kind)s: %(value)s %(measure)s (%(level)s %% interval %(low)s to %(high)s), n = %(n)s %(unit)s.")
    return text % words


def cautions(results: VerdictResults) -> list[str]:
    """What could mislead; that experts, machines and clicks are not drawn anew is no news."""
    told = [row for row in results.rows if row.line.caution and row.kind == LABELS["workers"]]
    single = [f"{capfirst(row.name)}: {in_reader_language(row.line.caution)}" for row in told]
    spec = results.report.spec
    return [*single, *about_sources(spec["sources"]), *about_grades(results), *about_left_out(spec.get("left_out", {}))]


def about_grades(results: VerdictResults) -> Iterator[str]:
    """Warn of grades of few of the documents that the systems show first, and of few topics, as reports on runs do."""
    report, rows = results.report, {row.key: row for row in results.rows}
    for part in report.parts.filter(name__in=GRADED).order_by("pk"):
        qrels, row = Qrels.objects.filter(pk=report.spec["sources"][part.name]["qrels"]).first(), rows.get(part.name)
        if qrels and row and part.result:
            shares = part.result.get("judged") or (None, None)  # a verdict from before they were kept has none
            runs = [
                Outcome(0, name, qrels.pk, row.line.n, {}, share, []) for name, share in zip((row.a, row.b), shares, strict=True)
            ]
            yield from filter(None, [about_judged(qrels, runs), about_few(qrels, runs)])


def about_sources(sources: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Warn of grades of few documents, and of grades and votes that no person gave, by the keys of what evidence was made of."""
    for kind, keys in sources.items():
        if kind in ("experts", "workers") and (qrels := Qrels.objects.filter(pk=keys["qrels"]).first()):
            yield from filter(None, [about_sparse(qrels), about_simulated(qrels)])
        if kind == "votes" and (study := Study.objects.filter(pk=keys["study"]).first()):
            votes = current(study).able()
            simulated = votes.filter(worker__simulated=True).count()
            yield from filter(None, [not_people({"votes": votes.count(), "simulated": simulated})])


def about_left_out(obstacles: Mapping[str, str]) -> list[str]:
    """A sentence for each kind of experiment that was left out."""
    sentences = {
        Report.Kind.INTERLEAVING: _("The newest interleaving is left out: %(why)s."),
        Report.Kind.AB: _("The newest A/B test is left out: %(why)s."),
    }
    return [sentences[Report.Kind(kind)] % {"why": OBSTACLES[why]} for kind, why in obstacles.items()]

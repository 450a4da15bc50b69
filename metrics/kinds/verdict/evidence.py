"""Sources of evidence on a hypothesis: the newest of each kind that speaks of both systems, and how each becomes evidence."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import polars as pl
from django.db.models import Max, QuerySet
from django.utils.translation import gettext_noop as _

from ireval.behaviour import definition_of
from ireval.experiments.sums import as_sums
from ireval.translatable import Phrase
from ireval.verdict import Evidence, Grades, Scored, SideBySide, Summed
from judging.access import own_experiments_for, qrels_for, studies_for
from judging.collections.storage import qrels_frame, run_frame
from judging.labels import preferences, results
from judging.labels.aggregation import several_judge
from judging.models import Collection, Experiment, Hypothesis, Qrels, Run, Study, System
from judging.models.hypothesis import GRADED, USUAL
from metrics.kinds.ab.parts import result_of
from metrics.kinds.interleaving.results import as_analysis
from metrics.kinds.studies import judgement_facts
from metrics.kinds.verdict.obstacles import obstacle
from metrics.models import Report
from metrics.pipeline import CannotCompute

# In English, as verdicts keep them. Pages translate them, and what else a line of evidence names.
LABELS = {
    "experts": _("grades of experts"),
    "workers": _("grades of workers"),
    "machines": _("grades of machines"),
    "clicks": _("grades from clicks"),
    "votes": _("side-by-side votes"),
    "interleaving": _("interleaving"),
    "ab": _("the A/B test"),
}
OF_EXPERIMENTS = (str(Report.Kind.INTERLEAVING.value), str(Report.Kind.AB.value))
UNITS = (_("topics"), _("queries"), _("votes"), _("impressions"), _("users"))
MEASURES = (_("share of votes"), _("Δ of interleaving"))


@dataclass(frozen=True)
class Source:
    """One kind of evidence with the rows that it comes from, by their keys; `facts` change whenever the evidence would."""

    kind: str
    keys: dict[str, Any]
    facts: dict[str, Any]

    @property
    def label(self) -> str:
        return LABELS[self.kind]


def sources(hypothesis: Hypothesis) -> list[Source]:
    """What there is, in the order of LABELS."""
    all_sources = [*graded_sources(hypothesis), *vote_sources(hypothesis), *experiment_sources(hypothesis)]
    return sorted(all_sources, key=lambda source: list(LABELS).index(source.kind))


def newest_run(system: System) -> Run | None:
    """The run of the system's newest version that has one."""
    return Run.objects.filter(version__system=system).order_by("version_id", "pk").last()


def graded_sources(hypothesis: Hypothesis) -> Iterator[Source]:
    runs = newest_run(hypothesis.a), newest_run(hypothesis.b)
    if not isinstance(hypothesis.scope, Collection) or None in runs:
        return
    a, b = runs
    assert a
    assert b
    readable = qrels_for(hypothesis.owner).filter(collection=hypothesis.scope).select_related("study")
    newest = {kind_of(qrels): qrels for qrels in readable.order_by("pk")}
    for kind in GRADED:
        if qrels := newest.get(kind):
            keys, facts = {"qrels": qrels.pk, "a": a.pk, "b": b.pk}, {"qrels": qrels.sha256, "a": a.sha256, "b": b.sha256}
            votes = {"votes": judgement_facts(qrels.study)} if kind == "workers" and qrels.study else {}
            yield Source(kind, keys, facts | votes)


def kind_of(qrels: Qrels) -> str:
    """Who gave these grades. Replies to other questions than the grade are none of these."""
    if qrels.recipe.get("machine"):
        return "machines"
    if qrels.recipe.get("site"):
        return "clicks"
    if qrels.recipe.get("question"):
        return ""
    return "workers" if qrels.study_id else "experts"


def vote_sources(hypothesis: Hypothesis) -> Iterator[Source]:
    mine = studies_for(hypothesis.owner)
    studies = mine.filter(kind=Study.Kind.SIDE_BY_SIDE, runs__version__system=hypothesis.a)
    study = studies.filter(runs__version__system=hypothesis.b).order_by("pk").last()
    if study is None:
        return
    if results.current(study).able().exists():
        yield Source("votes", {"study": study.pk}, judgement_facts(study))


def experiment_sources(hypothesis: Hypothesis) -> Iterator[Source]:
    """The newest experiment of each kind on both systems whose report is finished and may be read.

    Of own sites alone: a bundle holds the sums that a report is made of, which readers of a site do not see.
    """
    for kind in OF_EXPERIMENTS:
        report = next((report for report, obstacle in newest_reports(hypothesis, kind) if not obstacle), None)
        if report:
            yield Source(kind, {"report": report.pk}, {"report": report.pk, "as_of": str(report.as_of)})


def left_out(hypothesis: Hypothesis) -> dict[str, str]:
    """What keeps the newest experiment of each kind out of the verdict, by the kinds of which it does."""
    newest = {kind: next(newest_reports(hypothesis, kind), None) for kind in OF_EXPERIMENTS}
    return {kind: obstacle for kind, first in newest.items() if first and (obstacle := first[1])}


def newest_reports(hypothesis: Hypothesis, kind: str) -> Iterator[tuple[Report, str]]:
    """The newest finished report of each experiment of a kind on both systems, the newest first, with what keeps it out."""
    finished = Report.objects.filter(kind=kind, experiment__in=experiments_between(hypothesis), state=Report.State.DONE)
    of_each = finished.order_by().values("experiment").annotate(newest=Max("pk")).values("newest")
    for report in Report.objects.filter(pk__in=of_each).select_related("experiment__site").order_by("-pk"):
        yield report, obstacle(report, hypothesis.owner)


def experiments_between(hypothesis: Hypothesis) -> QuerySet[Experiment]:
    mine = own_experiments_for(hypothesis.owner)
    return mine.filter(arms__version__system=hypothesis.a).filter(arms__version__system=hypothesis.b)


def begun(kind: str, keys: dict[str, Any]) -> datetime | None:
    """When evidence of a kind began to come: grades were stored, votes were asked for, an experiment started."""
    if kind in GRADED:
        return Qrels.objects.filter(pk=keys["qrels"]).values_list("created", flat=True).first()
    if kind == "votes":
        return Study.objects.filter(pk=keys["study"]).values_list("launched", flat=True).first()
    return Report.objects.filter(pk=keys["report"]).values_list("experiment__started", flat=True).first()


def evidence_of(source: Source, hypothesis: Hypothesis) -> Evidence:
    expected = hypothesis.expectations.get(source.kind) or USUAL[source.kind]
    return BUILDERS[source.kind](source, hypothesis, expected)


def grades(source: Source, hypothesis: Hypothesis, expected: dict[str, Any]) -> Grades:
    qrels = Qrels.objects.select_related("study").get(pk=source.keys["qrels"])
    a, b = (run_frame(Run.objects.get(pk=source.keys[side])).select("topic", "docno", "score") for side in "ab")
    votes = workers_votes(qrels) if source.kind == "workers" else None
    unit = "queries" if source.kind == "clicks" else "topics"
    frame = qrels_frame(qrels)
    kept = frame.select([column for column in ("topic", "subtopic", "docno", "grade") if column in frame.columns])
    return Grades(source.label, expected["measure"], expected["margin"], kept, a, b, votes=votes, unit=unit)


def workers_votes(qrels: Qrels) -> pl.DataFrame | None:
    """The single grades behind settled ones, under pseudonyms, where several workers graded a document."""
    if qrels.study is None or not several_judge(qrels.study):
        return None
    votes = results.votes(qrels.study)
    return votes.select("topic", "docno", pl.format("w{}", "worker").alias("worker"), "grade")


def votes(source: Source, hypothesis: Hypothesis, expected: dict[str, Any]) -> SideBySide:
    study = Study.objects.get(pk=source.keys["study"])
    systems = {
        run.name: side
        for side, system in (("a", hypothesis.a), ("b", hypothesis.b))
        for run in study.runs.filter(version__system=system)
    }
    answers = preferences.rows(study).filter("votes", ~pl.col("mirrored"))
    between = answers.with_columns(pl.col("left", "right").replace_strict(systems, default=None)).drop_nulls(["left", "right"])
    chosen = between.filter(pl.col("left") != pl.col("right"), pl.col("winner").is_not_null())
    return SideBySide(source.label, expected["margin"], chosen.select("item", "topic", "left", "right", "winner", "worker"))


def arms_of(experiment: Experiment, hypothesis: Hypothesis) -> tuple[str, str]:
    """The names of the arms that are the two systems'."""
    names = {arm.version.system_id: arm.name for arm in experiment.arms.select_related("version") if arm.version}
    if not {hypothesis.a.pk, hypothesis.b.pk} <= names.keys():
        raise CannotCompute(Phrase("The experiment’s arms are of other systems meanwhile. Ask again."))
    return names[hypothesis.a.pk], names[hypothesis.b.pk]


def interleaving(source: Source, hypothesis: Hypothesis, expected: dict[str, Any]) -> Scored:
    report = Report.objects.select_related("experiment").get(pk=source.keys["report"])
    assert report.experiment
    a, b = arms_of(report.experiment, hypothesis)
    pairs = (report.result or {}).get("whole", {}).get("pairs", [])
    pair = next(pair for pair in pairs if {pair["first"], pair["second"]} == {a, b})
    analysis = as_analysis(pair["analysis"])
    score = analysis.score.value if pair["first"] == b else 1 - analysis.score.value
    looks = report.experiment.planned if report.experiment.looks == Experiment.Looks.ALWAYS_VALID else None
    return Scored(
        source.label,
        expected["margin"],
        score,
        analysis.score.error,
        analysis.score.freedom or None,
        analysis.n,
        planned=looks,
        weight=weight_of(pair, report),
    )


def weight_of(pair: dict[str, Any], report: Report) -> float | None:
    """The sum of both arms' credit, where the score is a share of that."""
    if pair["analysis"]["by"] != "credit":
        return None
    credit = {row["system"]: row["credit"] for row in (report.result or {})["whole"]["standings"]}
    return float(credit[pair["first"]] + credit[pair["second"]])


def ab(source: Source, hypothesis: Hypothesis, expected: dict[str, Any]) -> Summed:
    report = Report.objects.select_related("experiment").get(pk=source.keys["report"])
    assert report.experiment
    a, b = arms_of(report.experiment, hypothesis)
    looks = report.experiment.planned if report.experiment.looks == Experiment.Looks.ALWAYS_VALID else None
    measure = report.spec["metrics"][0]
    sums = as_sums(result_of(report).experiment)
    return Summed(source.label, measure, expected["margin"], sums, a, b, more_is_better=more_is_better(measure), planned=looks)


def more_is_better(metric: str) -> bool:
    return definition_of(metric).better != "down"


BUILDERS: dict[str, Callable[[Source, Hypothesis, dict[str, Any]], Evidence]] = {
    **dict.fromkeys(GRADED, grades),
    "votes": votes,
    "interleaving": interleaving,
    "ab": ab,
}

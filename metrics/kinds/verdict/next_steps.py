"""What a question without an answer lacks: each kind of evidence that is missing, and where to collect it."""

from collections.abc import Iterator
from typing import NamedTuple

from django.urls import reverse
from django.utils.translation import gettext as _

from judging.access import qrels_for, studies_for
from judging.models import Collection, Hypothesis, Run, Study
from metrics.kinds.verdict.evidence import experiments_between, newest_reports, newest_run, sources
from metrics.kinds.verdict.obstacles import OBSTACLES

Links = list[tuple[str, str]]


class Gap(NamedTuple):
    """A kind of evidence, what it lacks, and links to where one gets it: words and address."""

    kind: str
    lacks: str
    links: Links


def missing(hypothesis: Hypothesis) -> list[Gap]:
    """What each kind of evidence lacks, as the asker may read it; empty where there is evidence of any kind."""
    return [] if sources(hypothesis) else [*of_rankings(hypothesis), of_experiments(hypothesis)]


def of_rankings(hypothesis: Hypothesis) -> Iterator[Gap]:
    """Grades and votes, which take runs of both; a site without a collection has neither."""
    collection = hypothesis.scope
    if not isinstance(collection, Collection):
        return
    without = [str(system) for system in (hypothesis.a, hypothesis.b) if newest_run(system) is None]
    if without:
        yield Gap(_("Grades and votes"), no_run_of(without), run_links(collection))
        return
    if not qrels_for(hypothesis.owner).filter(collection=collection).exists():
        yield Gap(_("Grades"), _("no qrels"), grade_links(collection))
    yield of_votes(hypothesis, collection)


def no_run_of(systems: list[str]) -> str:
    if len(systems) == 1:
        return _("no run of %(system)s") % {"system": systems[0]}
    return _("no run of %(first)s and of %(second)s") % {"first": systems[0], "second": systems[1]}


def run_links(collection: Collection) -> Links:
    """Name runs that are there, and import others."""
    named = reverse("collection_systems", args=[collection.pk])
    unnamed = [(_("Say whose the runs are"), named)] if Run.objects.filter(collection=collection, version=None).exists() else []
    return [*unnamed, (_("Import runs"), reverse("upload_new", args=[collection.pk]))]


def grade_links(collection: Collection) -> Links:
    upload, study = reverse("upload_new", args=[collection.pk]), reverse("study_new")
    return [(_("Import qrels"), upload), (_("Have documents graded"), f"{study}?collection={collection.pk}")]


def of_votes(hypothesis: Hypothesis, collection: Collection) -> Gap:
    studies = studies_for(hypothesis.owner).filter(kind=Study.Kind.SIDE_BY_SIDE, runs__version__system=hypothesis.a)
    study = studies.filter(runs__version__system=hypothesis.b).order_by("pk").last()
    if study:
        return Gap(
            _("Side-by-side votes"),
            _("nobody has voted in “%(study)s”") % {"study": study},
            [(_("Open it"), reverse("study", args=[study.pk]))],
        )
    address = f"{reverse('study_new')}?collection={collection.pk}&kind={Study.Kind.SIDE_BY_SIDE}"
    return Gap(_("Side-by-side votes"), _("no study compares the two"), [(_("Begin one"), address)])


def of_experiments(hypothesis: Hypothesis) -> Gap:
    experiment = experiments_between(hypothesis).order_by("pk").last()
    if experiment is None:
        return Gap(_("What users do"), _("no experiment has an arm of each"), [(_("Plan one on a site"), reverse("experiments"))])
    if not experiment.started:
        address = reverse("experiment", args=[experiment.pk])
        return Gap(
            _("What users do"), _("“%(experiment)s” has not started") % {"experiment": experiment}, [(_("Start it"), address)]
        )
    lacks = _("“%(experiment)s” has no report yet") % {"experiment": experiment}
    reports = newest_reports(hypothesis, experiment.kind)
    if why := next((obstacle for report, obstacle in reports if report.experiment_id == experiment.pk), ""):
        lacks = _("“%(experiment)s” is left out: %(why)s") % {"experiment": experiment, "why": OBSTACLES[why]}
    return Gap(_("What users do"), lacks, [(_("Show it"), reverse("experiment_report", args=[experiment.pk]))])

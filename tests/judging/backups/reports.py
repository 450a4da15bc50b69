"""A finished report of every kind, and the addresses of all that shows one or hands it out."""

import re
from collections.abc import Iterator

import pytest
from django.utils import timezone

from judging.collections.systems import confirm
from judging.models import Arm, Experiment, Site
from judging.recruiting.invites import token_of
from metrics.kinds.clicks import files as click_files
from metrics.kinds.clicks.freshness import request_click_report
from metrics.kinds.experiment_reports import files_of, request_experiment_report
from metrics.kinds.preferences import files as preference_files
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.quality import files as quality_files
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.runs import files as run_files
from metrics.kinds.studies import request_study_report
from metrics.kinds.verdict.parts import request_verdict
from metrics.models import Report
from metrics.shared_links import share
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.quality.conftest import compute  # noqa: F401
from tests.metrics.verdict.conftest import birds, hypothesis, systems, voted  # noqa: F401
from tests.routes import LINES

OF_REPORTS = re.compile(
    r"(/api/v1)?/(reports|verdicts|shared|studies/{\w+}/(quality|preferences)|experiments/{\w+}/report|sites/{\w+}/clicks)/"
)
FILES = {
    "runs": run_files.FILES,
    "quality": quality_files.FILES,
    "preferences": preference_files.FILES,
    "clicks": click_files.FILES,
}


@pytest.fixture
def tested(collection, systems, researcher):  # noqa: F811
    """A site with an A/B test and an interleaving of lexical and dense, both ended."""
    site = Site.objects.create(name="Bird clicks", slug="bird-clicks", owner=researcher, collection=collection)
    plan = {"stopped": True, "planned": 40, "metrics": ["ctr"], "looks": "always_valid"}
    ab = started(site, researcher, name="ab", kind="ab", segments=["device"], **plan)
    merged = started(site, researcher, name="merged", kind="interleaving", **plan)
    arms = Arm.objects.filter(experiment__in=[ab, merged])
    confirm(collection, [(arm, "dense" if arm.name == "new" else "lexical", "9") for arm in arms], by=researcher)
    send(site, searches(ab, {"control": 40, "new": 40}))
    send(site, impressions(merged, 40, texts=[f"query {number}" for number in range(8)]))
    return [ab, merged]


@pytest.fixture
def reports(evidence, running, voted, tested, hypothesis, compute, researcher):  # noqa: F811
    """One of every kind, and one of the clicks on a site whose closed days are in archive files; that on runs is shared."""
    compute(request_study_report(QUALITY, running))
    compute(request_study_report(PREFERENCES, voted))
    for experiment in tested:
        compute(request_experiment_report(experiment))
    Site.objects.update(collection=voted.collection)
    until_now = {"days": None, "until": timezone.now()}  # without a named end it is the moment of computing
    for site in Site.objects.all():
        compute(request_click_report(site, **until_now))
    compute(request_verdict(hypothesis))
    finished = Report.objects.filter(state=Report.State.DONE)
    assert {report.kind for report in finished} == set(Report.Kind.values)
    assert finished.count() == len(Report.Kind.values) + 1
    share(Report.objects.get(kind="runs"), days=30, by=researcher)


def of_reports() -> list[str]:
    """All pages, files and answers of the API."""
    return sorted({*in_table(), *downloads()})


def in_table() -> Iterator[str]:
    """What the table of routes has of reports, filled in."""
    for method, path, *statuses in LINES:
        if method == "GET" and OF_REPORTS.match(path) and statuses[3] != "404":
            yield from {path.format(**names) for names in all_names()}


def all_names() -> list[dict[str, object]]:
    """What the table calls them; of experiments and sites there are two each."""
    of_kind = {kind: Report.objects.filter(kind=kind).latest("pk") for kind in Report.Kind.values}
    runs = of_kind["runs"]
    part = runs.parts.earliest("pk")
    names = {
        "report": runs.pk,
        "collection": runs.collection_id,
        "run": part.run_id,
        "qrels": part.qrels_id,
        "running": of_kind["quality"].subject.pk,
        "compared": of_kind["preferences"].subject.pk,
        "topic": of_kind["preferences"].subject.items.first().topic_id,
        "hypothesis": of_kind["verdict"].hypothesis_id,
        "shared": token_of(runs.shared_links.get()),
    }
    pairs = zip(Experiment.objects.all(), Site.objects.all(), strict=True)
    return [{**names, "experiment": experiment.pk, "clicked": site.pk} for experiment, site in pairs]


def downloads() -> Iterator[str]:
    """Each file of each report, from its page and, where it is there, from the API. The table has a verdict's only file."""
    for report in Report.objects.exclude(kind="verdict"):
        page = report.get_absolute_url()
        for name in FILES.get(report.kind) or files_of(report):
            yield f"{page}download/{name}" if report.kind == "runs" else f"{page}{name}"
            if report.kind in ("runs", "quality", "ab", "interleaving"):
                yield f"/api/v1{page}download/?file={name}"
    compared = Report.objects.get(kind="preferences").get_absolute_url()
    yield from (f"/api/v1{compared}download/?format={form}" for form in preference_files.FORMATS)

"""Reports on the demo's collections, asked for as soon as there is evidence, so that whoever looks finds them computed."""

from judging.models import Collection, Site, Study
from metrics.kinds import experiment_reports as experiments
from metrics.kinds.ab.results import ABResults
from metrics.kinds.clicks import freshness as clicks
from metrics.kinds.clicks.results import ClickResults
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.quality.parts import QUALITY
from metrics.kinds.runs.question import request_report
from metrics.kinds.studies import has_answers, request_study_report
from metrics.kinds.verdict.freshness import hypotheses_with, request_with_experiments
from metrics.models import Report


def request_reports(collection: Collection, *, title: str) -> Report:
    """Ask for all reports on the collection; returns the one on its runs under every qrels that it has."""
    for study in collection.studies.exclude(state=Study.State.DRAFT):
        if has_answers(study):
            request_study_report(PREFERENCES if study.compares else QUALITY, study)
    for site in collection.sites.all():
        request_log_reports(site)
    for hypothesis in hypotheses_with(a__collection=collection):
        request_with_experiments(hypothesis)
    runs, qrels = list(collection.runs.all()), list(collection.qrels.all())
    return request_report(collection=collection, runs=runs, qrels=qrels, title=title, by=collection.owner)


def request_log_reports(site: Site) -> None:
    """Ask for reports that there are not yet, and for those anew that somebody opened before the first visitors came.

    What visitors send is as old as they say, so that nothing else tells such a report from one that knows them.
    """
    report = clicks.latest_reports(site).last
    if not report or (report.is_done and ClickResults(report, site.owner).nothing):
        clicks.request_click_report(site, days=None)  # its visitors came once: of the last days there would soon be none
    for experiment in site.experiments.filter(started__isnull=False):
        report = experiments.latest_reports(experiment).last
        results = InterleavingResults if experiment.interleaves else ABResults
        if report and report.is_done and results(report, site.owner, {}).nothing:
            experiments.request_experiment_report(experiment)

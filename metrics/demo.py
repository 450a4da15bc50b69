"""Reports on the demo's collections, asked for as soon as there is evidence, so that whoever looks finds them computed."""

from judging.models import Collection, Study
from metrics.kinds.clicks.freshness import latest_reports, request_click_report
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
        if not latest_reports(site).last:
            request_click_report(site)
    for hypothesis in hypotheses_with(a__collection=collection):
        request_with_experiments(hypothesis)
    runs, qrels = list(collection.runs.all()), list(collection.qrels.all())
    return request_report(collection=collection, runs=runs, qrels=qrels, title=title, by=collection.owner)

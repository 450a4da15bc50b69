"""The effect of labels on systems: how sure their means are, and their order under each method of aggregation."""

from dataclasses import replace
from typing import Any

import numpy as np
from django.utils.translation import gettext_noop as _  # stored as it is: pages translate it

from ireval import parse_measure, parse_measures, scan_run
from ireval.agreement import Resampling
from ireval.stability import Panel, orders, uncertainty
from judging.collections.storage import source
from judging.labels.aggregation import MAJORITY, METHOD_CHOICES, CannotLabel, Gold, Labelling, labelling_of
from judging.labels.results import gold
from judging.models import Run
from metrics.kinds.quality.evidence import Evidence
from metrics.kinds.runs.evidence import Unreadable, checked
from metrics.kinds.runs.values import JUDGED, finite
from metrics.pipeline import Findings

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "Bpref"]
# Documents × runs × measures × resamples that take some 20 seconds; larger studies get fewer resamples.
AFFORDABLE = 5 * 10**8
FEWEST = 200


def effect(evidence: Evidence) -> Findings:
    """Compute means, places and intervals of the study's runs; if there are none, `why` says what is missing."""
    study = evidence.study
    runs = list(study.runs.order_by("name", "pk"))
    if why := missing(evidence, runs):
        return Findings({"runs": [], "why": why})
    try:
        return Findings({"runs": [{"id": run.pk, "name": run.name} for run in runs], "why": "", **effects(evidence, runs)})
    except Unreadable as reason:
        return Findings({"runs": [], "why": str(reason)})


def missing(evidence: Evidence, runs: list[Run]) -> str:
    if evidence.votes.is_empty():
        return _("No judgement has a vote.")
    return "" if runs else _("The study has pooled no runs.")


def effects(evidence: Evidence, runs: list[Run]) -> dict[str, Any]:
    labels, refused = by_every_method(evidence, gold(evidence.study))
    documents = labels[MAJORITY].ballot.pairs
    items, measures = np.arange(documents.height), parse_measures(MEASURES)
    panel = Panel(documents, {str(run.pk): checked(run, lambda run: scan_run(source(run.file))) for run in runs})
    resampling = affordable(evidence.resampling, documents.height * len(runs) * len(measures))
    intervals = uncertainty(labels[MAJORITY].aggregated, panel, items, measures, resampling)
    order = orders({method: labelling.aggregated for method, labelling in labels.items()}, panel, items, measures)
    return {
        "measures": [str(measure) for measure in measures],
        "topics": intervals.topics,
        "workers": intervals.workers,
        "documents": documents.height,
        "resamples": resampling.resamples,
        "undefined": intervals.undefined,
        "mean": plain(intervals.mean),
        "by_topics": plain(intervals.by_topics),
        "by_both": plain(intervals.by_both),
        "widening": plain(intervals.widening),
        "judged": plain(panel.judged(parse_measure(JUDGED))),
        "methods": list(order.labels),
        "refused": refused,
        "means": plain(order.mean),
        "place": order.place.tolist(),
        "tau": plain(order.tau),
        "drop": order.drop.tolist(),
    }


def by_every_method(evidence: Evidence, right: Gold) -> tuple[dict[str, Labelling], dict[str, str]]:
    """The labels by method, and for the methods that cannot label, why."""
    labels, refused = {}, {}
    for method in METHOD_CHOICES:
        try:
            labels[method] = labelling_of(evidence.votes, evidence.study.grades, method, right)
        except CannotLabel as why:
            refused[method] = str(why)
    return labels, refused


def affordable(resampling: Resampling, size: int) -> Resampling:
    """The same resampling with as few resamples as `size` (documents × runs × measures) allows, but FEWEST at least."""
    return replace(resampling, resamples=min(resampling.resamples, max(FEWEST, AFFORDABLE // max(1, size))))


def plain(array: np.ndarray) -> list:
    """The array as nested lists, with None for NaN."""
    return [plain(row) for row in array] if array.ndim > 1 else [finite(float(number)) for number in array]

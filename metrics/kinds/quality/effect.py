"""The step that looks at the systems: how sure their means are, and in which order they stand under each way to settle."""

from dataclasses import replace
from typing import Any

import numpy as np

from ireval import parse_measure, parse_measures, scan_run
from ireval.agreement import Resampling
from ireval.stability import Panel, orders, uncertainty
from judging.collections.storage import source
from judging.labels.aggregation import DEFAULT_METHOD, METHOD_CHOICES, CannotLabel, Gold, Labelling, labelling_of
from judging.labels.results import gold
from judging.models import Run
from metrics.kinds.quality.evidence import Evidence
from metrics.kinds.runs.evidence import Unreadable, checked
from metrics.kinds.runs.values import JUDGED, finite
from metrics.pipeline import Findings

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "Bpref"]
# Documents × runs × measures × resamples; so many take some 20 seconds, and whoever has more gets fewer resamples.
AFFORDABLE = 5 * 10**8
FEWEST = 200


def effect(evidence: Evidence) -> Findings:
    """Means, places and intervals of the study's runs; `why` says what is missing where there are none."""
    study = evidence.study
    runs = list(study.runs.order_by("name", "pk"))
    if why := missing(evidence, runs):
        return Findings({"runs": [], "why": why})
    try:
        return Findings({"runs": [{"id": run.pk, "name": run.name} for run in runs], "why": "", **found(evidence, runs)})
    except Unreadable as reason:
        return Findings({"runs": [], "why": str(reason)})


def missing(evidence: Evidence, runs: list[Run]) -> str:
    if evidence.votes.is_empty():
        return "No judgement has a vote."
    return "" if runs else "The study has pooled no runs."


def found(evidence: Evidence, runs: list[Run]) -> dict[str, Any]:
    labels, refused = by_every_method(evidence, gold(evidence.study))
    documents = labels[DEFAULT_METHOD].ballot.pairs
    items, measures = np.arange(documents.height), parse_measures(MEASURES)
    panel = Panel(documents, {str(run.pk): checked(run, lambda one: scan_run(source(one.file))) for run in runs})
    how = affordable(evidence.resampling, documents.height * len(runs) * len(measures))
    sure = uncertainty(labels[DEFAULT_METHOD].aggregated, panel, items, measures, how)
    order = orders({method: one.aggregated for method, one in labels.items()}, panel, items, measures)
    return {
        "measures": [str(measure) for measure in measures],
        "topics": sure.topics,
        "workers": sure.workers,
        "documents": documents.height,
        "resamples": how.resamples,
        "undefined": sure.undefined,
        "mean": plain(sure.mean),
        "by_topics": plain(sure.by_topics),
        "by_both": plain(sure.by_both),
        "widening": plain(sure.widening),
        "judged": plain(panel.judged(parse_measure(JUDGED))),
        "methods": list(order.labels),
        "refused": refused,
        "means": plain(order.mean),
        "place": order.place.tolist(),
        "tau": plain(order.tau),
        "drop": order.drop.tolist(),
    }


def by_every_method(evidence: Evidence, known: Gold) -> tuple[dict[str, Labelling], dict[str, str]]:
    """The labels of each method, and why some have none."""
    labels, refused = {}, {}
    for method in METHOD_CHOICES:
        try:
            labels[method] = labelling_of(evidence.votes, evidence.study.grades, method, known)
        except CannotLabel as why:
            refused[method] = str(why)
    return labels, refused


def affordable(how: Resampling, size: int) -> Resampling:
    return replace(how, resamples=min(how.resamples, max(FEWEST, AFFORDABLE // max(1, size))))


def plain(array: np.ndarray) -> list:
    """Nested lists whose NaN is None."""
    return [plain(one) for one in array] if array.ndim > 1 else [finite(float(number)) for number in array]

"""The power of a study: which difference between systems it could detect, by its topics and by how far differences spread over
topics.

The spread comes from this collection's runs where it has qrels to evaluate them with, else from published ones. Published are
medians of the standard deviations over all pairs of systems. They are from the matrices of Urbano et al., SIGIR 2019 (129 systems
of TREC 8 ad hoc, 34 of TREC 2013 web, 50 topics each).
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from ireval import Qrels as Grades
from ireval import Scores, evaluate, parse_measure, scores_of
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, smallest_difference, topics_needed
from ireval.significance.pairs import all_pairs
from judging.collections.storage import qrels_frame, run_frame
from judging.models import Qrels, Run, Study

PUBLISHED = {"nDCG@20": 0.18, "AP": 0.16, "P@10": 0.27, "RR": 0.42}
PUBLISHED_IN = gettext_noop(
    "the median over pairs of systems at TREC 8 and TREC 2013, 50 topics each (Urbano et al., SIGIR 2019)"
)
MEASURES = ("nDCG@10", "AP", "P@10", "RR")
LEAST_TOPICS = 10  # with fewer, their spread says little
MOST_ROWS = 1_000_000  # of runs to evaluate while somebody waits for the page
LARGEST = 1.0  # by which two values of any of these measures can differ
TO_FIND = 0.05  # a difference worth finding, for which the topics are counted


@dataclass(frozen=True)
class Spread:
    """How far the differences between systems spread over topics, as a standard deviation, for some measures."""

    deviations: dict[str, float]
    source: str


@dataclass(frozen=True)
class Detectable:
    """The smallest differences in a measure that these numbers of topics are likely to show; None where none is."""

    measure: str
    deviation: float
    smallest: list[float | None]
    needed: int


@dataclass(frozen=True)
class Detection:
    topics: list[int]
    rows: list[Detectable]
    source: str
    comparisons: int

    power = DEFAULT_POWER
    alpha = DEFAULT_ALPHA
    to_find = TO_FIND


def detection(study: Study, topics: int, *, readable: QuerySet[Qrels]) -> Detection:
    """What can be detected with so many topics, with twice and with four times as many. The paired t test's α is shared by all
    pairs of the study's runs."""
    runs = list(study.runs.order_by("name"))
    comparisons = max(math.comb(len(runs), 2), 1)
    spread = spread_of_runs(study, runs, readable) or Spread(PUBLISHED, _(PUBLISHED_IN))
    counts = [topics, 2 * topics, 4 * topics]
    rows = [
        Detectable(
            measure=measure,
            deviation=deviation,
            smallest=[smallest(count, deviation, comparisons) for count in counts],
            needed=topics_needed(TO_FIND, deviation, comparisons=comparisons),
        )
        for measure, deviation in spread.deviations.items()
    ]
    return Detection(counts, rows, spread.source, comparisons)


def smallest(topics: int, deviation: float, comparisons: int) -> float | None:
    difference = smallest_difference(topics, deviation, comparisons=comparisons, largest=LARGEST)
    return None if math.isnan(difference) else difference


def spread_of_runs(study: Study, runs: list[Run], readable: QuerySet[Qrels]) -> Spread | None:
    """The spread between these runs by the collection's newest qrels. None if these grade too few topics, or the runs are too
    large."""
    if len(runs) < 2 or sum(run.rows for run in runs) > MOST_ROWS:
        return None
    qrels = readable.filter(collection=study.collection_id, topic_count__gte=LEAST_TOPICS).order_by("-pk").first()
    if qrels is None:
        return None
    deviations = deviations_of(key(qrels), tuple(map(key, runs)))
    if not deviations:
        return None
    return Spread(deviations, _("this study’s runs, evaluated with the qrels “%(qrels)s”") % {"qrels": qrels})


def key(kept: Run | Qrels) -> tuple[int, str]:
    """What never stands for anything else, even where numbers are given anew."""
    return kept.pk, kept.sha256


@lru_cache(maxsize=64)
def deviations_of(qrels: tuple[int, str], runs: tuple[tuple[int, str], ...]) -> dict[str, float]:
    """The median over the pairs of runs; a measure is left out where too few topics are graded or runs do not differ."""
    frame = qrels_frame(Qrels.objects.get(pk=qrels[0]))
    if "subtopic" in frame.columns:
        return {}
    grades = Grades(frame)
    kept = Run.objects.filter(pk__in=[pk for pk, __ in runs])
    evaluations = {str(run.pk): evaluate(run_frame(run), grades, list(MEASURES), may_share_none=True) for run in kept}
    deviations = {measure: deviation_of(scores_of(evaluations, parse_measure(measure))) for measure in MEASURES}
    return {measure: deviation for measure, deviation in deviations.items() if deviation}


def deviation_of(scores: Scores) -> float:
    if len(scores.topics) < LEAST_TOPICS:
        return 0.0
    return float(np.median(all_pairs(len(scores.systems)).differences(scores.values).std(axis=0, ddof=1)))

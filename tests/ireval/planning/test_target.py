"""A target: the same difference and the same spread give the same number, wherever it is asked."""

import math

import numpy as np
import pytest

from ireval.planning import Target, topics_needed
from ireval.verdict import line_of_topics, verdict

DIFFERENCES = np.random.default_rng(4).normal(0.01, 0.2, 40)


def test_a_verdict_by_grades_alone_needs_as_many_topics_as_their_plan():
    (answer,) = verdict([line_of_topics("grades", "nDCG@10", DIFFERENCES, margin=0.03)]).answers
    assert answer.needed == Target(0.03, "nDCG@10").needed(DIFFERENCES.std(ddof=1) / math.sqrt(40), 40)


def test_kinds_of_evidence_share_alpha_as_pairs_do():
    lines = [line_of_topics(kind, "nDCG@10", DIFFERENCES, margin=0.03) for kind in ("experts", "workers")]
    needed = topics_needed(0.03, DIFFERENCES.std(ddof=1), comparisons=2)
    assert [answer.needed for answer in verdict(lines).answers] == [needed, needed]


@pytest.mark.parametrize(("difference", "error", "n"), [(0.05, 0.0, 40), (0.05, math.nan, 40), (0.05, 0.1, 0), (1e-9, 0.1, 40)])
def test_no_number_is_promised_where_there_is_none(difference, error, n):
    assert Target(difference, "nDCG@10").needed(error, n) is None

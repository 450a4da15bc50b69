"""What a verdict's numbers are told with."""

import pytest

from ireval.significance.decision import Estimate
from ireval.verdict import Line, verdict
from metrics.kinds.verdict.results import Row
from metrics.kinds.verdict.words import in_numbers


def row(line):
    (answer,) = verdict([line]).answers
    ends = answer.low, answer.high
    return Row("a", "b", "grades of experts", answer.word, line, answer.decision, ends, answer.share, None, None)


@pytest.mark.parametrize(
    ("value", "word", "interval"),
    [(0.0, "equal", "(90 % interval −0.0190 to 0.0190)"), (0.1, "better", "(95 % interval 0.0773 to 0.1227)")],
)
def test_the_interval_is_the_one_that_the_word_rests_on(value, word, interval):
    """Student's with 200 degrees of freedom: t is 1.6525 for 90 %, 1.9719 for 95 %; the margin lies between 0.0190 and 0.0227."""
    estimate, share = Estimate(value, 0.0115, 200), Estimate(0.5, 0.05, 200)
    line = Line("grades of experts", "nDCG@10", "topics", 201, estimate, share, margin=0.02)
    assert row(line).word == word
    assert interval in in_numbers(row(line))

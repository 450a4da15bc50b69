"""Arguments out of range are refused in words, and never answered with NaN."""

import numpy as np
import polars as pl
import pytest

from ireval import (
    BadInput,
    Resampling,
    Scores,
    always_valid,
    bootstrap_interval,
    coec,
    correlate,
    difference_interval,
    evaluate,
    labels_of,
    mean_interval,
    parse_measure,
    pooled_documents,
    sampled_differences,
    sampled_topics,
    t_interval,
    wilson_interval,
)
from ireval.clicks import fit
from ireval.experiments import arm_effects, arm_means, experiment_from_counts, homogeneity, proportion_test
from ireval.significance import Rules
from ireval.significance.corrections import shares_of_alpha
from ireval.significance.decision import Estimate, decide
from ireval.significance.tukey import randomised_half_width, tukey_half_width
from ireval.verdict.heterogeneity import heterogeneity
from tests.ireval.clicks.builders import sessions_from

VALUES = [0.1, 0.2, 0.4]
SCORES = Scores(("a", "b"), ("bm25", "rm3"), np.array([[0.2, 0.3], [0.1, 0.4]]), largest_difference=1.0)
POOL = pooled_documents({"bm25": {"1": {"a": 1.0}}, "rm3": {"1": {"b": 1.0}}}, {"1": {"a": 1}}, depth=1)
LOG = sessions_from("owls: a b*", "owls: b a*")
COUNTS = experiment_from_counts(["a", "b"], [100, 100], {"bought": [10, 20]})
OF_CONFIDENCE = {
    "Rules": lambda confidence: Rules(confidence=confidence),
    "Resampling": lambda confidence: Resampling(confidence=confidence),
    "mean_interval": lambda confidence: mean_interval(VALUES, confidence),
    "t_interval": lambda confidence: t_interval(VALUES, confidence),
    "bootstrap_interval": lambda confidence: bootstrap_interval(VALUES, np.random.default_rng(1), confidence=confidence),
    "difference_interval": lambda confidence: difference_interval(VALUES, np.random.default_rng(1), confidence=confidence),
    "wilson_interval": lambda confidence: wilson_interval(3, 10, confidence),
    "arm_means": lambda confidence: arm_means(COUNTS, confidence=confidence),
    "arm_effects": lambda confidence: arm_effects(COUNTS, confidence=confidence),
    "proportion_test": lambda confidence: proportion_test(10, 3, 10, 5, confidence=confidence),
    "always_valid": lambda confidence: always_valid(0.1, 0.1, 10, confidence=confidence),
    "tukey_half_width": lambda confidence: tukey_half_width(SCORES.values, confidence),
    "randomised_half_width": lambda confidence: randomised_half_width(np.arange(9.0), confidence),
    "coec": lambda confidence: coec(LOG, confidence=confidence),
    "fit": lambda confidence: fit(LOG, "cascade", confidence=confidence),
    "sampled_topics": lambda confidence: sampled_topics(SCORES, "ab", confidence=confidence),
    "sampled_differences": lambda confidence: sampled_differences(
        POOL, parse_measure("P@1"), pl.DataFrame(), confidence=confidence
    ),
    "heterogeneity": lambda confidence: heterogeneity({}, confidence=confidence),
}


@pytest.mark.parametrize("confidence", [95, 1, 0, -0.5, float("nan")])
@pytest.mark.parametrize("function", OF_CONFIDENCE)
def test_a_confidence_is_a_share(function, confidence):
    with pytest.raises(BadInput, match=rf"^confidence is {confidence:g}; expected a share such as 0\.95$"):
        OF_CONFIDENCE[function](confidence)


def test_a_correction_has_a_name():
    for function in (lambda: decide([Estimate(0.1, 0.1, 9)], correction="fdr"), lambda: shares_of_alpha([0.1], "fdr")):
        with pytest.raises(BadInput, match=r"^there is no correction fdr; expected one of holm, bh, bonferroni, none$"):
            function()


@pytest.mark.parametrize("depth", [0, -1, "5", 2.0])
def test_a_depth_is_a_whole_number(depth):
    with pytest.raises(BadInput, match=rf"^depth is {depth!r}; expected a whole number from 1$"):
        evaluate({"1": {"a": 2.0}}, {"1": {"a": 1}}, "AP", depth=depth)
    with pytest.raises(BadInput, match=r"^depth is "):
        correlate(["a", "b"], ["b", "a"], "overlap", depth=depth)


@pytest.mark.parametrize("rules", [Rules, Resampling])
def test_no_resamples_say_nothing(rules):
    with pytest.raises(BadInput, match=r"^resamples is 0; expected a whole number from 1$"):
        rules(resamples=0)


def test_a_scale_may_be_of_numbers():
    frame = pl.DataFrame({"item": ["d1", "d2"], "worker": ["ann", "ann"], "label": [0, 2]})
    assert labels_of(frame, values=[0, 1, 2]).values == labels_of(frame, values=["0", "1", "2"]).values == ("0", "1", "2")


@pytest.mark.parametrize("conversions", [110, -1])
def test_no_more_convert_than_there_are(conversions):
    with pytest.raises(BadInput, match=rf"^arm 1 has {conversions} conversions of 100 units; expected from 0 to as many$"):
        homogeneity([100, 100], [conversions, 0])
    with pytest.raises(BadInput, match=r"^arm 1 has "):
        proportion_test(100, conversions, 100, 0)

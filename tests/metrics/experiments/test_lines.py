"""A metric in an arm against the control, by either method."""

import math
from datetime import UTC, datetime

import pytest

from ireval.experiments import arm_effects, experiment_from_counts
from ireval.significance.corrections import holm
from metrics.kinds.ab import words
from metrics.kinds.ab.figures import moment
from metrics.kinds.ab.lines import Method, bonferroni, corrected, lines_of, with_arms
from metrics.kinds.ab.results import Look
from metrics.templatetags.experiments import ends, lift_ends


def lines(counts, *, n=4000, always=True, arms=("control", "new")):
    sums = experiment_from_counts(arms, [n] * len(arms), {"conversion:a": counts})
    return lines_of(sums, Method("control", 0.05, adjust=True, planned=5000, always=always))


@pytest.mark.parametrize("did", [300, 330, 360, 390, 420, 450, 480, 510, 540])
def test_a_lift_leaves_out_nothing_just_where_the_difference_does(did):
    (line,) = lines([400, did])
    low, high = line.supplement.always_relative_low, line.supplement.always_relative_high
    assert (low > 0, high < 0) == (line.effect.always_low > 0, line.effect.always_high < 0)
    assert low < line.effect.relative_low < line.effect.relative < line.effect.relative_high < high


def test_where_the_control_may_be_nothing_there_is_no_lift():
    (line,) = lines([3, 9], n=100)
    assert not math.isnan(line.effect.always_low)
    assert math.isnan(line.supplement.always_relative_low)


@pytest.mark.parametrize(("n", "planned"), [(2, 5000), (40, 10**9)])
def test_of_too_few_users_there_is_no_interval(n, planned):
    sums = experiment_from_counts(["control", "new"], [n, n], {"clicks": [0, 1]})
    (line,) = lines_of(sums, Method("control", 0.05, adjust=True, planned=planned, always=True))
    assert line.verdict == "none"
    assert words.in_short(line).endswith(f"(too few users for an interval), n = {n} and {n} users.")
    assert words.excluded(line, "95 %") == "No difference is excluded yet."
    assert ends(line) == "[−∞, +∞]"
    assert lift_ends(line) == ""


def test_shares_differ_by_no_more_than_all_of_them():
    (line,) = lines([3, 9], n=20)
    assert line.decision.low < -1 < 1 < line.decision.high
    assert ends(line) == "[−100.00, +100.00]"
    assert moment(Look(datetime(2026, 11, 1, tzinfo=UTC), 40, line), 100, "").always == (-100, 100)
    in_files = line.numbers()
    assert (in_files["always_low"], in_files["always_high"]) == (-1, 1)
    assert (in_files["low"], in_files["high"]) == (line.effect.low, line.effect.high)


def test_p_of_both_methods_are_corrected():
    some = lines([400, 460, 480], arms=("control", "new", "newer"))
    for line, other in zip(corrected(some), some, strict=True):
        assert (line.effect.holm, line.supplement.always_holm) == (other.effect.holm, other.supplement.always_holm)
    assert [line.supplement.always_holm for line in some] == pytest.approx(holm([line.effect.always_p for line in some]).tolist())
    assert bonferroni(some[0], 2).effect.p == pytest.approx(2 * some[0].effect.p)
    (unknown,) = lines([0, 0])
    assert math.isnan(bonferroni(unknown, 2).effect.p)
    assert unknown.verdict == "unknown"


def test_without_an_arm_the_others_are_as_if_it_had_not_been_there():
    counts = {"conversion:a": [400, 460, 480]}
    three = experiment_from_counts(["control", "new", "newer"], [4000] * 3, counts)
    two = experiment_from_counts(["control", "newer"], [4000] * 2, {"conversion:a": [400, 480]})
    assert arm_effects(with_arms(three, ["newer", "control"])) == arm_effects(two)

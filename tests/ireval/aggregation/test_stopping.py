"""When an item has labels enough: Bayes' rule, the same one vote at a time, and what it saves of real votes."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.aggregation import votes_in_order
from ireval.aggregation import StoppingRule, accuracy_from_agreement, decide, fixed_overlap, majority, replay
from ireval.agreement import Resampling, percent_agreement
from ireval.labels import UNKNOWN, BadLabels
from tests.ireval.label_builders import any_labels, by_item, labels_from

ACCURACY = st.floats(0.05, 0.95)


@given(st.lists(st.tuples(st.integers(0, 3), ACCURACY), max_size=8), st.lists(st.floats(0.1, 1), min_size=4, max_size=4))
def test_the_posterior_is_bayes_rule(votes, prior):
    """A worker of accuracy a gives each of the three wrong values with (1 − a) / 3."""
    likely = [share * math.prod(a if vote == value else (1 - a) / 3 for vote, a in votes) for value, share in enumerate(prior)]
    decision = decide([vote for vote, _ in votes], [a for _, a in votes], 4, prior=prior)
    assert decision.posterior == pytest.approx(max(likely) / sum(likely))
    if decision.label != UNKNOWN:
        assert likely[decision.label] == pytest.approx(max(likely))


def test_it_stops_when_sure_or_at_the_most_and_never_before_the_least():
    rule = StoppingRule(threshold=0.9, minimum=3, maximum=5)
    assert decide([1, 1], 0.8, 2, rule).reason == "more"  # sure, but too few
    assert decide([1, 1, 1], 0.8, 2, rule) == (1, pytest.approx(64 / 65), True, "sure")
    assert decide([1, 0, 1], 0.8, 2, rule).reason == "more"
    assert decide([1, 0, 1, 0, 1], 0.8, 2, rule) == (1, pytest.approx(0.8), True, "most")


def test_who_are_right_less_often_than_by_chance_count_against():
    assert decide([1, 1], 0.2, 2).label == 0


def test_nobody_leads_before_a_vote_or_in_a_tie():
    assert decide([], 0.8, 4) == (UNKNOWN, 0.25, False, "more")
    assert decide([0, 1], 0.8, 4).label == UNKNOWN


@pytest.mark.parametrize("size", [1, 2, 3])
def test_with_alike_workers_it_is_the_lead_that_counts(size):
    """Of two values the posterior of a lead by m is that of m votes, whatever came between."""
    between = [0, 1] * 3
    assert decide(between + [1] * size, 0.7, 2).posterior == pytest.approx(0.7**size / (0.7**size + 0.3**size))


@given(
    any_labels(),
    st.lists(ACCURACY, min_size=5, max_size=5),
    st.sampled_from([0.4, 0.7, 0.95]),
    st.integers(0, 3),
    st.sampled_from([None, 3, 4]),
)
def test_a_replay_decides_after_every_vote(labels, accuracies, threshold, minimum, maximum):
    rule = StoppingRule(threshold, minimum, maximum)
    accuracy = np.array(accuracies[: len(labels.workers)])
    outcome = replay(labels, accuracy, rule)
    for item, votes in by_item(labels).items():
        whose = accuracy[labels.worker[labels.item == item]]
        used = next((n for n in range(len(votes)) if decide(votes[:n], whose[:n], 4, rule).stop), len(votes))
        assert outcome.used[item] == used
        assert outcome.posterior[item].max() == pytest.approx(decide(votes[:used], whose[:used], 4).posterior)


@given(any_labels(), st.integers(1, 6))
def test_a_fixed_overlap_is_the_majority_of_the_first_votes(labels, n):
    outcome = fixed_overlap(labels, n)
    for item, votes in by_item(labels).items():
        first = votes[:n]
        assert outcome.used[item] == len(first)
        most = max(map(first.count, first))
        assert set(np.flatnonzero(outcome.chosen[item])) == {value for value in first if first.count(value) == most}


@given(st.floats(0.51, 0.99), st.integers(2, 5))
def test_accuracy_comes_back_from_the_agreement_it_leads_to(accuracy, values):
    agreement = accuracy**2 + (1 - accuracy) ** 2 / (values - 1)
    assert accuracy_from_agreement(agreement, values) == pytest.approx(accuracy, abs=1e-6)


def test_less_agreement_than_chance_tells_no_accuracy():
    with pytest.raises(BadLabels, match="less than chance"):
        accuracy_from_agreement(0.4, 2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StoppingRule(threshold=1.2), "the threshold is 1.2; expected more than 0 and at most 1"),
        (lambda: StoppingRule(minimum=3, maximum=2), "the maximum is 2; expected at least 1 and no less than the minimum, 3"),
        (lambda: decide([0], 1.0, 2), "expected accuracies between 0 and 1"),
        (lambda: decide([2], 0.8, 2), r"the labels are \[2\]; expected codes from 0 to 1"),
        (lambda: decide([0], 0.8, 2, prior=[1, 0]), "expected a prior of 2 numbers above 0"),
        (lambda: replay(labels_from("0 1"), 0.0, StoppingRule()), "expected accuracies between 0 and 1"),
    ],
)
def test_what_makes_no_sense_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.fixture(scope="module")
def votes(shared_data):
    """17,395 relevance votes on 2,165 documents in the order in which they came, and NIST's own judgement of 290 of them."""
    return votes_in_order(shared_data / "crowd_trec11_vuurens")


def test_a_majority_of_the_teams_votes_agrees_with_nist_as_known(votes):
    labels, gold = votes
    assert 1 - majority(labels).error_rate(gold) == pytest.approx(0.698, abs=5e-4)


def test_adaptive_overlap_saves_a_third_of_the_labels(votes):
    """Stopping at a lead of two agrees with the majority of all votes as often as five votes each do, and with NIST no less."""
    labels, gold = votes
    accuracy = accuracy_from_agreement(percent_agreement(labels, Resampling(resamples=1)).value, 2)
    adaptive, fixed = replay(labels, accuracy, StoppingRule(0.8)), fixed_overlap(labels, 5)
    everything = majority(labels).chosen
    assert adaptive.total < 0.68 * fixed.total
    assert (adaptive.chosen * everything).sum() >= (fixed.chosen * everything).sum()
    known = np.flatnonzero(gold >= 0)
    assert adaptive.chosen[known, gold[known]].mean() >= fixed.chosen[known, gold[known]].mean()


def test_not_asking_what_no_longer_matters_changes_no_label(votes):
    """With at most five votes, stopping at a lead of three is the majority of five for a seventh less."""
    labels, _ = votes
    adaptive, fixed = replay(labels, 0.7, StoppingRule(0.9, maximum=5)), fixed_overlap(labels, 5)
    assert (adaptive.chosen == fixed.chosen).all()
    assert adaptive.total < 0.86 * fixed.total

"""Bradley and Terry's model and Davidson's: two independent implementations, what has no finite estimate, and laws."""

import choix
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import optimize

from ireval.preferences import BadVotes, Counts, bradley_terry, counts_of, votes_of
from ireval.preferences.strengths import MODELS, are_bounded, components, tallied
from tests.ireval.preferences.builders import any_counts, any_frame, counts_from, swapped, votes_from

# Agresti, Categorical data analysis, 1990, table 10.10: American League, 1987; rows won against columns.
TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
SEASON = [
    *([0, 7, 9, 7, 7, 9, 11], [6, 0, 7, 5, 11, 9, 9], [4, 6, 0, 7, 7, 8, 12], [6, 8, 6, 0, 6, 7, 10]),
    *([6, 2, 6, 7, 0, 7, 12], [4, 4, 5, 6, 6, 0, 6], [2, 4, 1, 3, 1, 7, 0]),
]


def log_likelihood(parameters, counts):
    """Davidson's, vote by vote; the last parameter is log ν."""
    *free, log_nu = parameters
    strength = [*free, -sum(free)]
    total = 0
    for i, own in enumerate(strength):
        for j, other in enumerate(strength):
            if i < j:
                shares = [own, other, log_nu + (own + other) / 2]
                seen = [counts.wins[i, j], counts.wins[j, i], counts.ties[i, j]]
                total += np.dot(seen, shares) - sum(seen) * np.log(np.exp(shares).sum())
    return total


def maximised(counts):
    """By scipy, with derivatives by complex steps of nothing but the likelihood."""

    def score(parameters):
        return [-log_likelihood(parameters + 1e-30j * direction, counts).imag / 1e-30 for direction in np.eye(len(parameters))]

    start = np.zeros(len(counts.systems))
    optimum = optimize.minimize(lambda x: -log_likelihood(x, counts), start, jac=score, method="BFGS", options={"gtol": 1e-9})
    return np.append(optimum.x[:-1], -optimum.x[:-1].sum()), np.exp(optimum.x[-1])


def simulated(seed, systems=6, votes=3000, nu=0.7):
    rng = np.random.default_rng(seed)
    strength = rng.normal(0, 0.8, systems)
    wins, ties = np.zeros((systems, systems)), np.zeros((systems, systems))
    for i, j in rng.integers(0, systems, (votes, 2)):
        if i != j:
            shares = np.exp([strength[i], strength[j], np.log(nu) + (strength[i] + strength[j]) / 2])
            outcome = rng.choice(3, p=shares / shares.sum())
            wins[i, j] += outcome == 0
            wins[j, i] += outcome == 1
            ties[i, j] += outcome == 2
            ties[j, i] += outcome == 2
    return Counts(tuple("abcdefgh"[:systems]), wins, ties)


@pytest.mark.parametrize("seed", range(5))
def test_davidsons_model_is_scipys_maximum(seed):
    counts = simulated(seed)
    strength, nu = maximised(counts)
    fit = bradley_terry(counts)
    assert fit.strength == pytest.approx(strength, abs=1e-6)
    assert fit.nu == pytest.approx(nu, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_bradley_terry_is_that_of_choix(seed):
    counts = simulated(seed)
    expected = choix.ilsr_pairwise_dense(counts.wins + counts.ties / 2, tol=1e-12)
    fit = bradley_terry(counts, "bradley-terry")
    assert fit.strength == pytest.approx(expected - expected.mean(), abs=1e-6)
    assert fit.nu == 0


def test_the_american_league_of_1987():
    """Agresti's estimates, Baltimore's being 0."""
    fit = bradley_terry(Counts(TEAMS, np.array(SEASON, float), np.zeros((7, 7))), "bradley-terry")
    assert (fit.strength - fit.strength[6]).round(2).tolist() == [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0]


@given(any_counts(), st.sampled_from([*MODELS]))
def test_the_maximum_is_one(counts, model):
    """However few the votes: where an estimate is finite the score there is nought, and a step anywhere is a step down."""
    fit = bradley_terry(counts, model, prior=0)
    assume(not fit.unbounded and counts.wins.any())
    wins, ties = (table[0] for table in tallied(counts, model))
    known = Counts(counts.systems, wins, ties)
    log_nu = np.log(fit.nu) if fit.nu else -700

    def likelihood(strength, extra):
        return log_likelihood([*strength[:-1], log_nu + extra], known)

    rng = np.random.default_rng(0)
    best = likelihood(fit.strength, 0)
    for _ in range(10):
        step = rng.normal(0, 1e-3, len(counts.systems))
        step -= np.array([step[fit.component == number].mean() for number in fit.component])
        if len(set(fit.component.tolist())) == 1:
            assert likelihood(fit.strength + step, rng.normal(0, 1e-3)) <= best + 1e-9


def fits_for_ever(counts, model):
    """By a linear program: is there a direction in which some vote becomes likelier and none less likely?"""
    wins, ties = (points[0] for points in tallied(counts, model))
    s = len(counts.systems)
    has_nu = ties.any() and wins.any()
    rows = []

    def gain(i, j, tie):
        row = np.zeros(s + 1)
        row[i], row[j], row[s] = 1, -1, tie
        rows.append(row)

    for i, j in np.argwhere(wins > 0):
        gain(i, j, 0)
        if has_nu:
            gain(i, j, -2)
    for i, j in np.argwhere(ties > 0):
        gain(i, j, 2)
        if not has_nu:
            gain(j, i, 0)
    table = np.array(rows)
    optimum = optimize.linprog(-table.sum(axis=0), A_ub=-table, b_ub=np.zeros(len(rows)), bounds=[(-1, 1)] * (s + 1))
    return -optimum.fun > 1e-6


@given(any_counts(), st.sampled_from([*MODELS]))
def test_whether_an_estimate_is_finite_is_a_linear_program(counts, model):
    assume(counts.compared.any() and (counts.wins.any() or model == "bradley-terry"))
    assert are_bounded(tallied(counts, model), components(counts.compared))[0] == (not fits_for_ever(counts, model))


def test_two_systems_have_the_log_odds_of_their_points():
    fit = bradley_terry(counts_from([[0, 30], [10, 0]], [[0, 20], [0, 0]]), "bradley-terry")
    assert fit.strength.tolist() == pytest.approx([np.log(2) / 2, -np.log(2) / 2])
    assert fit.expected.tolist() == [pytest.approx([0.5, 2 / 3]), pytest.approx([1 / 3, 0.5])]


def test_two_systems_with_ties_have_the_shares_that_were_seen():
    fit = bradley_terry(counts_from([[0, 30], [10, 0]], [[0, 20], [0, 0]]))
    assert fit.strength[0] == pytest.approx(np.log(3) / 2)
    assert fit.nu == pytest.approx(20 / np.sqrt(300))
    assert fit.expected[0, 1] == pytest.approx(40 / 60)


def test_the_error_is_that_of_a_logit():
    fit = bradley_terry(counts_from([[0, 30], [10, 0]]), "bradley-terry")
    assert 2 * fit.error[0] == pytest.approx(np.sqrt(1 / 30 + 1 / 10))


def test_who_won_everything_is_named_and_drawn_towards_the_average():
    counts = counts_from([[0, 5, 5], [0, 0, 3], [0, 2, 0]])
    fit = bradley_terry(counts)
    assert fit.unbounded == "a never lost and never tied against the others"
    assert fit.prior == 0.5
    assert np.isfinite([*fit.strength, *fit.error]).all()
    assert fit.strength[0] > fit.strength[1] > fit.strength[2]
    assert np.isnan(bradley_terry(counts, prior=0).strength).all()
    assert bradley_terry(counts, prior=10).strength[0] < fit.strength[0]


def test_the_prior_is_votes_against_a_system_of_strength_0():
    """As if a third system, that is kept at 0, had won and lost half of each vote: its score is nought there."""
    wins = np.array([[0, 4.0], [0, 0]])
    fit = bradley_terry(Counts(("a", "b"), wins, np.zeros((2, 2))), "bradley-terry", prior=2)

    def score(x):
        beats = 1 / (1 + np.exp(-2 * x))
        against = 1 / (1 + np.exp(-x))
        return 4 * (1 - beats) + 2 * (0.5 - against)

    assert fit.strength[0] == pytest.approx(optimize.brentq(score, 0, 10))


def test_ties_alone_do_not_make_wins_finite():
    """Nobody ever preferred b: the further a is ahead with ever more ties, the likelier."""
    counts = counts_from([[0, 5], [0, 0]], [[0, 3], [0, 0]])
    assert bradley_terry(counts).unbounded.startswith("no two systems each won against the other")
    assert bradley_terry(counts, "bradley-terry").unbounded == ""


def test_ties_only():
    fit = bradley_terry(counts_from([[0, 0], [0, 0]], [[0, 3], [0, 0]]))
    assert fit.strength.tolist() == pytest.approx([0, 0])
    assert fit.nu == np.inf
    assert fit.expected.tolist() == [[0.5, 0.5], [0.5, 0.5]]


def test_systems_that_were_never_compared_are_not():
    counts = counts_from([[0, 3, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 2, 0]])
    fit = bradley_terry(counts)
    assert fit.component.tolist() == [0, 0, 1, 1]
    assert fit.strength.tolist() == pytest.approx([np.log(3) / 2, -np.log(3) / 2, -np.log(2) / 2, np.log(2) / 2])
    assert np.isnan(fit.expected[:2, 2:]).all()


def test_what_is_refused():
    votes = votes_from("q1 a b left x")
    with pytest.raises(BadVotes, match="there is no model elo; expected one of davidson, bradley-terry"):
        bradley_terry(votes, "elo")
    with pytest.raises(BadVotes, match="the prior is -1"):
        bradley_terry(votes, prior=-1)


def test_a_favourite_of_a_million_votes_is_found_all_the_same():
    fit = bradley_terry(counts_from([[0, 1e6, 1e6], [1, 0, 5e5], [0, 5e5, 0]]), "bradley-terry")
    assert fit.strength[0] - fit.strength[1] == pytest.approx(np.log(2e6), rel=1e-6)


@given(any_counts(), st.sampled_from([*MODELS]), st.integers(2, 9))
def test_more_of_the_same_votes_keeps_strengths(counts, model, times):
    fit = bradley_terry(counts, model)
    assume(not fit.unbounded)
    other = bradley_terry(Counts(counts.systems, times * counts.wins, times * counts.ties), model)
    assert other.strength == pytest.approx(fit.strength, abs=1e-6)
    assert other.error * np.sqrt(times) == pytest.approx(fit.error)


@given(any_counts(), st.sampled_from([*MODELS]), st.randoms(use_true_random=False))
def test_names_of_systems_do_not_matter(counts, model, random):
    order = [*range(len(counts.systems))]
    random.shuffle(order)
    other = Counts(counts.systems, counts.wins[np.ix_(order, order)], counts.ties[np.ix_(order, order)])
    fit, again = bradley_terry(counts, model), bradley_terry(other, model)
    assert again.strength == pytest.approx(fit.strength[order], abs=1e-6)
    assert again.error == pytest.approx(fit.error[order])
    assert again.prior == fit.prior


@given(any_counts(), st.sampled_from([*MODELS]))
def test_strengths_add_up_to_nothing_and_expected_scores_to_one(counts, model):
    fit = bradley_terry(counts, model)
    assert np.bincount(fit.component, fit.strength) == pytest.approx(0, abs=1e-9)
    both = fit.expected + fit.expected.T
    assert both[~np.isnan(both)] == pytest.approx(1)
    assert (fit.strength * (fit.against_average - 0.5) >= -1e-12).all()


@given(any_frame(), st.data())
def test_sides_and_the_order_of_rows_do_not_matter(frame, data):
    other = swapped(frame, data.draw(st.lists(st.booleans(), min_size=len(frame), max_size=len(frame))))
    other = other[data.draw(st.permutations(range(len(frame))))]
    tallies, again = counts_of(votes_of(frame)), counts_of(votes_of(other))
    assert (tallies.wins == again.wins).all()
    assert (tallies.ties == again.ties).all()

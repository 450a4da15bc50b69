"""Click models by hand, on worlds made by their own rules, and their laws."""

import math
from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given

from ireval.clicks import MODELS, BadClicks, fit, foresight, held_out, sessions_of
from ireval.clicks.position_based import cells_of, fit_position_based, likelihood
from ireval.significance import Clustered
from tests.ireval.clicks.builders import any_sessions, sessions_from

TINY = 1e-9


def attractiveness(model):
    return dict(model.pairs.select("document", "attractiveness").rows())


def test_the_cascade_counts_down_to_the_first_click():
    estimates = fit(sessions_from("q: a b* c*", "q: a b c", "q: b a*"), "cascade", prior=TINY)
    assert attractiveness(estimates) == {"a": pytest.approx(1 / 3), "b": pytest.approx(1 / 3), "c": pytest.approx(0, abs=1e-6)}
    assert dict(estimates.pairs.select("document", "support").rows()) == {"a": 3, "b": 3, "c": 1}
    assert estimates.note == "1 impressions have more clicks than the one that the model knows"


def test_dependent_clicks_count_down_to_the_last_click():
    estimates = fit(sessions_from("q: a* b c* d", "q: a* b c d", "q: a b c d"), "dependent-click", prior=TINY)
    expected = {"a": 2 / 3, "b": 0, "c": 1 / 2, "d": 0}
    assert attractiveness(estimates) == pytest.approx(expected, abs=1e-6)
    assert estimates.by_rank[[0, 2]].tolist() == pytest.approx([1 / 2, 0], abs=1e-6)


def test_the_simplified_network_knows_who_was_satisfied():
    estimates = fit(sessions_from("q: a* b c* d", "q: a* b c d", "q: a b c d"), "simplified-dbn", prior=TINY)
    satisfied = dict(estimates.pairs.select("document", "satisfaction").rows())
    assert [satisfied[name] for name in "ac"] == pytest.approx([1 / 2, 1], abs=1e-6)


def test_a_prior_pulls_towards_the_mean_and_unseen_documents_have_it():
    sessions = sessions_from("q: a* b", "q: a b")
    estimates = fit(sessions, "cascade", prior=2)
    mean = 1 / 3
    assert estimates.attractiveness == pytest.approx(mean)
    assert attractiveness(estimates) == pytest.approx({"a": (1 + 2 * mean) / 4, "b": 2 * mean / 3})
    assert estimates.chances(sessions_from("q: z"))[0, 0] == pytest.approx(mean)


@pytest.mark.parametrize("model", MODELS)
@given(sessions=any_sessions())
def test_chances_of_all_ways_to_click_add_up_to_one(model, sessions):
    estimates = fit(sessions, model)
    everything = ["q: " + " ".join(name + "*" * bool(way >> i & 1) for i, name in enumerate("abc")) for way in range(8)]
    ways = sessions_from(*(text.replace("q:", "owls:") for text in everything))
    assert np.exp(estimates.log_likelihoods(ways)).sum() == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize("model", MODELS)
@given(sessions=any_sessions())
def test_a_chance_without_knowing_is_the_mean_of_those_with(model, sessions):
    estimates = fit(sessions, model)
    ways = sessions_from(*(f"owls: a{'*' * (way & 1)} b{'*' * (way >> 1 & 1)} c{'*' * (way >> 2)}" for way in range(8)))
    chance = np.exp(estimates.log_likelihoods(ways))
    by_rank = (chance[:, None] * ways.spread(ways.clicked, fill=False)).sum(axis=0)
    assert estimates.chances(ways)[0] == pytest.approx(by_rank, abs=1e-4)


@given(any_sessions())
def test_the_likelihood_never_falls_during_the_em(sessions):
    cells = cells_of(sessions)
    fits = [fit_position_based(sessions, rounds) for rounds in (1, 2, 3, 5, 8, 13, 21, 34, 60)]
    reached = [likelihood(cells, step.examined, step.attractiveness) for step in fits]
    assert all(later >= earlier - 1e-6 for earlier, later in pairwise(reached))
    last_fit = fits[-1]
    assert last_fit.examined.max(initial=0) <= 1 + 1e-9
    assert ((last_fit.attractiveness >= 0) & (last_fit.attractiveness <= 1 + 1e-9)).all()


@pytest.mark.parametrize("model", MODELS)
@given(sessions=any_sessions())
def test_estimates_lie_within_their_intervals_and_perplexity_above_one(model, sessions):
    estimates = fit(sessions, model)
    if len(estimates.pairs):
        inside = estimates.pairs.filter(pl.col("low") <= pl.col("high"), pl.col("low") >= 0, pl.col("high") <= 1)
        assert len(inside) == len(estimates.pairs)
    assert (estimates.perplexity(sessions) >= 1).all()


def world(rng, model, n=6000, documents=8, depth=5):
    """Impressions of documents in any order, clicked by the rules of a model."""
    attractive = rng.uniform(0.1, 0.7, documents)
    satisfying = rng.uniform(0.2, 0.8, documents)
    by_rank = np.linspace(0.9, 0.3, depth)
    shown = np.argsort(rng.random((n, documents)), axis=1)[:, :depth]
    looking, clicked = np.ones(n, bool), np.zeros((n, depth), bool)
    for rank in range(depth):
        document = shown[:, rank]
        if model == "position-based":
            looking = rng.random(n) < by_rank[rank] / by_rank[0]
        clicked[:, rank] = looking & (rng.random(n) < attractive[document])
        going_on = {"cascade": 0.0, "dependent-click": by_rank[rank], "simplified-dbn": 1 - satisfying[document]}.get(model, 1.0)
        looking = looking & (~clicked[:, rank] | (rng.random(n) < going_on))
    frame = {
        "impression": np.repeat(np.arange(n), depth),
        "query": np.zeros(n * depth, int),
        "document": shown.ravel(),
        "rank": np.tile(np.arange(depth), n),
        "clicks": clicked.ravel().astype(int),
    }
    return sessions_of(pl.DataFrame(frame)), attractive, by_rank


@pytest.mark.parametrize("model", [name for name in MODELS if name != "rank-ctr"])
def test_models_find_the_world_that_they_describe(model):
    sessions, attractive, by_rank = world(np.random.default_rng(7), model)
    estimates = fit(sessions, model)
    pairs = estimates.pairs.sort(pl.col("document").cast(int))
    # Who looked on after the last click and clicked no more is not counted: with many clicks counting finds a little too much.
    exact = model in {"position-based", "cascade"}
    off = pairs["attractiveness"].to_numpy() - attractive
    assert (off > -0.03).all()
    assert (off < (0.05 if exact else 0.1)).all()
    if model == "position-based":
        assert estimates.converged
        assert estimates.by_rank == pytest.approx(by_rank / by_rank[0], abs=0.05)
    likelihoods = {evaluation.model.name: evaluation.log_likelihood for evaluation in held_out(sessions, seed=1)}
    assert likelihoods[model] > likelihoods["rank-ctr"]
    assert not exact or max(likelihoods, key=likelihoods.get) == model


def test_intervals_hold_the_truth_about_as_often_as_they_say():
    inside = []
    for seed in range(12):
        sessions, attractive, _ = world(np.random.default_rng(seed), "position-based", n=1500)
        pairs = fit(sessions, "position-based").pairs.sort(pl.col("document").cast(int))
        inside += ((pairs["low"].to_numpy() <= attractive) & (attractive <= pairs["high"].to_numpy())).tolist()
    assert 0.8 < np.mean(inside) <= 1


def test_ranks_without_a_document_in_common_are_said_to_be_apart():
    assert "2 groups" in fit(sessions_from("q: a* b", "q: a b*"), "position-based").note
    assert "groups" not in fit(sessions_from("q: a* b", "q: b a*"), "position-based").note


def test_it_is_said_where_documents_explain_their_own_clicks():
    """Of documents shown twice, nothing says whether a rank is not looked at or a document is no good."""
    few, _, by_rank = world(np.random.default_rng(5), "position-based", n=600, documents=1500)
    estimates = fit(few, "position-based")
    assert "explain their own clicks" in estimates.note
    assert (estimates.by_rank[1:] > by_rank[1:] / by_rank[0] + 0.1).all()
    many, _, _ = world(np.random.default_rng(5), "position-based")
    assert not fit(many, "position-based").note


def test_the_rank_looked_at_most_need_not_be_the_one_clicked_most():
    """What is shown first is hardly ever any good: a stays below, and b is clicked more often even where fewer look."""
    rng = np.random.default_rng(3)
    shown = [("a", "b") if rng.random() < 0.9 else ("b", "a") for _ in range(20_000)]
    looked, good = {0: 1.0, 1: 0.7}, {"a": 0.2, "b": 0.9}
    clicked = [[name + "*" * (rng.random() < looked[rank] * good[name]) for rank, name in enumerate(way)] for way in shown]
    estimates = fit(sessions_from(*("q: " + " ".join(way) for way in clicked)), "position-based")
    assert estimates.by_rank == pytest.approx([1, 0.7], abs=0.03)


def test_the_more_models_are_tried_the_more_it_takes_to_be_believed():
    """A gain of 2.2 standard errors tells a model from the baseline, but not the best of five."""
    gain = Clustered(0.011, math.nan, math.nan, 0.005, math.nan, 400)
    idle = gain._replace(value=0.001)
    assert [decision.outcome for decision in foresight([gain])] == ["first"]
    best, *_ = foresight([gain, *[idle] * 4])
    assert best.outcome == "none" and best.low < 0 < best.high
    assert foresight([gain._replace(value=-0.02)])[0].outcome == "second"


def test_held_out_begins_with_the_baseline_and_is_the_same_by_seed():
    sessions = sessions_from(*["q: a* b c", "q: b a* c", "q: a b c*", "q: c a* b"] * 5)
    evaluations = held_out(sessions, ["cascade"], seed=5)
    assert [evaluation.model.name for evaluation in evaluations] == ["rank-ctr", "cascade"]
    assert evaluations[1].perplexity == held_out(sessions, ["cascade"], seed=5)[1].perplexity
    assert evaluations[0].gain.value == 0
    assert math.isclose(
        evaluations[1].gain.value * evaluations[1].impressions, evaluations[1].log_likelihood - evaluations[0].log_likelihood
    )


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("shown", [["q: a"], ["q: a*"], ["q: a", "p: b c"], ["q: a b*", "q: a b* c* d e* f"]])
def test_logs_of_next_to_nothing_are_fitted_and_longer_ones_foreseen(model, shown):
    estimates = fit(sessions_from(*shown), model)
    longer = sessions_from("q: x* y z* w v", "q: a*")
    assert np.isfinite(estimates.perplexity(longer)).all()
    assert math.isfinite(estimates.log_likelihood(longer))


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(BadClicks, match="there is no click model guess"):
        fit(sessions_from("q: a*"), "guess")
    with pytest.raises(BadClicks, match="the prior is 0"):
        fit(sessions_from("q: a*"), "cascade", prior=0)

"""How attractive a document is: against the Beta distribution where everybody looked, and numerical integrals elsewhere."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta

from ireval.clicks import fit
from ireval.clicks import posterior as posteriors
from ireval.clicks.posterior import AT_ONCE, Views, posterior
from tests.ireval.clicks.builders import sessions_from


def views(n, clicks, examined):
    return Views(np.zeros(len(n), int), np.array(n, float), np.array(clicks, float), np.array(examined, float))


@pytest.mark.parametrize(("prior", "mean", "at_once"), [(1, 0.2, AT_ONCE), (1, 0.02, 100), (4, 0.5, AT_ONCE)])
def test_where_everybody_looked_it_is_a_beta_distribution(prior, mean, at_once, monkeypatch):
    monkeypatch.setattr(posteriors, "AT_ONCE", at_once)
    rng = np.random.default_rng(3)
    n = np.r_[rng.integers(0, 20, 300), rng.integers(0, 5000, 300), 100_000]
    clicks = np.r_[rng.binomial(n[:-1], rng.random(600) ** 2), 300]
    places = np.arange(len(n))
    estimates = posterior(Views(places, n * 1.0, clicks * 1.0, np.ones(len(n))), len(n), prior=prior, mean=mean, confidence=0.9)
    expected = beta(clicks + prior * mean, n - clicks + prior * (1 - mean))
    assert np.abs(estimates.mean - expected.mean()).max() < 0.001
    assert np.abs(estimates.low - expected.ppf(0.05)).max() < 0.005
    assert np.abs(estimates.high - expected.ppf(0.95)).max() < 0.005


shown = st.tuples(st.integers(0, 30), st.floats(0, 1), st.floats(0.05, 1))


@given(st.lists(shown, min_size=1, max_size=4), st.floats(0.05, 0.95))
def test_its_mean_is_that_of_the_likelihood_times_the_prior(cells, mean):
    n, shares, examined = map(np.array, zip(*cells, strict=True))
    clicks = np.round(n * shares)

    # With a = s² / (s² + (1 − s)²) nothing is infinite at the ends.
    def density(s, power):
        a, rest = s**2 / (s**2 + (1 - s) ** 2), (1 - s) ** 2 / (s**2 + (1 - s) ** 2)
        slope = 2 * s * (1 - s) / (s**2 + (1 - s) ** 2) ** 2
        likelihood = np.prod((examined * a) ** clicks * (1 - examined * a) ** (n - clicks) / scale)
        return a ** (2 * mean - 1 + power) * rest ** (1 - 2 * mean) * likelihood * slope

    rates = np.clip(clicks / np.maximum(n, 1), 1e-9, 1 - 1e-9)
    scale = rates**clicks * (1 - rates) ** (n - clicks)
    top = clicks.sum() / max(1e-9, (n * examined).sum())
    places = [chance for chance in (0.25, 0.5, 0.75, top) if 0 < chance < 1]
    whole, first = (quad(density, 1e-12, 1 - 1e-12, (power,), points=places, limit=500)[0] for power in (0, 1))
    estimates = posterior(views(n, clicks, examined), 1, prior=2, mean=mean, confidence=0.95)
    assert estimates.mean[0] == pytest.approx(first / whole, abs=0.005)
    assert estimates.low[0] < estimates.mean[0] < estimates.high[0]


def test_what_is_clicked_whenever_somebody_looks_is_attractive_wherever_it_stands():
    """Its Fisher information says that such views are worth nothing, and so it would be like any other document."""
    often = ["q: a* b c"] * 3 + ["q: b a* c"] * 4 + ["q: b c a*"] * 4 + ["q: b c* a*"] * 2
    seldom = ["q: d* b c", "q: d b* c", "q: b d c", "q: c d b*"] * 10
    pairs = fit(sessions_from(*often, *seldom), "position-based").pairs
    attractiveness = dict(pairs.select("document", "attractiveness").rows())
    support = dict(pairs.select("document", "support").rows())
    assert attractiveness["a"] > 0.9 > attractiveness["d"]
    assert 3 <= support["a"] <= 13
    assert pairs.filter(pl.col("low") > pl.col("attractiveness")).is_empty()

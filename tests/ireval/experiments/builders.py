"""Experiments of known effects, and any that hypothesis thinks of."""

import numpy as np
import polars as pl
from hypothesis import strategies as st

from ireval.experiments import Experiment, Observed, experiment_from


def searchers(rng: np.random.Generator, users: int, *, lift: float = 0.0) -> tuple[np.ndarray, Observed]:
    """Arms of users and their clicks per search: users search more or less and click more or less, in both weeks. The second arm
    clicks more by `lift`."""
    arm = rng.integers(0, 2, users)
    taste = rng.beta(2, 5, users)
    busy = rng.gamma(1.5, 4, users)
    searches, before = 1 + rng.poisson(busy), 1 + rng.poisson(busy)
    clicks = rng.binomial(searches, np.clip(taste * (1 + lift * arm), 0, 1))
    return arm, Observed(clicks, searches, rng.binomial(before, taste), before)


def two_arms(arm, observed: Observed) -> Experiment:
    return experiment_from(arm, ["a", "b"], {"metric": observed})


NUMBERS = st.integers(-50, 50).map(lambda number: number / 4)


@st.composite
def any_frame(draw) -> pl.DataFrame:
    """Two arms of three users or more, a mean with a time before, a ratio and a proportion."""
    n = draw(st.integers(6, 30))
    column = lambda values: draw(st.lists(values, min_size=n, max_size=n))  # noqa: E731 - as short as it can be
    return pl.DataFrame(
        {
            "unit": [f"u{number}" for number in range(n)],
            "arm": ["a", "b"] * 3 + draw(st.lists(st.sampled_from("ab"), min_size=n - 6, max_size=n - 6)),
            "time": column(NUMBERS),
            "time__before": column(NUMBERS),
            "clicks": column(st.integers(0, 9)),
            "clicks__per": column(st.integers(1, 9)),
            "bought": column(st.integers(0, 1)),
        }
    )

"""Bets against the truth are worth no more than their stake, whenever one stops: counted over every way to draw small worlds."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ireval import parse_measure
from ireval.arrays import Floats
from ireval.pooling import PooledDocuments, difference_bounds
from ireval.pooling.bets import AIMS, UnbiasedDraws, log_wealth
from ireval.pooling.sampled_differences import remainders_of, unbiased_draws
from ireval.pooling.sampled_topics import topics_as_draws
from ireval.pooling.sampling import SamplingFrame, sampling_frame, stretches
from tests.ireval.pooling.test_bounds import TOP, documents_of

RANKINGS = ["abc", "edb", "cad"]
# What a judge would say of b to e.
TRUTHS = [(0, 0, 0, 0), (2, 0, 1, 0), (0, 2, 0, 2), (1, 1, 2, 0), (0, 0, 2, 1)]
# The last draw is certain, and bets on it are large.
ROUNDING = 1e-5
NUMBERS = st.floats(-2, 2, allow_subnormal=False)


class Game:
    """Bets on both signs of each pair's difference while documents are drawn, one a look, by one who knows all grades."""

    def __init__(self, name: str, grades: tuple[int, ...]) -> None:
        self.documents, self.measure, self.grades = (
            documents_of(RANKINGS, {"a": 1}, 3),
            parse_measure(name),
            np.array([1, *grades]),
        )
        self.frame: SamplingFrame = sampling_frame(self.documents, self.measure, TOP, 1, None)
        self.truth = difference_bounds(self.judged([1, 2, 3, 4]), self.measure, top_grade=TOP).low

    def judged(self, rows: list[int]) -> PooledDocuments:
        return self.documents.with_grades(np.array(rows, np.int64), self.grades[rows])

    def chances(self, rows: list[int]) -> Floats:
        size = self.frame.design(np.array(rows, np.int64), self.grades[rows]).size
        return size / max(size.sum(), 1e-300)

    def worth(self, rows: list[int]) -> Floats:
        """What the bets have made of 1 by a look after these draws, (2, pairs)."""
        made = list(stretches(self.frame, self.draws(rows)))
        now, values = difference_bounds(self.judged(rows), self.measure, top_grade=TOP), unbiased_draws(self.frame, made)
        least, _, most = map(values.plus, remainders_of(self.frame, made, now))
        aims = AIMS[:, None] * np.full(3, 2.0)
        sides = (least, self.truth), (most.reversed(), -self.truth)
        return np.exp([log_wealth(side, difference, aims)[-1] for side, difference in sides])

    def draws(self, rows: list[int]) -> pl.DataFrame:
        chances = [float(self.chances(rows[:n])[row]) for n, row in enumerate(rows)]
        return self.documents.frame[rows].with_columns(
            known=pl.int_range(len(rows)), probability=pl.Series(chances), grade=pl.Series(self.grades[rows])
        )

    def best_stop(self, rows: list[int]) -> Floats:
        """What the bets are worth to one who stops at the best moment, which draws so far may tell and draws to come may not."""
        now, chances = self.worth(rows) if rows else np.ones((2, 3)), self.chances(rows)
        further = np.flatnonzero(chances).tolist()
        later = sum((chances[row] * self.best_stop([*rows, row]) for row in further), np.zeros((2, 3)))
        return np.maximum(now, later)


@pytest.mark.parametrize("name", ["DCG@3", "nDCG@3", "R@3", "RelP@3"])
@pytest.mark.parametrize("grades", TRUTHS)
def test_no_moment_to_stop_makes_bets_on_documents_worth_more_than_their_stake(name, grades):
    assert (Game(name, grades).best_stop([]) <= 1 + ROUNDING).all()


@pytest.mark.parametrize("differences", [(0.9, 0.9, -1, -1, -0.6), (0.1, 0.3, -0.2, 0.1, -0.3), (1, 1, 1, 1, -1)])
def test_no_moment_to_stop_makes_bets_on_topics_worth_more_than_their_stake(differences):
    column = np.array(differences)[:, None]

    def worth(rows: tuple[int, ...]) -> float:
        draws = topics_as_draws(column[list(rows)], len(column), 1.0)
        return float(np.exp(log_wealth(draws, column.mean(axis=0), AIMS[:, None])[-1, 0]))

    def best_stop(rows: tuple[int, ...]) -> float:
        later = [best_stop((*rows, row)) for row in range(len(column)) if row not in rows]
        return max(worth(rows) if rows else 1.0, sum(later) / max(len(later), 1))

    assert best_stop(()) <= 1 + ROUNDING


@given(
    st.lists(st.tuples(NUMBERS, st.floats(0, 2), st.floats(0, 2), st.floats(0, 2)), min_size=1, max_size=6),
    NUMBERS,
    st.floats(0, 2),
)
def test_bets_win_less_against_more_and_with_a_smaller_remainder(draws, difference, less):
    value, below, above, variance = np.array(draws).T[:, :, None]
    values = UnbiasedDraws(value, value - below, value + above, variance, np.arange(len(draws))[::-1])
    against, aims = np.array([difference]), AIMS[:, None]
    won = log_wealth(values, against, aims)
    assert (log_wealth(values, against + less, aims) <= won + 1e-9).all()
    assert (log_wealth(values.plus(np.array([-less])), against, aims) <= won + 1e-9).all()

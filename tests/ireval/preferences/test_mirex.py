"""2,810 votes of 79 workers on which of two songs is more like a third (Urbano et al. 2010), as their authors counted them."""

import numpy as np
import polars as pl
import pytest
from scipy import stats

from ireval.preferences import bradley_terry, counts_of, preferences, vote_agreement, votes_of
from ireval.preferences.strengths import components

WINNERS = {"a": "left", "b": "right", "s": "tie"}


@pytest.fixture(scope="module")
def folder(shared_data):
    return shared_data / "prefs_mirex_mturk"


@pytest.fixture(scope="module")
def votes(folder):
    raw = pl.read_csv((folder / "judgments.csv").read_bytes().decode("latin-1").encode(), infer_schema=False)
    names = {"HITId": "item", "Input.query": "topic", "Input.docA": "left", "Input.docB": "right", "WorkerId": "worker"}
    winner = pl.col("Answer.radio").replace_strict(WINNERS, default=None).alias("winner")
    return votes_of(raw.select(winner, seconds="WorkTimeInSeconds", **{ours: theirs for theirs, ours in names.items()}))


@pytest.fixture(scope="module")
def groups(folder):
    """The ordered groups of each query, 1 the best."""
    rows = [line.split() for line in (folder / "MTurk.qrel").read_text().splitlines()]
    return {(query, song): int(group) for _, query, song, group in rows}


def test_counts_are_those_of_the_source(votes):
    assert np.bincount(votes.winner, minlength=4).tolist() == [577, 823, 1405, 0]
    assert (len(votes), votes.left_out, len(votes.topics), len(votes.workers)) == (2805, 5, 11, 79)
    assert len(np.unique(votes.unit)) == len(votes.items) == 281
    assert len(votes.repeats.vote) == 0
    assert sum(comparison.n for comparison in preferences(votes)) == 2805


def of_query(votes, groups, query):
    """Its songs' win rates, strengths, and groups from the best down."""
    part = votes.take(np.flatnonzero(votes.topic == votes.topics.index(query)))
    counts = counts_of(part)
    songs = [number for number, system in enumerate(counts.systems) if (query, system) in groups]
    won = counts.wins.sum(axis=1) + counts.ties.sum(axis=1) / 2
    rate = won[songs] / counts.compared.sum(axis=1)[songs]
    same = components(counts.compared)[songs]
    assert len(set(same.tolist())) == 1
    return rate, bradley_terry(part).strength[songs], [-groups[query, counts.systems[song]] for song in songs]


def test_win_rates_order_songs_as_the_groups_do(votes, groups):
    assert len(groups) == 118
    by_query = {query: of_query(votes, groups, query) for query in votes.topics}
    by_rate = [stats.kendalltau(rate, group).statistic for rate, _, group in by_query.values()]
    assert (round(min(by_rate), 2), round(max(by_rate), 2)) == (0.35, 0.87)
    by_strength = [stats.kendalltau(strength, group).statistic for _, strength, group in by_query.values()]
    assert np.mean(by_strength) > np.mean(by_rate)


def test_workers_agree_a_little(votes):
    coefficients = {coefficient.name: coefficient.value for coefficient in vote_agreement(votes)}
    assert coefficients["percent"] == pytest.approx(share_of_equal_pairs(votes))
    assert 0 < coefficients["alpha"] < coefficients["alpha-ordinal"] < 0.5


def share_of_equal_pairs(votes):
    equal = total = 0
    for item in range(len(votes.items)):
        points = votes.points[votes.item == item]
        equal += (points[:, None] == points).sum() - len(points)
        total += len(points) * (len(points) - 1)
    return equal / total

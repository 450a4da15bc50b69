"""35,064 sessions of Yandex (an excerpt of the WSCD log), as counted by those who published them."""

import numpy as np
import pytest

from ireval.clicks import ctr_by_rank, held_out, read_ubi
from tests.ireval.clicks.builders import write_ubi, yandex

CTR = [0.2566, 0.2485, 0.1699, 0.1536, 0.1058, 0.0728, 0.0687, 0.0467, 0.0504, 0.0447]


@pytest.fixture(scope="module")
def log(shared_data, tmp_path_factory):
    return read_ubi(write_ubi(tmp_path_factory.mktemp("yandex") / "log.ndjson.gz", yandex(shared_data)))


def test_it_comes_in_as_its_source_counts_it(log):
    sessions, deviations = log
    assert (len(sessions), sessions.total_clicks.sum(), (sessions.total_clicks > 0).sum()) == (35_064, 50_321, 23_284)
    assert ctr_by_rank(sessions)["ctr"].round(4).to_list() == CTR
    assert {deviation.kind for deviation in deviations.entries} == {"number-timestamp", "click-elsewhere"}


def test_models_foresee_held_out_clicks_better_than_ranks_do(log):
    baseline, *models = held_out(log[0], ["position-based", "dependent-click", "simplified-dbn"])
    assert baseline.perplexity == pytest.approx(1.426, abs=0.005)
    for evaluation in models:
        assert evaluation.model.converged
        assert evaluation.perplexity < baseline.perplexity - 0.03
        assert (evaluation.by_rank < baseline.by_rank).all()
        assert evaluation.gain.low > 0


def test_the_cascade_cannot_foresee_second_clicks(log):
    baseline, cascade = held_out(log[0], ["cascade"])
    assert cascade.by_rank[0] < baseline.by_rank[0]
    assert np.all(cascade.by_rank[2:] > baseline.by_rank[2:])

"""35,064 sessions of Yandex (an excerpt of the WSCD log), as counted by those who published them."""

import numpy as np
import pytest

from ireval import BadFile
from ireval.clicks import BASELINE, ctr_by_rank, fit, held_out, held_out_on, read_clicks, read_ubi
from tests.ireval.builders import write
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


def same(first, second) -> None:
    for column in ("query", "start", "document", "clicks", "elsewhere"):
        assert (getattr(first, column) == getattr(second, column)).all(), column
    assert (first.queries, first.documents) == (second.queries, second.documents)


def test_the_excerpt_is_read_as_it_is(log, shared_data):
    sessions, deviations = read_clicks(shared_data / "clicks_pyclick_yandex" / "trainSample.gz")
    same(sessions, log[0])
    assert (deviations.queries, deviations.actions, deviations["click-elsewhere"]) == (
        35_064,
        {"click": 50_321},
        log[1]["click-elsewhere"],
    )


def test_the_challenges_lines_give_the_same_sessions(log, shared_data, tmp_path):
    lines = []
    for record in yandex(shared_data):
        if "user_query" in record and "query_response_hit_ids" in record:
            query, _, region = record["user_query"].partition("_")
            lines.append("\t".join([record["query_id"], "0", "Q", query, region, *record["query_response_hit_ids"]]))
        else:
            lines.append("\t".join([record["query_id"], "5", "C", record["event_attributes"]["object"]["object_id"]]))
    sessions, _ = read_clicks(write(tmp_path / "log.tsv", *lines))
    same(sessions, log[0])
    assert (sessions.order == log[0].order).all()


def test_a_click_belongs_to_the_last_query_that_showed_it(tmp_path):
    lines = ["s\t0\tQ\t1\t9\ta\tb", "s\t1\tQ\t2\t9\tb\tc", "s\t2\tC\ta", "s\t3\tC\tb", "s\t4\tC\tz", "t\t5\tC\ta"]
    sessions, deviations = read_clicks(write(tmp_path / "log", *lines))
    assert sessions.queries == ("1_9", "2_9")
    assert (sessions.clicks.tolist(), sessions.elsewhere.tolist()) == ([1, 0, 1, 0], [0, 1])
    assert {entry.kind: entry.line for entry in deviations.entries} == {"click-elsewhere": 5, "click-of-nothing-shown": 6}


def test_broken_lines_are_named(tmp_path):
    path = write(tmp_path / "log", "s\t0\tQ\t1\t9\ta", "s\t1\tC", "", "s\t0\tX\t1\t9\ta")
    with pytest.raises(BadFile) as refusal:
        read_clicks(path)
    assert [(problem.file, problem.line) for problem in refusal.value.problems] == [("log", 2), ("log", 4)]


def test_a_damaged_first_line_is_named_and_does_not_hide_the_format(tmp_path):
    with pytest.raises(BadFile) as refusal:
        read_clicks(write(tmp_path / "log", "SessionID and the like", "s\t0\tQ\t1\t9\ta", "s\t1\tC\ta"))
    (problem,) = refusal.value.problems
    assert problem.line == 1 and "expected SessionID, TimePassed, Q" in problem.message


def test_another_log_tests_the_models(log):
    training, test = log[0].split(0.25, seed=4)
    apart, together = held_out_on(training, test, ["cascade"]), held_out(log[0], ["cascade"], share=0.25, seed=4)
    assert [result.log_likelihood for result in apart] == [result.log_likelihood for result in together]
    (baseline,) = held_out_on(training, log[0], [BASELINE])
    assert baseline.log_likelihood == fit(training, BASELINE).log_likelihood(log[0])

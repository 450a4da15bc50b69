"""Grades from clicks: what is recovered of simulated logs, what is said where there is too little, and the laws."""

import json
from gzip import decompress

import numpy as np
import polars as pl
import pytest
from scipy.stats import binom, kendalltau, spearmanr

from ireval.clicks import BadClicks, coec, fit, implicit_labels, read_ubi, sessions_of
from ireval.clicks.grade_agreement import over_queries
from tests.ireval.clicks.builders import judged_log, sessions_from, write_ubi


def labels_from(frame, judged, model="position-based", **more):
    sessions = sessions_of(frame)
    return implicit_labels(coec(sessions) if model == "coec" else fit(sessions, model), judged, sessions, **more)


def raw_rates(sessions):
    """Clicks over views, whatever the rank."""
    table = coec(sessions, shrinkage=0)
    return table.select("query", "document", pl.col("clicks") / pl.col("shown"), "low", "high", support="shown").rename(
        {"clicks": "estimate"}
    )


def agreement(labels):
    return {coefficient.name: coefficient for coefficient in labels.agreement}


@pytest.fixture(scope="module")
def log():
    return judged_log(1, queries=40, impressions=400)


def test_grades_are_recovered_from_clicks(log):
    labels = labels_from(*log)
    assert (labels.kind, labels.note, labels.queries) == ("calibrated", "", 40)
    both = labels.table.join(log[1].rename({"grade": "true"}), on=["query", "document"])
    assert len(both) == labels.documents > 300
    assert (both["grade"] == both["true"]).mean() > 0.9
    inside = (both["lowest"] <= both["true"]) & (both["true"] <= both["highest"])
    assert inside.mean() > 0.97


def test_the_log_may_be_a_path(tmp_path):
    shown = {"query_id": "1", "user_query": "owls", "query_response_hit_ids": ["a", "b"]}
    click = {"action_name": "click", "query_id": "1", "event_attributes": {"object": {"object_id": "b"}}}
    path = write_ubi(tmp_path / "log.ndjson", [shown, click])
    sessions, _ = read_ubi(path)
    judged = pl.DataFrame({"query": ["owls", "owls"], "document": ["a", "b"], "grade": [0, 2]})
    options = {"least_support": 1, "thresholds": [0.2, 0.4]}
    expected = implicit_labels(coec(sessions), judged, sessions, **options).table
    assert not expected.is_empty()
    assert implicit_labels(coec(path), judged, path, **options).table.equals(expected)


def test_grades_of_queries_that_had_no_part_in_the_curve_agree_and_ranks_do_not(log):
    coefficients = agreement(labels_from(*log))
    assert list(coefficients) == ["kendall_b", "spearman", "pairs", "kappa"]
    assert coefficients["kappa"].clicks.low > 0.85
    assert coefficients["pairs"].clicks.low > 0.95
    for coefficient in coefficients.values():
        assert coefficient.gain.low > 0
        assert coefficient.gain.value == pytest.approx(coefficient.clicks.value - coefficient.baseline.value)


def test_labels_never_depend_on_the_order_of_rows(log):
    expected = labels_from(*log)
    shuffled = labels_from(log[0].sample(fraction=1, shuffle=True, seed=1), log[1].sample(fraction=1, shuffle=True, seed=2))
    exact = [name for name, kind in expected.table.schema.items() if not kind.is_float()]
    assert shuffled.table.select(exact).equals(expected.table.select(exact))
    assert shuffled.table["expected"].to_numpy() == pytest.approx(expected.table["expected"].to_numpy(), abs=1e-4)
    for coefficient, other in zip(shuffled.agreement, expected.agreement, strict=True):
        assert coefficient.clicks.value == pytest.approx(other.clicks.value, abs=1e-9)


@pytest.mark.parametrize("model", ["position-based", "coec"])
def test_more_attractive_never_has_a_lower_grade_whatever_the_query(log, model):
    table = labels_from(*log, model=model).table.sort("estimate")
    for column in ("grade", "expected"):
        assert (np.diff(table[column].to_numpy()) >= 0).all()
    assert ((table["lowest"] <= table["grade"]) & (table["grade"] <= table["highest"])).all()


@pytest.mark.parametrize("ranked_by", [2.0, -1.0])
def test_the_bias_of_positions_is_taken_out(ranked_by):
    """Also of a ranking that puts the worst first, where workers contradict the ranks."""
    frame, judged = judged_log(3, queries=30, impressions=400, ranked_by=ranked_by)
    sessions = sessions_of(frame)
    model = agreement(implicit_labels(fit(sessions, "position-based"), judged, sessions))
    raw = agreement(implicit_labels(raw_rates(sessions), judged, sessions))
    assert model["pairs"].clicks.low > 0.9
    assert model["kappa"].clicks.value > raw["kappa"].clicks.value + 0.05
    assert (model["kendall_b"].baseline.high < 0) == (ranked_by < 0)
    if ranked_by < 0:
        assert model["pairs"].clicks.low > raw["pairs"].clicks.high
        assert model["kappa"].clicks.low > raw["kappa"].clicks.high


def test_of_a_good_ranking_clicks_over_expected_ones_say_less_than_its_ranks():
    """What is expected at a rank contains how good its documents are."""
    frame, judged = judged_log(1, queries=40, impressions=400, ranked_by=2.0)
    coefficient = agreement(labels_from(frame, judged, model="coec"))["pairs"]
    assert coefficient.gain.high < 0
    assert agreement(labels_from(frame, judged))["pairs"].gain.low > 0


@pytest.mark.parametrize("seed", [5, 6, 7])
def test_clicks_that_mean_nothing_agree_about_as_chance_does_and_less_than_ranks(seed):
    labels = labels_from(*judged_log(seed, queries=40, impressions=200, attractive=np.full(4, 0.3)))
    coefficients = agreement(labels)
    assert labels.kind == "calibrated"
    assert abs(coefficients["pairs"].clicks.value - 0.5) < 0.1
    assert coefficients["kappa"].clicks.value < 0.15
    assert coefficients["pairs"].gain.high < 0


def test_a_mean_of_queries_is_that_of_scipy(log):
    labels = labels_from(*log)
    both = labels.table.join(log[1].rename({"grade": "true"}), on=["query", "document"])
    taus, rhos = [], []
    for _, rows in both.group_by("query"):
        if rows["true"].n_unique() > 1:
            taus.append(kendalltau(rows["estimate"], rows["true"]).statistic)
            rhos.append(spearmanr(rows["estimate"], rows["true"]).statistic)
    coefficients = agreement(labels)
    assert coefficients["kendall_b"].clicks.value == pytest.approx(np.mean(taus))
    assert coefficients["spearman"].clicks.value == pytest.approx(np.mean(rhos))
    half = coefficients["kendall_b"].clicks.error * np.sqrt(len(taus))
    assert half == pytest.approx(np.std(taus, ddof=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pairs", "kendall_b", "kappa"])
@pytest.mark.parametrize("side", ["clicks", "gain"])
def test_intervals_of_agreement_hold_the_truth_as_often_as_they_say(name, side, simulated):
    """The truth is what such logs say in the mean; the bound is of a binomial with the share claimed. κ's is a bit too wide."""
    intervals = [getattr(coefficients[name], side) for coefficients in simulated]
    truth = np.mean([interval.value for interval in intervals])
    inside = sum(interval.low <= truth <= interval.high for interval in intervals)
    assert binom.ppf(0.001, len(intervals), 0.95) <= inside
    assert np.mean([interval.error for interval in intervals]) < 1.5 * np.std([interval.value for interval in intervals])


@pytest.fixture(scope="module")
def simulated():
    return [agreement(labels_from(*judged_log(seed, queries=25, impressions=60), least_support=3)) for seed in range(100, 140)]


def test_a_share_over_queries_holds_the_truth_where_queries_differ_much():
    rng = np.random.default_rng(8)
    inside = 0
    for _ in range(400):
        chance, size = rng.beta(4, 2, 40), rng.integers(5, 30, 40)
        sums = np.column_stack([rng.binomial(size, chance), size]).astype(float)
        interval = over_queries(sums, lambda sums: sums[:, 0] / sums[:, 1], (0, 1), 0.95)
        inside += interval.low <= 2 / 3 <= interval.high
    assert binom.ppf(0.001, 400, 0.95) <= inside <= binom.ppf(0.9999, 400, 0.95)


def test_documents_with_little_support_have_no_label(log):
    every = labels_from(*log, least_support=0)
    fewer = labels_from(*log, least_support=50)
    assert every.left_out == 0
    assert fewer.left_out == len(every.table) - len(fewer.table) > 0
    assert fewer.table["support"].min() >= 50


def test_without_enough_judged_documents_there_is_no_calibration(log):
    frame, judged = log
    few = labels_from(frame, judged.filter(pl.col("query").is_in(["1", "2", "3", "4"])))
    assert (few.kind, few.calibration) == ("ranking", None)
    assert few.note.endswith("of 4 queries; a calibration needs 30 of 5")
    assert few.table["grade"].null_count() == few.table["expected"].null_count() == len(few.table)
    assert [coefficient.name for coefficient in few.agreement] == ["kendall_b", "spearman", "pairs"]
    none = labels_from(frame, judged.clear())
    assert (none.documents, none.agreement) == (0, [])


def test_thresholds_of_the_caller_stand_in_for_a_calibration(log):
    frame, judged = log
    labels = labels_from(frame, judged.clear(), thresholds=[0.1, 0.25, 0.5])
    assert labels.kind == "thresholds"
    expected = [sum(estimate >= least for least in (0.1, 0.25, 0.5)) for estimate in labels.table["estimate"]]
    assert labels.table["grade"].to_list() == expected
    assert labels_from(frame, judged, thresholds=[0.1, 0.25, 0.5]).kind == "calibrated"


def test_judges_and_clicks_that_never_vary_calibrate_nothing(log):
    frame, judged = log
    same = labels_from(frame, judged.with_columns(grade=pl.lit(2)))
    assert same.note.endswith("of these documents were given the grade 2")
    assert same.agreement[0].clicks.undefined == "there is too little to compare"
    still = labels_from(frame.with_columns(clicks=pl.lit(0)), judged, model="cascade", least_support=0)
    assert still.note.startswith("nobody clicked any of the 4")
    assert (still.kind, still.agreement) == ("ranking", [])


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"judged": [("q", "a", 1.5)]}, r"the grade is 1.5; expected a whole number from 0 to 10"),
        ({"judged": [("q", "a", 100)]}, "the grade is 100"),
        ({"judged": [("q", "a", -1)]}, "the grade is -1"),
        ({"judged": [("q", "a", None)]}, "column grade has an empty cell"),
        ({"judged": [("q", "a", 1), ("q", "a", 2)]}, "document a has two grades for query q"),
        ({"thresholds": [0.5, 0.1]}, "the thresholds of grades do not rise"),
        ({"folds": 1}, "there is 1 fold"),
    ],
)
def test_what_cannot_be_is_refused(change, complaint):
    sessions = sessions_from("q: a* b", "q: b a*")
    judged = pl.DataFrame(change.pop("judged", [("q", "a", 1)]), schema=["query", "document", "grade"], orient="row")
    with pytest.raises(BadClicks, match=complaint):
        implicit_labels(fit(sessions, "cascade"), judged, sessions, **change)


def test_estimates_of_documents_that_were_never_shown_are_refused():
    sessions = sessions_from("q: a* b", "q: b a*")
    judged = pl.DataFrame({"query": ["q"], "document": ["a"], "grade": [1]})
    with pytest.raises(BadClicks, match="document c was never shown for query q"):
        implicit_labels(fit(sessions_from("q: c*"), "cascade"), judged, sessions, least_support=0)
    with pytest.raises(BadClicks, match="says nothing of documents"):
        implicit_labels(fit(sessions, "rank-ctr"), judged, sessions)
    with pytest.raises(BadClicks, match="there is no column estimate"):
        implicit_labels(judged, judged, sessions)


ESCI = {"100.000": 3, "10.000": 2, "1.000": 1, "0.000": 0}


def test_the_sample_of_chorus_has_too_few_clicks_on_what_was_judged(shared_data):
    """Of 1,508 documents that were shown for a query 36 were judged, none of which was clicked or shown more than four times."""
    folder = shared_data / "clicks_ubi_chorus"
    content = json.loads(decompress((folder / "esci_us_judgments.json.gz").read_bytes()))["judgmentRatings"]
    rows = [(query["query"], rating["docId"], ESCI[rating["rating"]]) for query in content for rating in query["ratings"]]
    judged = pl.DataFrame(rows, schema=["query", "document", "grade"], orient="row")
    sessions, _ = read_ubi(folder / "ubi_queries_events.ndjson.gz")
    labels = implicit_labels(fit(sessions, "position-based"), judged, sessions)
    assert (len(judged), labels.kind, labels.documents, len(labels.table), labels.left_out) == (6678, "ranking", 0, 38, 1470)
    assert labels.note == "workers judged 0 of these documents, of 0 queries; a calibration needs 30 of 5"
    anything = implicit_labels(fit(sessions, "position-based"), judged, sessions, least_support=0)
    assert (anything.kind, anything.documents, anything.queries, anything.left_out) == ("ranking", 36, 8, 0)
    assert anything.note == "nobody clicked any of the 36 documents that workers judged"
    assert anything.agreement == []
    judged_too = coec(sessions).join(judged, on=["query", "document"])
    assert (judged_too["shown"].max(), judged_too["clicks"].sum()) == (4, 0)


def test_mean_ranks_may_come_without_the_log():
    frame, judged = judged_log(0)
    sessions = sessions_of(frame)
    model = fit(sessions, "dependent-click")
    shown = frame.with_columns(pl.col("query", "document").cast(pl.String))
    facts = shown.group_by("query", "document").agg(rank=pl.col("rank").mean() + 1, clicked=pl.col("clicks").any())
    of_log, of_facts = (implicit_labels(model, judged, evidence) for evidence in (sessions, facts))
    assert of_facts.table.equals(of_log.table)
    assert [coefficient.baseline.value for coefficient in of_facts.agreement] == pytest.approx(
        [coefficient.baseline.value for coefficient in of_log.agreement]
    )

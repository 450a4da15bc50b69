"""Differences and agreement through the API: the same numbers as on the pages, and a complaint about what does not exist."""

import pytest
from rest_framework.test import APIClient

from metrics.kinds.runs import correlation
from metrics.kinds.runs.difference_words import in_words
from metrics.kinds.runs.differences import Differences

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def get(researcher):
    client = APIClient()
    client.force_authenticate(researcher)

    def get(report, which, query="", status=200):
        answer = client.get(f"/api/v1/reports/{report.pk}/{which}/{query}")
        assert answer.status_code == status, answer.content
        return answer.json()

    return get


def test_differences_are_those_of_the_page(many, get):
    qrels = many.spec["qrels"][0]["id"]
    differences = Differences(report=many, qrels=qrels, measure="AP", test="randomisation", correction="bh")
    content = get(many, "differences", f"?measure=AP&qrels={qrels}&test=randomisation&correction=bh")
    assert content["pairs"] == [pair._asdict() for pair in differences.pairs]
    assert content["runs"] == [outcome.run for outcome in differences.runs]
    assert content["words"] == in_words(differences)


def test_left_out_it_is_the_t_test_with_holms_correction_by_the_first_measure(many, get):
    content = get(many, "differences")
    assert (content["measure"], content["test"], content["correction"]) == ("nDCG@10", "t", "holm")


def test_tukey_is_not_corrected_again(many, get):
    content = get(many, "differences", "?test=tukey&correction=holm")
    assert content["correction"] == "none"
    assert all(pair["p"] == pair["corrected"] for pair in content["pairs"])


def test_agreement_is_that_of_the_page(many, get):
    qrels = many.spec["qrels"][0]["id"]
    content = get(many, "agreement", "?ordering=spearman&ranking=overlap&measure=AP")
    [(first, second, n, value)] = correlation.measure_correlations(many, qrels, "spearman").pairs
    assert content["by_measure"] == [{"first": first, "second": second, "n": n, "value": value}]
    assert content["by_qrels"] == []
    by_run = correlation.run_correlations(many, [run["id"] for run in many.spec["runs"]], "overlap")
    assert [tuple(row.values()) for row in content["by_run"]] == by_run.pairs


def test_two_runs_are_too_few_to_compare_orders(report, get):
    content = get(report, "agreement")
    assert (content["by_measure"], len(content["by_run"])) == ([], 1)


@pytest.mark.parametrize(
    ("which", "query", "field"),
    [
        ("differences", "?measure=R@7", "measure"),
        ("differences", "?qrels=999999", "qrels"),
        ("differences", "?qrels=x", "qrels"),
        ("differences", "?test=magic", "test"),
        ("differences", "?correction=magic", "correction"),
        ("agreement", "?ordering=magic", "ordering"),
        ("agreement", "?ranking=magic", "ranking"),
    ],
)
def test_what_does_not_exist_is_named(many, get, which, query, field):
    assert "is not one of" in get(many, which, query, status=400)[field][0]


def test_a_report_without_numbers_has_none_of_these(ask, get):
    report = ask()
    for which in ("differences", "agreement"):
        assert "no numbers yet" in get(report, which, status=409)["detail"]

"""The page on agreement: orders of runs by measures and qrels, rankings of documents by runs; checked against scipy."""

import csv
import html
import io
import re

import numpy as np
import pytest
from scipy import stats

from metrics import pipeline
from metrics.kinds.runs import correlation
from metrics.kinds.runs.evidence import ranking
from metrics.kinds.runs.parts import RUNS
from metrics.kinds.runs.results import outcomes
from tests import conftest, sharing
from tests.metrics import conftest as reports

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("runs", "qrels", "under_both"), pytest.mark.one_database]
db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
qrels, ask, compute, many = map(sharing.once, (reports.qrels, reports.ask, reports.compute, reports.many))


@pytest.fixture
def page(rita):
    def page(report, query=""):
        answer = rita.get(f"/reports/{report.pk}/agreement/{query}")
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())

    return page


@sharing.once
def other_qrels(collection, researcher):
    import polars as pl

    from judging.collections.storage import store_qrels

    grades = [(str(topic), f"d{number}", (topic * number) % 3) for topic in range(1, 31) for number in range(20)]
    frame = pl.DataFrame(grades, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
    return store_qrels(frame, collection=collection, name="other", by=researcher, source_name="other.qrels")


@sharing.once
def under_both(many, other_qrels, compute, researcher):
    from judging.models import Qrels, Run
    from metrics.kinds.runs.question import request_report

    runs = list(Run.objects.filter(pk__in=[run["id"] for run in many.spec["runs"]]))
    qrels = [Qrels.objects.get(pk=many.spec["qrels"][0]["id"]), other_qrels]
    return compute(request_report(collection=many.collection, runs=runs, qrels=qrels, measures="nDCG@10 AP E@5", by=researcher))


def means(report, qrels, measure):
    return [outcome.means[measure].mean for outcome in outcomes(report, qrels)]


@pytest.mark.parametrize(("method", "by_scipy"), [("kendall_b", stats.kendalltau), ("spearman", stats.spearmanr)])
def test_measures_agree_as_scipy_says(under_both, method, by_scipy):
    qrels = under_both.spec["qrels"][1]["id"]
    matrix = correlation.measure_correlations(under_both, qrels, method)
    expected = by_scipy(means(under_both, qrels, "nDCG@10"), means(under_both, qrels, "AP")).statistic
    assert matrix.names == ["nDCG@10", "AP", "E@5"]
    assert matrix.values[0, 1] == matrix.values[1, 0] == pytest.approx(expected)
    assert matrix.n.tolist() == [[4] * 3] * 3


def test_a_measure_of_which_less_is_better_is_turned_around(under_both):
    qrels = under_both.spec["qrels"][0]["id"]
    matrix = correlation.measure_correlations(under_both, qrels, "kendall_b")
    expected = stats.kendalltau(means(under_both, qrels, "AP"), means(under_both, qrels, "E@5")).statistic
    assert matrix.values[1, 2] == pytest.approx(-expected)


def test_qrels_agree_as_scipy_says(under_both):
    scores, other = (means(under_both, qrels["id"], "AP") for qrels in under_both.spec["qrels"])
    matrix = correlation.qrels_correlations(under_both, "AP", "kendall_b")
    assert matrix.values[0, 1] == pytest.approx(stats.kendalltau(scores, other).statistic)


def test_rbo_of_orders_is_that_of_two_lists(under_both):
    from ireval.correlation.orderings import correlate

    qrels = under_both.spec["qrels"][1]["id"]
    orders = [dict(zip("abcd", means(under_both, qrels, name), strict=True)) for name in ("nDCG@10", "AP")]
    matrix = correlation.measure_correlations(under_both, qrels, "rbo")
    assert matrix.values[0, 1] == pytest.approx(correlate(*orders, "rbo").value)
    assert matrix.values[0, 0] == pytest.approx(1)


def test_an_ordering_that_lacks_a_run_is_compared_by_the_others():
    scores = np.array([[0.1, 0.2], [0.2, np.nan], [0.3, 0.1]])
    for method, expected in {"kendall_b": -1.0, "rbo": correlation.rbo_matrix(scores)[0, 1]}.items():
        matrix = correlation.correlations(["a", "b"], scores, method)
        assert matrix.n[0, 1] == 2
        assert matrix.values[0, 1] == pytest.approx(expected)


def test_runs_agree_topic_by_topic_as_scipy_says(many):
    from judging.models import Run

    first, second = (run["id"] for run in many.spec["runs"][:2])
    places = []
    for pk in (first, second):
        frame = ranking(Run.objects.get(pk=pk)).sort("topic", "docno")
        places.append(np.array(frame["rank"].to_list()).reshape(30, 20))
    tau = np.mean([stats.kendalltau(ranks, other).statistic for ranks, other in zip(*places, strict=True)])
    overlap = np.mean([np.sum((ranks <= 10) & (other <= 10)) / 10 for ranks, other in zip(*places, strict=True)])
    assert correlation.run_correlations(many, [first, second], "kendall_b").pairs[0][2:] == (30, pytest.approx(tau, abs=1e-6))
    assert correlation.run_correlations(many, [second, first], "overlap").pairs[0][2:] == (30, pytest.approx(overlap, abs=1e-6))


def test_too_many_runs_are_not_compared_document_by_document(ask, compute, page, monkeypatch):
    monkeypatch.setattr(correlation, "MOST_PAIRS_AND_TOPICS", 1)
    assert "would have taken too long to compare document by document" in page(compute(ask()))


def test_the_page_says_how_alike_and_over_how_many_runs(under_both, page):
    content = page(under_both, "?measure=AP&ordering=spearman")
    assert "Each over n = 4 runs: few" in content
    assert "Qrels by AP" in content
    value = correlation.measure_correlations(under_both, under_both.spec["qrels"][0]["id"], "spearman").values[0, 1]
    shown = f"{value:.3f}".replace("-", "−")
    assert f'title="nDCG@10 and AP, n = 4 runs">{shown}<' in content
    assert re.search(r"Least alike: <strong>.*</strong> and <strong>.*</strong>, Spearman’s ρ", content)


def test_evidence_that_vanished_before_publishing_fails_the_report(ask, runs):
    from metrics import tasks

    report = ask()
    tasks.begin_report(report.pk)
    for run in runs:
        pipeline.compute_part(RUNS, report.pk, str(run.pk))
    runs[0].file.storage.delete(runs[0].file.name)
    pipeline.publish_if_complete(RUNS, report.pk)
    report.refresh_from_db()
    assert report.is_failed
    assert "is missing" in report.error


def test_two_runs_are_too_few_for_orders_but_not_for_documents(report, page):
    content = page(report)
    assert "takes three runs or more to say; this report has 2" in content
    assert "Runs by their documents" in content


def test_what_is_asked_in_vain_is_as_if_it_was_not_asked(many, page):
    tables = re.compile(r"<table.*?</table>|<option[^>]* selected>", re.DOTALL)
    matches = tables.findall(page(many, "?measure=x&qrels=7777&ordering=x&ranking=x"))
    assert matches == tables.findall(page(many)) != []


def test_the_file_has_every_pair(under_both, rita):
    text = rita.get(f"/reports/{under_both.pk}/download/agreement.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    counts = {what: sum(row["what"] == what for row in rows) for what in ("measures", "qrels", "runs")}
    assert counts == {"measures": 3 * 2 * 3, "qrels": 3 * 3 * 1, "runs": 3 * 6}
    scores, other = (means(under_both, qrels["id"], "AP") for qrels in under_both.spec["qrels"])
    [row] = [row for row in rows if row["what"] == "qrels" and row["measure"] == "AP" and row["coefficient"] == "Kendall’s τ-b"]
    assert float(row["value"]) == pytest.approx(stats.kendalltau(scores, other).statistic)


def test_one_run_leads_to_a_report_with_more(ask, compute, runs, page):
    report = compute(ask(runs=runs[:1]))
    content = page(report)
    assert "It takes two runs" in content and f'href="/reports/new/?collection={report.collection_id}"' in content
    assert "agreement.csv" not in content and "<select" not in content

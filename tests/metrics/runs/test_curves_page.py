"""The page on curves: what is drawn is what was traced, for the runs and qrels that the reader chose."""

import csv
import io
import json
import re

import polars as pl
import pytest

from ireval import evaluate, measure_interval, parse_measures
from ireval.significance.intervals import mean_interval
from judging.collections.storage import qrels_frame, run_frame, store_qrels, store_run
from judging.models import Qrels, Run
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.curves import curves
from metrics.kinds.runs.results import best_first, outcomes, values
from metrics.kinds.runs.tables import MOST_DIFFERENCES
from tests import conftest, sharing
from tests.metrics import conftest as reports

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("report", "many"), pytest.mark.one_database]
db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
qrels, ask, compute = map(sharing.once, (reports.qrels, reports.ask, reports.compute))
report, many = map(sharing.once, (reports.report, reports.many))


def shown(rita, report, query: str = "") -> str:
    response = rita.get(f"/reports/{report.pk}/curves/{query}")
    assert response.status_code == 200
    return response.content.decode()


def figures(html: str) -> dict:
    scripts = re.findall(r'<script id="([\w-]+)" type="application/json">(.*?)</script>', html)
    return {name: json.loads(text) for name, text in scripts}


def drawn(figure: dict) -> dict:
    return {trace["name"]: trace["y"] for trace in figure["data"]}


@pytest.mark.parametrize(("key", "curve"), [("dcg", "DCG"), ("cg", "CG"), ("ndcg", "nDCG"), ("ncg", "nCG"), ("roc", "ROC")])
def test_every_figure_draws_what_was_traced(rita, report, key, curve):
    traces = drawn(figures(shown(rita, report))[key])
    for outcome in outcomes(report):
        assert traces[outcome.name] == curves(report, outcome)[curve][1]


@pytest.mark.parametrize(("key", "curve"), [("ndcg", "nDCG"), ("ncg", "nCG")])
@pytest.mark.parametrize(("query", "kind"), [("", ""), ("?average=macro", ""), ("?average=micro", " micro"), ("?average=x", "")])
def test_shares_of_the_ideal_are_averaged_as_the_reader_chose(rita, report, key, curve, query, kind):
    html = shown(rita, report, query)
    traces = drawn(figures(html)[key])
    table = html.split(f'data-figure="{key}"', 1)[1].split("</table>", 1)[0]
    for outcome in outcomes(report):
        values = curves(report, outcome)[curve + kind][1]
        assert traces[outcome.name] == values
        assert f"{outcome.name} {sum(values) / 100:.4f}" in html
        assert f'<td class="num">{sum(values) / 100:.4f}</td>' in table.rpartition('<th scope="row">Area</th>')[2]


def test_the_area_has_the_interval_of_the_mean_over_topics(rita, many):
    html = shown(rita, many)
    best = outcomes(many)[0]
    names = [f"nDCG@{rank}" for rank in range(1, 101)]
    run, qrels = Run.objects.get(pk=best.run), Qrels.objects.get(pk=best.qrels)
    table = evaluate(run_frame(run), qrels_frame(qrels), names).values
    mean, low, high = mean_interval(table.select(pl.mean_horizontal(names)).to_series().to_numpy(), bounds=(0, 1))
    assert f"{best.name} {mean:.4f} [{low:.4f}, {high:.4f}]" in html
    assert f"{best.name} {mean:.4f} [" not in shown(rita, many, "?average=micro")


def test_captions_name_the_discount(rita, ask, compute):
    html = shown(rita, compute(ask(measures="nDCG(dcg='jk',base=3)@10")))
    assert "Grades over log₃ rank from rank 3 on, summed up to each rank" in html
    assert "Grades over log₂(rank + 1), summed" in shown(rita, compute(ask(measures="AP")))
    assert "2 to the grade minus 1 over log₂(rank + 1)" in shown(rita, compute(ask(measures="DCG(dcg='exp-log2')")))


def test_a_report_of_an_earlier_engine_names_the_discount_that_it_drew(rita, ask, compute):
    report = compute(ask(measures="nDCG(dcg='jk')@10"))
    report.engine_version = "3"
    report.save()
    assert "Grades over log₂(rank + 1), summed" in shown(rita, report)


def test_runs_over_the_same_topics_share_one_ideal(rita, report):
    assert [name for name in drawn(figures(shown(rita, report))["dcg"]) if "Ideal" in name] == ["Ideal"]


def test_runs_over_different_topics_have_ideals_of_their_own(rita, ask, compute, runs, qrels, collection, researcher):
    half = store_run(run_frame(runs[0], topic="1"), collection=collection, name="half", by=researcher)
    richer = qrels_frame(qrels).with_columns(grade=pl.when(topic="2").then(2).otherwise("grade").cast(pl.Int32))
    judged = store_qrels(richer, collection=collection, name="richer", by=researcher)
    html = shown(rita, compute(ask(runs=[runs[0], half], qrels=[judged])))
    assert {name for name in drawn(figures(html)["cg"]) if "Ideal" in name} == {"Ideal for alpha", "Ideal for half"}


def test_there_is_no_roc_where_only_relevant_documents_are_judged(rita, ask, compute, qrels, collection, researcher):
    only = store_qrels(qrels_frame(qrels).filter(pl.col("grade") > 0), collection=collection, name="only", by=researcher)
    html = shown(rita, compute(ask(qrels=[only])))
    assert "roc" not in figures(html) and "No ROC curve" in html


def test_it_says_over_how_many_topics_it_averages(rita, ask, report, compute, runs, collection, researcher):
    assert "Means over 2 topics" in shown(rita, report)
    half = store_run(run_frame(runs[0], topic="1"), collection=collection, name="half", by=researcher)
    assert "Means over 1 to 2 topics" in shown(rita, compute(ask(runs=[runs[0], half])))


def test_each_figure_has_its_numbers_as_a_table(rita, report):
    html = shown(rita, report)
    ranks = html.split('aria-label="Cumulated gain"', 1)[1].split("</table>", 1)[0]
    outcome = outcomes(report)[0]
    assert ranks.count("<tr>") == 101
    assert f'<th scope="row">1</th><td class="num">{curves(report, outcome)["CG"][1][0]:.4f}</td>' in ranks


def test_it_draws_the_runs_and_the_qrels_that_were_chosen(rita, ask, compute, runs, qrels, collection, researcher):
    other = store_qrels(qrels_frame(qrels, topic="1"), collection=collection, name="others", by=researcher)
    report = compute(ask(qrels=[qrels, other]))
    traces = drawn(figures(shown(rita, report, f"?qrels={other.pk}&run={runs[1].pk}"))["ndcg"])
    assert traces == {"beta": curves(report, outcomes(report, other.pk)[1])["nDCG"][1]}


def test_no_more_runs_are_drawn_than_can_be_told_apart(rita, ask, compute, runs, collection, researcher):
    more = [
        store_run(run_frame(runs[0]), collection=collection, name=f"run {number}", by=researcher)
        for number in range(MOST_TOLD_APART)
    ]
    html = shown(rita, compute(ask(runs=more + runs)), "?runs=all")
    assert len(figures(html)["ndcg"]["data"]) == MOST_TOLD_APART
    assert f"drawn are {MOST_TOLD_APART} of {MOST_TOLD_APART + 2} runs" in html


def test_a_run_without_topics_has_no_curve(rita, ask, compute, runs, collection, researcher):
    elsewhere = run_frame(runs[0]).with_columns(topic=run_frame(runs[0])["topic"] + "x")
    other = store_run(elsewhere, collection=collection, name="elsewhere", by=researcher)
    assert list(drawn(figures(shown(rita, compute(ask(runs=[runs[0], other]))))["ndcg"])) == ["alpha"]


def test_nothing_but_runs_without_topics_is_said_not_drawn(rita, ask, compute, runs, collection, researcher):
    elsewhere = run_frame(runs[0]).with_columns(topic=run_frame(runs[0])["topic"] + "x")
    other = [store_run(elsewhere, collection=collection, name=name, by=researcher) for name in ("here", "there")]
    html = shown(rita, compute(ask(runs=other)))
    assert "There is nothing to draw" in html and figures(html) == {}


def test_a_report_from_before_curves_draws_the_one_that_it_published(rita, report):
    report.tables.filter(name="curves").delete()
    assert list(figures(shown(rita, report))) == ["precision"]


def differences(report, qrels, runs) -> dict:
    scores, other = [dict(values(report, qrels=qrels.pk, run=run.pk).select("topic", "Rprec").iter_rows()) for run in runs]
    return {topic: scores[topic] - other[topic] for topic in scores}


def test_the_histogram_has_a_bar_a_topic(rita, report, qrels, runs):
    figure = figures(shown(rita, report, f"?first={runs[1].pk}&second={runs[0].pk}&sorted=topic"))["histogram"]
    up, down = figure["data"]
    assert (up["name"], down["name"], up["x"]) == ("beta better", "alpha better", ["1", "2"])
    bars = {topic: above or below or 0 for topic, above, below in zip(up["x"], up["y"], down["y"], strict=True)}
    assert bars == pytest.approx(differences(report, qrels, runs[::-1]))
    assert any(bars.values())


def test_its_bars_are_sorted_unless_the_reader_wants_the_order_of_topics(rita, many):
    figure = figures(shown(rita, many))["histogram"]
    heights = [above or below or 0 for above, below in zip(*(trace["y"] for trace in figure["data"]), strict=True)]
    assert heights == sorted(heights, reverse=True) and len(set(heights)) > 2


@pytest.mark.parametrize("query", ["?first=x&second=999999", "?sorted=sideways", "?first={0}&second={0}"])
def test_what_is_asked_for_in_vain_is_as_if_nothing_was_asked(rita, report, runs, query):
    assert shown(rita, report, query.format(runs[0].pk)).count("selected") == 3


def test_of_very_many_topics_those_that_differ_most_are_shown(rita, report, monkeypatch):
    monkeypatch.setattr("metrics.kinds.runs.tables.MOST_DIFFERENCES", 1)
    html = shown(rita, report)
    assert MOST_DIFFERENCES > 1 and len(figures(html)["histogram"]["data"][0]["x"]) == 1
    assert "Shown are the 1 that differ most." in html


def test_a_single_run_has_no_histogram(rita, ask, compute, runs):
    assert "histogram" not in figures(shown(rita, compute(ask(runs=runs[:1]))))


def test_the_page_offers_the_numbers_as_a_file(rita, report):
    (address,) = re.findall(r'href="([^"]*curves\.csv)"', shown(rita, report))
    rows = list(csv.DictReader(io.StringIO(rita.get(address).content.decode())))
    assert {row["curve"] for row in rows} >= {"CG", "DCG", "nDCG", "ROC"}


def test_curves_and_the_heads_of_their_tables_lead_to_their_runs(rita, report, runs):
    html = shown(rita, report)
    for key in ("precision", "dcg", "ndcg", "roc"):
        traces = {trace["name"]: trace["meta"].get("address") for trace in figures(html)[key]["data"]}
        assert {name: traces[name] for name in ("alpha", "beta")} == {run.name: f"/collections/runs/{run.pk}/" for run in runs}
        assert not {traces.get("Ideal"), traces.get("Random order")} - {None}
    ranks = html.split('aria-label="Cumulated gain"', 1)[1].split("</table>", 1)[0]
    assert f'<a href="/collections/runs/{runs[0].pk}/">alpha</a>' in ranks


def test_two_curves_of_precision_have_bands_of_the_engines_intervals(rita, many):
    two = best_first(outcomes(many), "nDCG@10")[:2]
    figure = figures(shown(rita, many, "?" + "&".join(f"run={outcome.run}" for outcome in two)))["precision"]
    bands = [trace for trace in figure["data"] if "fill" in trace]
    assert [trace["name"] for trace in bands] == [outcome.name for outcome in two]
    for outcome, band in zip(two, bands, strict=True):
        table = values(many, qrels=outcome.qrels, run=outcome.run)
        ends = [measure_interval(table, level) for level in parse_measures("iprec_at_recall")]
        assert band["y"] == pytest.approx([end.high for end in ends] + [end.low for end in reversed(ends)])


def test_more_curves_have_their_intervals_in_the_table_alone(rita, ask, compute, runs, collection, researcher):
    third = store_run(run_frame(runs[0]), collection=collection, name="gamma", by=researcher)
    html = shown(rita, compute(ask(runs=[*runs, third])))
    figure = figures(html)["precision"]
    assert len(figure["data"]) == 3 and not any("fill" in trace for trace in figure["data"])
    table = html.split('aria-label="Precision and recall"', 1)[1].split("</table>", 1)[0]
    assert re.findall(r">\s*(low|high)\s*</th>", table) == ["low", "high"] * 3


def test_a_bar_is_named_by_number_and_title_and_so_is_its_row(rita, report, collection):
    title = collection.topics.get(number="1").title
    html = shown(rita, report)
    bars = figures(html)["histogram"]["data"][0]
    assert dict(zip(bars["x"], bars["customdata"], strict=True))["1"] == f"1 {title}"
    assert f">1 {title}</a></th>" in html.split('data-figure="histogram"', 1)[1]

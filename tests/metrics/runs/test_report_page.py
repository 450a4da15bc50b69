"""A report's page: what came out, sorted as asked, with what a reader must know beside it."""

import json
import re

import polars as pl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from ireval import ENGINE_VERSION
from judging.collections.storage import run_frame, store_qrels, store_run
from judging.models import Topic
from metrics.figures import intervals
from metrics.figures.charts import MOST_TOLD_APART
from metrics.kinds.runs.differences import Differences
from metrics.kinds.runs.results import outcomes
from tests import conftest, sharing
from tests.metrics import conftest as reports
from tests.visible_words import expect_the_answer_first

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("report", "many"), pytest.mark.one_database]
db = sharing.db
researcher, collection, runs = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs))
qrels, ask, compute = map(sharing.once, (reports.qrels, reports.ask, reports.compute))
report, many = map(sharing.once, (reports.report, reports.many))


def column(html: str, section: str) -> list[str]:
    """The text of the first cell of every row of a section's table."""
    table = html.split(f'id="{section}"', 1)[1].split("</tbody>", 1)[0].split("<tbody>", 1)[1]
    cells = re.findall(r'<tr>\s*<th scope="row"[^>]*>(.*?)</th>', table, re.DOTALL)
    return [re.sub(r"<[^>]+>", "", cell).split()[0] for cell in cells]


def shown(rita, report, query: str = "", **headers) -> str:
    response = rita.get(f"/reports/{report.pk}/{query}", headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def figures(html: str) -> dict:
    return {
        name: json.loads(text) for name, text in re.findall(r'<script id="([\w-]+)" type="application/json">(.*?)</script>', html)
    }


def test_it_shows_each_mean_with_its_interval_and_how_much_was_judged(rita, report):
    html = shown(rita, report)
    for outcome in outcomes(report):
        for name, estimate in outcome.means.items():
            if name != "Judged@10":
                assert f"{estimate.mean:.4f}" in html
                assert f"{estimate.low:.3f}–{estimate.high:.3f}" in html or f"±{estimate.high - estimate.mean:.3f}" in html
        assert f'<td class="num">2</td><td class="num">{outcome.judged:.4f}</td>' in html


def test_it_says_where_the_numbers_come_from(rita, report, qrels, runs):
    html = shown(rita, report)
    for fact in [
        qrels.sha256,
        runs[0].sha256,
        report.digest,
        "trec_eval-9",
        "birds.qrels",
        f"version {ENGINE_VERSION}",
        "Student’s t",
        "by rita",
    ]:
        assert fact in html, fact


def test_the_best_is_named_and_marked(rita, report):
    html = shown(rita, report)
    first = max(outcomes(report), key=lambda outcome: outcome.means["nDCG@10"].mean)
    assert f"{first.name} has the highest nDCG@10: {first.means['nDCG@10'].mean:.4f} (95 % interval " in html
    best = re.findall(r'<td class="num best">([\d.]+)', html.split('id="explore"')[0])
    assert len(best) >= len([name for name in report.spec["measures"] if name != "Judged@10"])


def test_how_far_the_others_are_from_the_best_is_drawn_with_its_interval(rita, report, qrels):
    html = shown(rita, report)
    (pair,) = Differences(report, qrels.pk, "nDCG@10", "t", "holm").pairs
    best, other = (pair.first, pair.second) if pair.difference > 0 else (pair.second, pair.first)
    names = {run["id"]: run["name"] for run in report.spec["runs"]}
    assert f"Difference from {names[best]} in nDCG@10" in html
    numbers = f"{-pair.difference:+.4f} [{-pair.high:+.4f}, {-pair.low:+.4f}]".replace("-", "−")
    assert f'aria-label="{names[other]}: {numbers}"' in html


@pytest.mark.parametrize(
    ("query", "order"),
    [
        ("", ["alpha", "beta"]),
        ("?sort=nDCG@10", ["beta", "alpha"]),
        ("?sort=run", ["alpha", "beta"]),
        ("?sort=-run", ["beta", "alpha"]),
    ],
)
def test_means_are_sorted_as_the_address_says(rita, report, qrels, query, order):
    assert column(shown(rita, report, query), f"means-{qrels.pk}") == order


def test_headings_are_links_that_turn_the_order_and_keep_the_rest(rita, report, qrels):
    html = shown(rita, report, "?measure=AP&sort=-AP")
    assert f'aria-sort="descending"><a class="sort" href="?measure=AP&amp;sort=AP#means-{qrels.pk}">AP</a>' in html
    assert f'href="?measure=AP&amp;sort=-RR#means-{qrels.pk}">RR</a>' in html


def test_topics_are_listed_in_the_order_of_their_numbers_or_by_a_run(rita, report, runs):
    from metrics.kinds.runs.results import values

    single = values(report, qrels=report.parts.first().qrels_id, run=runs[1].pk)
    by_value = [topic for topic, _ in sorted(single.select("topic", "AP").iter_rows(), key=lambda row: row[1])]
    assert column(shown(rita, report), "topics") == ["1", "2"]
    assert column(shown(rita, report, f"?measure=AP&order={runs[1].pk}"), "topics") == by_value
    assert column(shown(rita, report, f"?measure=AP&order=-{runs[1].pk}"), "topics") == by_value[::-1]


def test_a_value_leads_to_the_ranking_behind_it(rita, report, runs, qrels):
    link = f"/collections/runs/{runs[0].pk}/ranking/?topic=1&amp;qrels={qrels.pk}"
    assert link in shown(rita, report)
    assert rita.get(link.replace("&amp;", "&")).status_code == 200


def test_a_topic_for_which_nothing_was_retrieved_leads_nowhere(rita, ask, compute, runs):
    half = store_run(run_frame(runs[0], topic="1"), collection=runs[0].collection, name="half", by=runs[0].created_by)
    html = shown(rita, compute(ask(runs=[half], topics="qrels")))
    assert f"/collections/runs/{half.pk}/ranking/?topic=1&amp;" in html
    assert f"/collections/runs/{half.pk}/ranking/?topic=2&amp;" not in html


def test_the_chosen_measure_reaches_table_and_charts(rita, report):
    html = shown(rita, report, "?measure=RR")
    assert "Topic by topic: RR" in html
    assert figures(html)["bars-figure"]["data"][0]["x"] == sorted(
        (outcome.means["RR"].mean for outcome in outcomes(report)), reverse=True
    )
    curves = {trace["name"]: trace["y"] for trace in figures(html)["pr-figure"]["data"]}
    assert curves == {outcome.name: outcome.precisions for outcome in outcomes(report)}


def test_where_less_is_better_the_lowest_comes_first_and_has_the_star(rita, ask, compute, runs, collection, researcher, qrels):
    elsewhere = run_frame(runs[0]).with_columns(topic=run_frame(runs[0])["topic"] + "x")
    none = store_run(elsewhere, collection=collection, name="none", by=researcher)
    report = compute(ask(measures="SL@3", runs=[*runs, none]))
    lengths = {outcome.name: outcome.means["SL@3"].mean for outcome in outcomes(report)}
    assert lengths["alpha"] < lengths["beta"] and lengths["none"] is None
    html = shown(rita, report)
    assert "alpha has the lowest SL@3" in html and "lowest first" in html
    means = f"means-{qrels.pk}"
    assert column(html, means) == ["alpha", "beta", "none"]
    assert column(shown(rita, report, "?sort=-SL@3"), means) == ["beta", "alpha", "none"]
    assert re.findall(r'<td class="num best">([\d.]+)', html.split(f'id="{means}"')[1].split("</table>")[0]) == ["1.0000"]
    assert figures(html)["bars-figure"]["data"][0]["x"] == [lengths["alpha"], lengths["beta"]]
    assert "★ lowest and ▾ highest" in html
    worse = html.split('id="topics"')[1].split('aria-label="highest"')
    assert len(worse) > 1 and all(re.findall(r">([\d.]+) <span", half)[-1] != "1.0000" for half in worse[:-1])


@pytest.mark.parametrize(
    "junk",
    ["?measure=none", "?qrels=x", "?qrels=999", "?run=x&run=-1", "?sort=none", "?order=9", "?page=9", "?runs=1", "?page=-"],
)
def test_an_address_that_asks_in_vain_shows_the_usual(rita, report, qrels, junk):
    html = shown(rita, report, junk)
    assert "Topic by topic: nDCG@10" in html
    assert column(html, f"means-{qrels.pk}") == ["alpha", "beta"]


def test_many_runs_show_the_best_and_offer_the_others(rita, ask, compute, runs):
    many = [
        store_run(run_frame(runs[0]), collection=runs[0].collection, name=f"copy {number}", by=runs[0].created_by)
        for number in range(MOST_TOLD_APART + 2)
    ]
    report = compute(ask(runs=many))
    html = shown(rita, report)
    assert html.split('id="topics"')[1].count("/ranking/?topic=1&amp;") == MOST_TOLD_APART
    assert [trace["meta"]["tone"] for trace in figures(html)["pr-figure"]["data"]] == [None, None, *range(MOST_TOLD_APART)]
    chosen = shown(rita, report, f"?run={many[0].pk}&run={many[7].pk}")
    assert chosen.split('id="topics"')[1].count("/ranking/?topic=1&amp;") == 2
    assert shown(rita, report, "?runs=all").split('id="topics"')[1].count("/ranking/?topic=1&amp;") == len(many)


def test_qrels_carry_their_marks_wherever_they_are_counted(rita, ask, compute, qrels, settled):
    sparse = store_qrels(
        pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]}, schema_overrides={"grade": pl.Int32}),
        collection=qrels.collection,
        name="mappings",
        by=qrels.created_by,
        sparse=True,
    )
    html = shown(rita, compute(ask(qrels=[sparse, settled, qrels])))
    assert "“mappings” is sparse" in html
    assert f"“{settled}”: 1 of 1 judgements are simulated" in html
    for source, badge in [(sparse, "sparse"), (sparse, "binary"), (settled, "1 judgements simulated"), (qrels, "")]:
        heading = html.split(f'id="means-{source.pk}"')[1].split("</h2>")[0]
        assert badge in heading
    assert "badge" not in html.split(f'id="means-{qrels.pk}"')[1].split("</h2>")[0]


def test_a_script_asks_only_for_the_part_that_changes(rita, report, qrels):
    for target, inside, outside in [
        (f"means-{qrels.pk}", f'id="means-{qrels.pk}"', 'id="topics"'),
        ("topics", 'id="topics"', 'id="explore"'),
        ("explore", 'id="explore"', "<h1>"),
    ]:
        html = shown(rita, report, "?sort=AP", hx_request="true", hx_target=target)
        assert inside in html
        assert outside not in html
        assert "nonce" not in html


def test_nothing_inline_that_the_content_security_policy_forbids(rita, report):
    response = rita.get(f"/reports/{report.pk}/")
    html = response.content.decode()
    nonce = re.search(r"'nonce-([^']+)'", response["Content-Security-Policy"]).group(1)
    assert html.count("<style ") == html.count(f'nonce="{nonce}"') == 2
    assert not re.search(r'\sstyle="|\son\w+="|<script>', html)


def test_asking_for_it_costs_the_same_whatever_its_size(rita, ask, compute, runs, qrels):
    small = compute(ask(measures="AP"))
    names = [str(number) for number in range(100, 160)]
    Topic.objects.bulk_create(Topic(collection=qrels.collection, number=name, title=f"bird {name}") for name in names)
    long = pl.DataFrame({"topic": names, "docno": ["d1"] * 60, "score": [1.0] * 60, "grade": [1] * 60})
    run = store_run(long.drop("grade"), collection=qrels.collection, name="long", by=qrels.created_by)
    grades = store_qrels(long.drop("score"), collection=qrels.collection, name="long", by=qrels.created_by)
    large = compute(ask(measures="AP RR", runs=[*runs, run], qrels=[grades]))
    counts = []
    for report in (small, large):
        with CaptureQueriesContext(
            connection,
        ) as queries:
            shown(rita, report)
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 15
    assert shown(rita, large).count("/ranking/?topic=") == 50  # a page of topics, one run that has them


def test_while_it_is_computed_the_page_asks_again_by_itself(rita, ask, runs):
    from metrics import tasks

    report = ask(measures="AP")
    page = shown(rita, report)
    assert 'hx-trigger="every 1s"' in page
    assert '<noscript><meta http-equiv="refresh" content="3"></noscript>' in page
    assert "Waiting to be computed" in page
    tasks.begin_report(report.pk)
    tasks.compute_part(report.pk, str(runs[0].pk))
    part = shown(rita, report, hx_request="true", hx_target="report-progress")
    assert 'value="1" max="2"' in part
    assert "<html" not in part
    tasks.compute_part(report.pk, str(runs[1].pk))
    assert (
        rita.get(f"/reports/{report.pk}/", headers={"hx-request": "true", "hx-target": "report-progress"})["HX-Refresh"] == "true"
    )


def test_a_failed_report_says_why_and_can_be_tried_again(rita, ask, runs, compute):
    report = ask(measures="AP")
    runs[0].file.delete(save=False)
    compute(report)
    page = shown(rita, report)
    assert "stored file of run “alpha” is missing" in page
    assert "every 1s" not in page
    assert rita.get(f"/reports/{report.pk}/retry/").status_code == 405
    assert rita.post(f"/reports/{report.pk}/retry/", follow=True).redirect_chain == [(f"/reports/{report.pk}/", 302)]
    report.refresh_from_db()
    assert report.state == report.State.WAITING


def test_it_can_be_deleted_after_a_question(rita, report):
    assert "Delete the report “" in rita.get(f"/reports/{report.pk}/delete/").content.decode()
    assert rita.post(f"/reports/{report.pk}/delete/", follow=True).redirect_chain == [("/reports/", 302)]
    assert rita.get(f"/reports/{report.pk}/").status_code == 404


def test_a_report_on_no_common_topic_is_shown_all_the_same(rita, ask, compute, qrels):
    other = store_qrels(
        pl.DataFrame({"topic": ["77"], "docno": ["d1"], "grade": [1]}, schema_overrides={"grade": pl.Int32}),
        collection=qrels.collection,
        name="other",
        by=qrels.created_by,
    )
    assert "nothing to average" in shown(rita, compute(ask(qrels=[other])))


def test_the_measures_come_first_then_what_tells_how_far_to_trust_them(rita, report, qrels):
    headings = re.findall(r'class="sort"[^>]*>([^<]+)<', shown(rita, report).split(f'id="means-{qrels.pk}"')[1])
    assert headings[:10] == ["Run", "nDCG@10", "AP", "RR", "P@5", "P@10", "R@100", "Rprec", "Topics", "Judged@10"]


def test_words_table_and_chart_show_no_interval_beyond_the_measure(rita, report):
    estimate = max(outcomes(report), key=lambda outcome: outcome.means["AP"].mean).means["AP"]
    html = shown(rita, report, "?measure=AP")
    low, high = estimate.low, estimate.high
    assert (low, high) == (0, 1)  # of two topics, whose interval by Student reaches beyond both
    assert f"(95 % interval {low:.4f} to {high:.4f})" in html
    assert f"[{low:.4f}, {high:.4f}]" in html
    bars = figures(html)["bars-figure"]
    assert bars["data"][0]["x"][0] + bars["data"][0]["error_x"]["array"][0] == pytest.approx(high)
    assert bars["layout"]["xaxis"]["range"][0] == 0
    assert bars["layout"]["xaxis"]["range"][1] <= 1
    assert "only 2 topics count" in html


def test_the_headline_says_under_which_of_several_qrels(rita, ask, compute, qrels, settled):
    report = compute(ask(qrels=[qrels, settled]))
    assert f"under “{qrels}”:" in shown(rita, report, f"?qrels={qrels.pk}").split("</strong>")[0]
    assert f"under “{settled}”:" in shown(rita, report, f"?qrels={settled.pk}").split("</strong>")[0]


def test_the_mark_of_the_lowest_is_part_of_its_link(rita, report):
    html = shown(rita, report, "?measure=AP").split('id="topics"')[1]
    assert re.search(r'<span role="img" aria-label="lowest">▾</span></a></td>', html)
    assert not re.search(r"</a> <span role", html)


BARS = "<summary>The means as bars</summary>"


def test_the_bars_are_folded_where_the_figure_of_the_answer_has_every_run(rita, many):
    html = shown(rita, many)
    assert html.count('<svg class="forest"') == len(many.spec["runs"]) - 1
    assert html.index('<svg class="forest"') < html.index('id="means-') < html.index(BARS) < html.index('"bars-figure"')


def test_the_bars_stand_where_the_answer_has_no_figure_or_has_not_every_run(rita, many, ask, compute, runs, monkeypatch):
    assert BARS not in shown(rita, compute(ask(runs=runs[:1])))
    monkeypatch.setattr(intervals, "MOST", len(many.spec["runs"]) - 2)
    assert BARS not in shown(rita, many)


def test_the_bars_of_a_measure_chosen_beside_the_answer_stand(rita, many):
    assert BARS not in shown(rita, many, "?measure=AP", **{"HX-Request": "true", "HX-Target": "explore"})


def test_a_line_of_the_answer_leads_to_its_topics(rita, many):
    html = shown(rita, many)
    best = Differences(many, many.spec["qrels"][0]["id"], "nDCG@10", "t", "holm").runs[0]
    links = re.findall(r'<a href="(/reports/\d+/differences/[^"]*#pair)">', html)
    assert links and all(f"second={best.run}" in link and "measure=nDCG%4010" in link for link in links)
    page = rita.get(links[0].replace("&amp;", "&").partition("#")[0]).content.decode()
    assert f"against {best.name}</h2>" in page


def test_a_figure_tells_which_keys_move_over_it(rita, report):
    html = shown(rita, report)
    assert "Arrow keys go from mark to mark" in html.split('id="bars-figure-keys" hidden', 1)[1].split("</p>", 1)[0]
    assert '<p id="bars-figure-mark" class="sr-only" role="status"' in html


def test_the_page_opens_with_the_answer(rita, report):
    expect_the_answer_first(shown(rita, report))

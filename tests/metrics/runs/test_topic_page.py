"""A topic of a report: what each run ranked for it, side by side, with the grades of the chosen qrels."""

import json
import re

import polars as pl
import pytest

from judging.collections.storage import qrels_frame, run_frame, store_qrels, store_run
from metrics.kinds.runs.results import values

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def rows(html: str) -> list[list[str]]:
    """The text of every cell, a list a rank."""
    body = html.split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in body.split("</tr>")[:-1]]
    return [[" ".join(re.sub(r"<[^>]+>", " ", cell).split()) for cell in row] for row in cells]


def docnos(run, topic: str) -> list[str]:
    return run_frame(run, topic=topic)["docno"].to_list()


def test_rankings_stand_side_by_side_with_their_grades(rita, report, runs, qrels, collection):
    """alpha: d1 d2 d4; beta: d2 d6 d1. Graded are d1 2, d2 1, d4 0."""
    titles = dict(collection.documents.values_list("docno", "title"))
    marks = {"d1": "2 ✓ ", "d2": "1 ✓ ", "d4": "0 "}
    there = {("alpha", "d1"): 3, ("alpha", "d2"): 1, ("beta", "d1"): 1, ("beta", "d2"): 2}
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    sides = [
        [
            f"{marks.get(docno, '– ')}{titles[docno] or docno}" + (f" both, there {rank}" if rank else "")
            for docno in docnos(run, "1")
            for rank in [there.get((run.name, docno))]
        ]
        for run in runs
    ]
    assert rows(html) == [[str(rank), *pair] for rank, pair in enumerate(zip(*sides, strict=True), start=1)]
    for run in runs:
        single = dict(values(report, qrels=qrels.pk, run=run.pk).select("topic", "nDCG@10").iter_rows())
        assert f'{run.name}</a> <span class="ci">{single["1"]:.4f}</span>' in html


def test_the_topics_of_the_overview_lead_there_with_what_was_chosen(rita, report, runs, qrels):
    html = rita.get(f"/reports/{report.pk}/?run={runs[1].pk}&measure=AP&sort=run").content.decode()
    links = [link.replace("&amp;", "&") for link in re.findall(rf'href="(/reports/{report.pk}/topic/[^"]*)"', html)]
    assert len(links) == 2
    page = rita.get(links[0]).content.decode()
    assert "Above each ranking its AP." in page and "alpha" not in page and len(rows(page)[0]) == 2


def test_it_takes_grades_and_what_is_relevant_from_the_report(rita, ask, compute, qrels, collection, researcher):
    stricter = compute(ask(relevant_from=2))
    html = rita.get(f"/reports/{stricter.pk}/topic/?topic=1").content.decode()
    assert "has 1 relevant document." in html and "1 ✓" not in " ".join(rows(html)[0] + rows(html)[1])


def test_it_leads_from_topic_to_topic(rita, report):
    first = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    assert 'rel="next" href="?topic=2"' in first and 'rel="prev"' not in first


@pytest.mark.parametrize("query", ["", "?topic=", "?topic=99", "?topic=x"])
def test_a_topic_that_does_not_count_is_not_found(rita, report, query):
    assert rita.get(f"/reports/{report.pk}/topic/{query}").status_code == 404


def test_a_run_without_the_topic_has_an_empty_side(rita, ask, compute, runs, collection, researcher):
    half = store_run(run_frame(runs[0], topic="1"), collection=collection, name="half", by=researcher)
    html = rita.get(f"/reports/{compute(ask(runs=[runs[0], half])).pk}/topic/?topic=2").content.decode()
    assert 'half <span class="ci">–</span>' in html and rows(html)[0][1:].count("") == 1


def test_a_run_that_found_nothing_where_all_topics_count(rita, ask, compute, runs, collection, researcher):
    half = store_run(run_frame(runs[0], topic="1"), collection=collection, name="half", by=researcher)
    html = rita.get(f"/reports/{compute(ask(runs=[half], topics='qrels')).pk}/topic/?topic=2").content.decode()
    assert rows(html) == [] and "half" in html


def test_grades_are_those_of_the_chosen_qrels(rita, ask, compute, qrels, collection, researcher):
    other = store_qrels(qrels_frame(qrels, topic="1").head(1), collection=collection, name="others", by=researcher)
    html = rita.get(f"/reports/{compute(ask(qrels=[qrels, other])).pk}/topic/?topic=1&qrels={other.pk}").content.decode()
    assert html.split("<tbody>", 1)[1].split("</tbody>", 1)[0].count("relevant g") == 2  # one document in both rankings


def figures(html: str) -> dict:
    return {
        name: json.loads(text) for name, text in re.findall(r'<script id="([\w-]+)" type="application/json">(.*?)</script>', html)
    }


def counted(run, qrels, topic: str, relevant_from: int) -> list[tuple[float, float]]:
    """Recall and precision at each relevant document of a ranking, counted one by one."""
    grades = dict(qrels_frame(qrels, topic=topic).select("docno", "grade").iter_rows())
    relevant = {docno for docno, grade in grades.items() if grade >= relevant_from}
    ranked, points = docnos(run, topic), []
    for rank, docno in enumerate(ranked, start=1):
        if docno in relevant:
            hits = len(relevant.intersection(ranked[:rank]))
            points.append((hits / len(relevant), hits / rank))
    return points


@pytest.mark.parametrize(("topic", "relevant_from"), [("1", 1), ("1", 2), ("2", 1)])
def test_each_relevant_document_is_a_point_of_the_querys_curve(rita, ask, compute, runs, qrels, topic, relevant_from):
    report = compute(ask(relevant_from=relevant_from))
    html = rita.get(f"/reports/{report.pk}/topic/?topic={topic}").content.decode()
    expected = {run.name: counted(run, qrels, topic, relevant_from) for run in runs}
    traces = {trace["name"]: trace for trace in figures(html)["query-curve"]["data"]}
    assert set(traces) == {name for name, points in expected.items() if points}
    for name, trace in traces.items():
        assert trace["x"] == pytest.approx([recall for recall, _ in expected[name]])
        assert trace["y"] == pytest.approx([precision for _, precision in expected[name]])
    table = html.split('aria-label="Precision and recall"', 1)[1].split("</table>", 1)[0]
    assert table.count('<th scope="row">') == sum(map(len, expected.values())) > 0


def test_the_curve_goes_by_the_reports_rules(rita, ask, compute, runs):
    """alpha has d1 d2 d4, of which the first two are relevant: cut at one document one is left."""
    report = compute(ask(runs=runs[:1], depth=1))
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    (trace,) = figures(html)["query-curve"]["data"]
    assert (trace["x"], trace["y"]) == ([0.5], [1])


def test_no_curve_where_nothing_relevant_was_found(rita, ask, compute, runs):
    report = compute(ask(relevant_from=9))
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    assert "query-curve" not in figures(html) and "rank-scatter" in figures(html)


def test_two_runs_put_each_document_at_two_ranks(rita, report, runs):
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1&first={runs[1].pk}&second={runs[0].pk}").content.decode()
    first, second = docnos(runs[1], "1"), docnos(runs[0], "1")
    both = [docno for docno in first if docno in second]
    figure = figures(html)["rank-scatter"]
    places = {
        docno: (x, y)
        for trace in figure["data"][1:]
        for docno, x, y in zip(trace["customdata"], trace["x"], trace["y"], strict=True)
    }
    assert places == {docno: (first.index(docno) + 1, second.index(docno) + 1) for docno in both}
    assert {trace["name"] for trace in figure["data"][1:]} <= {"Relevant", "Not relevant", "Unjudged"}
    assert f"Both rank {len(both)} documents" in html and "Ranks by beta and by alpha" in html
    table = html.split('aria-label="Ranks of both runs"', 1)[1].split("</table>", 1)[0]
    assert re.findall(r'<th scope="row"><a href="/collections/documents/\d+/">([^<]+)</a></th>', table) == both


def test_marks_are_grouped_by_what_the_report_takes_as_relevant(rita, ask, compute):
    """Both runs have d1 (grade 2) and d2 (grade 1) for topic 1."""
    html = rita.get(f"/reports/{compute(ask(relevant_from=2)).pk}/topic/?topic=1").content.decode()
    groups = {trace["name"]: trace["customdata"] for trace in figures(html)["rank-scatter"]["data"][1:]}
    assert groups == {"Relevant": ["d1"], "Not relevant": ["d2"]}


def test_one_run_has_no_second_ranks(rita, ask, compute, runs):
    html = rita.get(f"/reports/{compute(ask(runs=runs[:1])).pk}/topic/?topic=1").content.decode()
    assert "rank-scatter" not in figures(html)


def test_runs_that_share_no_document_have_no_scatter(rita, ask, compute, runs, collection, researcher):
    other = run_frame(runs[0]).with_columns(docno=pl.lit("z") + pl.col("docno"))
    strange = store_run(other, collection=collection, name="strange", by=researcher)
    html = rita.get(f"/reports/{compute(ask(runs=[runs[0], strange])).pk}/topic/?topic=1").content.decode()
    assert "rank-scatter" not in figures(html)


def test_it_counts_what_each_run_retrieved(rita, report, runs, collection):
    """alpha: d1 d2 d4; beta: d2 d6 d1. Relevant are d1 and d2: beta finds nothing relevant that alpha lacks."""
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    left = collection.documents.count() - 3
    assert rows(html.split('id="retrieved"')[1]) == [
        ["alpha", "2", "1", "0", str(left), "–", "–"], ["beta", "2", "1", "0", str(left), "1.00", "0.00"],
    ]  # fmt: skip


def test_without_documents_the_last_cell_stays_open(rita, report, collection):
    collection.documents.all().delete()
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    assert [row[4] for row in rows(html.split('id="retrieved"')[1])] == ["–", "–"]


def test_it_counts_pairs_that_two_runs_order_differently(rita, report):
    """Both have d1 and d2: alpha ranks d1 first, beta d2."""
    html = " ".join(rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode().split())
    assert "Of pairs of these, 0 stand in the same order in both, 1 do not: Kendall’s τ −1.0000" in html
    assert "footrule −1.0000" in html


def test_marks_of_documents_lead_to_them(rita, report, collection):
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    pages = {docno: f"/collections/documents/{pk}/" for docno, pk in collection.documents.values_list("docno", "pk")}
    for trace in figures(html)["rank-scatter"]["data"][1:]:
        assert trace["meta"]["addresses"] == [pages[docno] for docno in trace["customdata"]]
    (alpha,) = (trace for trace in figures(html)["query-curve"]["data"] if trace["name"] == "alpha")
    assert alpha["meta"]["addresses"] == [pages["d1"], pages["d2"]]
    table = html.split('aria-label="Precision and recall"', 1)[1].split("</table>", 1)[0]
    assert f'<a href="{pages["d1"]}">alpha, rank 1</a>' in table


def test_marks_of_documents_that_the_collection_lacks_lead_nowhere(rita, report, collection):
    collection.documents.all().delete()
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    for key in ("query-curve", "rank-scatter"):
        assert not any(any(trace["meta"].get("addresses", [])) for trace in figures(html)[key]["data"])


def test_grades_are_told_apart_without_colour(rita, ask, compute):
    """alpha: d1 2, d2 1, d4 0; beta has d6, which nobody judged. Relevant is from 2 up."""
    html = rita.get(f"/reports/{compute(ask(relevant_from=2)).pk}/topic/?topic=1").content.decode()
    chips = re.findall(r'<span class="grade-chip ?([^"]*)"[^>]*>(.*?)</span>', html.split("<tbody>", 1)[1].split("</tbody>")[0])
    assert {(look, text.split()[0]) for look, text in chips} == {("relevant g2", "2"), ("", "1"), ("", "0"), ("unjudged", "–")}


def test_two_rankings_say_where_the_other_one_has_a_document(rita, ask, compute, report, runs, collection, researcher):
    assert "both, there 3" in rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    third = store_run(run_frame(runs[0]), collection=collection, name="gamma", by=researcher)
    html = rita.get(f"/reports/{compute(ask(runs=[*runs, third])).pk}/topic/?topic=1").content.decode()
    assert "both, there" not in html and html.count('data-document="d1"') == 3


def test_the_heading_has_the_topics_number_and_title(rita, report, collection):
    html = rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()
    assert f"1: {collection.topics.get(number='1').title}</h1>" in " ".join(html.split())

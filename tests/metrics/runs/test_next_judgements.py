"""What to judge next, on the page, as CSV and by the API: as the command says from the same files."""

import csv
import html
import io
import json
import re

import polars as pl
import pytest
from django.urls import reverse

from ireval.cli.main import main
from judging.collections.storage import store_run
from judging.models import Document, Study
from judging.studies import launch
from metrics.kinds.runs import next_judgements
from tests.metrics.conftest import GRADES

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
RANKINGS = {
    "alpha": {"1": ["d1", "d2", "d4"], "2": ["d3", "d5", "d6"]},
    "beta": {"1": ["d2", "d6", "d1"], "2": ["d4", "d3", "d5"]},
}


@pytest.fixture
def command(tmp_path, capsys):
    """What `ireval next` prints as JSON from files of the birds' runs and qrels."""
    for name, rankings in RANKINGS.items():
        lines = [f"{topic} Q0 {docno} 0 {9 - rank} x" for topic, ranked in rankings.items() for rank, docno in enumerate(ranked)]
        (tmp_path / name).write_text("\n".join(lines))
    graded = [f"{topic} 0 {docno} {grade}" for topic, grades in GRADES.items() for docno, grade in grades.items()]
    (tmp_path / "qrels").write_text("\n".join(graded))

    def command(*options):
        runs = [str(tmp_path / name) for name in RANKINGS]
        assert main(["next", *runs, "--qrels", str(tmp_path / "qrels"), "--format", "json", *options]) == 0
        return json.loads(capsys.readouterr().out)

    return command


def page(client, report, query=""):
    answer = client.get(reverse("report_next", args=[report.pk]) + query)
    assert answer.status_code == 200
    return html.unescape(answer.content.decode())


@pytest.mark.parametrize("measure", ["nDCG@10", "AP", "P@5"])
def test_it_says_what_the_command_says(rita, report, command, measure):
    expected = command("-m", measure)
    alpha, beta = (run["id"] for run in report.spec["runs"])
    query = {"measure": measure, "first": alpha, "second": beta}
    told = rita.get(f"/api/v1/reports/{report.pk}/next/", query).json()
    assert (told["pooled"], told["unjudged"]) == (expected["pooled"], expected["pooled"] - expected["judged"])
    assert told["open"] == expected["open"]
    assert [{**row, "change": pytest.approx(row["change"])} for row in told["documents"]] == sorted(
        expected["documents"], key=lambda row: row["topic"]
    )
    (told_pair,), (pair,) = told["pairs"], expected["pairs"]
    assert told_pair == {**pair, "low": pytest.approx(pair["low"]), "high": pytest.approx(pair["high"])}
    rows = list(csv.DictReader(io.StringIO(rita.get(f"/reports/{report.pk}/next.csv", query).content.decode())))
    assert [(row["topic"], row["docno"]) for row in rows] == [(row["topic"], row["docno"]) for row in told["documents"]]


def test_the_page_leads_from_topics_and_documents_to_theirs(rita, report):
    shown = page(rita, report)
    assert "Judgements that remain can still change the order by nDCG@10. 2 of 8 pooled documents are unjudged." in shown
    for document in Document.objects.filter(docno__in=["d4", "d6"]):
        assert reverse("document", args=[document.pk]) in shown
    assert f"{reverse('report_topic', args=[report.pk])}?topic=1&" in shown
    overview = html.unescape(rita.get(reverse("report", args=[report.pk]) + "?measure=AP").content.decode())
    assert f"{reverse('report_next', args=[report.pk])}?measure=AP" in overview


def test_what_is_certain_is_said(rita, ask, compute, collection, researcher):
    same = [
        store_run(pl.DataFrame({"topic": ["1", "1"], "docno": docnos, "score": [2.0, 1.0]}), collection=collection, name=name,
                  by=researcher)
        for name, docnos in {"better": ["d1", "d2"], "worse": ["d2", "d1"]}.items()
    ]  # fmt: skip
    shown = page(rita, compute(ask(runs=same)))
    assert "No judgement that remains can change the order by nDCG@10: better > worse. 0 of 2 pooled documents" in shown
    assert "Every pooled document that could matter is judged." in shown


def test_over_other_topics_than_the_reports_nothing_is_certain(rita, ask, compute, runs, collection, researcher):
    """The third run's mean is over topic 1 alone; under the rule "qrels" its other topic counts as 0."""
    short = pl.DataFrame({"topic": ["1", "1"], "docno": ["d1", "d2"], "score": [2.0, 1.0]})
    short = store_run(short, collection=collection, name="short", by=researcher)
    for rules in ({}, {"topics": "qrels"}):
        report = compute(ask(runs=[*runs, short], **rules))
        same, other = ({"first": runs[0].pk, "second": second.pk} for second in (runs[1], short))
        assert rita.get(f"/api/v1/reports/{report.pk}/next/", same).status_code == 200
        refused = rita.get(f"/api/v1/reports/{report.pk}/next/", other)
        assert (refused.status_code, "Choose runs that have the same topics." in refused.json()["detail"]) == (409, True)
        assert "Choose runs that have the same topics." in page(rita, report, "?between=all")


@pytest.mark.parametrize(
    "query", [{"first": "999"}, {"second": "x"}, {"second": "999"}, {"n": "0"}, {"n": "many"}, {"between": "three"}]
)
def test_the_api_refuses_a_choice_that_there_is_not(rita, report, query):
    answer = rita.get(f"/api/v1/reports/{report.pk}/next/", query)
    assert (answer.status_code, list(answer.json())) == (400, list(query))
    assert rita.get(f"/reports/{report.pk}/next.csv", query).status_code == 200, "a page ignores it"


def test_the_api_refuses_a_run_against_itself(rita, report):
    run = report.spec["runs"][0]["id"]
    assert rita.get(f"/api/v1/reports/{report.pk}/next/", {"first": run, "second": run}).status_code == 400


def test_its_documents_go_to_a_study(rita, report, running):
    running.items.filter(topic__number="1", document__docno="d6").delete()
    shown = page(rita, report)
    assert f'<option value="{running.pk}">Bird study (running)</option>' in shown
    documents = re.search(r'<textarea name="documents" hidden>(.*?)</textarea>', shown, re.DOTALL)[1]
    answer = rita.post(reverse("study_grow"), {"study": running.pk, "documents": documents}, follow=True)
    assert "1 document was added to “Bird study”; 1 was in it already." in html.unescape(answer.content.decode())
    assert running.items.filter(topic__number="1", document__docno="d6").exists()


def test_it_says_what_judging_takes_in_each_study_and_in_a_new_one(rita, report, running):
    Study.objects.update(seconds_a_judgement=60, pay_a_judgement="0.50", overlap=3, gold_every=0)
    work = "6 judgements, about 6 minutes of work, 3.00 EUR."
    shown = " ".join(page(rita, report).split())
    assert f"In “Bird study”: {work} In a new study, paid as the last: {work}" in shown


@pytest.mark.parametrize(
    "change",
    [{"scale": [{"grade": 0, "label": "no"}, {"grade": 1, "label": "yes"}]}, {"archived": "2026-11-20T00:00:00Z"}],
)
def test_only_studies_whose_workers_can_give_these_grades_are_offered(rita, report, running, change):
    Study.objects.filter(pk=running.pk).update(**change)
    shown = page(rita, report)
    assert "Add 2 documents to study" not in shown
    assert "Begin a study with 2 documents" in shown


def test_documents_that_nobody_could_read_are_shown_and_not_sent(rita, report, running):
    running.items.filter(document__docno="d4").delete()
    Document.objects.filter(docno="d4").delete()
    shown = page(rita, report)
    assert "Add 1 document to study" in shown
    assert "1 of these documents is not in the collection" in shown


def test_the_number_of_documents_is_the_readers(rita, report):
    address = f"/reports/{report.pk}/next.csv"
    assert len(rita.get(address, {"n": 1}).content.splitlines()) == 2
    for n in ("0", "x", "99999999999999999999"):
        assert len(rita.get(address, {"n": n}).content.splitlines()) in (2, 3)


def test_two_runs_are_chosen_or_all(rita, many):
    ids = {run["name"]: run["id"] for run in many.spec["runs"]}
    told = rita.get(f"/api/v1/reports/{many.pk}/next/").json()
    assert [(pair["first"], pair["second"]) for pair in told["pairs"]] == [("good", "fair")]
    told = rita.get(f"/api/v1/reports/{many.pk}/next/", {"first": ids["bad"], "second": ids["good"]}).json()
    assert [(pair["first"], pair["second"]) for pair in told["pairs"]] == [("bad", "good")]
    assert len(rita.get(f"/api/v1/reports/{many.pk}/next/", {"between": "all"}).json()["pairs"]) == 6
    assert "good > bad" in page(rita, many, "?between=all") or "bad > good" in page(rita, many, "?between=all")


@pytest.mark.parametrize(
    ("question", "query", "why"),
    [
        ({"judged_only": True}, "", "Ask for a report by the usual rules"),
        ({"ties": "best"}, "", "Ask for a report by the usual rules"),
        ({"measures": "RR nDCG@10"}, "?measure=RR", "RR has no bounds over unjudged documents"),
    ],
)
def test_what_has_no_bounds_says_so(rita, ask, compute, question, query, why):
    report = compute(ask(**question))
    assert why in page(rita, report, query)
    assert rita.get(f"/reports/{report.pk}/next.csv{query}").status_code == 409
    answer = rita.get(f"/api/v1/reports/{report.pk}/next/{query}")
    assert (answer.status_code, why in answer.json()["detail"]) == (409, True)


def test_what_takes_too_long_is_left_to_the_command(rita, report, monkeypatch):
    monkeypatch.setattr(next_judgements, "MOST_DIFFERENCES", 11)
    assert "use the command “ireval next”" in page(rita, report)
    monkeypatch.setattr(next_judgements, "MOST_DIFFERENCES", 12)  # two runs of six results
    assert "can still change" in page(rita, report)


def test_a_single_run_has_no_order(rita, ask, compute, runs):
    assert "One run has no order" in page(rita, compute(ask(runs=runs[:1])))


def test_a_study_can_begin_with_them_where_there_is_none(rita, report, study):
    assert "Begin a study with 2 documents" in page(rita, report)
    launch.launch(study)
    assert "Add 2 documents to study" in page(rita, report)

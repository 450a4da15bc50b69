"""Reports on runs under other versions of the same qrels: what each says, which is newest, and asking the newest."""

import polars as pl
import pytest
from rest_framework.test import APIClient

from ireval import ENGINE_VERSION
from judging.collections.storage import store_qrels
from judging.models import User
from metrics.access import run_reports_for
from metrics.kinds.runs.versions import newer_qrels, other_versions, same_question
from metrics.models import Report
from tests.metrics.conftest import GRADES

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

BUTTON = "Ask the same of the newest</button>"


@pytest.fixture
def store(collection, researcher):
    """Store another version of the qrels, with some more grades."""

    def store(name="ornithologists", by=researcher, **more):
        rows = [(topic, docno, grade) for topic, grades in GRADES.items() for docno, grade in grades.items()]
        rows += [("1", docno, grade) for docno, grade in more.items()]
        frame = pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")
        return store_qrels(frame, collection=collection, name=name, by=by)

    return store


@pytest.fixture
def versions(researcher):
    return lambda report: other_versions(report, run_reports_for(researcher), researcher)


@pytest.fixture
def api(researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    return client


def test_a_report_stays_as_it_is_and_says_that_there_are_newer_grades(report, store, rita):
    assert "There are newer grades" not in rita.get(f"/reports/{report.pk}/").content.decode()
    store(d5=2)
    for tab in ("", "curves/", "differences/", "tags/", "agreement/", "topic/?topic=1"):
        html = rita.get(f"/reports/{report.pk}/{tab}").content.decode()
        assert "“ornithologists v2” has come since. This report stays as it is." in html and BUTTON in html


def test_the_button_asks_the_same_of_the_newest(ask, compute, store, rita):
    report = compute(ask(measures="AP P@5", relevant_from=2, judged_only=True))
    store(d5=2)
    newest = store(d5=2, d6=1)
    address = rita.post(f"/reports/{report.pk}/newest/")["Location"]
    other = Report.objects.exclude(pk=report.pk).get()
    assert address == f"/reports/{other.pk}/"
    assert [version["id"] for version in other.spec["qrels"]] == [newest.pk]
    assert {**other.spec, "qrels": None} == {**report.spec, "qrels": None}
    assert other.title == "2 runs under ornithologists v3, judged only"


def test_a_title_that_somebody_chose_is_kept(ask, compute, store, rita):
    report = compute(ask(title="Owls"))
    store(d5=2)
    rita.post(f"/reports/{report.pk}/newest/")
    assert set(Report.objects.values_list("title", flat=True)) == {"Owls"}


def test_once_it_was_asked_the_page_leads_there(report, store, ask, rita):
    newer = ask(qrels=[store(d5=2)])
    html = rita.get(f"/reports/{report.pk}/").content.decode()
    assert BUTTON not in html
    assert f'<a class="button" href="/reports/{newer.pk}/">Show the report on them</a>' in html


def test_each_lists_the_others_with_what_changed(report, store, ask, compute, versions):
    second, third = (compute(ask(qrels=[store(**more)])) for more in ({"d5": 2, "d6": 1}, {"d5": 2}))
    changes = [
        "“ornithologists v3” has 1 grade fewer than v2",
        "“ornithologists v2” has 2 grades more than v1",
    ]
    for shown, others in ((report, [third, second]), (second, [third, report]), (third, [second, report])):
        listed = versions(shown)
        assert [version.report for version in listed] == others
        assert [version.change.partition(";")[0] for version in listed] == changes
        assert [version.is_newer for version in listed] == [other.pk > shown.pk for other in others]


def test_of_many_those_next_to_it_are_listed(report, store, ask, compute, versions, monkeypatch):
    monkeypatch.setattr("metrics.kinds.runs.versions.MOST_SHOWN", 2)
    second, third = (compute(ask(qrels=[store(d5=grade)])) for grade in (2, 1))
    assert [version.report for version in versions(report)] == [second]
    assert [version.report for version in versions(second)] == [third]
    assert [version.report for version in versions(third)] == [second]


def test_what_changed_names_the_best_run_then_and_now(report, store, ask, compute, versions):
    compute(ask(qrels=[store(d5=2, d6=2)]))
    (newer,) = versions(report)
    before, after = (best_of(version) for version in (report, newer.report))
    who = f"still {after[0]}" if before[0] == after[0] else f"{after[0]} (was {before[0]})"
    assert newer.change.endswith(f"; the best run is {who}, nDCG@10 {after[1]:.4f}, was {before[1]:.4f}.")
    assert newer.sentence.startswith(after[0])


def best_of(report):
    names = {run["id"]: run["name"] for run in report.spec["runs"]}
    return max(((names[row["run"]], row["means"]["nDCG@10"][0]) for row in report.result["rows"]), key=lambda best: best[1])


def test_another_engine_is_another_version(report, ask, compute, versions, monkeypatch):
    for module in ("kinds.runs.question", "kinds.runs.parts", "pipeline"):
        monkeypatch.setattr(f"metrics.{module}.ENGINE_VERSION", ENGINE_VERSION + "+")
    compute(ask())
    (newer,) = versions(report)
    assert newer.change.startswith(f"Version {ENGINE_VERSION}+ of the engine (was {ENGINE_VERSION}); the best run is still")


@pytest.mark.parametrize("other", [{"measures": "AP"}, {"relevant_from": 2}, {"depth": 5}, {"topics": "qrels"}])
def test_another_question_is_no_version(report, store, ask, compute, versions, other):
    compute(ask(qrels=[store(d5=2)], **other))
    assert versions(report) == []


def test_nor_is_one_of_fewer_runs_or_other_qrels(report, runs, store, ask, compute, versions):
    compute(ask(qrels=[store(d5=2)], runs=runs[:1]))
    compute(ask(qrels=[store(name="amateurs")]))
    assert versions(report) == []


def test_the_order_of_measures_makes_no_other_question(ask, store, compute, versions):
    report = compute(ask(measures="AP RR"))
    other = compute(ask(measures="RR AP", qrels=[store(d5=2)]))
    assert [version.report for version in versions(report)] == [other]


def test_a_report_that_compares_two_versions_is_not_outdated(qrels, store, ask, compute, researcher):
    report = compute(ask(qrels=[qrels, store(d5=2)]))
    store(d6=1)
    assert newer_qrels(report, researcher) == []


def test_of_several_qrels_those_that_are_newer_are_replaced(qrels, store, ask, compute, rita):
    amateurs = store(name="amateurs")
    report = compute(ask(qrels=[qrels, amateurs]))
    newer = store(d5=2)
    rita.post(f"/reports/{report.pk}/newest/")
    other = Report.objects.exclude(pk=report.pk).get()
    assert {version["id"] for version in other.spec["qrels"]} == {amateurs.pk, newer.pk}


def test_qrels_that_the_reader_may_not_see_are_not_named(report, store, collection, rita):
    """Clicks on somebody's site give grades to them alone."""
    collection.shared = True
    collection.save()
    other = User.objects.create_user("olga", is_researcher=True)
    hidden = store(by=other, d5=2)
    type(hidden).objects.filter(pk=hidden.pk).update(recipe={"site": 1})
    assert "There are newer grades" not in rita.get(f"/reports/{report.pk}/").content.decode()


def test_reports_that_the_reader_may_not_see_are_not_listed(report, store, ask, compute, researcher, stranger):
    compute(ask(qrels=[store(d5=2)]))
    assert other_versions(report, run_reports_for(researcher), researcher)
    assert same_question(report, run_reports_for(stranger)) == []


def test_the_api_lists_versions_and_asks_the_newest(report, store, api, compute, researcher):
    address = f"/api/v1/reports/{report.pk}/"
    assert api.post(f"{address}newest/").status_code == 409
    newest = store(d5=2)
    assert api.get(address).json()["newer_qrels"] == [newest.pk]
    asked = api.post(f"{address}newest/").json()
    assert (asked["state"], [version["id"] for version in asked["qrels"]]) == ("waiting", [newest.pk])
    assert api.get(address).json()["versions"] == []
    compute(Report.objects.get(pk=asked["id"]))
    (version,) = api.get(address).json()["versions"]
    assert (version["id"], version["is_newer"]) == (asked["id"], True)
    assert version["change"].startswith("“ornithologists v2” has 1 grade more than v1; the best run is")


def test_it_is_listed_on_the_page(report, store, ask, compute, rita):
    newer = compute(ask(qrels=[store(d5=2)]))
    html = rita.get(f"/reports/{report.pk}/").content.decode().partition("Other versions")[2]
    assert f'href="/reports/{newer.pk}/"' in html and "What changed there: “ornithologists v2” has 1 grade more than v1" in html
    html = rita.get(f"/reports/{newer.pk}/").content.decode().partition("Other versions")[2]
    assert f'href="/reports/{report.pk}/"' in html and "What changed since: “ornithologists v2” has 1 grade more than v1" in html

"""Reports of earlier days: what they lack is said, and a button asks their question again."""

import pytest
from rest_framework.test import APIClient

from ireval import ENGINE_VERSION
from metrics.models import Report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

BUTTON = "Ask again</button>"


@pytest.fixture
def shown(rita):
    def shown(report, tab):
        return rita.get(f"/reports/{report.pk}/{tab}").content.decode()

    return shown


@pytest.fixture
def again(rita):
    def again(report):
        return rita.post(f"/reports/{report.pk}/retry/")["Location"]

    return again


def without_curves(report):
    report.tables.filter(name="curves").delete()


def without_differences(report):
    report.tables.filter(name="differences").delete()


def without_agreement(report):
    Report.objects.update(result={"rows": report.result["rows"]})


LACKS = [
    (without_curves, "curves/", "Most curves are missing"),
    (without_differences, "differences/", "The differences are missing"),
    (without_agreement, "agreement/", "How alike the rankings are is missing"),
]


@pytest.mark.parametrize(("lacks", "tab", "says"), LACKS)
def test_a_page_says_what_is_missing_and_offers_to_ask_again(report, shown, lacks, tab, says):
    assert BUTTON not in shown(report, tab)
    lacks(report)
    assert says in shown(report, tab) and BUTTON in shown(report, tab)


@pytest.mark.parametrize(("lacks", "tab", "says"), LACKS)
def test_asking_again_computes_what_is_missing_and_the_same_means(report, shown, again, compute, lacks, tab, says):
    before = report.result
    lacks(report)
    assert again(report) == f"/reports/{report.pk}/"
    report.refresh_from_db()
    assert report.state == Report.State.WAITING
    assert compute(report).result == before
    assert says not in shown(report, tab)


def test_a_complete_report_of_today_is_not_computed_again(report, again):
    again(report)
    report.refresh_from_db()
    assert report.is_done and report.result


@pytest.fixture
def newer(monkeypatch):
    for module in ("kinds.runs.question", "kinds.runs.parts", "pipeline", "templatetags.reports"):
        monkeypatch.setattr(f"metrics.{module}.ENGINE_VERSION", ENGINE_VERSION + "+")


@pytest.mark.parametrize("tab", ["", "curves/", "differences/", "agreement/"])
def test_a_report_of_an_earlier_engine_says_so(report, shown, tab, request):
    assert "Computed by an earlier version" not in shown(report, tab)
    request.getfixturevalue("newer")
    assert "Computed by an earlier version" in shown(report, tab) and BUTTON in shown(report, tab)


def test_asking_again_of_an_earlier_engine_makes_another_report_of_the_same_question(ask, compute, again, request):
    report = compute(ask(judged_only=True, title="Owls"))
    request.getfixturevalue("newer")
    address = again(report)
    new = Report.objects.exclude(pk=report.pk).get()
    assert address == f"/reports/{new.pk}/"
    assert (new.spec, new.title, new.engine_version) == (report.spec, "Owls", ENGINE_VERSION + "+")
    report.refresh_from_db()
    assert report.is_done


def test_a_failed_report_of_an_earlier_engine_is_asked_of_todays(ask, compute, again, request):
    from metrics.pipeline import fail

    report = ask()
    fail(report.pk, "no luck")
    request.getfixturevalue("newer")
    again(report)
    assert compute(Report.objects.exclude(pk=report.pk).get()).is_done


def test_a_question_that_can_no_longer_be_asked_says_why(report, rita, request):
    request.getfixturevalue("newer")
    Report.objects.update(spec=report.spec | {"relevant_from": 500})
    html = rita.post(f"/reports/{report.pk}/retry/", follow=True).content.decode()
    why = "This question can no longer be asked. Choose a grade from 1 to 127."
    assert why in html
    refused = rita.post(f"/api/v1/reports/{report.pk}/retry/")
    assert (refused.status_code, refused.json()) == (409, {"detail": why})


def test_the_api_asks_again_too(report, researcher):
    api = APIClient()
    api.force_authenticate(researcher)
    address = f"/api/v1/reports/{report.pk}/retry/"
    assert api.post(address).status_code == 409
    without_curves(report)
    assert api.post(address).json()["state"] == "waiting"

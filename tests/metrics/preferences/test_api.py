"""What the workers of a side-by-side study prefer, asked by a program."""

import pytest
from rest_framework.test import APIClient

from judging.models import AuditEntry

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judged")]


@pytest.fixture
def rita(researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    return client


def address(study, more=""):
    return f"/api/v1/studies/{study.pk}/preferences/{more}"


def test_asked_for_computed_and_read(rita, judged, compute):
    assert rita.get(address(judged)).json()["state"] == "none"
    assert rita.get(address(judged, "answers/")).status_code == 409
    response = rita.post(address(judged))
    assert (response.status_code, response.json()["state"]) == (202, "waiting")
    compute(judged.reports.get())
    answer = rita.get(address(judged)).json()
    assert (answer["state"], answer["is_current"]) == ("done", True)
    assert [pair["first"] for pair in answer["result"]["pairs"]["pairs"]] == ["alpha", "alpha", "beta"]
    assert answer["result"]["systems"]["ladder"][0]["system"] == "beta"


def test_answers_come_in_pages(rita, judged, report):
    first = rita.get(address(judged, "answers/")).json()
    assert first["count"] == report.evidence["judgements"]
    assert first["results"][0]["winner"] in {"left", "right", "tie"}
    second = rita.get(first["next"]).json()
    assert first["results"][0] not in second["results"]
    opened = [answer for answer in first["results"] + second["results"] if answer["interactions"]]
    assert opened[0]["interactions"][0]["what"] == "open"


def test_files(rita, judged, report):
    assert rita.get(address(judged, "download/")).content.startswith(b"item,topic,left,right,winner,worker,seconds,order\n")
    assert rita.get(address(judged, "download/?format=json")).json()["pairs"]["votes"] == 128
    assert rita.get(address(judged, "download/?format=parquet")).content.startswith(b"PAR1")
    assert rita.get(address(judged, "download/?format=xls")).status_code == 400
    assert AuditEntry.objects.filter(deed="exported").count() == 3


def test_nobody_has_answered(rita, comparing):
    assert rita.post(address(comparing)).status_code == 409


def test_strangers_find_nothing(rita, judged, stranger):
    rita.force_authenticate(stranger)
    assert rita.get(address(judged)).status_code == 404
    assert rita.get(address(judged, "download/")).status_code == 404

"""How far a study's labels can be trusted, asked by a program."""

import pytest
from rest_framework.test import APIClient

from judging.models import AuditEntry
from tests.metrics.quality.conftest import answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def rita(researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    return client


def address(study, more=""):
    return f"/api/v1/studies/{study.pk}/quality/{more}"


def test_asked_for_computed_and_read(rita, crowd, compute):
    assert rita.get(address(crowd)).json()["state"] == "none"
    response = rita.post(address(crowd))
    assert (response.status_code, response.json()["state"], response.json()["result"]) == (202, "waiting", None)
    report = crowd.reports.get()
    compute(report)
    content = rita.get(address(crowd)).json()
    assert (content["state"], content["is_current"], content["judged_since"]) == ("done", True, 0)
    assert content["evidence"]["judgements"] == 18
    names = [coefficient["name"] for coefficient in content["result"]["agreement"]["coefficients"]]
    assert names == ["percent", "cohen-mean", "cohen-mean-quadratic", "fleiss", "alpha-nominal", "alpha-ordinal"]
    assert content["result"]["workers"]["workers"] == 3
    rita.post(address(crowd))
    assert crowd.reports.get() == report  # nothing has changed


def test_the_earlier_result_stays_while_another_is_computed(rita, crowd, report):
    answer(crowd.workers.first(), crowd.items.first(), 1)
    assert rita.get(address(crowd)).json()["judged_since"] == 1
    content = rita.post(address(crowd)).json()
    assert (content["state"], content["is_current"]) == ("waiting", False)
    assert content["result"]["agreement"]["votes"] == 18


def test_files(rita, crowd, report):
    assert rita.get(address(crowd, "download/")).json()["agreement"]["votes"] == 18
    assert rita.get(address(crowd, "download/?file=items.csv")).content.count(b"\n") == 7
    taken = AuditEntry.objects.filter(deed="exported").order_by("id").values_list("about", flat=True)
    assert list(taken) == ["quality, quality.json", "quality, items.csv"]
    assert rita.get(address(crowd, "download/?file=x")).status_code == 400
    report.delete()
    assert rita.get(address(crowd, "download/")).status_code == 409


def test_nobody_has_judged(rita, running):
    assert rita.post(address(running)).status_code == 409


def test_it_is_not_for_strangers(crowd, report, stranger):
    client = APIClient()
    client.force_authenticate(stranger)
    for more in ("", "download/"):
        assert client.get(address(crowd, more)).status_code == 404
    assert client.post(address(crowd)).status_code == 404

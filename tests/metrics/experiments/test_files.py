"""An A/B test's report as files and by the API: the numbers of the page, at full precision."""

import csv
import io
import json

import pytest
from rest_framework.test import APIClient

from ireval.experiments import arm_effects
from judging.models import AuditEntry
from metrics.kinds.ab.parts import result_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def program(researcher):
    client = APIClient()
    client.force_authenticate(researcher)
    return client


def test_every_metric_and_arm_in_a_row(report, experiment, rita):
    content = rita.get(f"/experiments/{experiment.pk}/report/effects.csv").content.decode()
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(row["decides"], row["metric"], row["arm"]) for row in rows] == [
        ("True", "ctr", "new"), ("False", "ctr", "new"), ("False", "abandonment", "new"), ("False", "conversion:purchase", "new"),
    ]  # fmt: skip
    whole = arm_effects(result_of(report).experiment, "control", planned=120)
    assert [float(row["difference"]) for row in rows[1:]] == [effect.difference for effect in whole]
    assert [row["holm"] for row in rows[1:]] == [str(effect.holm) if effect.holm == effect.holm else "" for effect in whole]


def test_what_is_chosen_in_the_address_is_what_is_written(report, experiment, rita):
    address = f"/experiments/{experiment.pk}/report/report.json"
    usual, other = (json.loads(rita.get(address + query).content) for query in ("", "?control=new&adjust=0"))
    assert (usual["control"], usual["adjust"], other["control"], other["adjust"]) == ("control", True, "new", False)
    first, second = (content["deciding"]["arms"][0]["difference"] for content in (usual, other))
    assert first == pytest.approx(-second)


def test_all_there_is_in_one(report, experiment, rita):
    content = json.loads(rita.get(f"/experiments/{experiment.pk}/report/report.json").content)
    assert content["n"] == {"control": 60, "new": 60}
    assert not content["sample_ratio"]["mismatch"]
    assert [segment["value"] for segment in content["segments"]["device"]] == ["desktop", "phone"]
    assert sum(day["new_users"] for day in content["days"]) == 120
    assert len(content["looks"]) > 1


def test_tables_of_segments_looks_and_days(report, experiment, rita):
    starts = {
        "segments.csv": b"attribute,value,metric,",
        "looks.csv": b"until,metric,",
        "days.csv": b"day,arm,new_users,",
    }
    for kind, start in starts.items():
        assert rita.get(f"/experiments/{experiment.pk}/report/{kind}").content.startswith(start)
    assert rita.get(f"/experiments/{experiment.pk}/report/pairs.csv").status_code == 404
    assert AuditEntry.objects.filter(deed="exported", site=experiment.site).count() == 3


def test_formulas_in_names_are_no_formulas(site, researcher, rita, compute):
    from tests.metrics.experiments.worlds import searches, send, started

    experiment = started(site, researcher, stopped=True, metrics=["ctr"], segments=["device"], planned=10)
    records = searches(experiment, {"control": 20, "new": 20})
    for record in records:
        record.get("query_attributes", {})["device"] = "=1+1"
    send(site, records)
    compute(experiment)
    assert b"'=1+1" in rita.get(f"/experiments/{experiment.pk}/report/segments.csv").content


def test_the_api_asks_and_reads(experiment, program, compute):
    address = f"/api/v1/experiments/{experiment.pk}/report/"
    assert program.get(address).json()["state"] == "none"
    assert program.get(address + "download/").status_code == 409
    response = program.post(address)
    assert (response.status_code, response.json()["state"], response.json()["result"]) == (202, "waiting", None)
    compute(experiment)
    answer = program.get(address).json()
    assert (answer["state"], answer["is_current"], answer["done_parts"], answer["parts"]) == ("done", True, 1, 1)
    assert answer["result"]["deciding"]["metric"] == "ctr"
    assert program.get(address + "?control=new").json()["result"]["control"] == "new"
    assert program.get(address + "download/").json()["metrics"] == answer["result"]["metrics"]
    assert program.get(address + "download/?file=days.csv").content.startswith(b"day,arm")
    assert program.get(address + "download/?file=other.csv").status_code == 400


def test_the_api_says_why_there_is_nothing_to_compute(site, researcher, program):
    from judging.experiments import drafts

    draft = drafts.create(site, by=researcher, name="later", arms=[])
    assert program.post(f"/api/v1/experiments/{draft.pk}/report/").status_code == 409


def test_strangers_find_nothing(report, experiment, program, stranger):
    program.force_authenticate(stranger)
    for more in ("", "download/"):
        assert program.get(f"/api/v1/experiments/{experiment.pk}/report/{more}").status_code == 404
    assert program.post(f"/api/v1/experiments/{experiment.pk}/report/").status_code == 404

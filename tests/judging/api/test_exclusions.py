"""Setting workers aside through the API, and taking it back."""

import pytest

from judging.models import AuditEntry, Exclusion
from judging.work.assignment import next_slots


@pytest.fixture
def worker(running, make_worker):
    return make_worker(running)


@pytest.fixture
def address(worker):
    return f"/api/v1/studies/{worker.study_id}/workers/{worker.pk}/exclusions/"


def test_set_aside_and_taken_back(rita, address, worker):
    made = rita.post(address, {"standing": "blocked", "reason": "all the same"})
    assert made.status_code == 201
    assert (made.json()["by"], made.json()["lifted"], made.json()["rule"]) == ("rita", None, None)
    worker.refresh_from_db()
    assert (worker.standing, next_slots(worker)) == ("blocked", [])
    workers = f"/api/v1/studies/{worker.study_id}/workers/"
    assert [row["standing"] for row in rita.get(workers).json()["results"]] == ["blocked"]
    lifted = rita.post(f"{address}{made.json()['id']}/lift/").json()
    assert (lifted["lifted_by"], bool(lifted["lifted"])) == ("rita", True)
    assert rita.post(f"{address}{made.json()['id']}/lift/").json()["lifted"] == lifted["lifted"]
    worker.refresh_from_db()
    assert worker.standing == "good"
    assert rita.get(address).json()["count"] == 1
    assert list(AuditEntry.objects.order_by("id").values_list("deed", flat=True)[1:]) == ["excluded", "lifted"]


@pytest.mark.parametrize("standing", ["warned", "blocked", "excluded"])
def test_each_standing(rita, address, worker, standing):
    assert rita.post(address, {"standing": standing, "reason": "x"}).status_code == 201
    worker.refresh_from_db()
    assert worker.standing == standing


@pytest.mark.parametrize(
    "sent", [{}, {"standing": "excluded"}, {"standing": "good", "reason": "x"}, {"standing": "blocked", "reason": " "}]
)
def test_a_reason_and_a_standing_are_asked_for(rita, address, sent):
    assert rita.post(address, sent).status_code == 400
    assert not Exclusion.objects.exists()


def test_others_workers_are_not_there(rita, sid, address, worker, make_worker, study):
    made = rita.post(address, {"standing": "blocked", "reason": "x"}).json()
    exclusion_address = f"{address}{made['id']}/"
    assert sid.get(address).status_code == sid.get(exclusion_address).status_code == 404
    assert sid.post(address, {"standing": "blocked", "reason": "x"}).status_code == 404
    assert sid.post(f"{exclusion_address}lift/").status_code == 404
    other = make_worker(worker.study)
    elsewhere = f"/api/v1/studies/{worker.study_id}/workers/{other.pk}/exclusions/{made['id']}/lift/"
    assert rita.post(elsewhere).status_code == 404
    assert Exclusion.objects.get().lifted is None

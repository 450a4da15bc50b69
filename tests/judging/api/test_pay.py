"""Cost, earnings and bonuses by the API."""

from uuid import uuid4

import pytest

from judging.models import Bonus, Study
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from tests.judging.api.conftest import V1

pytestmark = pytest.mark.django_db


@pytest.fixture
def worked(running, make_worker):
    """A worker who judged two items in 20 seconds each, at 0.10."""
    Study.objects.update(pay_a_judgement="0.10")
    worker = make_worker(running)
    for _ in range(2):
        item = next_slots(worker)[0].item
        record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, milliseconds=20_000))
    return worker


def test_the_cost_and_who_earned_it(rita, worked):
    pay = rita.get(f"{V1}/studies/{worked.study_id}/pay/").json()
    assert (pay["total"], pay["pay"], pay["currency"], pay["median_hourly"]) == ("0.20", "0.20", "EUR", "18.00")
    assert (pay["pay_a_judgement"], pay["pay_an_hour"]) == ("0.10", "14.40")
    assert pay["forecast"] == {
        "wanted": 12, "judged": 2, "more": 0, "planned": "1.20", "cost": "1.20", "most_cost": "1.20",
    }  # fmt: skip
    (row,) = pay["workers"]
    assert (row["worker"], row["judged"], row["pay"], row["total"], row["an_hour"]) == (str(worked), 2, "0.20", "0.20", "18.00")


def test_bonuses_are_given_listed_and_withdrawn(rita, worked):
    address = f"{V1}/studies/{worked.study_id}/bonuses/"
    response = rita.post(address, {"workers": [str(worked)], "amount": "1.50", "reason": "careful notes"})
    assert response.status_code == 201, response.content
    (bonus,) = response.json()
    assert (bonus["worker"], bonus["amount"], bonus["by"], bonus["withdrawn"]) == (str(worked), "1.50", "rita", None)
    assert rita.get(f"{V1}/studies/{worked.study_id}/pay/").json()["total"] == "1.70"
    assert rita.post(f"{address}{bonus['id']}/withdraw/").json()["withdrawn"]
    assert rita.get(address).json()["results"][0]["withdrawn"]
    assert rita.get(f"{V1}/studies/{worked.study_id}/pay/").json()["total"] == "0.20"
    assert rita.delete(f"{address}{bonus['id']}/").status_code == 405


def test_a_bonus_that_is_sent_again_is_paid_once(rita, worked):
    address = f"{V1}/studies/{worked.study_id}/bonuses/"
    sent = {"workers": [str(worked)], "amount": "1.50", "reason": "careful notes", "after": 0}
    (bonus,) = rita.post(address, sent).json()
    again = rita.post(address, sent)
    assert (again.status_code, Bonus.objects.count()) == (409, 1)
    assert "not given again" in again.json()["detail"]
    assert rita.post(address, sent | {"after": bonus["id"]}).status_code == 201, "who knows of the first one means another"
    assert rita.post(address, sent | {"after": -1}).json().keys() == {"after"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"workers": []}, "workers"),
        ({"workers": ["w999999999999999999"]}, "workers"),
        ({"workers": ["12"]}, "workers"),
        ({"amount": "0"}, "amount"),
        ({"amount": "1.234"}, "amount"),
        ({"amount": "100000"}, "amount"),
        ({"reason": ""}, "reason"),
    ],
)
def test_a_bonus_that_makes_no_sense(rita, worked, change, field):
    wanted = {"workers": [str(worked)], "amount": "1.50", "reason": "careful notes"} | change
    refused = rita.post(f"{V1}/studies/{worked.study_id}/bonuses/", wanted)
    assert refused.status_code == 400
    assert list(refused.json()) == [field]
    assert not Bonus.objects.exists()


def test_where_nobody_is_paid_a_bonus_is_a_conflict(rita, worked):
    Study.objects.update(pay_a_judgement=0)
    refused = rita.post(f"{V1}/studies/{worked.study_id}/bonuses/", {"workers": [str(worked)], "amount": "1", "reason": "x"})
    assert refused.status_code == 409
    assert "Nobody is paid" in refused.json()["detail"]


def test_a_study_is_paid_in_one_way(rita, study):
    address = f"{V1}/studies/{study.pk}/"
    assert rita.patch(address, {"pay_a_judgement": "0.06", "pay_screened_out": "0.5", "least_seconds": 4}).status_code == 200
    refused = rita.patch(address, {"pay_an_hour": "12"})
    assert refused.status_code == 400
    assert "not both" in refused.json()["pay_a_judgement"][0]
    assert rita.patch(address, {"pay_an_hour": "12", "pay_a_judgement": "0"}).json()["pay_an_hour"] == "12.00"


def test_the_plan_with_other_settings(rita, study):
    address = f"{V1}/studies/{study.pk}/plan/"
    assert rita.get(address).json()["judgements"] == 12
    tried = rita.get(f"{address}?overlap=3&gold_every=10&paid=judgement&pay_a_judgement=0.06").json()
    assert (tried["judgements"], tried["gold"], tried["cost"], tried["pay_an_hour"]) == (18, 2, "1.20", "8.64")
    assert tried["detection"]["topics"] == [2, 4, 8]
    assert rita.get(f"{address}?pay_an_hour=12").json()["cost"] == "1.00"  # 12 judgements of 25 seconds
    assert rita.get(f"{address}?pay_an_hour=12&pay_a_judgement=1").status_code == 400
    assert rita.get(address).json()["judgements"] == 12
    assert "overlap" in rita.get(f"{address}?overlap=0").json()


def test_who_works_by_the_api_is_told_the_pay(at_work, running):
    wim, work = at_work
    Study.objects.update(pay_a_judgement="0.10", pay_screened_out="0.5")
    study = wim.get(f"{work}/").json()["study"]
    assert (study["pay_a_judgement"], study["pay_an_hour"], study["pay_screened_out"]) == ("0.1000", "0.00", "0.50")
    assert (study["currency"], study["seconds_a_judgement"]) == ("EUR", 25)

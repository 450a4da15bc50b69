"""The topics and the budget of a draft, through the API."""

from decimal import Decimal

import pytest

from judging.models import Study

pytestmark = pytest.mark.django_db
STUDIES = "/api/v1/studies/"


def change(rita, study, **fields):
    return rita.patch(f"{STUDIES}{study.pk}/", fields, content_type="application/json")


def test_topics_and_a_budget_are_drafted_planned_and_launched(rita, study):
    study.collection.topics.filter(number="1").update(tags=["food"])
    address = f"{STUDIES}{study.pk}/"
    made = change(rita, study, topic_tags=["food", "food"], topic_seed=5, judgement_budget=7).json()
    assert (made["topic_tags"], made["topic_seed"], made["judgement_budget"]) == (["food"], 5, 7)
    plan = rita.get(f"{address}plan/").json()
    assert (plan["topics"], plan["depth"], plan["items"], plan["judgements"]) == (1, 2, 3, 6)
    assert rita.get(f"{address}plan/?judgement_budget=100").json()["depth"] == 3
    small = rita.get(f"{address}plan/?judgement_budget=3").json()
    assert (small["items"], small["over_budget"]) == (0, 4)
    change(rita, study, topic_tags=[], topic_numbers=["2"], judgement_budget=None, money_budget="0.40", pay_a_judgement="0.05")
    plan = rita.get(f"{address}plan/").json()
    assert (plan["topics"], plan["depth"], plan["items"], Decimal(plan["cost"])) == (1, 3, 4, Decimal("0.40"))
    assert rita.post(f"{address}launch/").json()["depth"] == 3
    assert change(rita, study, topic_count=1).status_code == 409


@pytest.mark.parametrize(
    ("fields", "where", "why"),
    [
        ({"topic_numbers": ["1", "77"]}, "topic_numbers", "Topic “77” is not in this collection."),
        ({"topic_numbers": "1"}, "topic_numbers", "Expected a list"),
        ({"topic_tags": [{}]}, "topic_tags", "Not a valid string"),
        ({"topic_count": 0}, "topic_count", "greater than or equal to 1"),
        ({"topic_seed": None}, "topic_seed", "may not be null"),
        ({"judgement_budget": 0}, "judgement_budget", "greater than or equal to 1"),
        ({"money_budget": "5"}, "money_budget", "Say what workers are paid"),
        ({"money_budget": "NaN", "pay_an_hour": "10"}, "money_budget", "A valid number is required"),
    ],
)
def test_what_cannot_be_drafted_says_where(rita, study, fields, where, why):
    refused = change(rita, study, **fields)
    assert refused.status_code == 400
    assert why in str(refused.json()[where])


def test_pay_stays_while_a_budget_is_spent_on_it(rita, study):
    assert change(rita, study, money_budget="5", pay_an_hour="10").status_code == 200
    assert "Say what workers are paid" in str(change(rita, study, pay_an_hour="0").json())
    assert change(rita, study, pay_an_hour="0", money_budget=None).status_code == 200


@pytest.mark.parametrize("field", [{"topic_count": 5}, {"topic_tags": ["food"]}, {"judgement_budget": 9}])
def test_lists_have_no_pool(rita, collection, runs, field):
    wanted = {"collection": collection.pk, "kind": "side_by_side", "name": "Lists", "instructions": "Compare."}
    refused = rita.post(STUDIES, wanted | field, content_type="application/json")
    assert "Only a graded study" in str(refused.json())
    assert not Study.objects.exists()

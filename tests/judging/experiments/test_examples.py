"""What the page gives to copy does what it says."""

import json

import pytest

from judging.experiments import lifecycle, service_examples
from judging.experiments.arms import arms_of
from judging.logs.intake import receive
from judging.models import Query

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("chosen", [{}, {"traffic": 20}, {"group": "rankings", "traffic": 30}, {"unit": "user"}])
def test_the_python_gives_the_same_arms(draft, site, researcher, chosen):
    made = draft(weights=[1, 3], **chosen)
    lifecycle.start(made, by=researcher)
    written: dict = {}
    exec(service_examples.python(made, list(made.arms.all())), written)
    units = [f"u{number}" for number in range(500)]
    assert [written["arm_of"](unit) for unit in units] == [arms_of(site, {made.unit: unit}).get("new-ranking") for unit in units]


def test_of_a_group_nothing_can_be_reckoned_before_it_starts(draft):
    made = draft(group="rankings")
    assert service_examples.python(made, list(made.arms.all())) == ""


@pytest.mark.parametrize("kind", ["ab", "interleaving"])
def test_the_scripts_can_be_read(draft, kind, tmp_path):
    made = draft(kind=kind, arms=("control", "2-new_ones"))
    arms = list(made.arms.all())
    assert "/api/v1/" in service_examples.curl(made, arms, "http://localhost/api/v1/", "w_key")
    script = service_examples.javascript(made, arms, "http://localhost/api/v1/", "w_key")
    assert ("armd2" not in script) and script.count("{") == script.count("}")
    if kind == "interleaving":
        assert '"2-new_ones": arm2NewOnesIds' in script


def test_the_body_and_the_record_are_what_the_service_takes(draft, site):
    made = draft(kind="interleaving", unit="user")
    body = service_examples.body(made, list(made.arms.all()))
    assert set(body["lists"]) == {"control", "new"} and body["user_id"]
    record = json.loads(service_examples.record(made, list(made.arms.all())))
    assert receive(site, [record]).statuses == ["accepted"]
    assert Query.objects.get().arms == {"new-ranking": "new"}

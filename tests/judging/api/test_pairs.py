"""Side-by-side studies through the API: drafted, planned, launched; and what is about grades is refused."""

import pytest

from judging.models import Comparison, Study
from tests.judging.pairs.conftest import draft as compared_draft
from tests.judging.pairs.conftest import systems

ADDRESS = "/api/v1/studies/"
systems, compared_draft = systems, compared_draft  # noqa: PLW0127  fixtures


@pytest.fixture
def wanted(collection, systems):
    return {
        "collection": collection.pk, "name": "Which", "kind": "side_by_side", "instructions": "Compare.", "overlap": 4,
        "runs": [run.pk for run in systems], "comparison": {"question": "Which is better?", "points": 3, "reasons": ["Newer"]},
    }  # fmt: skip


def test_from_draft_to_launch(rita, wanted, systems):
    made = rita.post(ADDRESS, wanted)
    assert made.status_code == 201, made.content
    study = made.json()
    assert study["kind"] == "side_by_side"
    assert study["comparison"]["answers"] == ["Left is better", "About the same", "Right is better"]
    assert study["comparison"]["mirrored"] == 0.1
    address = f"{ADDRESS}{study['id']}/"
    changed = rita.patch(address, {"comparison": {"pairing": "baseline", "baseline": systems[0].pk}})
    assert changed.status_code == 200, changed.content
    assert changed.json()["comparison"]["points"] == 3
    assert rita.patch(address, {"comparison": {"mirrored": 0}}).json()["comparison"]["pairing"] == "baseline"
    plan = rita.get(f"{address}plan/").json()
    assert (plan["items"], plan["same"], plan["judgements"], plan["repeats"]) == (21, 2, 84, 0)
    assert plan["detection"]["topics"] == [9, 18, 36]
    assert rita.get(f"{address}plan/", {"overlap": 2}).json()["judgements"] == 42
    launched = rita.post(f"{address}launch/")
    assert launched.status_code == 200, launched.content
    assert launched.json()["pool_counts"]["same"] == 2
    assert rita.get(f"{address}progress/").json()["slots"] == 84
    assert rita.patch(address, {"comparison": {"points": 7}}).status_code == 409
    assert rita.patch(address, {"open_call": True}).status_code == 200


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"comparison": {"points": 9}}, "comparison"),
        ({"comparison": {"pairing": "baseline"}}, "comparison"),
        ({"comparison": {"pairing": "budget"}}, "comparison"),
        ({"comparison": {"mirrored": 0.9}}, "comparison"),
        ({"comparison": {"reasons": ["x" * 61]}}, "comparison"),
        ({"kind": "graded"}, "comparison"),
        ({"kind": "other"}, "kind"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_is_made(rita, wanted, changes, field):
    refused = rita.post(ADDRESS, wanted | changes)
    assert refused.status_code == 400
    assert field in refused.json()
    assert not Study.objects.exists()
    assert not Comparison.objects.exists()


def test_a_baseline_is_one_of_the_runs_and_the_kind_stays(rita, wanted, systems):
    foreign = {"pairing": "baseline", "baseline": systems[2].pk}
    refused = rita.post(ADDRESS, wanted | {"runs": [run.pk for run in systems[:2]], "comparison": foreign})
    assert refused.status_code == 400
    address = f"{ADDRESS}{rita.post(ADDRESS, wanted).json()['id']}/"
    assert rita.patch(address, {"kind": "graded"}).status_code == 400


def test_a_graded_study_has_no_comparison(rita, study):
    assert rita.get(f"{ADDRESS}{study.pk}/").json()["comparison"] is None


def test_what_is_about_grades_is_refused(rita, compared_draft):
    address = f"{ADDRESS}{compared_draft.pk}/"
    assert rita.post(f"{address}settle/").status_code == 409
    assert rita.post(f"{address}first/", {"items": []}).status_code == 409
    assert rita.post(f"{address}checks/", {}).status_code == 404
    assert rita.get(f"{address}judgements/").status_code == 404

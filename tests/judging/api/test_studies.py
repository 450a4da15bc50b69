import json
from decimal import Decimal
from uuid import uuid4

import pytest

from judging.models import Item, Study
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

ADDRESS = "/api/v1/studies/"


@pytest.fixture
def draft(rita, collection, runs):
    """What a client sends and gets for a new study."""
    wanted = {
        "collection": collection.pk,
        "name": "Owls",
        "instructions": "Judge.",
        "runs": [run.pk for run in runs],
        "depth": 2,
        "overlap": 3,
        "seconds_a_judgement": 30,
        "pay_an_hour": "12.00",
    }
    return rita.post(ADDRESS, wanted)


def test_a_draft_is_made_changed_planned_and_launched(rita, draft):
    assert draft.status_code == 201, draft.content
    made = draft.json()
    assert (made["state"], made["members"], made["scale"][3]["label"]) == ("draft", ["rita"], "Highly relevant")
    address = f"{ADDRESS}{made['id']}/"
    assert rita.patch(address, {"overlap": 2}).json()["overlap"] == 2
    # Two runs, two deep: {d1, d2, d6} and {d3, d5, d4}; six items, two workers each, half a minute, 12 an hour.
    plan = rita.get(f"{address}plan/").json()
    assert (plan["items"], plan["judgements"], plan["topics"]) == (6, 12, 2)
    assert (plan["hours"], Decimal(plan["cost"])) == (0.1, Decimal("1.20"))
    launched = rita.post(f"{address}launch/")
    assert launched.status_code == 200
    assert (launched.json()["state"], launched.json()["pool_counts"]["items"]) == ("running", 6)
    assert rita.get(f"{address}progress/").json()["slots"] == 12


def test_a_study_can_be_launched_paused(rita, draft):
    launched = rita.post(f"{ADDRESS}{draft.json()['id']}/launch/", {"paused": True})
    assert launched.json()["state"] == "paused"
    assert rita.post(f"{ADDRESS}{draft.json()['id']}/resume/").json()["state"] == "running"


def test_launching_twice_is_a_conflict_and_adds_nothing(rita, running):
    refused = rita.post(f"{ADDRESS}{running.pk}/launch/")
    assert refused.status_code == 409
    assert "already launched" in refused.json()["detail"]
    assert Item.objects.filter(study=running).count() == 6


def test_an_empty_pool_says_what_to_do(rita, study):
    study.runs.clear()
    refused = rita.post(f"{ADDRESS}{study.pk}/launch/")
    assert refused.status_code == 409
    assert "Choose at least one run" in refused.json()["detail"]


def test_a_launched_study_stays_as_it_is_but_for_its_members(rita, sid, running):
    address = f"{ADDRESS}{running.pk}/"
    refused = rita.patch(address, {"overlap": 9})
    assert refused.status_code == 409
    running.refresh_from_db()
    assert running.overlap == 2
    assert sid.get(address).status_code == 404
    assert rita.patch(address, {"members": ["rita", "sid"]}).status_code == 200
    assert sid.get(address).status_code == 200


def test_states(rita, running):
    address = f"{ADDRESS}{running.pk}/"

    def move(verb):
        response = rita.post(f"{address}{verb}/")
        return response.status_code, response.json().get("state")

    assert move("pause") == (200, "paused")
    assert move("pause") == (200, "paused")
    assert move("resume") == (200, "running")
    assert move("close") == (200, "closed")
    assert move("pause") == (409, None)
    assert move("resume") == (200, "running")


@pytest.mark.parametrize("verb", ["pause", "resume", "close"])
def test_a_draft_has_no_other_state(rita, study, verb):
    refused = rita.post(f"{ADDRESS}{study.pk}/{verb}/")
    assert refused.status_code == 409
    assert "draft" in refused.json()["detail"]


def test_a_draft_is_deleted(rita, study):
    assert rita.delete(f"{ADDRESS}{study.pk}/").status_code == 204
    assert not Study.objects.exists()


def test_a_launched_study_is_deleted_only_without_a_judgement(rita, running, make_worker):
    address = f"{ADDRESS}{running.pk}/"
    worker = make_worker(running)
    judged = record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))
    refused = rita.delete(address)
    assert refused.status_code == 409
    assert "archive it instead" in refused.json()["detail"]
    judged.delete()
    assert rita.delete(address).status_code == 204
    assert not Study.objects.exists()


def test_an_archived_study_is_listed_only_when_asked_for(rita, study, running):
    def listed(query=""):
        return [study["id"] for study in rita.get(ADDRESS + query).json()["results"]]

    address = f"{ADDRESS}{running.pk}/"
    archived = rita.post(f"{address}archive/").json()
    assert archived["state"] == "closed"
    assert archived["archived"]
    assert (listed(), listed("?archived=true"), listed("?archived=false")) == ([], [running.pk], [])
    assert rita.get(address).status_code == 200
    refused = rita.post(f"{address}resume/")
    assert refused.status_code == 409
    assert "This study is archived" in refused.json()["detail"]
    assert rita.post(f"{address}restore/").json()["archived"] is None
    assert listed() == [running.pk]
    assert rita.post(f"{address}resume/").json()["state"] == "running"


def test_a_draft_is_not_archived(rita, study):
    assert rita.post(f"{ADDRESS}{study.pk}/archive/").status_code == 409


def test_a_name_that_is_taken_is_a_conflict(rita, draft, collection):
    again = rita.post(ADDRESS, {"collection": collection.pk, "name": "Owls", "instructions": "Again."})
    assert again.status_code == 409
    other = rita.post(ADDRESS, {"collection": collection.pk, "name": "Ducks", "instructions": "x"}).json()["id"]
    assert rita.patch(f"{ADDRESS}{other}/", {"name": "Owls"}).status_code == 409


def test_runs_of_another_collection_are_named(rita, runs, researcher, collection):
    other = rita.post("/api/v1/collections/", {"name": "Bees"}).json()["id"]
    refused = rita.post(ADDRESS, {"collection": other, "name": "x", "instructions": "x", "runs": [runs[0].pk]})
    assert refused.status_code == 400
    assert refused.json()["runs"] == ["“alpha” is not a run of this collection."]


def test_nobody_studies_a_collection_they_cannot_see(sid, collection):
    refused = sid.post(ADDRESS, {"collection": collection.pk, "name": "x", "instructions": "x"})
    assert refused.status_code == 400
    assert "does not exist" in refused.json()["collection"][0]


def test_a_study_stays_with_its_collection(rita, study):
    other = rita.post("/api/v1/collections/", {"name": "Bees"}).json()["id"]
    assert "collection" in rita.patch(f"{ADDRESS}{study.pk}/", {"collection": other}).json()


def test_a_scale_goes_from_0_to_10(rita, study):
    scale = [{"grade": grade, "label": f"Grade {grade}"} for grade in range(11)]
    assert rita.patch(f"{ADDRESS}{study.pk}/", {"scale": scale}).status_code == 200
    study.refresh_from_db()
    assert study.grades == list(range(11))


STEP = {"grade": 0, "label": "No"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("scale", [STEP]),
        ("scale", [STEP, STEP]),
        ("scale", [{"grade": 1, "label": "Yes"}, STEP]),
        ("scale", [STEP, {"grade": 11, "label": "Eleven"}]),
        ("scale", [STEP, {"grade": 1, "label": "\0"}]),
        ("scale", [STEP, {"grade": 1}]),
        ("scale", "0 No"),
        ("scale", {"grade": 0}),
        ("depth", 0),
        ("depth", 1001),
        ("depth", 10**30),
        ("depth", 1.5),
        ("overlap", 51),
        ("overlap", None),
        ("seconds_a_judgement", 3601),
        ("pay_an_hour", -1),
        ("pay_an_hour", "NaN"),
        ("pay_an_hour", "1e9"),
        ("currency", "eur"),
        ("name", "x" * 121),
        ("name", ""),
        ("name", "\0"),
        ("name", "\ud83e"),
        ("name", ["a"]),
        ("runs", [10**30]),
        ("runs", ["x"]),
        ("runs", 1),
        ("members", []),
        ("members", ["nobody"]),
        ("members", ["\0"]),
        ("members", ["\ud83e"]),
        ("members", [{}]),
        ("members", ["x" * 151]),
    ],
)
def test_bad_values_are_named_under_their_field_and_nothing_changes(rita, study, field, value):
    before = Study.objects.values().get()
    sent = json.dumps({field: value})  # by the standard library, which also writes half of a surrogate pair
    refused = rita.patch(f"{ADDRESS}{study.pk}/", sent, content_type="application/json")
    assert refused.status_code == 400
    assert set(refused.json()) == {field}
    assert Study.objects.values().get() == before


def test_a_change_beside_a_launch_does_not_turn_the_study_back_into_a_draft(rita, study, monkeypatch):
    """The other request launches after this one has looked at the study and before it saves."""
    from judging.api import studies
    from judging.studies.launch import launch

    original = studies.StudyViewSet.perform_update

    def late(self, serializer):
        launch(Study.objects.get(pk=study.pk))
        original(self, serializer)

    monkeypatch.setattr(studies.StudyViewSet, "perform_update", late)
    assert rita.patch(f"{ADDRESS}{study.pk}/", {"name": "Late"}).status_code == 409
    study.refresh_from_db()
    assert (study.state, study.name) == ("running", "Bird study")


def test_filters(rita, running, collection):
    rita.post(ADDRESS, {"collection": collection.pk, "name": "Ducks", "instructions": "x"})

    def names(query):
        return [study["name"] for study in rita.get(ADDRESS + query).json()["results"]]

    assert names("") == ["Ducks", "Bird study"]
    assert names("?state=draft") == ["Ducks"]
    assert names("?name=bird") == ["Bird study"]
    assert names(f"?collection={collection.pk + 1}") == []
    assert rita.get(f"{ADDRESS}?state=lost").status_code == 400


def test_settling(rita, running, make_worker):
    from uuid import uuid4

    from judging.work.answers import Answer, record_judgement

    assert rita.post(f"{ADDRESS}{running.pk}/settle/").status_code == 409
    item = running.items.first()
    for grade in (2, 3):
        record_judgement(worker=make_worker(running), item=item, answer=Answer(key=uuid4(), grade=grade))
    settled = rita.post(f"{ADDRESS}{running.pk}/settle/", {"method": "majority"}, format="json")
    assert settled.status_code == 201
    assert (settled.json()["name"], settled.json()["rows"], settled.json()["grade_counts"]) == ("Bird study", 1, {"2": 1})
    assert settled.json()["recipe"]["ties"] == 1
    again = rita.post(f"{ADDRESS}{running.pk}/settle/", {"method": "majority"}, format="json")
    assert again.json()["version"] == 1  # the same grades
    assert rita.post(f"{ADDRESS}{running.pk}/settle/").json()["recipe"]["method"] == "ordinal"
    other = rita.post(f"{ADDRESS}{running.pk}/settle/", {"method": "median"}, format="json").json()
    assert (other["version"], other["recipe"]["method"]) == (3, "median")
    assert rita.post(f"{ADDRESS}{running.pk}/settle/", {"method": "gold-weighted"}, format="json").status_code == 409  # no gold
    assert rita.post(f"{ADDRESS}{running.pk}/settle/", {"method": "magic"}, format="json").status_code == 400


QUESTIONS = [
    {"name": "credible", "text": "Would you believe it?"},
    {"name": "kind", "text": "Which kind is it?", "kind": "choice", "options": ["News", "Shop"], "required": False},
    {"name": "facts", "text": "Which facts?", "by_subtopic": True, "pay": "0.02"},
]


def test_a_draft_may_ask_more_than_the_grade(rita, draft, collection):
    collection.topics.update(subtopics=[{"number": "1", "text": "by day", "type": ""}])
    address = f"{ADDRESS}{draft.json()['id']}/"
    asked = rita.patch(address, {"questions": QUESTIONS, "pay_an_hour": "0", "pay_a_judgement": "0.10"})
    assert asked.status_code == 200, asked.content
    assert [question["name"] for question in asked.json()["questions"]] == ["credible", "kind", "facts"]
    assert asked.json()["questions"][0]["required"]
    assert Decimal(rita.get(f"{address}plan/").json()["pay_a_judgement"]) == Decimal("0.12")
    rita.post(f"{address}launch/")
    assert rita.patch(address, {"questions": []}).status_code == 409


@pytest.mark.parametrize(
    ("questions", "why"),
    [
        ([{"name": "a", "text": "A?"}] * 2, "Two questions are called"),
        ([{"name": f"a{place}", "text": "A?"} for place in range(5)], "no more than 4 elements"),
        ([{"name": "grade", "text": "A?"}], "not “grade”"),
        ([{"name": "a", "text": "A?", "kind": "choice"}], "Give 2 to 11 answers"),
        ([{"name": "a", "text": "A?", "pay": "0.1"}], "paid by the judgement"),
        ([{"name": "a"}], "This field is required"),
        (["a"], "Expected a dictionary"),
        ("a", "Expected a list"),
        ([{"name": "a", "text": "A?", "options": {"a": 1}}], "Expected a list"),
    ],
)
def test_questions_that_cannot_be_asked_say_why(rita, draft, questions, why):
    refused = rita.patch(f"{ADDRESS}{draft.json()['id']}/", {"questions": questions})
    assert refused.status_code == 400
    assert why in json.dumps(refused.json(), ensure_ascii=False)


def test_a_side_by_side_study_asks_no_further_questions(rita, collection):
    sent = {"collection": collection.pk, "name": "Pairs", "instructions": "x", "kind": "side_by_side", "questions": QUESTIONS[:1]}
    assert "Only a graded study" in rita.post(ADDRESS, sent).content.decode()

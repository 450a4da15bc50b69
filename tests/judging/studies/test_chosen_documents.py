"""A study that begins with chosen documents: they are its pool, whatever its runs have."""

import pytest

from judging.labels import stopping
from judging.models import AuditEntry, Study
from judging.studies.launch import launch
from judging.studies.pool_plan import plan

pytestmark = pytest.mark.django_db


@pytest.fixture
def begun(rita, collection, runs):
    def begin(documents="1 d3\n2 d1\n1 d3\n", **fields):
        body = {"collection": collection.pk, "runs": [run.pk for run in runs], "documents": documents, **fields}
        return rita.post("/studies/begin/", body)

    return begin


def test_the_draft_has_them_and_asks_what_workers_read(begun, rita, study, runs):
    answer = begun()
    draft = Study.objects.get(name="Judge next 1")
    assert answer.headers["Location"] == f"/studies/{draft.pk}/edit/"
    assert (draft.chosen, draft.state, set(draft.runs.all())) == ([["1", "d3"], ["2", "d1"]], "draft", set(runs))
    assert (draft.scale, draft.instructions) == (study.scale, study.instructions)
    page = rita.get(answer.headers["Location"]).content.decode()
    assert "2 chosen documents." in page
    assert 'name="depth"' not in page


def test_what_workers_read_is_edited_and_they_judge_nothing_else(begun, rita, study):
    begun()
    draft = Study.objects.get(name="Judge next 1")
    work = {"name": "Owls again", "overlap": 2, "instructions": "Is it about owls?", "scale": "0 No\n1 Yes", "lease_minutes": 30}
    pay = {"seconds_a_judgement": 20, "currency": "EUR", "pay_an_hour": 0, "pay_a_judgement": 0, "pay_screened_out": 0}
    assert rita.post(f"/studies/{draft.pk}/edit/", work | pay).status_code == 302
    draft.refresh_from_db()
    assert (draft.name, len(draft.chosen), draft.runs.count()) == ("Owls again", 2, 2)
    assert "chosen" in rita.get(f"/studies/{draft.pk}/").content.decode()
    assert rita.get(f"/studies/{draft.pk}/launch/").status_code == 200
    launch(draft, seed=1)
    assert set(draft.items.values_list("topic__number", "document__docno")) == {("1", "d3"), ("2", "d1")}
    assert "documents chosen between" in rita.get(f"/studies/{draft.pk}/").content.decode()
    with pytest.raises(stopping.CannotTell, match="chosen"):
        stopping.stopping_of(draft)
    assert AuditEntry.objects.filter(deed="launched").exists()


def test_what_the_collection_lacks_is_counted_and_left_out(begun):
    begun("1 d1\n1 d99\n7 d1\n")
    planned = plan(Study.objects.get(name="Judge next 1"))
    assert (len(planned.items), planned.pooled, planned.without_topic, planned.without_document) == (1, 3, 1, 1)


def test_the_second_one_has_a_name_of_its_own(begun):
    begun()
    begun()
    assert Study.objects.filter(name__startswith="Judge next").count() == 2


def test_lines_that_are_none_are_refused(begun):
    assert begun("1\n").status_code == 302
    assert not Study.objects.exclude(chosen=[]).exists()


def test_a_stranger_begins_nothing(client, stranger, collection):
    client.force_login(stranger)
    assert client.post("/studies/begin/", {"collection": collection.pk, "documents": "1 d1"}).status_code == 404


def test_a_program_drafts_one_and_judges_nothing_else(rita, collection):
    chosen = [{"topic": "1", "docno": "d1"}, {"topic": "2", "docno": "d3"}, {"topic": "1", "docno": "d1"}]
    sent = {"collection": collection.pk, "name": "Next", "instructions": "x", "chosen": chosen}
    answer = rita.post("/api/v1/studies/", sent, "application/json")
    assert answer.status_code == 201, answer.content
    assert answer.json()["chosen"] == chosen[:2]
    study = Study.objects.get(pk=answer.json()["id"])
    assert rita.post(f"/api/v1/studies/{study.pk}/launch/", {}, "application/json").status_code == 200
    assert set(study.items.values_list("topic__number", "document__docno")) == {("1", "d1"), ("2", "d3")}
    refused = rita.patch(f"/api/v1/studies/{study.pk}/", {"chosen": []}, "application/json")
    assert refused.status_code == 409


def test_two_lists_are_compared_from_no_chosen_documents(rita, collection, runs):
    sent = {
        "collection": collection.pk,
        "name": "Pairs",
        "instructions": "x",
        "kind": "side_by_side",
        "runs": [run.pk for run in runs],
    }
    answer = rita.post("/api/v1/studies/", sent | {"chosen": [{"topic": "1", "docno": "d1"}]}, "application/json")
    assert (answer.status_code, list(answer.json())) == (400, ["chosen"])

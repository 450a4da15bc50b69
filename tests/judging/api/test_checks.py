"""Items with known grades through the API: made in four ways, listed, withdrawn."""

from uuid import uuid4

import polars as pl
import pytest

from judging.collections.storage import store_qrels
from judging.models import AuditEntry, Item
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots


@pytest.fixture
def address(running):
    return f"/api/v1/studies/{running.pk}/checks/"


def judge_all(worker, grade):
    while slots := next_slots(worker):
        record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=grade))


def test_one_document(rita, address, running, make_worker):
    gold = {"role": "gold", "topic": "2", "docno": "d1", "right": [1, 0]}
    made = rita.post(address, gold)
    assert made.status_code == 201
    assert made.json() == {
        **gold, "right": [0, 1], "id": made.json()["id"], "better": None, "worse": None, "explanation": "",
        "answered": 0, "answered_rightly": 0,
    }  # fmt: skip
    again = rita.post(address, gold)
    assert (again.status_code, again.json()["detail"]) == (409, "d1 is used for topic 2 already: gold.")
    running.refresh_from_db()
    assert running.gold_every > 0, "workers meet it"
    type(running).objects.update(gold_every=1)
    running.refresh_from_db()
    for grade in (1, 3):
        judge_all(make_worker(running), grade)
    check = rita.get(f"{address}{made.json()['id']}/").json()
    assert (check["answered"], check["answered_rightly"]) == (2, 1)


def test_training_with_an_explanation(rita, address):
    practice = {"role": "training", "topic": "2", "docno": "d1", "right": [0], "explanation": "Owls stay."}
    assert rita.post(address, practice).json()["explanation"] == "Owls stay."
    assert rita.post(address, practice).status_code == 409
    assert Item.objects.get(role="training").explanation == "Owls stay."
    rows = rita.get(f"{address}?role=training").json()
    assert (rows["count"], rita.get(f"{address}?role=gold").json()["count"]) == (1, 0)


@pytest.mark.parametrize(
    ("sent", "field"),
    [
        ({"role": "work"}, "role"),
        ({"role": "retired"}, "role"),
        ({"topic": "99"}, "topic"),
        ({"topic": "\0"}, "topic"),
        ({"docno": "d99"}, "docno"),
        ({"right": []}, "right"),
        ({"right": [7]}, "right"),
        ({"right": ["x"]}, "right"),
        ({"right": None}, "right"),
    ],
)
def test_what_is_none_is_refused(rita, address, sent, field):
    refused = rita.post(address, {"role": "gold", "topic": "2", "docno": "d1", "right": [0], **sent})
    assert (refused.status_code, set(refused.json())) == (400, {field})
    assert not Item.objects.exclude(role="work").exists()


def test_what_is_pooled_stays_work(rita, address, running):
    item = running.items.select_related("topic", "document").first()
    sent = {"role": "gold", "topic": item.topic.number, "docno": item.document.docno, "right": [0]}
    refused = rita.post(address, sent)
    assert (refused.status_code, "already: work" in refused.json()["detail"]) == (409, True)


def test_a_draft_has_checks_of_its_pool_too(rita, study):
    address = f"/api/v1/studies/{study.pk}/"
    for docno, role in (("d1", "gold"), ("d2", "test"), ("d5", "training")):  # the pool has d1, d2 and d6
        sent = {"role": role, "topic": "1", "docno": docno, "right": [0]}
        assert rita.post(f"{address}checks/", sent).status_code == 201
    refused = rita.get(f"{address}plan/?gold_every=1")
    assert (refused.status_code, "no work would be left" in str(refused.json()["gold_every"])) == (400, True)
    plan = rita.get(f"{address}plan/?gold_every=2").json()
    assert (plan["items"], plan["known"], plan["judgements"]) == (4, 2, 8)
    assert plan["met"] == {"training": 1, "test": 1, "work": 4, "gold": 1.0, "attention": 0.0}
    rita.post(f"{address}rules/", {"signal": "gold", "threshold": 0.4, "least": 5, "action": "excluded"})
    (sentence,) = rita.get(f"{address}plan/").json()["rules_out_of_reach"]
    assert "it waits for 5 gold items, and a worker meets 1 at most" in sentence
    assert rita.post(f"{address}launch/").json()["pool_counts"]["known"] == 2


def test_of_one_grade(rita, address, running, researcher):
    frame = pl.DataFrame({"topic": ["1", "1"], "docno": ["d4", "d3"], "grade": [3, 2]})
    qrels = store_qrels(frame, collection=running.collection, name="experts", by=researcher)
    take = {"qrels": qrels.pk, "role": "gold", "count": 9}
    assert rita.post(f"{address}take/", take | {"grade": 7}).json() == {"grade": ["7 is not a grade of this study."]}
    assert rita.post(f"{address}take/", take | {"grade": 2}).json() == {"made": 1}
    assert Item.objects.get(role="gold").right == [2]


def test_from_qrels(rita, address, collection, researcher, stranger, admin):
    from judging.models import Collection

    frame = pl.DataFrame({"topic": ["1", "2"], "docno": ["d3", "d1"], "grade": [0, 1]})
    qrels = store_qrels(frame, collection=collection, name="known", by=researcher)
    wanted = {"qrels": qrels.pk, "role": "test", "count": 5}
    made = rita.post(f"{address}take/", wanted)
    assert (made.status_code, made.json()) == (201, {"made": 2})
    assert rita.post(f"{address}take/", wanted).status_code == 409
    assert rita.post(f"{address}take/", {**wanted, "role": "attention"}).status_code == 400
    assert rita.post(f"{address}take/", {**wanted, "leeway": 10}).status_code == 400
    elsewhere = Collection.objects.create(name="Fish", owner=researcher)
    other = store_qrels(frame, collection=elsewhere, name="other", by=researcher)
    assert set(rita.post(f"{address}take/", {**wanted, "qrels": other.pk}).json()) == {"qrels"}
    theirs = store_qrels(frame, collection=Collection.objects.create(name="X", owner=stranger), name="o", by=stranger)
    assert rita.post(f"{address}take/", {**wanted, "qrels": theirs.pk}).status_code == 400


def test_from_what_workers_agree_on(rita, address, running, make_worker):
    assert rita.post(f"{address}promote/", {"count": 2}).status_code == 409
    for _ in range(2):
        judge_all(make_worker(running), 1)
    made = rita.post(f"{address}promote/", {"count": 2})
    assert (made.status_code, made.json()) == (201, {"made": 2})
    assert AuditEntry.objects.first().deed == "checked"
    assert [row["right"] for row in rita.get(address).json()["results"]] == [[1], [1]]


def test_attention_and_withdrawing(rita, address):
    assert rita.post(f"{address}attention/", {"count": 1}).json() == {"made": 1}
    assert rita.post(f"{address}attention/", {"count": 0}).status_code == 400
    (check,) = rita.get(address).json()["results"]
    assert (check["role"], check["right"]) == ("attention", [0])
    assert rita.post(f"{address}{check['id']}/withdraw/").status_code == 204
    assert rita.get(address).json()["count"] == 0
    assert rita.post(f"{address}{check['id']}/withdraw/").status_code == 404


def test_how_often_is_a_setting_of_the_study(rita, running):
    study = f"/api/v1/studies/{running.pk}/"
    changed = rita.patch(study, {"gold_every": 7, "pass_mark": 0.5}).json()
    assert (changed["gold_every"], changed["pass_mark"]) == (7, 0.5)
    assert AuditEntry.objects.first().about == "“Bird study”, gold every: 0 → 7; pass mark: 0.7 → 0.5"
    for wrong in ({"gold_every": 101}, {"pass_mark": 1.1}, {"pass_mark": "nan"}):
        assert rita.patch(study, wrong).status_code == 400
    assert rita.patch(study, {"pass_mark": 0.5}).status_code == 200
    assert AuditEntry.objects.filter(deed="changed").count() == 1, "nothing is another than before"


def test_strangers_find_nothing(sid, rita, address):
    made = rita.post(address, {"role": "gold", "topic": "2", "docno": "d1", "right": [0]}).json()
    assert sid.get(address).status_code == sid.post(address, {}).status_code == 404
    for end in (f"{made['id']}/withdraw/", "take/", "promote/", "attention/"):
        assert sid.post(f"{address}{end}").status_code == 404
    assert Item.objects.get(pk=made["id"]).role == "gold"

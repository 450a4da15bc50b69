"""Working through the API: the judge page's verbs and the judge page's discretion."""

import json
from datetime import timedelta
from uuid import uuid4

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from judging.models import Comparison, Judgement, Study, User, Worker
from judging.recruiting.invites import invite, token_of
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from tests.judging.labels.asked import FULL, launched

V1 = "/api/v1"


def answer(client, address, item, grade=2, **more):
    return client.post(f"{address}/answer/", {"offer": item["offer"], "key": str(uuid4()), "grade": grade, **more})


def test_from_the_link_to_the_last_item(wim, running, researcher):
    link = f"https://search.example/join/{token_of(invite(running, by=researcher))}/"
    shown = wim.post(f"{V1}/work/invitation/", {"link": link})
    assert (shown.json()["name"], shown.json()["items"]) == ("Bird study", 6)
    assert not Worker.objects.exists(), "looking is not joining"
    joined = wim.post(f"{V1}/work/join/", {"link": link, "consent": True})
    assert joined.status_code == 201
    assert wim.post(f"{V1}/work/join/", {"link": link, "consent": True}).json()["worker"] == joined.json()["worker"]
    address = f"{V1}/work/{running.pk}"
    items = wim.post(f"{address}/next/").json()
    assert len(items) == 2
    judged = 0
    while items:
        stored = answer(wim, address, items[0])
        assert stored.status_code == 201
        judged += 1
        items = stored.json()["next"]
    assert judged == 6
    assert wim.get(f"{address}/").json()["judged"] == 6
    assert wim.get(f"{address}/judgements/").json()["count"] == 6


def test_the_list_of_your_parts_costs_the_same_however_many_there_are(wim, running, researcher):
    def join(*kinds):
        user = User.objects.get(username="wim")
        for number, kind in enumerate(kinds):
            study = Study.objects.create(
                collection=running.collection, name=f"{kind} {number} of {len(kinds)}", kind=kind, created_by=researcher,
                state=Study.State.RUNNING, pool_counts={"items": 6}, instructions="Judge.",
            )  # fmt: skip
            if study.compares:
                Comparison.objects.create(study=study, mirrored=0.2)
            Worker.objects.create(study=study, user=user)

    def queries():
        with CaptureQueriesContext(connection) as captured:
            rows = wim.get(f"{V1}/work/").json()["results"]
        return len(captured), len(rows)

    wim.get(f"{V1}/users/me/")  # the first use of a token in a minute is noted
    join("graded", "side_by_side")
    few, two = queries()
    join(*["graded", "side_by_side"] * 4)
    assert (queries(), two) == ((few, 10), 2)
    study = Study.objects.filter(kind="graded").first()
    assert "left" in wim.get(f"{V1}/work/{study.pk}/").json()


def test_without_consent_nobody_takes_part(wim, running, researcher):
    link = token_of(invite(running, by=researcher))
    for sent in ({"link": link}, {"link": link, "consent": False}):
        refused = wim.post(f"{V1}/work/join/", sent)
        assert refused.status_code == 400
        assert "consent" in refused.json()
    assert not Worker.objects.exists()


@pytest.mark.parametrize("link", ["", "nonsense", "https://x/join//", "\0", "x" * 501, None, 5])
def test_unknown_links(wim, running, link):
    refused = wim.post(f"{V1}/work/join/", {"link": link, "consent": True})
    assert refused.status_code == 400
    assert set(refused.json()) == {"link"}


def test_the_same_key_again_is_the_same_row(at_work):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    sent = {"offer": item["offer"], "key": str(uuid4()), "grade": 3, "comment": "clear", "milliseconds": 5}
    first, second = (wim.post(f"{address}/answer/", sent) for _ in range(2))
    assert first.status_code == second.status_code == 201
    assert first.json()["judgement"] == second.json()["judgement"]
    assert Judgement.objects.count() == 1


def test_another_answer_to_the_same_item_replaces_the_first(at_work):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    answer(wim, address, item, 0)
    answer(wim, address, item, 3)
    assert [row["grade"] for row in wim.get(f"{address}/judgements/").json()["results"]] == [3]
    assert Judgement.objects.count() == 2


@pytest.mark.parametrize("reason", ["unclear", "difficult"])
def test_a_reason_instead_of_a_grade(at_work, reason):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    stored = answer(wim, address, item, None, cannot_judge=reason).json()["judgement"]
    assert (stored["grade"], stored["cannot_judge"]) == (None, reason)


@pytest.mark.parametrize(
    "sent",
    [
        {"grade": None},
        {"grade": 7},
        {"grade": "high"},
        {"grade": 2, "cannot_judge": "other"},
        {"grade": None, "cannot_judge": "tired"},
        {"comment": "x" * 2001},
        {"comment": "\0"},
        {"comment": "\ud83e"},
        {"key": "not-a-uuid"},
        {"key": None},
        {"milliseconds": -1},
        {"milliseconds": 2**31},
        {"offer": ""},
        {"offer": "1-2:abc:def"},
        {"offer": "\0"},
    ],
)
def test_answers_that_are_none_are_refused_and_nothing_is_stored(at_work, sent):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    whole = {"offer": item["offer"], "key": str(uuid4()), "grade": 1, **sent}
    refused = wim.post(f"{address}/answer/", json.dumps(whole), content_type="application/json")
    assert refused.status_code == 400
    assert refused.json()
    assert not Judgement.objects.exists()


def test_an_offer_is_good_for_its_own_worker_only(at_work, running, researcher, as_user, stranger):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    sid = as_user(stranger)
    sid.post(f"{V1}/work/join/", {"link": token_of(invite(running, by=researcher)), "consent": True})
    refused = answer(sid, address, item)
    assert refused.status_code == 400
    assert "offer" in refused.json()


def test_an_answer_that_comes_too_late_is_kept_and_flagged(at_work, running, make_worker):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    with time_machine.travel(timezone.now() + timedelta(hours=2), tick=False):
        for _ in range(running.overlap):
            other = make_worker(running)
            while slots := next_slots(other):
                record_judgement(worker=other, item=slots[0].item, answer=Answer(key=uuid4(), grade=1))
        late = answer(wim, address, item)
    assert late.status_code == 201
    assert late.json()["judgement"]["surplus"] is True
    assert late.json()["next"] == []


def test_time_is_no_longer_than_the_item_was_known(at_work):
    wim, address = at_work
    item = wim.post(f"{address}/next/").json()[0]
    stored = answer(wim, address, item, milliseconds=10**9).json()["judgement"]
    assert stored["milliseconds"] < 60_000


def test_leaving_frees_what_was_held(at_work, running):
    from judging.models import Slot

    wim, address = at_work
    wim.post(f"{address}/next/")
    assert Slot.objects.filter(worker__isnull=False).count() == 2
    assert wim.post(f"{address}/leave/").status_code == 204
    assert Slot.objects.filter(worker__isnull=False).count() == 0


def test_a_paused_study_gives_out_nothing(at_work, running):
    from judging.studies.launch import pause

    wim, address = at_work
    pause(running)
    assert wim.post(f"{address}/next/").json() == []


def test_who_has_not_joined_finds_nothing(sid, rita, running):
    for client in (sid, rita):
        for verb, part in (("get", ""), ("post", "next/"), ("post", "answer/"), ("get", "judgements/"), ("post", "leave/")):
            assert getattr(client, verb)(f"{V1}/work/{running.pk}/{part}").status_code == 404
        assert client.get(f"{V1}/work/").json()["count"] == 0


def test_a_worker_learns_nothing_of_runs_ranks_and_others(at_work, running, runs, make_worker):
    """Every answer of every endpoint under work/ is searched for what must not be in it."""
    wim, address = at_work
    other = make_worker(running)
    secret = "what another worker noted"
    for slot in next_slots(other):
        record_judgement(worker=other, item=slot.item, answer=Answer(key=uuid4(), grade=3, comment=secret))
    item = wim.post(f"{address}/next/").json()[0]
    link = token_of(invite(running, by=running.created_by))
    responses = [
        wim.post(f"{V1}/work/invitation/", {"link": link}),
        wim.post(f"{V1}/work/join/", {"link": link, "consent": True}),
        wim.post(f"{address}/next/"),
        answer(wim, address, item),
        wim.get(f"{V1}/work/"),
        wim.get(f"{address}/"),
        wim.get(f"{address}/judgements/"),
    ]
    for response in responses:
        assert response.status_code < 300
        text = response.content.decode()
        for hidden in (secret, f'"{other}"', "alpha", "beta"):
            assert hidden not in text
        assert keys(json.loads(text)).isdisjoint(
            {"runs", "run", "rank", "score", "position", "depth", "overlap", "members", "slot"}
        )


def keys(content):
    if isinstance(content, dict):
        return set(content) | {key for value in content.values() for key in keys(value)}
    if isinstance(content, list):
        return {key for value in content for key in keys(value)}
    return set()


def test_further_questions_are_told_and_answered(wim, study, researcher):
    asking = launched(study)
    link = token_of(invite(asking, by=researcher))
    told = wim.post(f"{V1}/work/invitation/", {"link": link}).json()["questions"]
    assert [question["name"] for question in told] == ["credible", "use", "facts", "why"]
    wim.post(f"{V1}/work/join/", {"link": link, "consent": True})
    address = f"{V1}/work/{asking.pk}"
    item = wim.post(f"{address}/next/").json()[0]
    assert [subtopic["number"] for subtopic in item["subtopics"]] == ["1", "2"]
    refused = answer(wim, address, item)
    assert (refused.status_code, "Would you believe it?" in refused.content.decode()) == (400, True)
    stored = answer(wim, address, item, replies=FULL)
    assert (stored.status_code, stored.json()["judgement"]["replies"]) == (201, FULL)


@pytest.mark.parametrize("replies", [5, "x", [], {"credible": {}}, {"credible": []}, {"facts": {"1": {"1": {}}}}, {"x": None}])
def test_replies_that_are_none_are_refused(wim, study, researcher, replies):
    asking = launched(study)
    wim.post(f"{V1}/work/join/", {"link": token_of(invite(asking, by=researcher)), "consent": True})
    item = wim.post(f"{V1}/work/{asking.pk}/next/").json()[0]
    assert answer(wim, f"{V1}/work/{asking.pk}", item, replies=replies).status_code == 400
    assert not Judgement.objects.exists()

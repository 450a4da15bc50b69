"""Pages and the API of pairs of which one list is known to be better: what workers and researchers read."""

import re

import pytest
from django.urls import reverse

from judging.labels import known_pairs, training
from judging.models import AuditEntry, Item, Study, Worker
from judging.work import assignment
from judging.work.tickets import ticket
from tests.judging.pairs.known import launched
from tests.judging.pairs.pair_pages import answer, held, text

pytestmark = pytest.mark.django_db
Role = Item.Role
JSON = "application/json"
LISTS = r'<section class="topic".*?<div class="grade-bar">'
SECRETS = r'(?:value|data-judged|data-token)="[^"]*"|\d+'


@pytest.fixture
def link(practised, researcher):
    from judging.recruiting import invites

    return invites.invite(practised, by=researcher)


@pytest.fixture
def judging(joined, link):
    return reverse("judge", args=[link.study_id])


def test_without_a_script_the_answer_leads_to_what_is_right_and_on(practised, joined, judging):
    page = text(joined.get(judging))
    assert "Practice 1 of 2" in page and "in the better list" not in page and "list is better." not in page
    slot = held()
    side = "right" if slot.swapped else "left"
    wrong = {"practice": "1", "grade": "-1" if slot.swapped else "1"}
    response = answer(joined, judging, **wrong)
    assert response.url == reverse("judge_again", args=[practised.pk, ticket(slot.worker, slot.item_id)])
    told = text(joined.get(response.url))
    assert "Not quite" in told and f"The {side} list is better." in told and "2 of 3 in the better list" in told
    assert "Practice 2 of 2" in text(joined.get(judging))


def test_with_the_script_it_comes_beside_the_next_pair(practised, joined, judging):
    joined.get(judging)
    slot = held()
    reply = text(answer(joined, judging, script=True, practice="1", grade="1" if slot.swapped else "-1"))
    assert "That’s right" in reply and "Practice 2 of 2" in reply
    assert not Worker.objects.get().exclusions.exists()


def test_a_gold_pairs_page_differs_from_works_by_nothing_but_its_lists(draft, qrels, joined_to):
    known_pairs.take_from_qrels(draft, qrels, role=Role.GOLD, count=6)
    Study.objects.update(gold_every=2)
    browser, address = joined_to(launched(draft))
    pages = {}
    for _ in range(8):
        page = text(browser.get(address))
        name = ticket(held().worker, held().item_id)
        pages[held().item.role] = re.sub(f"{LISTS}|{SECRETS}", "", page.replace(name, ""), flags=re.S)
        answer(browser, address, grade="1")
    assert pages[Role.GOLD] == pages[Role.WORK]


@pytest.fixture
def joined_to(client, researcher):
    from judging.recruiting import invites

    def join(study):
        link = invites.invite(study, by=researcher)
        client.get(reverse("follow_invite", args=[invites.token_of(link)]))
        client.post(reverse("join"), {"agree": "1"})
        return client, reverse("judge", args=[study.pk])

    return join


def test_researchers_take_them_see_them_and_say_why(rita, draft, qrels):
    empty = text(rita.get(reverse("study_checks", args=[draft.pk])))
    assert "Take pairs of which the better list is known" in empty and "How often" not in empty
    take = {"qrels": qrels.pk, "role": "training", "count": "2"}
    page = text(rita.post(reverse("checks_take", args=[draft.pk]), take, follow=True))
    assert "2 more checks." in page and "How often" in page
    assert AuditEntry.objects.get(deed="checked").about == "2 × training, pairs made of the qrels “official”"
    item = draft.items.order_by("position").first()
    address = reverse("study_training", args=[draft.pk])
    assert "Better list" in text(rita.get(address))
    why = {f"item-{item.pk}-explanation": "The left one **answers**."}
    assert "Saved." in text(rita.post(reverse("training_explain", args=[draft.pk, item.pk]), why, follow=True))
    item.refresh_from_db()
    assert (item.explanation, item.right) == ("The left one **answers**.", [1, 2, 3])
    rita.post(reverse("training_move", args=[draft.pk, item.pk]), {"to": "down"})
    assert training.items_of(draft).last() == item
    plan = text(rita.get(reverse("study", args=[draft.pk])))
    assert "2 for training" in plan
    assert text(rita.post(reverse("checks_take", args=[draft.pk]), take | {"count": "0"})).count("alert error") == 1
    again = text(rita.post(reverse("checks_take", args=[draft.pk]), take | {"count": "99", "role": "gold"}, follow=True))
    assert "10 more checks." in again
    refused = text(rita.post(reverse("checks_take", args=[draft.pk]), take, follow=True))
    assert "No further topic has a clear pair" in refused


def test_judgements_of_checks_are_listed_as_such(rita, practised, make_worker, prefer):
    worker = make_worker(practised)
    (slot,) = assignment.next_slots(worker)
    prefer(worker, slot)
    page = text(rita.get(reverse("study_judgements", args=[practised.pk])))
    assert ("Training</span>" in page and "better <span" in page) or "worse <span" in page


def test_by_the_api(rita, stranger, draft, qrels, client):
    address = f"/api/v1/studies/{draft.pk}/checks/"
    assert rita.post(f"{address}take/", {"qrels": qrels.pk, "role": "gold", "count": 3}, JSON).json() == {"made": 3}
    check = rita.get(address).json()["results"][0]
    assert (check["docno"], check["role"], check["right"]) == (None, "gold", [1, 2, 3])
    assert len(check["better"]) == len(check["worse"]) == 3
    planned = rita.get(f"/api/v1/studies/{draft.pk}/plan/").json()
    assert planned["gold"] == 12 and planned["met"]["gold"] == 3.0 and planned["rules_out_of_reach"] == []
    assert rita.post(f"{address}{check['id']}/withdraw/", {}, JSON).status_code == 204
    assert rita.get(address).json()["count"] == 2
    for name in ("", "promote/", "attention/"):
        assert rita.post(f"{address}{name}", {"count": 1}, JSON).status_code == 404
    client.force_login(stranger)
    assert client.get(address).status_code == 404
    assert client.post(f"{address}take/", {"qrels": qrels.pk, "role": "gold", "count": 3}, JSON).status_code == 404

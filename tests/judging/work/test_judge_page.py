"""A worker's way through the pages, with and without the script, and what a hurried or hostile one meets."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Judgement, Slot, Worker
from judging.recruiting import invites
from judging.studies import launch
from judging.work.tickets import ticket

pytestmark = pytest.mark.django_db


def judge_url(link):
    return reverse("judge", args=[link.study_id])


def form_of(response) -> dict:
    """The hidden fields of the first item's form."""
    page = response.content.decode()
    return {name: re.findall(rf'name="{name}" value="([^"]+)"', page)[0] for name in ("key", "offer")}


def test_from_the_link_to_the_first_judgement(client, link):
    response = client.get(reverse("follow_invite", args=[invites.token_of(link)]), follow=True)
    assert b"invited to judge" in response.content
    assert invites.token_of(link) not in response.request["PATH_INFO"]
    assert Worker.objects.count() == 0  # who only looks is no worker
    response = client.post(reverse("join"), {"agree": "1"}, follow=True)
    assert response.redirect_chain[-1][0] == judge_url(link)
    response = client.post(judge_url(link), {**form_of(response), "grade": "2"}, follow=True)
    assert b"1 of at most 6" in response.content
    judgement = Judgement.objects.get()
    assert (judgement.grade, judgement.worker.invite) == (2, link)


def test_agreeing_is_asked_for(client, link):
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    response = client.post(reverse("join"))
    assert response.status_code == 400
    assert b"Tick the box" in response.content
    assert Worker.objects.count() == 0


def test_who_comes_again_goes_on(joined, link):
    joined.get(reverse("follow_invite", args=[invites.token_of(link)]))
    assert joined.get(reverse("join")).url == judge_url(link)
    assert Worker.objects.count() == 1


@pytest.mark.parametrize("spoil", ["revoke", "nonsense", "draft"])
def test_links_that_lead_nowhere_are_404(client, link, spoil):
    token = invites.token_of(link)
    if spoil == "revoke":
        invites.revoke(link)
    elif spoil == "draft":
        link.study.__class__.objects.update(state="draft")
    else:
        token = "x" * 22
    response = client.get(reverse("follow_invite", args=[token]))
    assert response.status_code == 404
    assert b"does not work" in response.content


def test_a_revoked_link_lets_workers_go_on(joined, link):
    invites.revoke(link)
    assert joined.get(judge_url(link)).status_code == 200


def test_strangers_do_not_get_in(client, link):
    assert client.get(judge_url(link)).status_code == 404
    client.cookies[f"worker-{link.study_id}"] = "1:forged"
    assert client.get(judge_url(link)).status_code == 404


def test_the_script_gets_the_one_item_it_does_not_have(joined, link):
    page = joined.get(judge_url(link))
    (shown,) = re.findall(r'data-item="([^"]+)"', page.content.decode())
    ahead = joined.get(reverse("judge_ahead", args=[link.study_id]), {"have": shown}).content.decode()
    (following,) = re.findall(r'data-item="([^"]+)"', ahead)
    response = joined.post(
        judge_url(link), {**form_of(page), "grade": "1", "have": following}, headers={"X-Requested-With": "fetch"}
    )
    items = re.findall(r'data-item="([^"]+)"', response.content.decode())
    assert len(items) == 1
    assert items[0] not in (shown, following)
    assert b'data-done="1"' in response.content


def test_an_answer_sent_twice_is_stored_once(joined, link):
    form = {**form_of(joined.get(judge_url(link))), "grade": "3"}
    for _ in range(3):
        assert joined.post(judge_url(link), form).status_code == 302
    assert Judgement.objects.count() == 1


def test_an_answer_can_be_changed(joined, link):
    joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "0", "comment": "hm"})
    page = joined.get(reverse("judge_back", args=[link.study_id]), follow=True)
    assert b"You answered this before" in page.content
    assert re.search(rb'value="0"[^>]* aria-pressed="true"', page.content)
    joined.post(judge_url(link), {**form_of(page), "grade": "3"})
    assert list(Judgement.objects.order_by("id").values_list("grade", flat=True)) == [0, 3]
    assert Slot.objects.filter(judged_at__isnull=False).count() == 1
    assert b"Highly relevant" in joined.get(reverse("answers", args=[link.study_id])).content


def test_time_in_view_cannot_exceed_the_time_since_the_page_was_made(joined, link):
    joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "1", "milliseconds": "999999999"})
    assert Judgement.objects.get().milliseconds < 60_000


def test_a_document_may_be_too_difficult(joined, link):
    page = joined.get(judge_url(link))
    reasons = re.findall(r'name="cannot_judge" value="(\w+)"', page.content.decode())
    assert reasons == ["unreadable", "language", "unclear", "difficult", "other"]
    joined.post(judge_url(link), {**form_of(page), "cannot_judge": "difficult"})
    assert Judgement.objects.get().cannot_judge == "difficult"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"grade": "9"}, "9 is not a grade"),
        ({"grade": ""}, "Choose a grade"),
        ({"grade": "two"}, "not a number"),
        ({"key": "abc"}, "not a number"),
        ({"offer": "1-1:abc:def"}, "not yours"),
        ({"offer": ""}, "not yours"),
        ({"milliseconds": "1e9"}, "not a number"),
        ({"grade": "", "cannot_judge": "bored"}, "not one of the reasons"),
    ],
)
@pytest.mark.parametrize("script", [True, False])
def test_what_is_no_answer_is_a_clear_400_and_stores_nothing(joined, link, change, why, script):
    form = {**form_of(joined.get(judge_url(link))), "grade": "1"} | change
    headers = {"X-Requested-With": "fetch"} if script else {}
    response = joined.post(judge_url(link), form, headers=headers)
    assert response.status_code == 400
    assert why in response.content.decode()
    assert not Judgement.objects.exists()


@pytest.mark.parametrize("script", [True, False])
def test_an_answer_kept_while_the_cookie_was_lost_is_still_its_workers(joined, link, script):
    """The browser comes back by the link as somebody new, who is shown work of their own."""
    before = Worker.objects.get()
    form = {**form_of(joined.get(judge_url(link))), "grade": "3"}
    del joined.cookies[f"worker-{link.study_id}"]
    assert joined.post(judge_url(link), form).status_code == 404
    joined.get(reverse("follow_invite", args=[invites.token_of(link)]))
    joined.post(reverse("join"), {"agree": "1"})
    page = joined.get(judge_url(link)).content
    response = joined.post(judge_url(link), form, headers={"X-Requested-With": "fetch"} if script else {})
    assert response.status_code == (200 if script else 302)
    judgement = Judgement.objects.get()
    assert (judgement.worker, judgement.grade) == (before, 3)
    assert judgement.slot.worker == before
    assert Worker.objects.count() == 2
    assert b"0 of at most 6" in page
    assert b"0 of at most 6" in joined.get(judge_url(link)).content


@pytest.mark.parametrize("script", [True, False])
def test_an_answer_of_somebody_with_an_account_waits_until_they_are_back(joined, link, make_worker, script):
    from judging.models import User
    from judging.recruiting import identity

    other = make_worker(link.study, user=User.objects.create_user("wim"))
    offer = identity.offer(other, link.study.items.first().pk)
    headers = {"X-Requested-With": "fetch"} if script else {}
    response = joined.post(judge_url(link), {"key": str(uuid4()), "offer": offer, "grade": "1"}, headers=headers)
    assert response.status_code == (409 if script else 400)
    assert "kept in this browser until they are back" in response.content.decode()
    assert not Judgement.objects.exists()


def test_an_offer_for_another_study_is_refused(joined, link, make_worker, study):
    from judging.models import Study
    from judging.recruiting import identity

    elsewhere = Study.objects.create(collection=study.collection, name="Elsewhere", created_by=study.created_by)
    offer = identity.offer(make_worker(elsewhere), link.study.items.first().pk)
    response = joined.post(judge_url(link), {"key": str(uuid4()), "offer": offer, "grade": "1"})
    assert response.status_code == 400
    assert not Judgement.objects.exists()


def test_the_script_goes_back_answer_by_answer_past_those_that_were_changed(joined, link):
    for grade in "012":
        joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": grade})
    answered = list(Judgement.objects.order_by("-id"))
    worker = answered[0].worker

    def back(before=""):
        address = reverse("judge_back", args=[link.study_id])
        return joined.get(address, {"before": before}, headers={"X-Requested-With": "fetch"}).content.decode()

    first = back()
    assert f'data-item="{ticket(worker, answered[0].item_id)}" data-again' in first
    assert re.search(r'value="2"[^>]* aria-pressed="true"', first)
    assert "<html" not in first
    joined.post(judge_url(link), {**form_of(type("Page", (), {"content": first.encode()})), "grade": "3"})
    second = back(ticket(worker, answered[0].item_id))
    assert f'data-item="{ticket(worker, answered[1].item_id)}"' in second
    assert f'data-item="{ticket(worker, answered[2].item_id)}"' in back(ticket(worker, answered[1].item_id))
    last = back(ticket(worker, answered[2].item_id))
    assert "data-item=" not in last
    assert 'data-done="3"' in last


def test_nothing_on_the_page_is_an_items_own_key(joined, link):
    """Those of checks are higher than all others."""
    page = joined.get(judge_url(link)).content.decode()
    held = Slot.objects.get(worker__isnull=False).item_id
    assert f'data-item="{held}"' not in page
    assert f'data-item="{ticket(Worker.objects.get(), held)}"' in page


def test_nul_bytes_in_a_note_do_no_harm(joined, link):
    joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "1", "comment": "a\0b" + "x" * 5000})
    assert Judgement.objects.get().comment == "ab" + "x" * 1998


def test_query_words_are_marked_and_markup_is_shown_not_obeyed(joined, link):
    from judging.models import Document

    Document.objects.update(text="<script>alert(1)</script> owls & \x02swallows\x03", title="<b>owl</b>")
    page = joined.get(judge_url(link)).content.decode()
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert" in page
    assert "swallows" in page
    assert page.count("<mark>") == page.count("</mark>") > 0


def test_the_end_of_the_work_is_said(joined, link):
    for _ in range(6):
        joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "1"})
    assert b"All done, thank you" in joined.get(judge_url(link)).content
    launch.close(link.study)
    assert b"The study is closed" in joined.get(judge_url(link)).content


def test_waiting_for_others_is_said(joined, link, make_worker):
    from judging.work import assignment

    for _ in range(2):
        assignment.next_slots(make_worker(link.study), count=100)
    page = joined.get(judge_url(link)).content
    assert b"Others are finishing" in page
    assert b'http-equiv="refresh"' in page


def test_leaving_hands_back_what_is_open(joined, link):
    joined.get(judge_url(link))
    assert Slot.objects.filter(worker__isnull=False).count() == 1
    assert b"Thank you" in joined.post(reverse("leave", args=[link.study_id]), follow=True).content
    assert not Slot.objects.filter(worker__isnull=False).exists()


def test_an_account_is_one_worker_in_two_browsers(client, link):
    from django.test import Client

    from judging.models import User

    user = User.objects.create_user("wim", password="a long enough password")
    browsers = [client, Client()]
    for browser in browsers:
        browser.force_login(user)
        browser.get(reverse("follow_invite", args=[invites.token_of(link)]))
        browser.post(reverse("join"), {"agree": "1"})
    assert Worker.objects.get().user == user
    fresh = Client()
    fresh.force_login(user)
    assert fresh.get(judge_url(link)).status_code == 200


def test_the_page_costs_a_constant_number_of_queries(joined, link, django_assert_num_queries):
    joined.get(judge_url(link))
    with django_assert_num_queries(2):
        joined.get(judge_url(link))


def test_workers_see_no_run_and_no_rank(joined, link):
    page = joined.get(judge_url(link)).content.decode()
    assert "alpha" not in page
    assert "beta" not in page
    assert not re.search(r"\brank\b", page, re.I)


def test_whoever_signs_in_on_a_shared_computer_is_not_the_worker_before_them(client, link, researcher, stranger):
    for person in (researcher, stranger):
        client.force_login(person)
        client.get(reverse("follow_invite", args=[invites.token_of(link)]))
        client.post(reverse("join"), {"agree": "1"})
        client.post(judge_url(link), {**form_of(client.get(judge_url(link))), "grade": "1"})
        client.post("/logout/")
    assert set(Judgement.objects.values_list("worker__user__username", flat=True)) == {"rita", "sid"}
    assert client.get(judge_url(link)).status_code == 404


@pytest.mark.parametrize("before", ["²", "9" * 30, "-1", ""])
def test_back_from_nowhere_is_the_latest_answer(joined, link, before):
    joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "0"})
    assert joined.get(reverse("judge_back", args=[link.study_id]), {"before": before}).status_code == 302


def test_a_scale_to_ten_has_a_key_for_every_grade(client, study, researcher):
    """The tenth has X, since whoever types 10 would have given 1."""
    study.scale = [{"grade": grade, "label": f"Grade {grade}", "help": ""} for grade in range(11)]
    study.save()
    launch.launch(study, seed=1)
    link = invites.invite(study, by=researcher)
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    response = client.post(reverse("join"), {"agree": "1"}, follow=True)
    page = response.content.decode()
    keys = re.findall(r'name="grade" value="(\d+)"\s+data-key="(\w)"', page)
    assert keys[:11] == [*((str(grade), str(grade)) for grade in range(10)), ("10", "x")]
    assert "<kbd>9</kbd> <kbd>X</kbd>" in page
    client.post(judge_url(link), {**form_of(response), "grade": "10"})
    assert Judgement.objects.get().grade == 10

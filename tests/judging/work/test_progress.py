"""How far a worker is, on each page: it never goes back, never tells a check from work, and ends with all of all."""

import re
from uuid import uuid4

import pytest
from django.urls import reverse

from judging.labels import gold_choice
from judging.models import Document, Item, Judgement, Slot, Study
from judging.recruiting import invites
from judging.studies import launch
from judging.work import assignment, checks, progress
from tests.judging.work.test_judge_page import form_of

pytestmark = pytest.mark.django_db
Role = Item.Role
WORD = re.compile(r'class="progress-text"[^>]*>(\d+) of (about |at most |)(\d+)<')
BAR = re.compile(r'<progress id="done" value="(\d+)" max="(\d+)"')


def add_checks(study, role, count, right=(0, 1, 2, 3)):
    documents = Document.objects.bulk_create(
        Document(collection=study.collection, docno=f"{role}{number}", text="Words.") for number in range(count)
    )
    topics = sorted(set(study.items.values_list("topic", flat=True)))
    for number, document in enumerate(documents):
        item = gold_choice.new_item(study, topics[number % len(topics)], document.pk)
        checks.designate([item], role, right=list(right))


@pytest.fixture
def capped(study):
    """Four of six items of work for each worker, behind practice and a test, among gold and attention checks."""
    study.most_judgements, study.gold_every = 4, 3
    study.save()
    launch.launch(study, seed=1)
    for role, count in {Role.TRAINING: 2, Role.TEST: 1, Role.GOLD: 5, Role.ATTENTION: 3}.items():
        add_checks(study, role, count)
    study.refresh_from_db()
    return study


@pytest.fixture
def link(capped, researcher):
    return invites.invite(capped, by=researcher)


@pytest.fixture
def at_work(client, link):
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    return client


def page_of(client, study, name="judge"):
    return client.get(reverse(name, args=[study.pk])).content.decode()


def progress_on(page):
    """How much is done, how that is put, and of how much; the bar says the same."""
    done, how, items = WORD.search(page).groups()
    assert (done, items) == BAR.search(page).groups()
    return int(done), how, int(items)


def answer(client, study, **headers):
    page = client.get(reverse("judge", args=[study.pk]))
    return client.post(reverse("judge", args=[study.pk]), {**form_of(page), "grade": "1"}, headers=headers)


def test_a_capped_study_with_all_kinds_of_checks_to_its_end(at_work, capped):
    expected = 2 + 1 + 4 + 2  # practice, the test, work, and one check with each two items of work
    for done in range(100):
        page = page_of(at_work, capped)
        if "data-item=" not in page:
            break
        items = max(expected, done + 1)
        shown = (done, "about ", items)
        assert progress_on(page) == progress_on(page_of(at_work, capped, "my_work")) == shown
        assert progress_on(page_of(at_work, capped, "answers")) == shown
        left = items - done
        assert f"About <strong>{left}</strong> document" in page_of(at_work, capped, "my_work")
        assert "Go on judging" in page_of(at_work, capped, "answers")
        answer(at_work, capped)
    assert "All done, thank you" in page
    assert Slot.objects.filter(number__isnull=False, judged_at__isnull=False).count() == 4
    for name in ("judge", "answers", "my_work"):
        page = page_of(at_work, capped, name)
        assert progress_on(page) == (done, "", done)
        assert "Go on judging" not in page
        assert "left for you to judge" in page
    at_work.post(reverse("leave", args=[capped.pk]))
    assert "Go on judging" not in page_of(at_work, capped, "leave")


def test_what_the_script_is_told_is_what_the_page_says(at_work, capped):
    page = page_of(at_work, capped)
    _, _, items = progress_on(page)
    for done in range(1, 6):
        html = answer(at_work, capped, **{"X-Requested-With": "fetch"}).content.decode()
        assert f'data-done="{done}" data-items="{items}"' in html
        assert progress_on(page_of(at_work, capped)) == (done, "about ", items)


def test_no_number_tells_that_a_check_comes(at_work, capped):
    """Up to what was expected the total stays; beyond that it grows with each answer, to whatever it is."""
    expected = progress.total(capped)
    for done in range(8):
        assert progress_on(page_of(at_work, capped))[2] == max(expected, done + 1)
        answer(at_work, capped)


def want_forty(study):
    """Want each item of work from forty workers."""
    Item.objects.update(wanted=40)
    for item in study.items.filter(role=Role.WORK):
        extra = [Slot(study=study, item=item, number=n, position=item.slots.first().position + n) for n in range(3, 41)]
        Slot.objects.bulk_create(extra)


def test_where_chance_sends_more_checks_every_page_counts_the_item_that_is_held(capped, make_worker, monkeypatch):
    want_forty(capped)
    beyond = 0
    for number in range(12):
        worker = make_worker(capped)
        # Lots that lie evenly: drawn ones hang on the keys of rows too, and could all be low.
        monkeypatch.setattr(checks, "chance", lambda worker, check, lot=number * 2**64 // 12: lot)
        for done in range(100):
            if not (slots := assignment.next_slots(worker)):
                break
            assert progress.progress_of(worker).items == max(progress.total(capped), done + 1)
            beyond += done >= progress.total(capped)
            Slot.objects.filter(pk=slots[0].pk).update(judged_at=slots[0].leased_until)
    assert beyond


@pytest.mark.slow
def test_as_many_checks_as_a_worker_meets_are_counted(capped, make_worker):
    """On average, over many workers who may do all of it."""
    want_forty(capped)
    Study.objects.update(most_judgements=None)
    capped.refresh_from_db()
    met = []
    for _ in range(30):
        worker = make_worker(capped)
        for _ in range(30):
            for slot in assignment.next_slots(worker):
                Slot.objects.filter(pk=slot.pk).update(judged_at=slot.leased_until)
        met.append(Slot.objects.filter(worker=worker).count())
    assert sum(met) / 30 == pytest.approx(progress.total(capped), abs=0.6)


def test_a_study_without_checks_says_at_most(client, running, researcher):
    link = invites.invite(running, by=researcher)
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    assert progress_on(page_of(client, running)) == (0, "at most ", 6)
    assert "At most <strong>6</strong> documents are left" in page_of(client, running, "my_work")
    Slot.objects.filter(worker__isnull=True).delete()  # others have judged the rest
    answer(client, running)
    assert progress_on(page_of(client, running)) == (1, "", 1)
    assert "All done, thank you" in page_of(client, running)


def test_who_waits_for_others_or_for_the_study_has_not_come_to_the_end(client, running, make_worker, researcher):
    link = invites.invite(running, by=researcher)
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    Study.objects.update(state=Study.State.PAUSED)
    assert progress_on(page_of(client, running, "answers")) == (0, "at most ", 6)
    Study.objects.update(state=Study.State.RUNNING)
    other = make_worker(running)
    for slot in Slot.objects.filter(number=1):
        Slot.objects.filter(pk=slot.pk).update(worker=other, leased_until="2100-01-01T00:00Z")
    Slot.objects.filter(number=2).delete()
    assert "Others are finishing" in page_of(client, running)
    assert progress_on(page_of(client, running)) == progress_on(page_of(client, running, "my_work")) == (0, "at most ", 6)
    Study.objects.update(state=Study.State.CLOSED)
    assert progress_on(page_of(client, running)) == progress_on(page_of(client, running, "answers")) == (0, "", 0)


def test_the_api_says_the_same(at_work, capped, researcher, api):
    worker = invites.join(capped, user=researcher)
    row = api.get(f"/api/v1/work/{capped.pk}/").json()
    assert (row["judged"], row["left"], row["study"]["items"]) == (0, 9, 9)
    items = api.post(f"/api/v1/work/{capped.pk}/next/").json()
    while items:
        body = {"offer": items[0]["offer"], "key": str(uuid4()), "grade": 1}
        stored = api.post(f"/api/v1/work/{capped.pk}/answer/", body, format="json")
        assert stored.status_code == 201, stored.json()
        items = stored.json()["next"]
    row = api.get(f"/api/v1/work/{capped.pk}/").json()
    assert row["judged"] == Judgement.objects.filter(worker=worker).count() > 6
    assert row["left"] == 0


@pytest.fixture
def api(researcher):
    from rest_framework.test import APIClient

    from judging.models import Token

    _, token = Token.objects.create(user=researcher)
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    return client

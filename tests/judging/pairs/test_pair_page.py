"""The page on which a worker compares two lists: with the script and without, and what a hurried or hostile one meets."""

import json
import re
from uuid import uuid4

import pytest
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from rest_framework.test import APIClient

from judging.models import Comparison, Document, Judgement, Listing, Preference, Slot, Study, Token, Topic, Worker
from judging.recruiting import identity, invites
from judging.studies import launch
from judging.studies.translations import translate
from judging.work import assignment, mirrors
from judging.work.tickets import ticket
from tests.judging.pairs.pair_pages import ITALIAN, SCRIPT, answer, held, lists_of, panels, pressed, show, text, whole
from tests.judging.work.test_judge_page import form_of

pytestmark = pytest.mark.django_db


# What is shown


def test_both_lists_stand_where_the_slot_says(joined, judging, prefer):
    seen = set()
    for _ in range(12):
        page = text(joined.get(judging))
        slot = held()
        titles = dict(Document.objects.values_list("docno", "title"))
        assert panels(page) == [[titles[row["docno"]] for row in side] for side in lists_of(slot)]
        seen.add(slot.swapped)
        answer(joined, judging, grade="1")
    assert seen == {True, False}


def test_the_question_and_the_answers_from_left_to_right(joined, judging, comparing):
    page = text(joined.get(judging))
    assert comparing.comparison.question in page
    buttons = re.findall(r'name="(grade|both_bad)" value="(-?\d)" data-key="(\w)".*?<span>(.*?)</span>', page)
    assert [button[:3] for button in buttons] == [
        ("grade", "-2", "1"), ("grade", "-1", "2"), ("grade", "0", "3"), ("grade", "1", "4"), ("grade", "2", "5"),
        ("both_bad", "1", "x"),
    ]  # fmt: skip
    assert [button[3] for button in buttons] == [
        "Left is much better", "Left is better", "About the same", "Right is better", "Right is much better", "Both are bad",
    ]  # fmt: skip


def test_query_words_are_marked_and_markup_is_shown_not_obeyed(joined, judging):
    Topic.objects.update(title="owls and swallows", description="What <b>else</b>?")
    Document.objects.update(title="<i>An owl</i>", text="<script>alert(1)</script> swallows & \x02owls\x03")
    page = joined.get(judging).content.decode()
    assert "&lt;i&gt;An <mark>owl</mark>&lt;/i&gt;" in page
    assert "<script>alert" not in page
    assert "What &lt;b&gt;else&lt;/b&gt;?" in page
    assert page.count("<mark>") == page.count("</mark>") > 2


def test_a_snippet_that_came_with_the_run_is_shown_and_the_host_of_the_address(joined, judging):
    show(title="Its own title", snippet="What <it> says of owls.", url="https://www.example.org/a/very/long?path=1")
    page = joined.get(judging).content.decode()
    assert "Its own title" in page
    assert "What &lt;it&gt; says of " in page
    assert ">www.example.org<" in page
    assert "very/long" not in page


def test_an_address_that_is_none_of_the_web_is_not_linked(joined, judging):
    show(title="Trap", url="javascript:alert(1)")
    page = joined.get(judging).content.decode()
    assert "javascript:" not in page
    assert "javascript:" not in whole(joined, judging).content.decode()


def test_a_long_text_has_its_best_lines_first_and_more_on_request(joined, judging):
    Topic.objects.update(title="geolocators")
    Document.objects.update(text="Nothing of it here. " * 60 + "The geolocators are found. " + "Nothing after it. " * 60)
    page = text(joined.get(judging))
    short, long = re.search(r'class="snippet">(.*?)</p>.*?<details class="more">.*?<p>(.*?)</p>', page, re.S).groups()
    assert "<mark>geolocators</mark> are found" in short
    assert len(short) < 450 < len(long)


def test_results_that_both_have_say_where_the_other_stands(joined, judging):
    page = text(joined.get(judging))
    left, right = lists_of(held())
    also = [[row["docno"] for row in right].index(row["docno"]) for row in left if row["docno"] in {r["docno"] for r in right}]
    assert [int(place) for place in re.findall(r'data-also="(\d)"', page.split('data-side="1"')[0])] == also
    assert [int(place) for place in re.findall(r"Also on the right, at (\d)", page)] == [place + 1 for place in also]


def test_an_empty_list_says_so(joined, judging):
    joined.get(judging)
    Listing.objects.filter(pk=held().item.first_id).update(results=[])
    page = text(joined.get(judging))
    assert page.count("Nothing was found.") == 1
    assert sorted(map(bool, panels(page))) == [False, True]


def test_single_results_can_be_marked_only_where_the_study_asks_for_it(joined, judging):
    assert 'name="marked"' not in text(joined.get(judging))
    Comparison.objects.update(marks_results=True)
    assert 'name="marked" value="[0,0,1]"' in text(joined.get(judging))


# What is stored


@pytest.mark.parametrize("script", [True, False])
def test_an_answer_is_about_the_lists_wherever_they_stood(joined, judging, script):
    for _ in range(6):
        joined.get(judging)
        slot = held()
        answer(joined, judging, script=script, grade="-2")
        judgement = Judgement.objects.latest("id")
        assert (judgement.slot_id, judgement.grade) == (slot.pk, -2 if slot.swapped else 2)
        assert judgement.preference.swapped == slot.swapped
        if script:  # two are held
            assignment.give_back(judgement.worker)


def test_both_bad_reasons_note_marks_and_what_was_done(joined, judging):
    Comparison.objects.update(marks_results=True)
    joined.get(judging)
    swapped = held().swapped
    answer(
        joined, judging, both_bad="1", comment="hm", marks="[[0,1,1],[1,0,0]]", interactions='[[5,"open",0,1],[900,"close",0,1]]',
        **{"reason-3": "More complete", "reason-0": "More relevant results"},
    )  # fmt: skip
    judgement = Judgement.objects.select_related("preference").get()
    kept = judgement.preference
    assert (judgement.grade, kept.both_bad, judgement.comment) == (0, True, "hm")
    assert kept.reasons == ["More relevant results", "More complete"]
    assert kept.marks == ([[0, 0, 0], [1, 1, 1]] if swapped else [[0, 1, 1], [1, 0, 0]])
    assert kept.interactions == [[5, "open", int(swapped), 1], [900, "close", int(swapped), 1]]


def test_without_a_script_each_mark_is_a_field(joined, judging):
    Comparison.objects.update(marks_results=True)
    joined.get(judging)
    swapped = held().swapped
    answer(joined, judging, grade="1", marked=["[0,0,1]", "[1,2,0]"])
    assert Preference.objects.get().marks == ([[0, 2, 0], [1, 0, 1]] if swapped else [[0, 0, 1], [1, 2, 0]])


@pytest.mark.parametrize("reason", ["unreadable", "difficult"])
def test_cannot_judge_is_an_answer_too(joined, judging, reason):
    answer(joined, judging, cannot_judge=reason)
    assert (Judgement.objects.get().grade, Judgement.objects.get().cannot_judge) == (None, reason)
    assert "Can’t judge" in text(joined.get(reverse("answers", args=[judging.split("/")[2]])))


def test_an_answer_sent_twice_is_stored_once(joined, judging):
    form = form_of(joined.get(judging)) | {"grade": "0"}
    for _ in range(3):
        assert joined.post(judging, form).status_code == 302
    assert Judgement.objects.count() == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"grade": "3"}, "not one of this study's answers"),
        ({"grade": ""}, "say why you can't judge"),
        ({"grade": "left"}, "not a number"),
        ({"marks": "[[0,0,1]]"}, "does not ask for single results"),
        ({"marks": "[[2,0,1]]"}, "marked or opened cannot be read"),
        ({"marks": "[[0,3,1]]"}, "marked or opened cannot be read"),
        ({"marked": "]["}, "marked or opened cannot be read"),
        ({"interactions": '[[1,"sing",0,0]]'}, "marked or opened cannot be read"),
        ({"interactions": "[" * 5000}, "marked or opened cannot be read"),
        ({"offer": "1-1:abc:def"}, "not yours"),
        ({"key": "abc"}, "not a number"),
        ({"grade": "", "cannot_judge": "bored"}, "not one of the reasons"),
    ],
)
@pytest.mark.parametrize("script", [True, False])
def test_what_is_no_answer_is_a_clear_400_and_stores_nothing(joined, judging, change, why, script):
    response = answer(joined, judging, script=script, **({"grade": "1"} | change))
    assert response.status_code == 400
    assert why in text(response)
    assert not Judgement.objects.exists()
    if not script:
        assert panels(text(response)) != []


def test_both_bad_is_refused_where_it_is_no_answer(joined, judging):
    Comparison.objects.update(both_bad=False)
    assert 'name="both_bad"' not in text(joined.get(judging))
    assert answer(joined, judging, both_bad="1").status_code == 400


def test_who_lost_the_cookie_sends_the_answer_under_the_offer_made_before(joined, judging, link):
    """With the sides that they saw."""
    before = Worker.objects.get()
    form = form_of(joined.get(judging)) | {"grade": "2"}
    swapped = held().swapped
    del joined.cookies[f"worker-{link.study_id}"]
    joined.get(reverse("follow_invite", args=[invites.token_of(link)]))
    joined.post(reverse("join"), {"agree": "1"})
    assert joined.post(judging, form, headers=SCRIPT).status_code == 200
    judgement = Judgement.objects.get()
    assert (judgement.worker, judgement.preference.swapped, judgement.grade) == (before, swapped, 2 if swapped else -2)


# Looking back


def test_an_answer_shows_again_as_it_was_given_and_can_be_changed(joined, judging):
    Comparison.objects.update(marks_results=True)
    joined.get(judging)
    slot = held()
    before = panels(text(joined.get(judging)))
    answer(joined, judging, grade="-1", marks="[[1,0,1]]", comment="because", **{"reason-1": "Fewer bad results"})
    page = joined.get(reverse("judge_back", args=[slot.study_id]), follow=True)
    assert panels(text(page)) == before
    assert pressed(text(page)) == ["Left is better"]
    assert re.search(r'value="Fewer bad results" data-draft checked', text(page))
    assert re.findall(r'value="(\[\d,\d,\d\])" data-mark="\d" checked', text(page)) == ["[1,0,1]"]
    assert ">because</textarea>" in text(page)
    joined.post(judging, form_of(page) | {"both_bad": "1"})
    latest = Judgement.objects.select_related("preference", "revises").latest("id")
    assert (latest.revises.item_id, latest.preference.both_bad, latest.preference.swapped) == (slot.item_id, True, slot.swapped)
    assert pressed(text(joined.get(reverse("judge_back", args=[slot.study_id]), follow=True))) == ["Both are bad"]


def test_the_script_gets_the_pair_behind_and_the_one_before(joined, judging, link):
    page = joined.get(judging)
    (first,) = re.findall(r'data-item="([^"]+)"', text(page))
    ahead = text(joined.get(reverse("judge_ahead", args=[link.study_id]), {"have": first}))
    (second,) = re.findall(r'data-item="([^"]+)"', ahead)
    assert second != first
    reply = text(joined.post(judging, form_of(page) | {"grade": "1", "have": second}, headers=SCRIPT))
    assert len(panels(reply)) == 2
    back = text(joined.get(reverse("judge_back", args=[link.study_id]), headers=SCRIPT))
    assert f'data-item="{first}" data-again' in back
    assert pressed(back) == ["Right is better"]


def test_the_answers_are_listed_in_their_words(joined, judging, link):
    answer(joined, judging, grade="-2")
    answer(joined, judging, both_bad="1")
    page = text(joined.get(reverse("answers", args=[link.study_id])))
    assert page.index("Both are bad") < page.index("Left is much better")
    assert Judgement.objects.first().item.topic.title in page


# What it costs


def test_the_page_costs_as_many_queries_with_two_results_as_with_ten(joined, judging, collection, django_assert_num_queries):
    made = Document.objects.bulk_create(Document(collection=collection, docno=f"x{n}", title="x", text="owls") for n in range(20))
    joined.get(judging)
    for count in (2, 10):
        lists = [made[:count], made[10 : 10 + count]]
        for listing, documents in zip((held().item.first, held().item.second), lists, strict=True):
            listing.results = [{"docno": document.docno, "document": document.pk} for document in documents]
            listing.save()
        with django_assert_num_queries(4):  # who, what they hold, what is asked, all documents
            page = joined.get(judging)
        assert [len(panel) for panel in panels(text(page))] == [count, count]


def test_ten_long_results_on_each_side_stay_below_100_kilobytes(joined, judging, collection):
    words = "Of owls & swallows it is said <that> they fly. " * 500
    Topic.objects.update(title="owls and swallows", narrative=words[:2000])
    made = Document.objects.bulk_create(
        Document(collection=collection, docno=f"x{n}", title=words[:300], text=words, url=f"https://example.org/{'x' * 500}")
        for n in range(10)
    )
    Listing.objects.update(results=[{"docno": document.docno, "document": document.pk} for document in made])
    assert len(joined.get(judging).content) < 100_000


def test_progress_counts_what_comes_again_mirrored(joined, judging, comparing):
    items = comparing.items.filter(role="work").count()
    assert f"0 of about {items + mirrors.expected_mirrors(0.2, items)}" in text(joined.get(judging))


def test_progress_ends_where_the_work_does(joined, judging, comparing):
    """How many come again is chance."""
    Slot.objects.filter(item__in=comparing.items.order_by("id")[12:]).delete()
    Study.objects.update(pool_counts={"items": 12, "topics": 12})
    done = 0
    while panels(page := text(joined.get(judging))):
        assert int(re.search(rf"{done} of about (\d+)", page)[1]) > done
        answer(joined, judging, grade="1")
        done += 1
    assert done > 12
    assert int(re.search(rf"{done} of (\d+)", page)[1]) >= done


# Around it


def test_joining_instructions_and_work_speak_of_lists(client, link, comparing):
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    page = text(client.get(reverse("join")))
    assert "compare lists of results" in page
    assert "Left is much better" in page
    assert "Highly relevant" not in page
    client.post(reverse("join"), {"agree": "1"})
    for name in ("instructions", "my_work"):
        page = text(client.get(reverse(name, args=[comparing.pk])))
        assert not re.search(r"\b(documents?|grades?)\b", page.split("<main")[1], re.I), name
    assert "Left is much better" in text(client.get(reverse("instructions", args=[comparing.pk])))


def test_the_end_speaks_of_comparisons(joined, judging, comparing, make_worker):
    for number in range(1, 5):
        Slot.objects.filter(number=number).update(worker=make_worker(comparing), leased_until="2100-01-01T00:00Z")
    assert "The last comparisons are with other workers" in text(joined.get(judging))
    assert "<strong>0</strong> comparisons" in text(joined.get(reverse("leave", args=[comparing.pk])))
    launch.close(comparing)
    page = text(joined.get(judging))
    assert "The study is closed" in page and "<strong>0</strong>" not in page


def test_in_italian(joined, judging, link):
    show(title="Owls", snippet="What they say of the owls and of the woods.")
    Topic.objects.update(title="diet of owls", description="What do owls eat?", narrative="")
    page = joined.get(judging, headers=ITALIAN).content.decode()
    assert '<h1 lang="en">' in page and '<h3 lang="en">' in page and '<p class="snippet" lang="en">' in page
    page = text(joined.get(judging, headers=ITALIAN))
    for words in ("Sinistra", "Risultati che hanno entrambe", "Entrambe scadenti"):
        assert words in page
    assert "Left" not in page
    assert "Right" not in page


@pytest.mark.parametrize("launched", [True, False])
def test_a_researcher_tries_the_page_before_workers_do(rita, draft, launched):
    if launched:
        launch.launch(draft, seed=1)
    counts = Listing.objects.count(), draft.items.count()
    page = text(rita.get(reverse("study_preview", args=[draft.pk])))
    assert all(panels(page))
    assert re.findall(r'class="open" href="(/collections/documents/\d+/)"', page)
    assert 'name="offer" value=""' in page
    assert (Listing.objects.count(), draft.items.count()) == counts


def test_a_preview_of_runs_that_show_the_same_says_that_there_is_nothing(rita, draft):
    draft.runs.set(draft.runs.filter(name="alpha"))
    assert "nothing to show" in text(rita.get(reverse("study_preview", args=[draft.pk])))


def test_a_study_that_is_graded_has_no_lists(running, make_worker, client):
    assert not Study.objects.get(pk=running.pk).compares
    worker = make_worker(running)
    (slot,) = assignment.next_slots(worker)
    response = HttpResponse()
    identity.remember_worker(HttpRequest(), response, worker)
    client.cookies = response.cookies
    address = reverse("judge_result", args=[running.pk, ticket(worker, slot.item_id), "left", 0])
    assert client.get(address).status_code == 404


def test_a_key_is_not_used_twice(joined, judging):
    key = str(uuid4())
    answer(joined, judging, grade="1", key=key)
    assert answer(joined, judging, grade="1", key=key).status_code == 400


def test_interactions_are_limited(joined, judging):
    rows = [[n, "scroll", 0, 1] for n in range(700)]
    answer(joined, judging, grade="1", interactions=json.dumps(rows))
    assert len(Preference.objects.get().interactions) == 500


# Programs


def test_programs_are_not_invited(rita, comparing):
    response = rita.post(reverse("invite_new", args=[comparing.pk]), {"label": "oracle", "machines": "on"})
    assert response.status_code == 400
    assert not comparing.invites.exists()
    with pytest.raises(invites.NotForMachines):
        invites.join(comparing, machine="Oracle 3")


def test_the_api_sends_people_to_the_page(comparing, researcher):
    invites.join(comparing, user=researcher)
    _, token = Token.objects.create(user=researcher)
    api = APIClient()
    api.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    address = f"/api/v1/work/{comparing.pk}"
    for reply in (api.post(f"{address}/next/"), api.post(f"{address}/answer/", {"grade": 1}), api.get(f"{address}/judgements/")):
        assert reply.status_code == 409
        assert f"judge it on its page, http://testserver/judge/{comparing.pk}/" in str(reply.json())
    assert api.post(f"/api/v1/studies/{comparing.pk}/invites/", {"machines": True}, format="json").status_code == 400
    assert not Slot.objects.filter(worker__isnull=False).exists()


def italian_preview(client, study):
    return client.get(f"/studies/{study.pk}/preview/", {"language": "it"}).content.decode()


def test_reasons_are_shown_translated_and_kept_as_they_were_written(rita, draft, researcher):
    page = italian_preview(rita, draft)
    assert "Quale lista di risultati è migliore?" in page
    assert 'value="Better first result"' in page
    assert "Primo risultato migliore" in page
    translate(draft, "it", {"Better first result": "Il primo è meglio"}, by=researcher)
    page = italian_preview(rita, draft)
    assert 'value="Better first result"' in page
    assert "Il primo è meglio" in page

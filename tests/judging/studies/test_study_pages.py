"""The researcher's way from a draft to the results, and what each page says when there is nothing, or something wrong."""

from uuid import uuid4

import pytest
from django.urls import reverse

from judging.models import Document, Invite, Study, Worker
from judging.recruiting import invites
from judging.studies import launch
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots

pytestmark = pytest.mark.django_db


def form(study, **changes):
    return {
        "name": "Second study", "runs": [run.pk for run in study.collection.runs.all()], "depth": 2, "overlap": 1,
        "instructions": "Judge.", "scale": "0 No\n1 Yes: it answers | Barn owls hunt voles: at night.", "consent": "",
        "lease_minutes": 30, "seconds_a_judgement": 20, "pay_an_hour": "0", "currency": "EUR",
    } | changes  # fmt: skip


def test_from_the_form_to_a_running_study(rita, study):
    response = rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study), follow=True)
    draft = Study.objects.get(name="Second study")
    assert response.redirect_chain[-1][0] == reverse("study", args=[draft.pk])
    assert b"Launch the study" in response.content
    confirmation = rita.get(reverse("study_launch", args=[draft.pk])).content.decode()
    assert "Launch: order 6 judgements" in confirmation
    assert '<span class="value">6</span> top 2 of 2 runs' in confirmation
    draft.refresh_from_db()
    assert not draft.is_launched
    yes = {"grade": 1, "label": "Yes", "help": "it answers", "example": "Barn owls hunt voles: at night."}
    assert draft.scale == [{"grade": 0, "label": "No", "help": ""}, yes]
    assert "1 Yes: it answers | Barn owls" in rita.get(reverse("study_edit", args=[draft.pk])).content.decode()
    page = rita.post(reverse("study_launch", args=[draft.pk]), follow=True).content.decode()
    assert "For example: Barn owls hunt voles" in page
    assert "Launched: 6 judgements of 6 documents" in page
    assert "/join/" in page
    assert Invite.objects.filter(study=draft).count() == 1


@pytest.mark.parametrize(
    ("language", "wrong", "ordered", "state"),
    [
        ("de", "Wähle mindestens einen Lauf", "Starten: 6 Urteile bestellen", "Läuft"),
        ("it", "Scegli almeno un run", "Avvia: ordina 6 giudizi", "In corso"),
    ],
)
def test_it_is_set_up_in_the_readers_language(rita, study, language, wrong, ordered, state):
    headers = {"Accept-Language": language}
    address = reverse("study_new") + f"?collection={study.collection_id}"
    assert wrong in rita.post(address, form(study, runs=[]), headers=headers).content.decode()
    rita.post(address, form(study), headers=headers)
    draft = Study.objects.get(name="Second study")
    assert ordered in rita.get(reverse("study_launch", args=[draft.pk]), headers=headers).content.decode()
    rita.post(reverse("study_launch", args=[draft.pk]), headers=headers)
    assert state in rita.get(reverse("study", args=[draft.pk]), headers=headers).content.decode()


ASKED = {
    "question-1-text": "Would you believe it?", "question-1-kind": "yes_no", "question-1-required": "on",
    "question-2-text": "Of which kind is it?", "question-2-kind": "choice", "question-2-options": "News\nShop\n",
    "question-2-name": "kind", "question-4-text": "Which facts does it hold?", "question-4-by_subtopic": "on",
}  # fmt: skip


def test_a_draft_may_ask_more_than_the_grade(rita, study):
    rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **ASKED))
    draft = Study.objects.get(name="Second study")
    credible, kind, facts = draft.question_list
    assert (credible.name, credible.kind, credible.required) == ("would-you-believe-it", "yes_no", True)
    assert (kind.name, kind.options, kind.required) == ("kind", ["News", "Shop"], False)
    assert (facts.name, facts.by_subtopic) == ("which-facts-does-it-hold", True)
    page = rita.get(reverse("study_edit", args=[draft.pk])).content.decode()
    assert "News\nShop" in page
    assert page.count('<details class="field" open>') == 3
    assert "Of which kind is it?" in rita.get(reverse("study", args=[draft.pk])).content.decode()
    rita.post(reverse("study_edit", args=[draft.pk]), form(study))
    draft.refresh_from_db()
    assert draft.questions == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"question-2-options": "News"}, "Give 2 to 11 answers"),
        ({"question-2-options": "\n".join(map(str, range(12)))}, "At most 11 answers"),
        ({"question-2-options": "News\n" + "x" * 61}, "at most 60 characters"),
        ({"question-2-name": "grade"}, "and not “grade”"),
        ({"question-2-name": "No spaces"}, "small letters, digits and hyphens"),
        ({"question-2-name": "would-you-believe-it"}, "Two questions are called"),
        ({"question-1-kind": "poem"}, "Select a valid choice"),
        ({"question-1-kind": "text", "question-1-by_subtopic": "on"}, "asked for once a document"),
        ({"question-1-pay": "0.05"}, "paid by the judgement"),
        ({"question-2-pay": "0.05", "paid": "judgement", "pay_a_judgement": "0.1"}, "make the question required"),
        ({"question-1-pay": "-1"}, "greater than or equal to 0"),
    ],
)
def test_a_question_that_cannot_be_asked_says_why(rita, study, change, why):
    page = rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **ASKED | change))
    assert why in page.content.decode()
    assert not Study.objects.filter(name="Second study").exists()


def test_what_is_asked_of_each_subtopic_needs_subtopics(rita, study):
    study.questions = [{"name": "facts", "text": "Which facts?", "by_subtopic": True}]
    study.save()
    page = rita.post(reverse("study_launch", args=[study.pk]), follow=True).content.decode()
    assert "no topic of the pool has subtopics" in page
    study.refresh_from_db()
    assert not study.is_launched
    study.collection.topics.filter(number="1").update(subtopics=[{"number": "1", "text": "by day", "type": ""}])
    rita.post(reverse("study_launch", args=[study.pk]))
    study.refresh_from_db()
    assert study.is_launched


def test_a_scale_goes_from_0_to_10(rita, study):
    steps = "\n".join(f"{grade} Grade {grade}" for grade in range(11))
    rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, scale=steps))
    assert Study.objects.get(name="Second study").grades == list(range(11))


def test_a_study_launched_paused_waits_for_its_checks(rita, study):
    page = rita.post(reverse("study_launch", args=[study.pk]), {"paused": "1"}, follow=True)
    assert page.redirect_chain[-1][0] == reverse("study_checks", args=[study.pk])
    assert "then resume the study" in page.content.decode()
    study.refresh_from_db()
    assert (study.state, study.slots.count()) == ("paused", 12)
    rita.post(reverse("study_move", args=[study.pk, "resume"]))
    study.refresh_from_db()
    assert study.state == "running"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": "Bird study"}, "already has a study of this name"),
        ({"name": ""}, "This field is required"),
        ({"runs": []}, "Choose at least one run"),
        ({"runs": [999]}, "999 is not one of the available choices"),
        ({"depth": 0}, "greater than or equal to 1"),
        ({"overlap": 51}, "less than or equal to 50"),
        ({"scale": "0 No"}, "at least two grades"),
        ({"scale": "0 No\n0 Yes"}, "List each grade once"),
        ({"scale": "1 Yes\n0 No"}, "the lowest first"),
        ({"scale": "0 No\nten Yes"}, "Line 2: expected a grade from 0 to 10"),
        ({"scale": "0 No\n11 Yes"}, "Line 2: expected a grade from 0 to 10"),
        ({"pay_an_hour": "-1"}, "greater than or equal to 0"),
        ({"seconds_a_judgement": "NaN"}, "Enter a whole number"),
    ],
)
def test_a_form_that_cannot_be_saved_says_why_and_keeps_what_was_typed(rita, study, change, why):
    response = rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **change))
    assert why in response.content.decode()
    assert "it answers" in response.content.decode() or "scale" in change
    assert Study.objects.count() == 1


def test_a_draft_shows_what_it_would_cost_and_a_launched_study_does_not_change(rita, study):
    study.pay_an_hour = 12
    study.save()
    page = rita.get(reverse("study", args=[study.pk])).content.decode()
    assert "1.00 EUR" in page  # 12 judgements of 25 seconds at 12 an hour
    assert '<span class="value">5 min</span>' in page
    rita.post(reverse("study_launch", args=[study.pk]))
    response = rita.post(reverse("study_edit", args=[study.pk]), form(study), follow=True)
    assert "launched study can&#x27;t be changed" in response.content.decode()
    assert Study.objects.get(pk=study.pk).name == "Bird study"


def test_the_confirmation_says_the_cost_again_and_is_for_what_can_be_launched(rita, study):
    study.pay_an_hour = 12
    study.save()
    address = reverse("study_launch", args=[study.pk])
    assert "1.00 EUR" in rita.get(address).content.decode()
    rita.post(address)
    assert rita.get(address).url == reverse("study", args=[study.pk])
    study.runs.clear()
    study.state = "draft"
    study.save()
    assert rita.get(address).url == reverse("study", args=[study.pk])


@pytest.mark.parametrize(
    ("docnos", "text"), [(["d6"], "1</strong> pooled document without"), (["d4", "d6"], "2</strong> pooled documents without")]
)
def test_a_draft_counts_what_is_left_out(rita, study, docnos, text):
    Document.objects.filter(docno__in=docnos).delete()
    assert f"Left out: <strong>{text} a text in this collection" in rita.get(reverse("study", args=[study.pk])).content.decode()


def test_a_launch_that_is_refused_says_why(rita, study):
    study.runs.clear()
    response = rita.post(reverse("study_launch", args=[study.pk]), follow=True)
    assert b"Choose at least one run" in response.content
    assert not Invite.objects.exists()


def test_a_draft_can_be_deleted(rita, study):
    assert b"Delete the draft" in rita.get(reverse("study_delete", args=[study.pk])).content
    rita.post(reverse("study_delete", args=[study.pk]))
    assert not Study.objects.exists()


def test_a_launched_study_can_be_deleted_until_somebody_judges(rita, running, make_worker):
    address = reverse("study_delete", args=[running.pk])
    worker = make_worker(running)
    assert address in rita.get(reverse("study", args=[running.pk])).content.decode()
    page = rita.get(address).content.decode()
    assert "Delete the study" in page
    assert "the 1 worker who came" in page
    record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))
    assert address not in rita.get(reverse("study", args=[running.pk])).content.decode()
    for ask in (rita.get, rita.post):
        assert "archive it instead" in ask(address, follow=True).content.decode()
    assert Study.objects.exists()


def test_an_admin_deletes_what_is_somebody_elses(client, admin, running):
    client.force_login(admin)
    client.post(reverse("study_delete", args=[running.pk]))
    assert not Study.objects.exists()


def move(client, study, action):
    return client.post(reverse("study_move", args=[study.pk, action]), follow=True).content.decode()


def test_the_dashboard_shows_the_latest_studies_and_the_way_to_the_others(rita, running):
    def made(number):
        study = Study.objects.get(pk=running.pk)
        study.pk, study.name = None, f"Study {number}"
        study.save(force_insert=True)
        study.members.add(running.created_by)

    for number in range(11):
        made(number)
    page = rita.get(reverse("home")).content.decode()
    assert "Bird study" in page
    made(11)
    page = rita.get(reverse("home")).content.decode()
    assert all(f"Study {number}<" in page for number in range(12))
    assert "Bird study" not in page
    assert f'<a href="{reverse("studies")}">All studies</a>' in page


LISTS = {"studies": [], "home": [], "collection": ["collection_id"]}


def test_an_archived_study_is_closed_and_left_out_of_lists_until_it_is_brought_back(rita, running, make_worker):
    worker = make_worker(running)
    record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))

    def listed(query=""):
        link = f'href="{reverse("study", args=[running.pk])}"'
        addresses = [reverse(name, args=[getattr(running, key) for key in keys]) for name, keys in LISTS.items()]
        return [link in rita.get(address + query).content.decode() for address in addresses]

    assert "Archive" not in move(rita, running, "pause")
    assert "Archive" in move(rita, running, "close")
    assert listed() == [True, True, True]
    assert "Archived: lists leave this study out" in move(rita, running, "archive")
    assert listed() == [False, False, False]
    assert listed("?archived=1")[0]
    move(rita, running, "resume")
    assert Study.objects.get().state == "closed"
    assert "Reopen" in move(rita, running, "restore")
    assert listed() == [True, True, True]
    assert "No studies like this" in rita.get(reverse("studies") + "?archived=1").content.decode()


def test_archiving_ends_a_running_study_and_leaves_a_draft_alone(rita, study):
    move(rita, study, "archive")
    study.refresh_from_db()
    assert (study.state, study.archived) == ("draft", None)
    rita.post(reverse("study_launch", args=[study.pk]))
    move(rita, study, "archive")
    study.refresh_from_db()
    assert study.state == "closed"
    assert study.archived is not None


@pytest.mark.parametrize("key", ["items", "judged", "workers"])
def test_studies_are_sorted_by_their_numbers_and_drafts_come_last(rita, running, researcher, make_worker, key):
    larger = Study.objects.create(collection=running.collection, name="Larger", depth=6, instructions="x", created_by=researcher)
    draft = Study.objects.create(collection=running.collection, name="Draft", instructions="x", created_by=researcher)
    larger.runs.set(running.runs.all())
    for study in (larger, draft):
        study.members.add(researcher)
    launch.launch(larger, seed=1)
    worker = make_worker(larger)
    record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))

    def order(sort):
        return [row.study for row in rita.get(reverse("studies"), {"sort": sort}).context["rows"]]

    assert order(key) == [running, larger, draft]
    assert order(f"-{key}") == [larger, running, draft]


def test_pausing_resuming_and_closing(rita, running):
    for action, state in (("pause", "paused"), ("resume", "running"), ("close", "closed"), ("resume", "running")):
        rita.post(reverse("study_move", args=[running.pk, action]))
        assert Study.objects.get(pk=running.pk).state == state


def test_links_are_made_shown_and_revoked(rita, running, settings):
    rita.post(reverse("invite_new", args=[running.pk]), {"label": "mailing list"})
    link = Invite.objects.get()
    assert "mailing list" in rita.get(reverse("study", args=[running.pk])).content.decode()
    assert len(link.token_hash) == 64
    settings.SECRET_KEY = "changed"
    rita.force_login(running.created_by)
    assert "can no longer be shown" in rita.get(reverse("study", args=[running.pk])).content.decode()
    rita.post(reverse("invite_revoke", args=[running.pk, link.pk]))
    assert Invite.objects.get().revoked is not None


def test_links_are_shown_as_the_outside_has_to_write_them(rita, running, settings, researcher):
    link = invites.invite(running, by=researcher)
    path = reverse("follow_invite", args=[invites.token_of(link)])
    assert f"http://testserver{path}" in rita.get(reverse("study", args=[running.pk])).content.decode()
    settings.PUBLIC_URL = "https://ireval.example"
    assert f'"https://ireval.example{path}"' in rita.get(reverse("study", args=[running.pk])).content.decode()


def test_links_say_how_many_came_by_them_at_a_constant_number_of_queries(
    rita, running, researcher, django_assert_max_num_queries
):
    for number in range(12):
        link = invites.invite(running, by=researcher)
        Worker.objects.bulk_create(Worker(study=running, invite=link) for _ in range(number))
    with django_assert_max_num_queries(13):
        page = rita.get(reverse("study", args=[running.pk])).content.decode()
    assert "11 workers came by it" in page
    assert "1 worker came by it" in page


def test_a_closed_study_offers_no_links_and_says_that_what_workers_hold_is_taken(rita, running, make_worker):
    page = rita.get(reverse("study", args=[running.pk])).content.decode()
    assert 'id="invite"' in page and 'name="open_call"' in page and 'id="channels"' in page
    launch.close(running)
    page = rita.get(reverse("study", args=[running.pk])).content.decode()
    assert [words for words in ('id="invite"', 'name="open_call"', 'id="channels"', "Is it enough?") if words in page] == []
    assert "What they hold they can still answer" not in page
    launch.resume(running)
    next_slots(make_worker(running))
    launch.close(running)
    assert "What they hold they can still answer" in rita.get(reverse("study", args=[running.pk])).content.decode()


def test_a_closed_study_says_so_instead_of_inviting(client, running, researcher):
    link = invites.invite(running, by=researcher)
    launch.close(running)
    page = client.get(reverse("follow_invite", args=[invites.token_of(link)]), follow=True).content.decode()
    assert "The study is closed" in page
    assert 'name="agree"' not in page
    client.post(reverse("join"), {"agree": "1"})
    assert not Worker.objects.exists()


def test_the_page_of_judgements_shows_tenths_of_seconds(rita, running, make_worker):
    worker = make_worker(running)
    item = next_slots(worker)[0].item
    record_judgement(worker=worker, item=item, answer=Answer(key=uuid4(), grade=1, milliseconds=2449))
    assert ">2.4</td>" in rita.get(reverse("study_judgements", args=[running.pk])).content.decode()


def test_settling_twice_keeps_one_version_and_says_so(rita, running, make_worker):
    worker = make_worker(running)
    record_judgement(worker=worker, item=next_slots(worker)[0].item, answer=Answer(key=uuid4(), grade=1))
    pages = [rita.post(reverse("study_settle", args=[running.pk]), follow=True).content.decode() for _ in range(2)]
    assert "Kept as the qrels “Bird study v1 · ordinal”" in pages[0]
    assert "No grade has changed since “Bird study v1 · ordinal” was kept" in pages[1]
    assert running.qrels.count() == 1


def test_progress_is_polled_as_a_part_of_the_page(rita, running):
    page = rita.get(reverse("study", args=[running.pk]), headers={"HX-Request": "true"}).content.decode()
    assert page.lstrip().startswith('<div id="progress"')
    assert "every 3s" in page
    rita.post(reverse("study_move", args=[running.pk, "close"]))
    assert "every 3s" not in rita.get(reverse("study", args=[running.pk]), headers={"HX-Request": "true"}).content.decode()


def test_empty_pages_say_what_to_do_next(rita, running):
    assert b"Nobody has judged yet" in rita.get(reverse("study_results", args=[running.pk])).content
    assert b"No judgements yet" in rita.get(reverse("study_judgements", args=[running.pk])).content
    response = rita.post(reverse("study_settle", args=[running.pk]), follow=True)
    assert b"Nobody has judged anything yet" in response.content


@pytest.mark.parametrize("name", ["study", "study_results", "study_judgements", "study_preview", "study_edit"])
def test_what_is_not_yours_is_not_there(client, stranger, running, name):
    client.force_login(stranger)
    assert client.get(reverse(name, args=[running.pk])).status_code == 404


def test_the_preview_offers_nothing_to_send(rita, study):
    for _ in ("draft", "launched"):
        page = rita.get(reverse("study_preview", args=[study.pk])).content.decode()
        assert "Whatever you press here, nothing is stored" in page
        assert '<fieldset class="plain" id="preview" disabled>' in page  # which only the script that answers removes
        assert 'name="offer" value=""' in page
        rita.post(reverse("study_launch", args=[study.pk]))


def test_exports_name_their_study_and_unknown_formats_are_404(rita, running):
    response = rita.get(reverse("study_export", args=[running.pk, "judgements", "csv"]))
    assert 'filename="bird-study-judgements.csv"' in response["Content-Disposition"]
    assert rita.get(reverse("study_export", args=[running.pk, "judgements", "trec"])).status_code == 404


def test_the_studies_page_costs_a_constant_number_of_queries(rita, running, researcher, django_assert_max_num_queries):
    for number in range(5):
        other = Study.objects.create(collection=running.collection, name=f"S{number}", state="running", created_by=researcher)
        other.members.add(researcher)
        Worker.objects.create(study=other)
    with django_assert_max_num_queries(13):
        rita.get(reverse("studies"))


def test_the_demo_can_be_entered_from_its_own_machine_only(client, settings, researcher):
    researcher.username = "demo"
    researcher.save()
    assert client.post(reverse("enter_demo")).status_code == 404
    settings.DEMO = True
    assert client.post(reverse("enter_demo"), REMOTE_ADDR="192.0.2.7").status_code == 404
    assert (
        client.post(reverse("enter_demo"), headers={"X-Forwarded-For": "127.0.0.1"}, REMOTE_ADDR="192.0.2.7").status_code == 404
    )
    settings.PUBLIC_URL = "https://ireval.example"
    assert client.post(reverse("enter_demo")).status_code == 404
    settings.PUBLIC_URL = ""
    assert client.post(reverse("enter_demo")).url == reverse("home")

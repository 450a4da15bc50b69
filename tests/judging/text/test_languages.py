"""Everybody reads in their language: the one they chose, else their browser's, else English."""

import re

import pytest
from django.urls import reverse
from django.utils import timezone, translation

from ireval_site.docs import FOLDER
from judging.models import Document, Item, Judgement, Study, Topic, Worker
from judging.recruiting import invites
from judging.studies import launch
from judging.work import assignment, checks
from judging.work.tickets import ticket
from tests.judging.work.test_judge_page import form_of, judge_url

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ITALIAN, ENGLISH = {"Accept-Language": "it-IT,it;q=0.9,en;q=0.5"}, {"Accept-Language": "en-US,en;q=0.9"}
LANGUAGES = pytest.mark.parametrize("headers", [ENGLISH, ITALIAN], ids=["en", "it"])


@pytest.fixture
def invited(client, link):
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    return client


@pytest.fixture
def joined(invited):
    invited.post(reverse("join"), {"agree": "1"})
    return invited


def text(response) -> str:
    return response.content.decode()


def says(response, headers, english, italian):
    """One of the two, in a page that says which language it is in."""
    page = text(response)
    wanted, other = (italian, english) if headers is ITALIAN else (english, italian)
    assert wanted in page
    assert other not in page
    assert f'<html lang="{"it" if headers is ITALIAN else "en-gb"}">' in page


@LANGUAGES
def test_joining(invited, headers):
    says(invited.get(reverse("join"), headers=headers), headers, "What you agree to", "Che cosa accetti")
    says(invited.post(reverse("join"), headers=headers), headers, "Tick the box", "spunta la casella")


@LANGUAGES
def test_what_researchers_wrote_stays_as_they_wrote_it(invited, link, headers):
    Study.objects.update(consent="We *keep* your answers.")
    page = text(invited.get(reverse("join"), headers=headers))
    for theirs in ("Bird study", "<strong>birds</strong>", "We <em>keep</em> your answers."):
        assert theirs in page
    assert "A cookie lets you" not in page
    assert "Un cookie ti permette" not in page


def test_numbers_are_written_the_same_in_every_language(invited):
    Study.objects.update(pay_an_hour="9.50")
    assert "Compenso: 9.50 EUR all’ora" in text(invited.get(reverse("join"), headers=ITALIAN))
    assert "Pay: 9.50 EUR an hour" in text(invited.get(reverse("join"), headers=ENGLISH))


@LANGUAGES
def test_links_that_lead_nowhere(client, headers):
    says(client.get("/join/nonsense/", headers=headers), headers, "This link does not work", "Questo link non funziona")
    says(client.get("/join/", headers=headers), headers, "ask whoever sent it", "chiedine uno nuovo")


@LANGUAGES
def test_a_study_with_nothing_for_newcomers_says_so_before_consent(invited, link, make_worker, headers):
    agree = {"agree": "1"}
    launch.pause(link.study)
    says(invited.get(reverse("join"), headers=headers), headers, "The study takes a break", "Lo studio è in pausa")
    launch.resume(link.study)
    full = {"worker": make_worker(link.study), "leased_until": timezone.now(), "judged_at": timezone.now()}
    for number in (1, 2):
        assert "Bird study" in text(invited.get(reverse("join")))
        link.study.slots.filter(number=number).update(**full | {"worker": make_worker(link.study)})
    for response in (invited.get(reverse("join"), headers=headers), invited.post(reverse("join"), agree, headers=headers)):
        says(response, headers, "Nothing left to judge", "Non resta nulla da giudicare")
    launch.close(link.study)
    says(invited.post(reverse("join"), agree, headers=headers), headers, "The study is closed", "Lo studio è chiuso")
    assert Worker.objects.count() == 3


@LANGUAGES
def test_who_got_nothing_is_not_told_that_all_is_done(joined, link, headers):
    link.study.slots.all().delete()
    page = joined.get(judge_url(link), headers=headers)
    says(page, headers, "Nothing left to judge", "Non resta nulla da giudicare")
    assert "<strong>0</strong>" not in text(page)


@LANGUAGES
def test_a_stranger(client, link, headers):
    page = client.get(judge_url(link), headers=headers)
    says(page, headers, "We don’t know you here", "Non ti riconosciamo")
    assert f'href="/login/?next={judge_url(link)}"' in text(page)


@LANGUAGES
def test_judging(joined, link, headers):
    Document.objects.update(title="Owls", text="The owl lives in the woods and hunts at night.")
    Topic.objects.update(title="owls", narrative="The food of them all.")
    Study.objects.update(instructions="Judge what the document says of the birds.")
    page = joined.get(judge_url(link), headers=headers)
    for element in ('<h1 lang="en">owls', '<h2 lang="en"><mark>Owls', 'data-start="0" lang="en">', 'class="prose" lang="en"'):
        assert (element in text(page)) == (headers is ITALIAN), element
    says(page, headers, "Somebody searches for", "Qualcuno cerca")
    says(page, headers, "The document is empty, broken or unreadable", "Il documento è vuoto, danneggiato o illeggibile")
    says(page, headers, "It is too difficult for me", "È troppo difficile per me")
    says(page, headers, "Ask the researchers…", "Chiedi ai ricercatori…")
    says(page, headers, "0 of at most 6", "0 su non più di 6")
    says(page, headers, "{done} of at most {items}", "{done} su non più di {items}")  # for the script
    says(page, headers, "Loading the next document…", "Carico il prossimo documento…")
    says(page, headers, "{count} answers wait in this browser", "{count} risposte attendono in questo browser")


def test_the_frozen_page_does_not_carry_one_workers_language_to_another(joined, link):
    for headers in (ENGLISH, ITALIAN, ENGLISH, ITALIAN):
        says(joined.get(judge_url(link), headers=headers), headers, "Can’t judge", "Non giudicabile")
        ahead = text(joined.get(reverse("judge_ahead", args=[link.study_id]), {"have": "0"}, headers=headers))
        assert ("Qualcuno cerca" in ahead, "Non giudicabile" in ahead) == (headers is ITALIAN,) * 2


@pytest.mark.parametrize("language", ["en", "de", "it", "fr"])
def test_the_guide_is_in_the_pages_language_or_else_in_english(joined, link, language):
    page = text(joined.get(judge_url(link), headers={"Accept-Language": language}))
    address, spoken = re.search(r'href="(/docs/how-to/judge[^"]*)" hreflang="(\w+)"', page).groups()
    assert spoken == (language if language in ("de", "it") else "en")
    guide = text(joined.get(address))
    assert f'<div class="prose docs" lang="{spoken}">' in guide


@pytest.mark.parametrize("language", ["de", "it"])
def test_the_guide_calls_things_as_the_pages_do(language):
    """What it has in italics, in the order of the English one."""
    original, translated = (
        re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", " ".join((FOLDER / f"how-to/{name}.md").read_text().split()))
        for name in ("judge", f"judge-{language}")
    )
    assert len(original) >= 10
    with translation.override(language):
        assert [translation.gettext(words) for words in original] == translated


@LANGUAGES
def test_an_answer_that_is_refused(joined, link, headers):
    form = {**form_of(joined.get(judge_url(link))), "grade": "9"}
    page = joined.post(judge_url(link), form, headers=headers)
    says(page, headers, "9 is not a grade of this study (0, 1, 2, 3).", "9 non è un voto di questo studio (0, 1, 2, 3).")
    says(page, headers, 'aria-label="error"', 'aria-label="errore"')
    message = text(joined.post(judge_url(link), {**form, "offer": ""}, headers={**headers, "X-Requested-With": "fetch"}))
    assert message.startswith("Questa pagina non è tua" if headers is ITALIAN else "This page is not yours")


@LANGUAGES
def test_right_is_said_of_an_answer_and_not_of_a_side(running, joined, link, headers):
    checks.designate([running.items.first()], Item.Role.TRAINING, right=[2])
    form = {**form_of(joined.get(judge_url(link))), "practice": "1", "grade": "2"}
    says(joined.post(judge_url(link), form, headers=headers, follow=True), headers, ">That’s right</h2>", ">Giusto</h2>")


@LANGUAGES
def test_looking_back(joined, link, headers):
    answers = reverse("answers", args=[link.study_id])
    says(joined.get(answers, headers=headers), headers, "No answers yet", "Ancora nessuna risposta")
    form = {**form_of(joined.get(judge_url(link))), "cannot_judge": "other"}
    joined.post(judge_url(link), form)
    says(joined.get(answers, headers=headers), headers, "Can’t judge", "Non giudicabile")
    back = joined.get(reverse("judge_back", args=[link.study_id]), follow=True, headers=headers)
    says(back, headers, "You answered this before", "Hai già risposto")


@LANGUAGES
def test_instructions(joined, link, headers):
    page = joined.get(reverse("instructions", args=[link.study_id]), headers=headers)
    says(page, headers, "Back to the document", "Torna al documento")


@LANGUAGES
@pytest.mark.parametrize("state", ["paused", "closed"])
def test_a_study_that_stopped(joined, link, headers, state):
    Study.objects.update(state=state)
    english, italian = {"paused": ("takes a break", "è in pausa"), "closed": ("is closed", "è chiuso")}[state]
    says(joined.get(judge_url(link), headers=headers), headers, f"The study {english}", f"Lo studio {italian}")


@LANGUAGES
def test_nothing_left(joined, link, make_worker, headers):
    others = [make_worker(link.study) for _ in range(2)]
    held = [assignment.next_slots(worker, count=100) for worker in others]
    assert all(held)
    says(joined.get(judge_url(link), headers=headers), headers, "Others are finishing", "Altri stanno finendo")


@LANGUAGES
def test_the_end_counts_in_the_plural_and_in_the_singular(joined, link, headers):
    leave = reverse("leave", args=[link.study_id])
    for count, english, italian in [(1, "document", "documento"), (2, "documents", "documenti")]:
        joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "1"})
        page = joined.post(leave, follow=True, headers=headers)
        shown = f"<strong>{count}</strong> "
        says(page, headers, f"You have judged {shown}{english}.", f"Hai giudicato {shown}{italian}.")
    for _ in range(4):
        joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "1"})
    assert Judgement.objects.count() == 6
    says(joined.get(judge_url(link), headers=headers), headers, "All done, thank you", "Finito, grazie")


@LANGUAGES
def test_errors_under_workers_addresses_come_without_navigation(client, headers):
    page = client.get("/judge/999/answers/", headers=headers)
    says(page, headers, "There is nothing here", "Qui non c’è niente")
    assert "/login/" not in text(page)


@LANGUAGES
def test_a_form_without_its_token(link, headers):
    from django.test import Client

    page = Client(enforce_csrf_checks=True).post(judge_url(link), headers=headers)
    says(page, headers, "Please send it again", "Invia di nuovo, per favore")


@LANGUAGES
def test_an_error_of_ours(joined, link, headers, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(assignment, "next_slots", fail)
    joined.raise_request_exception = False
    says(joined.get(judge_url(link), headers=headers), headers, "on our side", "da parte nostra")


@LANGUAGES
def test_somebody_with_an_account(client, running, headers):
    from judging.models import User

    client.force_login(User.objects.create_user("wim", password="a long enough password"))
    Study.objects.update(open_call=True)
    says(client.get("/", headers=headers), headers, "No study yet", "Ancora nessuno studio")
    says(client.get("/", headers=headers), headers, "Sign out", "Esci")
    says(client.get(reverse("open_call"), headers=headers), headers, "Read more and join", "Leggi e partecipa")
    says(client.get(reverse("open_join", args=[running.pk]), headers=headers), headers, "What you agree to", "Che cosa accetti")
    client.post(reverse("open_join", args=[running.pk]), {"agree": "1"})
    says(client.get("/", headers=headers), headers, "Running", "In corso")
    assert "Accept-Language" in client.get("/", headers=headers).headers["Vary"]


# The choice


def choose(client, language, next_page):
    return client.post(reverse("set_language"), {"language": language, "next": next_page})


def test_a_choice_outlives_what_the_browser_asks_for_and_stays_on_the_page(joined, link):
    page = text(joined.get(f"{judge_url(link)}?a=1", headers=ENGLISH))
    assert '<button class="button small quiet" name="language" value="it" lang="it">Italiano</button>' in page
    assert '<b lang="en-gb" aria-current="true">English</b>' in page
    response = choose(joined, "it", judge_url(link))
    assert response.url == judge_url(link)
    cookie = response.cookies["django_language"]
    assert (cookie.value, cookie["max-age"], cookie["samesite"], cookie["httponly"]) == ("it", 31_536_000, "Lax", True)
    italian = joined.get(judge_url(link), headers=ENGLISH)
    says(italian, ITALIAN, "Somebody searches for", "Qualcuno cerca")
    assert 'value="en-gb" lang="en-gb">English</button>' in text(italian)  # not “Inglese”
    choose(joined, "en-gb", judge_url(link))
    says(joined.get(judge_url(link), headers=ITALIAN), ENGLISH, "Somebody searches for", "Qualcuno cerca")


def test_every_workers_page_offers_the_choice_and_names_itself_as_the_way_back(joined, link):
    joined.post(judge_url(link), {**form_of(joined.get(judge_url(link))), "grade": "1"})
    judgement = Judgement.objects.get()
    item = ticket(judgement.worker, judgement.item_id)
    study = [link.study_id]
    for page in (
        judge_url(link),
        reverse("answers", args=study),
        reverse("judge_again", args=[*study, item]),
        reverse("instructions", args=study),
        reverse("leave", args=study),
        "/judge/999/",
        "/judge/999/answers/",
    ):
        way_back = re.search(r'action="/language/".*?name="next" value="([^"]+)"', text(joined.get(page)), re.DOTALL)
        assert way_back[1] == page
        assert joined.get(way_back[1]).status_code in (200, 404)


def test_the_way_back_leads_nowhere_else(client):
    assert choose(client, "it", "https://elsewhere.example/").url == "/"


@pytest.mark.parametrize("cookie", ["fr", "xx", "../it", ""])
def test_a_language_that_we_do_not_have_is_no_choice(client, cookie):
    client.cookies["django_language"] = cookie
    says(client.get("/join/", headers=ITALIAN), ITALIAN, "This link does not work", "Questo link non funziona")
    says(client.get("/join/", headers={"Accept-Language": "fr"}), ENGLISH, "This link does not work", "Questo link non funziona")


def test_caches_are_told_what_pages_depend_on_and_what_programs_read_is_not_split(joined, link):
    for page in (judge_url(link), "/login/"):
        assert {"Accept-Language", "Cookie"} <= set(joined.get(page).headers["Vary"].split(", "))
    for page in ("/docs/", "/healthz", "/api/v1/measures/"):
        assert "Accept-Language" not in joined.get(page).headers.get("Vary", "")
    assert "Accept-Language" not in choose(joined, "it", "/join/").headers.get("Vary", "")


# Researchers


@LANGUAGES
def test_researchers_pages_are_in_their_language_too(client, researcher, headers):
    client.force_login(researcher)
    says(client.get("/nope/", headers=headers), headers, "Not found", "Pagina non trovata")
    page = text(client.get("/studies/new/", headers=headers))
    assert ("Italiano</b>" in page) is (headers is ITALIAN)  # and offers the others


@LANGUAGES
def test_a_form_of_a_researcher_errs_in_the_language(client, researcher, headers):
    client.force_login(researcher)
    response = client.post("/collections/new/", {"name": "x" * 999}, headers=headers)
    says(response, headers, "Ensure this value has at most", "Assicurati che questo valore non contenga più di")


def test_programs_are_answered_in_english(client, researcher):
    client.force_login(researcher)
    response = client.post("/api/v1/work/join/", {}, content_type="application/json", headers=ITALIAN)
    assert "obbligatorio" not in text(response)
    assert "trovat" not in text(client.get("/api/v1/nope/", headers=ITALIAN))

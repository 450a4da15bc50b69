"""A study's own texts in the worker's language: starting texts come translated, others as researchers translated them."""

import pytest
from django.utils import translation

from judging.models import AuditEntry, Study
from judging.studies.translations import LANGUAGES, problem, texts_of, translate, translated
from judging.views.study_languages import field_name
from tests.judging.text.test_languages import ENGLISH, ITALIAN

GERMAN = {"Accept-Language": "de"}
OWN = "Judge with care."


@pytest.fixture
def plain(study):
    """A draft with the starting scale and instructions of its researchers' own."""
    study.instructions = OWN
    study.save()
    return study


def preview(client, study, language):
    return client.get(f"/studies/{study.pk}/preview/", {"language": language}).content.decode()


def in_italian(text, study):
    with translation.override("it"):
        return translated(text, study)


def test_every_language_is_offered_by_its_own_name(settings):
    assert dict(settings.LANGUAGES) == {"en-gb": "English", "de": "Deutsch", "it": "Italiano"}
    assert set(LANGUAGES) == {"de", "it"}


def test_starting_texts_come_translated_and_changed_ones_as_they_were_written(rita, study):
    assert "Molto pertinente" in preview(rita, study, "it")
    assert "Sehr relevant" in preview(rita, study, "de")
    study.scale[3]["label"] = "Spot on"
    study.save()
    page = preview(rita, study, "it")
    assert "Spot on" in page
    assert "Molto pertinente" not in page
    assert "Non pertinente" in page


def test_instructions_that_the_form_kept_with_its_line_ends_are_known(study):
    from judging.studies.starter import INSTRUCTIONS

    study.instructions = INSTRUCTIONS.strip().replace("\n", "\r\n")
    study.save()
    assert "Leggi prima l’esigenza" in in_italian(study.instructions, study)


def test_a_researcher_translates_on_a_page_of_its_own(rita, plain):
    address = f"/studies/{plain.pk}/languages/?language=it"
    page = rita.get(address).content.decode()
    assert OWN in page
    assert 'placeholder="Non pertinente"' in page
    (name,) = [field_name(row) for row in texts_of(plain) if row.text == OWN]
    assert rita.post(address, {name: "Giudica con cura."}).status_code == 302
    assert Study.objects.get(pk=plain.pk).translations == {"it": {OWN: "Giudica con cura."}}
    assert in_italian(OWN, Study.objects.get(pk=plain.pk)) == "Giudica con cura."
    rita.post(address, {name: ""})
    assert Study.objects.get(pk=plain.pk).translations == {}


def test_workers_read_it_while_they_judge(joined, running):
    study, worker_client = running, joined
    before = worker_client.get(f"/judge/{study.pk}/", headers=ITALIAN).content.decode()
    assert "Guarda bene" not in before
    texts = {row.text: "Guarda bene" for row in texts_of(study) if row.where == "Instructions"}
    translate(study, "it", texts, by=study.created_by)
    assert "Guarda bene" in worker_client.get(f"/judge/{study.pk}/", headers=ITALIAN).content.decode()
    assert "Guarda bene" not in worker_client.get(f"/judge/{study.pk}/", headers=ENGLISH).content.decode()
    assert "Sehr relevant" in worker_client.get(f"/judge/{study.pk}/", headers=GERMAN).content.decode()


def test_a_text_that_was_changed_is_said_as_it_is_until_it_is_translated_again(plain, researcher):
    translate(plain, "it", {OWN: "Giudica con cura."}, by=researcher)
    plain.refresh_from_db()
    plain.instructions = "Judge slowly."
    assert in_italian(plain.instructions, plain) == "Judge slowly."


def test_further_questions_are_asked_in_it(rita, plain, researcher):
    plain.questions = [{"name": "credible", "text": "Do you believe it?", "kind": "choice", "options": ["Fully", "Hardly"]}]
    plain.save()
    translate(plain, "it", {"Do you believe it?": "Ci credi?", "Fully": "Del tutto"}, by=researcher)
    page = preview(rita, plain, "it")
    assert "Ci credi?" in page
    assert "Del tutto" in page
    assert "Hardly" in page


def test_a_launched_studys_translation_is_in_its_history(running):
    study = running
    translate(study, "de", {study.name: "Eulen"}, by=study.created_by)
    entry = AuditEntry.objects.latest("id")
    assert (entry.deed, entry.study) == ("changed", study)
    assert f"in Deutsch: 1 of {len(texts_of(study))} texts" in entry.about
    count = AuditEntry.objects.count()
    translate(Study.objects.get(pk=study.pk), "de", {study.name: "Eulen"}, by=study.created_by)
    assert AuditEntry.objects.count() == count


@pytest.mark.parametrize(
    ("translations", "complaint"),
    [
        ({"tlh": {}}, "There is no language “tlh” here, but de, it."),
        ({"it": {"Never written": "Mai scritto"}}, "Not a text of this study: “Never written”."),
        ({"it": {OWN: "x" * 20_001}}, "At most 20,000 characters a text."),
    ],
)
def test_what_cannot_be_kept_is_refused(plain, translations, complaint):
    assert problem(plain, translations) == complaint


def test_programs_translate_too_also_when_it_is_launched(rita, running):
    study = running
    address = f"/api/v1/studies/{study.pk}/"
    wanted = {"it": {study.name: "Gufi"}}
    answer = rita.patch(address, {"translations": wanted}, content_type="application/json")
    assert (answer.status_code, answer.json()["translations"]) == (200, wanted)
    refused = rita.patch(address, {"translations": {"it": {"?": "!"}}}, content_type="application/json")
    assert (refused.status_code, "Not a text of this study" in str(refused.json())) == (400, True)

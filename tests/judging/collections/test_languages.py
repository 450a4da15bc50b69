"""Collections in the language of who reads; whatever is stored is in English, whoever did it."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from judging import tasks
from judging.models import AuditEntry, Hypothesis, System, Upload

pytestmark = pytest.mark.django_db
GERMAN = {"Accept-Language": "de-DE,de;q=0.9"}


@pytest.fixture
def german(client, researcher):
    client.force_login(researcher)

    def read(name, *args, form=None):
        address = reverse(name, args=args)
        return client.get(address, headers=GERMAN) if form is None else client.post(address, form, headers=GERMAN, follow=True)

    return read


def text(response) -> str:
    return " ".join(response.content.decode().split())


def test_a_file_on_its_way(german, collection):
    page = text(german("upload_new", collection.pk, form={"file": [SimpleUploadedFile("new.run", b"1 Q0 d1 1 9 a\n")]}))
    for words in (
        "Dateien hinzufügen",
        "Beginnt mit",
        ">Lauf<",
        "Verbindung verloren. Neuer Versuch…",
        "Sechs Spalten je Zeile",
        'data-bytes="Bytes"',
    ):
        assert words in page
    upload = Upload.objects.get()
    german("uploads_confirm", collection.pk, form={f"{upload.pk}-taken": "run:auto"})
    tasks.check_upload(upload=str(upload.pk))
    page = text(german("upload", upload.pk))
    assert "Importiert" in page and "Lauf ansehen" in page and "Welches System?" in page
    upload.refresh_from_db()
    assert upload.state == Upload.State.DONE and "1 Ergebnis für 1 Thema, höchstens bis Rang 1." in page
    assert upload.summary["notes"][0] == "1 result for 1 topic, at most 1 deep."
    assert "1 Ergebnis für 1 Thema, höchstens bis Rang 1." in text(german("collection", collection.pk))


def test_refusals(german, collection, runs):
    tags = german("topic_tags", collection.topics.first().pk, form={"tags": "x" * 61})
    assert "Diese Schlagwörter gehen nicht: „xxx" in text(tags)
    collection.documents.all().delete()
    page = german("near_duplicates", collection.pk, form={})
    assert "Die Sammlung hat keine Dokumente: Beinahe-Duplikate erkennt man an den Texten." in text(page)


def test_what_is_written_down_is_english(german, collection, runs):
    page = german("run_delete", runs[0].pk, form={})
    assert "Der Lauf „alpha“ ist gelöscht." in text(page)
    assert AuditEntry.objects.filter(about="run “alpha”").exists()


def test_a_question_is_asked_in_the_readers_language_and_named_in_english(german, collection, researcher):
    a, b = (System.objects.create(collection=collection, name=name, created_by=researcher) for name in ("old", "new"))
    question = Hypothesis.objects.create(a=a, b=b, expectations={}, created_by=researcher)
    page = text(german("home"))
    assert "new gegen old" in page and "Noch hat niemand nachgesehen." in page
    assert str(question) == "new against old" == question.name

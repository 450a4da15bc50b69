"""Attachments of topics: added by the collection's owner, shown to its workers, removed and put back."""

from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from judging.collections import attachments
from judging.errors import Impossible
from judging.models import Attachment, AuditEntry, Study
from judging.recruiting.invites import join
from judging.studies.launch import launch
from tests.images import PNG
from tests.world import wim  # noqa: F401

pytestmark = pytest.mark.django_db


@pytest.fixture
def topic(collection):
    return collection.topics.get(number="1")


@pytest.fixture
def rita(researcher):
    client = Client()
    client.force_login(researcher)
    return client


def deeds():
    return list(AuditEntry.objects.order_by("id").values_list("about", flat=True))


def test_an_owner_attaches_removes_and_puts_back(topic, rita, researcher):
    page = f"/collections/topics/{topic.pk}/attachments/"
    files = [SimpleUploadedFile("what counts.pdf", b"%PDF-1.4"), SimpleUploadedFile("owl.png", PNG)]
    assert rita.post(page, {"file": files}).status_code == 302
    pdf, image = topic.attachments.all()
    assert (pdf.name, pdf.kind, image.kind) == ("what counts.pdf", "pdf", "png")
    assert f"/collections/attachments/{pdf.pk}/" in rita.get(f"/collections/topics/{topic.pk}/").content.decode()
    rita.post(f"/collections/attachments/{pdf.pk}/remove/")
    assert f"/collections/attachments/{pdf.pk}/" not in rita.get(f"/collections/topics/{topic.pk}/").content.decode()
    assert "Put back" in rita.get(page).content.decode()
    rita.post(f"/collections/attachments/{pdf.pk}/put-back/")
    assert "what counts.pdf" in rita.get(f"/collections/topics/{topic.pk}/").content.decode()
    words = [f"attachments of topic 1: “{name}”" for name in ("what counts.pdf", "owl.png")]
    assert deeds() == [f"{words[0]} added", f"{words[1]} added", f"{words[0]} removed", f"{words[0]} put back"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("page.html", b"<html><script>x()</script>"), ("owl.svg", b"<svg onload='x()'/>"), ("a.txt", b"\x00\x01"),
        ("a.zip", b"PK\x03\x04"), ("empty.txt", b""), ("large.txt", b"x" * (attachments.LARGEST + 1)), ("latin.txt", b"caf\xe9"),
    ],
    ids=["html", "svg", "binary", "zip", "empty", "large", "latin"],
)  # fmt: skip
def test_what_workers_cannot_be_shown_safely_is_refused(topic, researcher, name, content):
    with pytest.raises(attachments.NotAttachable):
        attachments.attach(topic, filename=name, content=content, by=researcher)
    assert not topic.attachments.exists()


def test_the_form_says_why(topic, rita):
    answer = rita.post(f"/collections/topics/{topic.pk}/attachments/", {"file": SimpleUploadedFile("a.svg", b"<svg/>")})
    assert answer.status_code == 422
    assert "it is none of them" in answer.content.decode()


def test_a_topic_has_at_most_twenty(topic, researcher):
    for number in range(attachments.MOST):
        attachments.attach(topic, filename=f"{number}.txt", content=b"x", by=researcher)
    first = topic.attachments.first()
    with pytest.raises(Impossible):
        attachments.attach(topic, filename="more.txt", content=b"x", by=researcher)
    attachments.remove(first, by=researcher)
    attachments.attach(topic, filename="more.txt", content=b"x", by=researcher)
    with pytest.raises(Impossible):
        attachments.put_back(first, by=researcher)


def test_workers_see_them_beside_the_topic_and_open_them_safely(topic, collection, runs, researcher, wim):  # noqa: F811
    study = Study.objects.create(collection=collection, name="S", created_by=researcher, instructions="x", depth=2)
    study.runs.set(runs)
    launch(study, seed=1)
    for each in collection.topics.all():
        pdf = attachments.attach(each, filename="what “counts”.pdf", content=b"%PDF-1.4", by=researcher)
        attachments.attach(each, filename="owl.png", content=PNG, by=researcher)
    join(study, user=wim)
    worker = Client()
    worker.force_login(wim)
    page = worker.get(f"/judge/{study.pk}/").content.decode()
    assert 'alt="owl.png"' in page
    assert "what “counts”.pdf" in page
    file = worker.get(f"/judge/{study.pk}/attachments/{pdf.pk}/")
    assert file["Content-Disposition"].startswith("attachment")
    assert "sandbox" in file["Content-Security-Policy"]
    assert file["Content-Type"] == "application/pdf"
    attachments.remove(pdf, by=researcher)
    assert worker.get(f"/judge/{study.pk}/attachments/{pdf.pk}/").status_code == 404
    assert Client().get(f"/judge/{study.pk}/attachments/{pdf.pk}/").status_code == 404


def test_what_was_removed_a_month_ago_is_forgotten(topic, researcher, django_capture_on_commit_callbacks):
    kept, old = (attachments.attach(topic, filename=name, content=b"x", by=researcher) for name in ("a.txt", "b.txt"))
    for attached in (kept, old):
        attachments.remove(attached, by=researcher)
    Attachment.objects.filter(pk=old.pk).update(removed=timezone.now() - timedelta(days=31))
    with django_capture_on_commit_callbacks(execute=True):
        attachments.forget_removed()
    assert list(topic.attachments.all()) == [kept]
    assert not default_storage.exists(old.file.name)
    assert default_storage.exists(kept.file.name)


def test_programs_attach_too(topic, collection, rita):
    address = f"/api/v1/collections/{collection.pk}/topics/{topic.pk}/attachments/"
    sent = rita.post(address, {"file": SimpleUploadedFile("owl.png", PNG)})
    assert sent.status_code == 201
    key = sent.json()["id"]
    assert b"".join(rita.get(f"{address}{key}/file/").streaming_content) == PNG
    assert rita.delete(f"{address}{key}/").status_code == 204
    assert rita.get(f"{address}{key}/").json()["removed"]
    assert rita.post(f"{address}{key}/put-back/").json()["removed"] is None
    assert rita.post(address, {"file": SimpleUploadedFile("a.html", b"<p>")}).status_code == 400
    assert deeds() == [f"attachments of topic 1: “owl.png” {deed}" for deed in ("added", "removed", "put back")]

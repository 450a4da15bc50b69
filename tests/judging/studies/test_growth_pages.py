"""Adding documents to a study: by the form on a report's page, and by the API."""

import pytest
from django.contrib.messages import get_messages
from django.urls import reverse

from judging.models import Study

pytestmark = pytest.mark.django_db


def grow(client, study, documents):
    answer = client.post(reverse("study_grow"), {"study": study.pk, "documents": documents})
    assert answer.headers["Location"] == reverse("study", args=[study.pk])
    return [str(message) for message in get_messages(answer.wsgi_request)]


def test_the_form_adds_and_says_how_many(rita, running):
    assert grow(rita, running, "1 d3\n1 d4\r\n\n1 d1\n") == ["2 documents were added to “Bird study”; 1 was in it already."]
    assert running.items.count() == 8
    assert "2 of them were added since" in rita.get(reverse("study", args=[running.pk])).content.decode()


@pytest.mark.parametrize(
    ("documents", "why"),
    [
        ("", "This field is required."),
        ("1 d3\n1", "Line 2: expected a topic and a docno."),
        ("1 d3\n1 d99", "Document “d99”: not in the study’s collection. Import what is missing, or leave it out."),
        ("1 d3\n" * 5001, "These are 5,001 documents; 5,000 are taken at a time."),
    ],
)
def test_what_cannot_be_added_is_said_and_adds_nothing(rita, running, documents, why):
    assert grow(rita, running, documents) == [why]
    assert running.items.count() == 6


@pytest.mark.parametrize("change", [{"state": "draft"}, {"kind": "side_by_side"}, {"archived": "2026-11-20T00:00:00Z"}])
def test_only_studies_that_can_grow_are_offered(rita, running, change):
    Study.objects.filter(pk=running.pk).update(**change)
    assert rita.post(reverse("study_grow"), {"study": running.pk, "documents": "1 d3"}).status_code == 404


def test_who_only_reads_the_collection_adds_nothing(client, running, stranger):
    running.collection.shared = True
    running.collection.save()
    client.force_login(stranger)
    assert client.post(reverse("study_grow"), {"study": running.pk, "documents": "1 d3"}).status_code == 404
    assert running.items.count() == 6


def test_the_api_adds_once(rita, running):
    address = f"/api/v1/studies/{running.pk}/items/"
    items = [{"topic": "1", "docno": "d3"}, {"topic": "2", "docno": "d1"}, {"topic": "2", "docno": "d5"}]
    answers = [rita.post(address, {"items": items}, content_type="application/json") for _ in range(2)]
    assert [(answer.status_code, answer.json()) for answer in answers] == [
        (200, {"added": 2, "already": 1, "addition": running.additions.get().pk}),
        (200, {"added": 0, "already": 3, "addition": None}),
    ]
    assert running.items.count() == 8


@pytest.mark.parametrize(
    ("sent", "status", "why"),
    [
        ({"items": []}, 400, "items"),
        ({"items": [{"topic": "1"}]}, 400, "docno"),
        ({"items": [{"topic": "1", "docno": "\0"}]}, 400, "Null"),
        ({"items": [{"topic": "9", "docno": "d1"}]}, 409, "Topic “9”: not in the study’s collection."),
    ],
)
def test_the_api_refuses_with_reasons(rita, running, sent, status, why):
    answer = rita.post(f"/api/v1/studies/{running.pk}/items/", sent, content_type="application/json")
    assert (answer.status_code, running.items.count()) == (status, 6)
    assert why in answer.content.decode()

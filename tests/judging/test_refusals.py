"""Refusals of verbs: forms say them at their fields, the API by their status, and both alike what is missing."""

import pytest
from django import forms
from django.core.files.storage import default_storage
from django.db import OperationalError
from rest_framework.test import APIClient

from judging.api.errors import explain
from judging.collections.storage import NameTaken
from judging.errors import BadFields, Impossible
from judging.forms.refusals import refusals_in
from judging.search.indexes import NotReady


class RuleForm(forms.Form):
    name = forms.CharField(required=False)
    weight = forms.CharField(required=False)

    def clean(self):
        if self.cleaned_data["weight"]:
            raise BadFields(weight="too heavy")
        return self.cleaned_data


@pytest.mark.parametrize(
    ("refusal", "errors"),
    [
        (BadFields(name="too long", weight=["too heavy", "odd"]), {"name": ["too long"], "weight": ["too heavy", "odd"]}),
        (BadFields(metric="unknown"), {"__all__": ["unknown"]}),
        (NameTaken("taken"), {"name": ["taken"]}),
        (Impossible("too late"), {"__all__": ["too late"]}),
    ],
)
def test_a_form_says_a_refusal_at_its_fields(refusal, errors):
    form = RuleForm({})
    with refusals_in(form):
        raise refusal
    assert form.errors == errors


def test_what_is_of_no_field_of_a_form_stands_where_the_form_says():
    form = RuleForm({})
    with refusals_in(form, "weight"):
        raise BadFields(metric="100 % unknown")
    assert form.errors == {"weight": ["100 % unknown"]}


def test_a_form_may_be_refused_while_it_is_checked():
    assert RuleForm({"weight": "9"}).errors == {"weight": ["too heavy"]}


@pytest.mark.parametrize(
    ("refusal", "status", "content"),
    [
        (BadFields(name="100 % too long"), 400, {"name": ["100 % too long"]}),
        (NameTaken("taken"), 409, {"detail": "taken"}),
        (NotReady(1, 9), 503, {"detail": "The index is being built: 1 of 9 documents are read."}),
    ],
)
def test_the_api_answers_a_refusal_by_its_status(refusal, status, content):
    answer = explain(refusal, {})
    assert (answer.status_code, answer.data) == (status, content)


def test_the_api_says_when_a_fault_will_have_passed():
    answer = explain(OperationalError("connection refused"), {})
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert answer.data == {"detail": "The database does not answer. Send the same again in a moment."}


@pytest.fixture
def lost(collection, runs, stranger):
    """A run whose file is gone, in a collection that another researcher reads."""
    collection.readers.add(stranger)
    default_storage.delete(runs[0].file.name)
    return runs[0]


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/collections/runs/{}/", "/api/v1/runs/{}/download/"])
def test_who_may_mend_it_reads_what_is_missing_and_others_that_it_is(client, lost, researcher, stranger, admin, address):
    for user, knows in ((researcher, True), (admin, True), (stranger, False)):
        client.force_login(user)
        response = client.get(address.format(lost.pk))
        text = response.content.decode()
        assert response.status_code == 409
        assert ("Put it back from a backup" in text, lost.file.name in text) == (knows, knows)
        assert ("whoever owns the collection" in text) is not knows


@pytest.mark.django_db
def test_the_api_names_the_tags_that_cannot_be_kept(collection, researcher):
    api = APIClient()
    api.force_authenticate(researcher)
    address = f"/api/v1/collections/{collection.pk}/topics/{collection.topics.first().pk}/"
    refused = api.patch(address, {"tags": ["a" * 61]}, format="json")
    assert refused.status_code == 400
    assert refused.json()["tags"][0].startswith("These tags cannot be kept: “aaa")

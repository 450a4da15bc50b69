"""Refusals of verbs: the API says them by their status, and pages and API alike what is missing."""

import pytest
from django.core.files.storage import default_storage
from django.db import OperationalError

from judging.api.errors import explain
from judging.collections.storage import NameTaken
from judging.search.indexes import NotReady


@pytest.mark.parametrize(
    ("refusal", "status", "content"),
    [
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

"""What tests of a module share: each finds it as it was made, and what is made on request only if it asks for it."""

import pytest

from judging.models import Collection, User
from tests import conftest, sharing

pytestmark = pytest.mark.django_db
db = sharing.db
researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))
stranger = sharing.on_request(conftest.stranger)


@pytest.mark.parametrize("name", ["Fish", "Frogs"])
def test_each_finds_it_as_it_was_made(collection, name):
    assert (collection.name, Collection.objects.get().name) == ("Birds", "Birds")
    collection.name = name
    collection.save()


@pytest.mark.parametrize("turn", [1, 2])
def test_what_is_made_on_request_is_found_by_who_asks_for_it(stranger, turn):
    assert User.objects.get(username="sid") == stranger


@pytest.mark.parametrize("turn", [1, 2])
def test_and_by_nobody_else(turn):
    assert not User.objects.filter(username="sid").exists()

"""A test runs on each database if it has to do with one, and says so by itself."""

import pytest


def is_marked(request) -> bool:
    return request.node.get_closest_marker("database") is not None


@pytest.mark.django_db
def test_by_a_mark(request):
    assert is_marked(request)


def test_by_a_fixture(request, db):
    assert is_marked(request)


def test_by_a_fixture_of_a_fixture(request, researcher):
    assert is_marked(request)


def test_what_asks_for_none_is_not_marked(request):
    assert not is_marked(request)

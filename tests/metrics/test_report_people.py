"""A report on runs is shared by name on its own page with somebody who does not see the collection, and taken back there."""

import pytest
from django.test import Client

from judging.models import User

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor(db):

    return User.objects.create_user("vera")


def test_who_it_is_shared_with_reads_it_until_it_is_taken_back(report, researcher, visitor):
    rita, vera = Client(), Client()
    rita.force_login(researcher)
    vera.force_login(visitor)
    address, people = report.get_absolute_url(), f"/reports/{report.pk}/people/"
    assert vera.get(address).status_code == 404
    assert rita.post(people, {"person": "vera", "role": "reader"}).status_code == 302
    assert vera.get(address).status_code == 200
    assert vera.get(people).status_code == 404
    assert vera.get(f"/collections/{report.collection_id}/").status_code == 404
    assert "vera" in rita.get(people).content.decode()
    assert rita.post(f"{people}{visitor.pk}/remove/").status_code == 302
    assert vera.get(address).status_code == 404

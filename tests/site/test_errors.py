"""Addresses where nothing is."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("address", ["/api/v1/nope/", "/api/v1/", "/api/v2/runs/"])
def test_programs_get_json(client, address):
    response = client.get(address)
    assert response.status_code == 404
    assert response.json()["detail"].startswith("There is nothing")


def test_people_get_a_page(client):
    response = client.get("/nope/")
    assert response.status_code == 404
    assert b"<h1>" in response.content

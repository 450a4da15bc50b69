from base64 import b64encode

import pytest
import time_machine
from django.utils import timezone

from judging.models import Token

ADDRESS = "/api/v1/tokens/"


def basic(password, name="rita"):
    return {"HTTP_AUTHORIZATION": "Basic " + b64encode(f"{name}:{password}".encode()).decode()}


def buy(client, **wanted):
    return client.post(ADDRESS, wanted, content_type="application/json", **basic("a long enough password"))


def test_name_and_password_buy_a_token_that_opens_the_api(client, researcher):
    response = buy(client)
    assert response.status_code == 201
    token = response.json()["token"]
    me = client.get("/api/v1/users/me/", HTTP_AUTHORIZATION=f"Token {token}")
    assert me.json()["username"] == "rita"


def test_the_database_holds_no_token(client, researcher):
    token = buy(client).json()["token"]
    row = Token.objects.filter(user=researcher).values().get()
    assert all(token not in str(value) for value in row.values())
    assert len(token) > 64, "what is kept in the clear is only the start"
    assert len(row["token_key"]) == 15


def test_a_token_carries_the_name_that_it_is_given(client, researcher):
    assert buy(client, name="nightly runs").json()["name"] == "nightly runs"
    assert buy(client).json()["name"] == ""
    assert buy(client, name="x" * 61).status_code == 400
    assert client.post(ADDRESS, **basic("a long enough password"), data="", content_type="").status_code == 201


def test_a_token_says_when_it_was_last_used_to_the_minute(client, researcher):
    token = buy(client).json()["token"]

    def last_used():
        return Token.objects.get().last_used

    assert last_used() is None
    times = []
    with time_machine.travel(timezone.now(), tick=False) as clock:
        for seconds in (0, 59, 2):
            clock.shift(seconds)
            client.get("/api/v1/users/me/", HTTP_AUTHORIZATION=f"Token {token}")
            times.append(last_used())
    assert times[0] == times[1] < times[2]
    assert client.get(ADDRESS, HTTP_AUTHORIZATION=f"Token {token}").json()["results"][0]["last_used"]


def test_a_wrong_token_uses_none(client, researcher):
    start = buy(client).json()["start"]
    assert client.get("/api/v1/users/me/", HTTP_AUTHORIZATION=f"Token {start}{'x' * 56}").status_code == 401
    assert Token.objects.get().last_used is None


def test_a_token_makes_no_other_tokens(rita):
    assert rita.post(ADDRESS).status_code == 401


def test_one_sees_and_deletes_only_ones_own(rita, sid, researcher):
    start = Token.objects.get(user=researcher).token_key
    assert [token["start"] for token in rita.get(ADDRESS).json()["results"]] == [start]
    assert sid.delete(f"{ADDRESS}{start}/").status_code == 404
    assert rita.delete(f"{ADDRESS}{start}/").status_code == 204
    assert rita.get(ADDRESS).status_code == 401


@pytest.mark.parametrize(
    "sent", [b"Token", b"Token a b", b"Token \xff\xfe", b"Token a\0b", "Token ünïcode".encode(), b"Bearer x", b"Basic !"]
)
def test_nonsense_in_the_header_is_401(client, db, sent):
    response = client.get("/api/v1/users/me/", HTTP_AUTHORIZATION=sent.decode("latin-1"))
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Token"


def test_an_inactive_account_is_out(rita, researcher):
    researcher.is_active = False
    researcher.save()
    assert rita.get("/api/v1/users/me/").status_code == 401


def test_a_session_needs_the_csrf_token(researcher):
    from rest_framework.test import APIClient

    browser = APIClient(enforce_csrf_checks=True)
    browser.force_login(researcher)
    assert browser.get("/api/v1/users/me/").status_code == 200
    assert browser.post("/api/v1/collections/", {"name": "Forged"}, format="json").status_code == 403

from base64 import b64encode

import pytest
from knox.models import AuthToken

ADDRESS = "/api/v1/tokens/"


def basic(password, name="rita"):
    return {"HTTP_AUTHORIZATION": "Basic " + b64encode(f"{name}:{password}".encode()).decode()}


def test_name_and_password_buy_a_token_that_opens_the_api(client, researcher):
    response = client.post(ADDRESS, **basic("a long enough password"))
    assert response.status_code == 201
    token = response.json()["token"]
    me = client.get("/api/v1/users/me/", HTTP_AUTHORIZATION=f"Token {token}")
    assert me.json()["username"] == "rita"


def test_the_database_holds_no_token(client, researcher):
    token = client.post(ADDRESS, **basic("a long enough password")).json()["token"]
    row = AuthToken.objects.filter(user=researcher).values().get()
    assert all(token not in str(value) for value in row.values())
    assert len(token) > 64, "what is kept in the clear is only the start"
    assert len(row["token_key"]) == 15


def test_a_token_makes_no_other_tokens(rita):
    assert rita.post(ADDRESS).status_code == 401


def test_one_sees_and_deletes_only_ones_own(rita, sid, researcher):
    start = AuthToken.objects.get(user=researcher).token_key
    assert [token["start"] for token in rita.get(ADDRESS).json()["results"]] == [start]
    assert sid.delete(f"{ADDRESS}{start}/").status_code == 404
    assert rita.delete(f"{ADDRESS}{start}/").status_code == 204
    assert rita.get(ADDRESS).status_code == 401


def test_guessing_passwords_here_is_locked_out_too(client, researcher):
    statuses = [client.post(ADDRESS, **basic("wrong")).status_code for _ in range(10)]
    assert statuses == [401] * 9 + [429]
    locked = client.post(ADDRESS, **basic("a long enough password"))
    assert locked.status_code == 429
    assert "Too many wrong passwords" in locked.json()["detail"]
    assert int(locked["Retry-After"]) == 900


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

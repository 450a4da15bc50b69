"""How long tokens work and what they may do; and that they end with the password, and with the account."""

from datetime import timedelta
from unittest.mock import patch

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from judging.accounts import tokens
from judging.models import AuditEntry, Collection, Token, User
from tests.judging.api.test_tokens import ADDRESS, buy

PASSWORD, NEW = "a long enough password", "quite another password"
ME = "/api/v1/users/me/"


def browser_of(user):
    client = Client()
    client.force_login(user)
    return client


def opens(token, method="get", address=ME, body=None):
    """A stranger's program that sends the token."""
    send = getattr(Client(), method)
    return send(address, body, content_type="application/json", headers={"Authorization": f"Token {token}"})


def test_a_token_works_for_ninety_days_unless_told_otherwise(client, researcher):
    made = {days: buy(client, **({} if days == "usual" else {"days": days})).json() for days in ("usual", 30, 365, None)}
    assert made[None]["expires"] is None
    lives = {"usual": 90, 30: 30, 365: 365}
    for days, life in lives.items():
        end = timezone.now() + timedelta(days=life)
        for moment, status in ((end - timedelta(hours=1), 200), (end + timedelta(hours=1), 401)):
            with time_machine.travel(moment, tick=False):
                assert opens(made[days]["token"]).status_code == status
                assert opens(made[None]["token"]).status_code == 200


def test_an_expired_token_says_so_to_who_has_it_and_stays_in_the_list(client, researcher):
    made = buy(client, days=30).json()
    with time_machine.travel(timezone.now() + timedelta(days=31), tick=False):
        assert "expired" in opens(made["token"]).json()["detail"]
        assert opens(made["start"] + "x" * 56).json()["detail"] == "Invalid token."
        assert "expired" in browser_of(researcher).get("/account/").content.decode()
    assert Token.objects.exists()


@pytest.mark.parametrize("days", [0, 31, -1, "soon", 10**9])
def test_other_lengths_are_refused(client, researcher, days):
    assert list(buy(client, days=days).json()) == ["days"]


def test_tokens_from_before_stay_without_an_end(researcher):
    _, token = Token.objects.create(user=researcher)
    with time_machine.travel(timezone.now() + timedelta(days=5000), tick=False):
        assert opens(token).status_code == 200


def test_a_token_that_only_reads(client, researcher, collection):
    made = buy(client, read_only=True).json()
    assert made["read_only"] is True
    token, address = made["token"], f"/api/v1/collections/{collection.pk}/"
    for method in ("get", "head", "options"):
        assert opens(token, method, address).status_code == 200
    for method, where in (("post", "/api/v1/collections/"), ("patch", address), ("delete", address), ("put", address)):
        refused = opens(token, method, where, {"name": "Other"})
        assert refused.status_code == 403
        assert "only reads" in refused.json()["detail"]
    assert opens(token, "post", ADDRESS).status_code == 401
    assert opens(token, "delete", f"{ADDRESS}{made['start']}/").status_code == 403
    assert [str(row) for row in Collection.objects.all()] == ["Birds"]
    assert Token.objects.count() == 1


def test_the_account_page_makes_and_lists_all_that(researcher):
    rita = browser_of(researcher)
    assert rita.post("/account/tokens/", {"name": "nightly", "days": "never", "read_only": "on"}).status_code == 302
    assert rita.post("/account/tokens/", {"name": "weekly", "days": "30"}).status_code == 302
    assert rita.post("/account/tokens/", {"name": "yearly", "days": "31"}).status_code == 422
    made = {token.name: (token.read_only, token.expiry is None) for token in Token.objects.all()}
    assert made == {"nightly": (True, True), "weekly": (False, False)}
    page = rita.get("/account/").content.decode()
    assert "reads only" in page and "never" in page
    assert "90 days" in page  # to choose


@pytest.mark.parametrize("by_api", [False, True])
def test_all_are_revoked_at_once(researcher, stranger, by_api):
    for user in (researcher, researcher, stranger):
        tokens.make(user)
    address = "/api/v1/tokens/revoke-all/" if by_api else "/account/tokens/delete/"
    assert browser_of(researcher).post(address).status_code == (204 if by_api else 302)
    assert [str(token.user) for token in Token.objects.all()] == ["sid"]
    assert AuditEntry.objects.filter(about__endswith="of rita: deleted", by=researcher).count() == 2


def by_page(user, admin):
    browser_of(user).post("/account/password/", {"oldpassword": PASSWORD, "password1": NEW, "password2": NEW})


def by_admin(user, admin):
    form = {"password1": NEW, "password2": NEW, "usable_password": "true", "set-password": "1"}
    browser_of(admin).post(f"/admin/judging/user/{user.pk}/password/", form)


def by_admin_taking_it_away(user, admin):
    browser_of(admin).post(f"/admin/judging/user/{user.pk}/password/", {"usable_password": "false", "unset-password": "1"})


def by_command(user, admin):
    with patch("django.contrib.auth.management.commands.changepassword.Command._get_pass", return_value=NEW):
        call_command("changepassword", user.username)


@pytest.mark.parametrize("change", [by_page, by_admin, by_admin_taking_it_away, by_command])
def test_tokens_and_sessions_end_with_the_password(researcher, stranger, admin, change):
    _, token = tokens.make(researcher)
    _, others = tokens.make(stranger)
    elsewhere = browser_of(researcher)
    change(researcher, admin)
    assert not User.objects.get(pk=researcher.pk).check_password(PASSWORD)
    assert opens(token).status_code == 401
    assert elsewhere.get("/account/").status_code == 302
    assert opens(others).status_code == 200
    assert AuditEntry.objects.filter(about__contains="of rita: deleted").exists()
    if change is not by_command:
        who = researcher if change is by_page else admin
        assert AuditEntry.objects.filter(about="account rita, password: changed", by=who).exists()


def test_a_hash_made_anew_is_no_new_password(researcher, settings):
    _, token = tokens.make(researcher)
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher", *settings.PASSWORD_HASHERS]
    before = researcher.password
    Client().post("/login/", {"username": "rita", "password": PASSWORD})
    assert User.objects.get(pk=researcher.pk).password != before
    assert opens(token).status_code == 200


def test_a_closed_account_comes_back_without_what_it_left_open(stranger, admin):
    from tests.judging.accounts.test_ownership import change

    _, token = tokens.make(stranger)
    elsewhere, ada = browser_of(stranger), browser_of(admin)
    assert change(ada, stranger, is_active=False).status_code == 302
    for _ in range(2):
        assert opens(token).status_code == 401
        assert elsewhere.get("/account/").status_code == 302
        change(ada, stranger, is_active=True)
    assert ada.get("/account/").status_code == 200
    assert AuditEntry.objects.filter(about__contains="of sid: deleted", by=admin).exists()

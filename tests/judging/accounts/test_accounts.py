"""Signing in and out, the account page, tokens, and making accounts on the command line."""

import re

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from judging.models import Token, User

PASSWORD = "a long enough password"


@pytest.fixture
def signed_in(client, researcher):
    client.force_login(researcher)
    return client


def sign_in(client, password=PASSWORD, name="rita"):
    return client.post(reverse("account_login"), {"username": name, "password": password})


def test_signing_in_goes_on_to_the_page_that_was_asked_for(client, researcher):
    redirect = client.get(reverse("account"))
    assert redirect.status_code == 302
    page = client.get(redirect["Location"])
    assert b'name="next" value="/account/"' in page.content
    response = client.post(redirect["Location"], {"username": "rita", "password": PASSWORD, "next": "/account/"})
    assert (response.status_code, response["Location"]) == (302, "/account/")


def test_a_wrong_password_is_said_once_and_plainly(client, researcher):
    response = sign_in(client, "wrong")
    assert response.status_code == 422
    assert "correct username and password" in response.content.decode()


def test_nobody_is_sent_to_a_foreign_site_after_signing_in(client, researcher):
    response = client.post("/login/", {"username": "rita", "password": PASSWORD, "next": "https://evil.example/"})
    assert response["Location"] == reverse("home")


def test_signing_out_takes_a_post(signed_in):
    assert signed_in.get(reverse("account_logout")).status_code == 405
    assert signed_in.post(reverse("account_logout")).status_code == 302
    assert signed_in.get(reverse("account")).status_code == 302


@pytest.mark.parametrize("name", ["\0", "x" * 10_000, "', --"])
def test_odd_names_are_wrong_names(client, db, name):
    response = client.post("/login/", {"username": name, "password": "\0"})
    assert response.status_code == 422


def test_a_name_longer_than_any_account_has_is_not_looked_up(client, db, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert client.post("/login/", {"username": "x" * 151, "password": "wrong"}).status_code == 422
    with django_assert_num_queries(1):
        assert client.post("/login/", {"username": "x" * 150, "password": "wrong"}).status_code == 422


def test_the_admin_is_signed_in_to_on_the_same_page(client, admin):
    redirect = client.get(client.get("/admin/judging/user/")["Location"])
    assert (redirect.status_code, redirect["Location"]) == (302, "/login/?next=/admin/judging/user/")
    assert client.get(reverse("admin:login"))["Location"] == "/login/?next=/admin/"
    assert client.post("/admin/login/", {"username": "x" * 300, "password": "wrong"}).status_code == 302

    signed_in = client.post(redirect["Location"], {"username": "ada", "password": PASSWORD, "next": "/admin/judging/user/"})
    assert signed_in["Location"] == "/admin/judging/user/"
    assert client.get("/admin/login/?next=/admin/judging/user/", follow=True).redirect_chain[-1] == ("/admin/judging/user/", 302)
    assert client.get("/admin/login/?next=https://evil.example/", follow=True).request["PATH_INFO"] == "/"


def test_who_is_no_admin_is_not_sent_back_and_forth(signed_in):
    assert signed_in.get("/admin/", follow=True).status_code == 404


def test_profile(signed_in, researcher):
    response = signed_in.post("/account/", {"first_name": "Rita", "last_name": "Ito"})
    assert response.status_code == 302
    researcher.refresh_from_db()
    assert researcher.get_full_name() == "Rita Ito"


def test_profile_can_not_make_anybody_an_admin(signed_in, researcher):
    signed_in.post("/account/", {"first_name": "R", "is_superuser": "on", "username": "root"})
    researcher.refresh_from_db()
    assert (researcher.username, researcher.is_superuser) == ("rita", False)


def test_a_bad_address_is_named_beside_its_field(signed_in):
    response = signed_in.post("/account/email/", {"email": "nonsense", "action_add": ""})
    assert response.status_code == 422
    assert "Enter a valid email address" in response.content.decode()


def test_changing_the_password_keeps_this_browser_and_ends_the_others(signed_in, client, researcher):
    from django.test import Client

    other = Client()
    other.force_login(researcher)
    new = "quite another password"
    response = signed_in.post("/account/password/", {"oldpassword": PASSWORD, "password1": new, "password2": new})
    assert (response.status_code, response["Location"]) == (302, "/account/")
    assert signed_in.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302


def test_a_weak_password_is_refused_with_the_reason(signed_in):
    response = signed_in.post("/account/password/", {"oldpassword": PASSWORD, "password1": "rita", "password2": "rita"})
    assert response.status_code == 422
    assert "at least 10 characters" in response.content.decode()


def test_a_token_is_shown_once_and_stored_as_a_hash(signed_in, researcher):
    made = signed_in.post("/account/tokens/", {"name": "nightly runs", "days": 90})
    assert made["Location"] == "/account/", "reloading the page that shows a token must not make another"
    response = signed_in.get("/account/")
    token = re.search(r'value="(ireval_\w+)"', response.content.decode())[1]
    assert "no-store" in response["Cache-Control"]
    kept = Token.objects.get(user=researcher)
    assert token not in (kept.digest, kept.token_key)
    assert token.startswith(kept.token_key)
    again = signed_in.get("/account/").content.decode()
    assert token not in again
    assert kept.token_key in again
    assert "nightly runs" in again
    assert "not yet" in again  # used
    signed_in.get("/api/v1/users/me/", headers={"Authorization": f"Token {token}"})
    assert "not yet" not in signed_in.get("/account/").content.decode()


def test_a_token_without_a_name_is_not_made(signed_in):
    refused = signed_in.post("/account/tokens/", {"name": " ", "days": 90})
    assert refused.status_code == 422
    assert "This field is required" in refused.content.decode()
    assert not Token.objects.exists()


def test_a_deleted_token_no_longer_works(signed_in, researcher):
    kept, token = Token.objects.create(user=researcher)
    sent = {"HTTP_AUTHORIZATION": f"Token {token}"}
    signed_in.logout()
    assert signed_in.get("/api/v1/users/me/", **sent).status_code == 200
    signed_in.force_login(researcher)
    assert signed_in.post(f"/account/tokens/{kept.token_key}/delete/").status_code == 302
    signed_in.logout()
    assert signed_in.get("/api/v1/users/me/", **sent).status_code == 401


def test_nobody_deletes_somebody_elses_token(client, researcher, stranger):
    kept, _ = Token.objects.create(user=researcher)
    client.force_login(stranger)
    client.post(f"/account/tokens/{kept.token_key}/delete/")
    assert Token.objects.filter(pk=kept.pk).exists()


ROLES = {"": (False, False), "--researcher": (True, False), "--admin": (True, True)}


@pytest.mark.parametrize("option", ROLES)
def test_create_user_says_what_to_do_next(db, client, capsys, monkeypatch, option):
    monkeypatch.setenv("IREVAL_PASSWORD", PASSWORD)
    call_command("create_user", "nina", *filter(None, [option]))
    user = User.objects.get(username="nina")
    assert (user.may_research, user.is_admin) == ROLES[option]
    assert "/login/" in capsys.readouterr().out
    assert sign_in(client, name="nina").status_code == 302


@pytest.mark.parametrize(
    ("public", "served", "port", "address"),
    [
        ("https://judge.example", "1 http://127.0.0.1:8123/", "9000", "https://judge.example/people/"),
        ("", "1 http://127.0.0.1:8123/", "9000", "http://127.0.0.1:8123/people/"),
        ("", "", "9000", "http://localhost:9000/people/"),
    ],
)
def test_create_user_names_where_it_is_served(db, capsys, monkeypatch, settings, tmp_path, public, served, port, address):
    settings.PUBLIC_URL, settings.DATA_DIR = public, tmp_path
    monkeypatch.setenv("IREVAL_PASSWORD", PASSWORD)
    monkeypatch.setenv("PORT", port)
    if served:
        (tmp_path / "launcher.lock").write_text(served)
    call_command("create_user", "nina", "--admin")
    assert address in capsys.readouterr().out


def test_create_user_reads_the_password_from_standard_input(db, client, monkeypatch, capsys):
    import io

    monkeypatch.delenv("IREVAL_PASSWORD", raising=False)
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{PASSWORD}\n"))
    call_command("create_user", "nina")
    assert PASSWORD not in capsys.readouterr().out
    assert sign_in(client, name="nina").status_code == 302


@pytest.mark.parametrize(
    ("name", "password", "message"),
    [("rita", PASSWORD, "changepassword rita"), ("nina", "short", "at least 10"), ("a b", PASSWORD, "valid username")],
)
def test_create_user_makes_nothing_of_bad_input(researcher, monkeypatch, name, password, message):
    monkeypatch.setenv("IREVAL_PASSWORD", password)
    with pytest.raises(CommandError, match=message):
        call_command("create_user", name)
    assert User.objects.count() == 1


def test_the_admin_pages_show_evidence_and_cannot_change_it(client, admin, running, make_worker):
    from uuid import uuid4

    from judging.work.answers import Answer, record_judgement
    from judging.work.assignment import next_slots

    worker = make_worker(running)
    slot = next_slots(worker)[0]
    judgement = record_judgement(worker=worker, item=slot.item, answer=Answer(key=uuid4(), grade=2))
    client.force_login(admin)
    assert client.get("/admin/judging/judgement/").status_code == 200
    address = f"/admin/judging/judgement/{judgement.pk}/"
    page = client.get(f"{address}change/")
    assert page.status_code == 200
    assert b'name="_save"' not in page.content
    assert client.post(f"{address}change/", {"grade": 0}).status_code == 403
    assert client.post(f"{address}delete/", {"post": "yes"}).status_code == 403
    assert client.get("/admin/judging/judgement/add/").status_code == 403
    judgement.refresh_from_db()
    assert judgement.grade == 2


def test_an_admin_changes_who_runs_a_study_and_nothing_else(client, admin, study, stranger):
    client.force_login(admin)
    response = client.post(
        f"/admin/judging/study/{study.pk}/change/", {"members": [stranger.pk], "owner": stranger.pk, "name": "Renamed"}
    )
    assert response.status_code == 302
    study.refresh_from_db()
    assert (study.owner, list(study.members.all())) == (stranger, [stranger])
    assert study.name == "Bird study"


def test_every_admin_page_opens(client, admin, running, make_worker):
    from django.contrib import admin as pages

    make_worker(running)
    client.force_login(admin)
    for model in pages.site._registry:
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        assert client.get(address).status_code == 200, address
        first = model.objects.first()
        if first is not None:
            from django.contrib.admin.utils import quote

            assert client.get(f"{address}{quote(first.pk)}/change/").status_code == 200, address

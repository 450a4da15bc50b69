"""Who switches it on signs in in two steps, wherever a password is asked for."""

import re
from base64 import b64encode

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client

from judging.models import AuditEntry, User

PASSWORD = "a long enough password"


def code_of(secret, step=0):
    return format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[1] + step))


def sign_in(browser=None, name="rita"):
    browser = browser or Client()
    return browser, browser.post("/login/", {"username": name, "password": PASSWORD})


@pytest.fixture
def switched_on(researcher):
    """The key and the recovery codes of Rita, who has switched it on."""
    browser, _ = sign_in()
    assert browser.get("/account/steps/on/")["Location"] == "/account/again/?next=%2Faccount%2Fsteps%2Fon%2F"
    asked_again = browser.post("/account/again/", {"password": PASSWORD, "next": "/account/steps/on/"})
    page = browser.get(asked_again["Location"]).content.decode()
    key = re.search(r'id="secret" value="(\w+)"', page)[1]
    answer = browser.post("/account/steps/on/", {"code": code_of(key, -1)})
    assert answer["Location"] == "/account/steps/codes/"
    return key, re.findall(r"\b\d{8}\b", browser.get("/account/steps/codes/").content.decode())


def test_the_password_alone_opens_nothing_any_more(switched_on):
    key, _ = switched_on
    browser, answer = sign_in()
    assert answer["Location"] == "/login/code/"
    assert browser.get("/account/").status_code == 302
    assert browser.post("/login/code/", {"code": "000000"}).status_code in {200, 422}
    assert browser.get("/account/").status_code == 302
    assert browser.post("/login/code/", {"code": code_of(key)}).status_code == 302
    assert browser.get("/account/").status_code == 200


def test_a_code_works_once(switched_on):
    key, _ = switched_on
    code = code_of(key)
    for expected in (200, 302):
        browser, _ = sign_in()
        browser.post("/login/code/", {"code": code})
        assert browser.get("/account/").status_code == expected


def test_a_recovery_code_works_once(switched_on):
    _, codes = switched_on
    assert len(codes) == 10
    for expected in (200, 302):
        browser, _ = sign_in()
        browser.post("/login/code/", {"code": codes[0]})
        assert browser.get("/account/").status_code == expected


def test_recovery_codes_are_shown_once(switched_on, researcher):
    browser = Client()
    browser.force_login(researcher)
    page = browser.get("/account/steps/codes/").content.decode()
    assert re.findall(r"\b\d{8}\b", page) == []


def test_guessing_codes_gets_slower(switched_on):
    browser, _ = sign_in()
    answers = [browser.post("/login/code/", {"code": f"{number:06}"}).status_code for number in range(6)]
    assert answers[-1] == 429


def test_a_token_of_the_api_is_not_made_by_the_password_alone(switched_on):
    basic = b64encode(f"rita:{PASSWORD}".encode()).decode()
    answer = Client().post("/api/v1/tokens/", {}, content_type="application/json", headers={"Authorization": f"Basic {basic}"})
    assert answer.status_code == 401
    assert "two steps" in answer.content.decode()


def test_a_link_to_a_new_password_does_not_go_round_it(switched_on, admin, researcher):
    ada = Client()
    ada.force_login(admin)
    page = ada.post(f"/people/{researcher.pk}/reset/").content.decode()
    browser = Client()
    form = browser.get(re.search(r'value="http://testserver(/password/[^"]+)"', page)[1], follow=True).request["PATH_INFO"]
    browser.post(form, {"password1": "quite another password", "password2": "quite another password"})
    assert browser.get("/account/").status_code == 302
    answer = browser.post("/login/", {"username": "rita", "password": "quite another password"})
    assert answer["Location"] == "/login/code/"


def test_the_key_is_not_stored_as_it_is(switched_on):
    key, codes = switched_on
    stored = repr(list(Authenticator.objects.values_list("data", flat=True)))
    assert key not in stored
    assert codes[0] not in stored


def test_with_another_secret_of_the_server_no_code_fits(switched_on, settings):
    """An empty key would make codes that anybody can compute."""
    settings.SECRET_KEY = "another secret of the server"
    browser, _ = sign_in()
    for key in ("", switched_on[0]):
        browser.post("/login/code/", {"code": code_of(key)})
        assert browser.get("/account/").status_code == 302


def test_it_is_switched_on_and_off_only_by_who_knows_the_password(researcher, switched_on):
    browser = Client()
    browser.force_login(researcher)  # a browser that was left open
    for page in ("off", "codes/new"):
        assert browser.post(f"/account/steps/{page}/").status_code == 302
    assert Authenticator.objects.filter(user=researcher, type="totp").exists()


def test_an_admin_takes_it_off_for_who_has_lost_the_phone(switched_on, admin, researcher):
    ada = Client()
    ada.force_login(admin)
    assert ada.post(f"/people/{researcher.pk}/one-step/").status_code == 302
    assert AuditEntry.objects.latest("pk").about == "account rita, second step: taken off"
    browser, _ = sign_in()
    assert browser.get("/account/").status_code == 200


def test_other_browsers_are_listed_and_signed_out(researcher):
    (mine, _), (other, _) = sign_in(), sign_in()
    page = mine.get("/account/sessions/").content.decode()
    assert page.count("127.0.0.1") == 2
    assert mine.post("/account/sessions/").status_code == 302
    assert other.get("/account/").status_code == 302
    assert mine.get("/account/").status_code == 200
    assert User.objects.count() == 1

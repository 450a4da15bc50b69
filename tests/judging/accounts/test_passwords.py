"""Guessing passwords gets slower, by whatever way; nobody is locked out by somebody else, and admins hear of it."""

from base64 import b64encode
from ipaddress import ip_network

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from ireval_site import throttle
from ireval_site.throttle import Own
from judging.accounts import passwords
from judging.models import AuditEntry

PASSWORD = "a long enough password"
pytestmark = pytest.mark.django_db


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(throttle, "own", Own(clock=clock))
    return clock


@pytest.fixture(autouse=True)
def many_proxies(settings):
    """The requests of one test come from as many addresses as it likes, and none of them is a proxy's."""
    settings.TRUSTED_PROXIES = [ip_network("127.0.0.1")]


def sign_in(password, name="rita", *, address="198.51.100.1", browser=None):
    sent = {"username": name, "password": password}
    return (browser or Client()).post("/login/", sent, headers={"X-Forwarded-For": address})


def guess(times, name="rita", **where):
    """The statuses of so many wrong passwords."""
    return [sign_in(f"wrong {number}", name, **where).status_code for number in range(times)]


def api(password, name="rita"):
    basic = b64encode(f"{name}:{password}".encode()).decode()
    headers = {"Authorization": f"Basic {basic}", "X-Forwarded-For": "198.51.100.1"}
    return Client().post("/api/v1/tokens/", {}, content_type="application/json", headers=headers)


def test_one_who_guesses_has_to_wait_and_is_told_how_long(researcher):
    assert guess(10) == [422] * 10
    refused = sign_in("wrong")
    assert (refused.status_code, refused["Retry-After"]) == (429, "90")
    assert "Try again in 2 minutes" in refused.content.decode()
    assert sign_in(PASSWORD).status_code == 429, "the right password is not looked at either"


def test_waiting_gives_one_attempt_after_another_and_not_all_of_them(researcher, clock):
    guess(10)
    clock.now += 90
    assert guess(2) == [422, 429]
    clock.now += 90
    assert sign_in(PASSWORD).status_code == 302


def test_guesses_from_one_address_slow_down_nobody_elsewhere(researcher, stranger):
    guess(30)
    assert sign_in(PASSWORD, address="192.0.2.7").status_code == 302
    assert sign_in(PASSWORD, "sid").status_code == 302


def test_guesses_of_one_name_from_many_addresses_get_slower(researcher):
    statuses = [guess(1, address=f"203.0.113.{number}")[0] for number in range(60)]
    assert statuses == [422] * 50 + [429] * 10
    assert sign_in("wrong", address="203.0.113.99")["Retry-After"] == "288"
    assert sign_in(PASSWORD, "nobody", address="203.0.113.99").status_code == 422, "other names are not slower"


def test_the_owner_signs_in_from_a_browser_that_is_known_whatever_others_do(researcher):
    known = Client()
    assert sign_in(PASSWORD, browser=known).status_code == 302
    known.post("/logout/")
    for number in range(60):
        guess(1, address=f"203.0.113.{number}")
    guess(20)
    assert sign_in(PASSWORD, address="192.0.2.7").status_code == 429, "from a browser that nobody knows"
    assert sign_in(PASSWORD, browser=known).status_code == 302


def test_a_known_browser_has_no_more_guesses_than_others_and_only_for_its_own_name(researcher, stranger):
    known = Client()
    sign_in(PASSWORD, browser=known)
    known.post("/logout/")
    assert guess(11, browser=known) == [422] * 10 + [429]
    assert guess(10, "sid") == [422] * 10
    assert sign_in("wrong", "sid", browser=known).status_code == 429


@pytest.mark.parametrize("cookie", ["", "nonsense", "a:b:c", "W10:1abcde:x"])
def test_a_made_up_cookie_makes_nobody_known(researcher, cookie):
    forged = Client()
    forged.cookies["ireval_browser"] = cookie
    assert guess(11, browser=forged)[-1] == 429


def test_the_cookie_names_nobody_and_is_sent_where_it_is_needed_only(researcher):
    cookie = sign_in(PASSWORD).cookies["ireval_browser"]
    assert (cookie["path"], cookie["httponly"], cookie["samesite"]) == ("/login/", True, "Lax")
    from django.core import signing

    assert "rita" not in str(signing.loads(cookie.value, salt=passwords.SALT))


@pytest.mark.one_database
def test_signing_in_takes_back_what_it_cost_and_no_more(researcher, stranger):
    """Somebody with an account of their own would else begin anew with each guess."""
    for _ in range(60):
        assert sign_in(PASSWORD).status_code == 302
    for _ in range(10):
        guess(1, "sid")
        sign_in(PASSWORD)
    assert guess(1, "sid") == [429]


def test_one_password_on_many_names_gets_slower_and_is_noticed(admin, caplog):
    statuses = [sign_in("Winter2026!", f"person{number}").status_code for number in range(30)]
    assert statuses == [422] * 20 + [429] * 10
    assert int(sign_in("Winter2026!", "person99")["Retry-After"]) == 180
    assert sign_in(PASSWORD, "ada", address="192.0.2.7").status_code == 302
    entry = AuditEntry.objects.get()
    assert (entry.deed, entry.by, entry.about) == ("guessed", None, "of over 20 names, or over 100 times, from 198.51.100.1")
    assert [record.levelname for record in caplog.records if "198.51.100.1" in record.getMessage()] == ["WARNING"]
    ada = Client()
    ada.force_login(admin)
    assert "Guessed passwords" in ada.get("/audit/").content.decode()


def test_the_same_names_again_are_not_more_names(researcher):
    for _ in range(3):
        assert {sign_in("wrong", f"person{number}").status_code for number in range(20)} == {422}


def test_a_whole_class_signs_in_from_one_address(researcher):
    from judging.models import User

    for number in range(40):
        User.objects.create_user(f"student{number}", password=PASSWORD)
    assert {sign_in(PASSWORD, f"student{number}").status_code for number in range(40)} == {302}


def test_an_address_has_only_so_many_guesses_whatever_the_names(researcher, monkeypatch):
    monkeypatch.setattr(passwords, "ADDRESS", passwords.ADDRESS._replace(most=30))
    statuses = [sign_in("wrong", f"person{number % 15}").status_code for number in range(35)]
    assert statuses == [422] * 30 + [429] * 5


def test_guessing_from_many_addresses_is_noticed_and_keeps_nobody_out(researcher, monkeypatch, caplog):
    monkeypatch.setattr(passwords, "EVERYWHERE", passwords.EVERYWHERE._replace(most=40))
    for number in range(45):
        assert sign_in("Winter2026!", f"person{number}", address=f"203.0.113.{number}").status_code == 422
    assert sign_in(PASSWORD, address="192.0.2.7").status_code == 302
    assert AuditEntry.objects.get().about == "more than 40 times within an hour, from many addresses"


@pytest.mark.parametrize(("name", "shown"), [("rita", "“rita”"), ("hunter2 hunter2", "an account that does not exist")])
def test_the_history_names_accounts_and_nothing_else_that_somebody_typed(researcher, monkeypatch, name, shown):
    monkeypatch.setattr(passwords, "NAME", passwords.NAME._replace(most=5))
    for number in range(7):
        guess(1, name, address=f"203.0.113.{number}")
    assert AuditEntry.objects.get().about == f"of {shown}, from several addresses"


def test_the_api_counts_with_the_page(researcher):
    assert [api("wrong").status_code for _ in range(5)] == [401] * 5
    guess(5)
    refused = api(PASSWORD)
    assert (refused.status_code, refused["Retry-After"]) == (429, "90")
    assert "Too many wrong passwords" in refused.json()["detail"]
    assert sign_in(PASSWORD).status_code == 429


def test_tokens_that_are_made_cost_nothing(researcher):
    assert {api(PASSWORD).status_code for _ in range(15)} == {201}


def test_guessing_ones_own_password_gets_slower_too(researcher, clock):
    """Whoever finds a browser signed in could else try them all."""
    browser = Client()
    browser.force_login(researcher)

    def change(old):
        return browser.post("/account/password/", {"oldpassword": old, "password1": "x" * 12, "password2": "y" * 12})

    assert [change(PASSWORD).status_code for _ in range(15)] == [422] * 15, "another mistake than the password"
    assert [change("wrong").status_code for _ in range(12)] == [422] * 10 + [429] * 2
    refused = change(PASSWORD)
    assert (refused.status_code, refused["Retry-After"]) == (429, "90")
    clock.now += 90
    assert change(PASSWORD).status_code == 422
    assert sign_in(PASSWORD).status_code == 302, "signing in is counted apart"


@pytest.mark.parametrize("name", ["rita", "nobody"])
def test_a_wrong_password_costs_as_much_work_for_a_name_that_nobody_has(researcher, monkeypatch, name):
    """Else the time would tell which accounts there are; counted in hashes, since clocks are not to be relied on."""
    encode, hashed = MD5PasswordHasher.encode, []

    def counted(self, password, salt):
        hashed.append(password)
        return encode(self, password, salt)

    monkeypatch.setattr(MD5PasswordHasher, "encode", counted)
    assert sign_in("wrong", name).status_code == 422
    assert hashed == ["wrong"]


def test_many_guesses_at_once_are_no_more_than_one_after_another(researcher):
    """What is taken before the password is looked at cannot be taken twice."""
    from contextlib import ExitStack

    with ExitStack() as looking:
        for _ in range(10):
            looking.enter_context(passwords.attempt(name="rita", address="198.51.100.1", wrong=ValueError))
        with pytest.raises(passwords.TooManyGuesses), passwords.attempt(name="rita", address="198.51.100.1", wrong=ValueError):
            raise AssertionError("nobody looks")
    assert guess(10) == [422] * 10, "all of them were right"


def test_without_redis_guesses_are_counted_all_the_same(researcher, monkeypatch):
    monkeypatch.setattr(throttle, "server", throttle.Shared("redis://127.0.0.1:1/0"))
    assert guess(11) == [422] * 10 + [429]

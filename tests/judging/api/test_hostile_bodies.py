"""Bodies that are well formed and absurd: half characters, numbers beyond numbers, other alphabets' codes. An answer each."""

from collections import defaultdict

import pytest
from django.core.handlers.wsgi import WSGIRequest
from django.test import RequestFactory

from ireval_site.content_types import with_plain_types
from tests.hostile.sent import Visitor
from tests.routes import LINES

pytestmark = [pytest.mark.django_db, pytest.mark.last_database]

HALF = b'"\\ud800"'


@pytest.fixture
def api(running, researcher):
    """The researcher's browser, and a study of hers that runs."""
    client = Visitor(raise_request_exception=False)
    client.force_login(researcher)
    return client


def post(api, address, body, content_type="application/json"):
    return api.generic("POST", address, body, content_type=content_type)


@pytest.mark.parametrize(
    ("address", "body", "field"),
    [
        ("/api/v1/studies/{0.pk}/settle/", b'{"method": %s}' % HALF, "method"),
        ("/api/v1/studies/{0.pk}/settle/", b"{%s: 1}" % HALF, "detail"),
        ("/api/v1/studies/{0.pk}/settle/", b"[%s]" % HALF, "detail"),
        ("/api/v1/studies/{0.pk}/invites/", b'{"label": "a\\udfff"}', "label"),
        ("/api/v1/collections/", b'{"name": "\\uDC00x"}', "name"),
        ("/api/v1/studies/", b'{"name": "x", "kind": [{"a": [%s]}]}' % HALF, "kind"),
        ("/api/v1/uploads/", b'{"kind": %s}' % HALF, "kind"),
    ],
)
def test_half_a_character_is_refused_by_the_name_of_its_field(api, running, address, body, field):
    answer = post(api, address.format(running), body)
    assert (answer.status_code, "half of a surrogate pair" in str(answer.json()[field])) == (400, True)


KEYS = '{"keys": [{"kty": "RSA", "n": "AQAB", "e": "AQAB", "use": "\\u0000"}]}'


@pytest.mark.parametrize(
    ("method", "address", "body", "field"),
    [
        ("PATCH", "/api/v1/studies/{0.pk}/", b'{"translations": {"it": {"a\\u0000": "b"}}}', "translations"),
        ("PATCH", "/api/v1/studies/{0.pk}/", b'{"translations": {"it": {"a": ["\\u0000"]}}}', "translations"),
        ("PATCH", "/api/v1/studies/{0.pk}/", b'{"tr\\u0000": 1}', "detail"),
        ("POST", "/api/v1/studies/{0.pk}/channels/", b'{"source": "prolific", "keys": %s}' % KEYS.encode(), "keys"),
    ],
)
def test_null_characters_are_refused_by_the_name_of_their_field(api, running, method, address, body, field):
    answer = api.generic(method, address.format(running), body, content_type="application/json")
    assert (answer.status_code, answer.json()[field]) == (400, ["Null characters are not allowed."])


def test_null_characters_in_keys_that_are_pasted_are_refused(api, running):
    answer = api.post(f"/studies/{running.pk}/channels/new/prolific/", {"signed_links": "on", "keys": KEYS})
    assert answer.status_code == 200, "the form, with what is wrong"
    assert not running.channels.exists()


def test_a_whole_character_of_two_halves_is_none(api, running):
    answer = post(api, f"/api/v1/studies/{running.pk}/invites/", b'{"label": "\\ud83e\\udd89 \\\\ud800 \\\\u0000"}')
    assert answer.status_code == 201
    assert answer.json()["label"] == "🦉 \\ud800 \\u0000"


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"[1e999]"])
def test_a_number_beyond_all_numbers_is_refused(api, number):
    answer = post(api, "/api/v1/studies/", b'{"collection": %s, "name": "x"}' % number)
    assert answer.status_code == 400
    assert "too large" in answer.json()["detail"]


@pytest.mark.parametrize("number", ["1e308", "-1e308", "NaN", "Infinity", "-inf", "1e-308", "9" * 400, "3e"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_absurd_money_is_refused(api, running, worker, number, quote):
    body = f'{{"workers": ["w{worker.pk}"], "amount": {quote}{number}{quote}, "reason": "x"}}'
    assert post(api, f"/api/v1/studies/{running.pk}/bonuses/", body).status_code == 400
    body = f'{{"collection": {running.collection_id}, "pay_an_hour": {quote}{number}{quote}}}'
    answer = post(api, "/api/v1/studies/", body)
    assert answer.status_code == 400
    assert answer.json().keys() & {"pay_an_hour", "detail"}


@pytest.fixture
def worker(running, make_worker):
    return make_worker(running)


@pytest.mark.parametrize("number", ["1e308", "nan", "inf", "-1e308", "9" * 400, "٣"])
def test_absurd_money_in_forms_is_refused(api, running, worker, number):
    forms = [
        (f"/studies/{running.pk}/pay/bonuses/", {"workers": [worker.pk], "amount": number, "reason": "x"}),
        (f"/studies/{running.pk}/edit/", {"pay_an_hour": number, "paid": "hour"}),
    ]
    assert [api.post(address, sent).status_code < 500 for address, sent in forms] == [True] * 2
    query = {"source": "prolific", "what": "everything", "reward": number}
    assert api.get(f"/studies/{running.pk}/pay/bonuses.csv", query).status_code < 500
    assert api.get(f"/studies/{running.pk}/launch/", {"paid": "hour", "pay_an_hour": number}).status_code < 500


@pytest.mark.parametrize("charset", ["utf-7", "unicode_escape", "raw_unicode_escape", "hex", "rot13", "utf-16", "cp037", "idna"])
@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded"])
def test_bodies_and_addresses_are_utf_8_whatever_they_say(api, running, charset, kind):
    content_type = f"{kind}; charset={charset}"
    body = b'--x\r\nContent-Disposition: form-data; name="label"\r\n\r\n\\ud800\r\n--x--\r\n'
    for address in (f"/studies/{running.pk}/invites/", f"/api/v1/studies/{running.pk}/invites/"):
        for sent in (body, b"{}", b"label=%5Cud800"):
            assert post(api, address, sent, content_type).status_code < 500
    answer = api.generic("GET", f"/studies/{running.pk}/history/?q=%5Cud800&deed=%5Cud800", content_type=content_type)
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "content_type", ["text/plain; x*=bogus''%41", "a/b; x*=utf-8''%ED%A0%80", "a/b; charset*=hex''%41", "a/b; charset=hex"]
)
def test_django_can_read_every_content_type(content_type):
    """It does so, and the query string with it, where no exception becomes an answer."""
    environ = {**RequestFactory().get("/?q=%41").environ, "CONTENT_TYPE": content_type}
    answer = with_plain_types(lambda environ, start: [WSGIRequest(environ).GET["q"].encode()])
    assert answer(environ, None) == [b"A"]


@pytest.mark.parametrize("method", ["OPTIONS", "HEAD", "PUT", "TRACE", "PROPFIND"])
def test_every_address_of_the_api_answers_every_method(api, running, method):
    paths = sorted({path for _, path, *_ in LINES if path.startswith("/api/")})
    assert len(paths) > 50
    of_ones = defaultdict(lambda: running.pk)
    failed = [
        path for path in paths
        if api.generic(method, path.format_map(of_ones), b"{}", content_type="application/json").status_code >= 500
    ]  # fmt: skip
    assert failed == []

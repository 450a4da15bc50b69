"""Bodies and query strings that no client of ours sends: an answer of 4xx, never of 5xx, and nothing stored."""

import json

import pytest

from judging.models import Collection

ADDRESS = "/api/v1/collections/"
JSON = "application/json"


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"\xff\xfe",
        b'{"name": "\xff"}',
        b'{"name": NaN}',
        b'{"name": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"null",
        b"[]",
        b'"Bees"',
        b"7",
        b'{"name": {"a": 1}}',
        b'{"name": "\\ud83e"}',
        b'{"name": "a\\u0000b"}',
        b'{"name": true}',
    ],
    ids=lambda body: body[:16].decode("latin-1"),
)
def test_json_that_is_none_or_says_nothing(rita, body):
    refused = rita.post(ADDRESS, body, content_type=JSON)
    assert refused.status_code == 400
    assert refused.json()
    assert not Collection.objects.exists()


@pytest.mark.parametrize("charset", ["rot13", "bz2", "base64", "no-such", "utf-16", "idna"])
def test_odd_charsets(rita, charset):
    assert rita.post(ADDRESS, b'{"name": "Bees"}', content_type=f"{JSON}; charset={charset}").status_code in (201, 400)


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "multipart/form-data", "x"]
)
def test_other_content_types(rita, content_type):
    refused = rita.post(ADDRESS, b'{"name": "Bees"}', content_type=content_type)
    assert refused.status_code == 415
    assert refused["Content-Type"] == JSON


def test_a_body_over_the_limit(rita, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1000
    refused = rita.post(ADDRESS, {"name": "Bees", "description": "x" * 1000})
    assert refused.status_code == 413, refused.content


@pytest.mark.parametrize(
    "body", [b"", b"--x\r\n", b"--x--", b'--x\r\nContent-Disposition: form-data; name="file"\r\n\r\n', b"\0" * 99]
)
@pytest.mark.parametrize(
    "content_type", ["multipart/form-data; boundary=x", "multipart/form-data", "multipart/form-data; boundary=\xff"]
)
def test_damaged_multipart(rita, body, content_type):
    refused = rita.post("/api/v1/runs/", body, content_type=content_type)
    assert refused.status_code == 400
    assert refused["Content-Type"] == JSON


def test_too_many_fields(rita):
    form = b"".join(b'--x\r\nContent-Disposition: form-data; name="f%d"\r\n\r\n1\r\n' % n for n in range(1001)) + b"--x--\r\n"
    refused = rita.post("/api/v1/runs/", form, content_type="multipart/form-data; boundary=x")
    assert refused.status_code == 400
    assert refused["Content-Type"] == JSON


NUMBERS = ["\0", "x", "", "-1", "1.5", "9" * 30, "1e400", "NaN", "Infinity", "٣", "1 OR 1=1"]


@pytest.mark.parametrize("value", NUMBERS)
@pytest.mark.parametrize(
    "path", ["runs/?collection=", "qrels/?study=", "qrels/?version=", "studies/?collection=", "uploads/?collection="]
)
def test_numbers_in_query_strings(rita, runs, path, value):
    from urllib.parse import quote

    assert rita.get(f"/api/v1/{path}{quote(value)}").status_code in (200, 400)


@pytest.mark.parametrize("value", ["\0", "%", "_", "\\", "x" * 5000, "é", "'", "%FF", "%ED%A0%BE"])
def test_texts_in_query_strings(rita, study, value):
    from urllib.parse import quote

    sent = value if value.startswith("%E") or value == "%FF" else quote(value)
    here = f"/api/v1/collections/{study.collection_id}"
    for path in (
        f"{here}/documents/?search=",
        f"{here}/topics/?title=",
        f"{here}/topics/?tag=",
        "/api/v1/runs/?name=",
        f"/api/v1/studies/{study.pk}/judgements/?topic=",
    ):
        response = rita.get(path + sent)
        assert response.status_code in (200, 400)
        assert response.status_code == 400 or response.json()["count"] == 0 or value == "_"


@pytest.mark.parametrize("pk", ["9" * 30, "0", "-1", "1.5", "x", "%00", "1%00", "٣"])
@pytest.mark.parametrize("noun", ["collections", "runs", "qrels", "studies", "uploads", "work"])
def test_ids_that_nothing_has(rita, noun, pk):
    assert rita.get(f"/api/v1/{noun}/{pk}/").status_code == 404


def test_other_versions_do_not_exist(rita):
    assert rita.get("/api/v2/collections/").status_code == 404
    assert rita.get("/api/collections/").status_code == 404


def test_methods_that_an_endpoint_lacks(rita, study):
    for verb, path in (
        ("put", "collections/"),
        ("delete", "runs/"),
        ("get", f"studies/{study.pk}/launch/"),
        ("post", "users/me/"),
    ):
        refused = getattr(rita, verb)(f"/api/v1/{path}")
        assert refused.status_code == 405
        assert refused["Content-Type"] == JSON


def test_errors_are_json_with_a_detail(rita):
    assert json.loads(rita.get("/api/v1/runs/1/").content) == {"detail": "No Run matches the given query."}

"""Links that Prolific has signed: checked by its keys, with keys of our own in its place."""

import io
import json
import time
import urllib.error

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core.cache import cache
from django.urls import reverse
from jwt.algorithms import RSAAlgorithm

from judging.errors import BadFields
from judging.models import Arrival
from judging.recruiting import channels, invites, signatures

pytestmark = pytest.mark.django_db


def make_key():
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


KEY, ANOTHER = make_key(), make_key()


def published(*keys):
    return {"keys": [{**RSAAlgorithm.to_jwk(key.public_key(), as_dict=True), "kid": name} for name, key in keys]}


KEYS = published(("k1", KEY))


@pytest.fixture(autouse=True)
def nothing_fetched_before():
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def channel(running, researcher):
    return channels.add_channel(running, by=researcher, source="prolific", signed_links=True, keys=KEYS)


def token(key=KEY, *, algorithm="RS256", kid="k1", **extra):
    claims = {"sub": "s1", "exp": time.time() + 120, "iat": time.time(), "iss": "https://www.prolific.com", **extra}
    claims = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid} if kid else None)


def arrive(client, channel, *tokens, participant="p1"):
    address = reverse("follow_channel", args=[invites.token_of(channel)])
    parameters = [
        ("PROLIFIC_PID", participant),
        ("STUDY_ID", "st1"),
        ("SESSION_ID", "s1"),
        *(("prolific_token", t) for t in tokens),
    ]
    return client.get(address + "?" + "&".join(f"{name}={value}" for name, value in parameters), follow=True)


def let_in(answer):
    return answer.status_code == 200 and "I do not consent" in answer.content.decode()


def test_a_signed_link_is_let_in(client, channel):
    assert let_in(arrive(client, channel, token()))
    assert let_in(arrive(client, channel, token(kid=None))), "there is only one key that it can mean"


def test_the_token_does_not_stay_in_the_address(client, channel):
    answer = arrive(client, channel, token())
    assert [address for address, _ in answer.redirect_chain] == ["/arrive/"]


def without_signature():
    return jwt.encode({"sub": "s1", "exp": time.time() + 120}, None, algorithm="none", headers={"kid": "k1"})


def signed_by_the_public_key():
    """The old confusion: the key that everybody knows, used as a shared secret."""
    import base64
    import hashlib
    import hmac

    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    secret = KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    parts = [{"alg": "HS256", "typ": "JWT", "kid": "k1"}, {"sub": "s1", "exp": time.time() + 120}]
    text = b".".join(base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in parts)
    signature = base64.urlsafe_b64encode(hmac.new(secret, text, hashlib.sha256).digest()).rstrip(b"=")
    return (text + b"." + signature).decode()


FORGED = {
    "none at all": list,
    "two": lambda: [token(), token()],
    "empty": lambda: [""],
    "no token": lambda: ["abc"],
    "of three parts that say nothing": lambda: ["a.b.c"],
    "endless": lambda: ["a" * 9000],
    "expired": lambda: [token(exp=time.time() - 60)],
    "without an end": lambda: [token(exp=None)],
    "of the future": lambda: [token(nbf=time.time() + 600)],
    "of another submission": lambda: [token(sub="s2")],
    "of nobody": lambda: [token(sub=None)],
    "by another key": lambda: [token(ANOTHER)],
    "by an unknown key": lambda: [token(ANOTHER, kid="k2")],
    "by no key": lambda: [without_signature()],
    "by a shared secret": lambda: [signed_by_the_public_key()],
    "by another algorithm": lambda: [token(algorithm="RS512")],
    "with another participant": lambda: [token(prolific={"PROLIFIC_PID": "p2"})],
}


@pytest.mark.parametrize("kind", FORGED)
def test_a_link_that_is_not_signed_for_this_submission_is_refused(client, channel, kind):
    answer = arrive(client, channel, *FORGED[kind]())
    assert answer.status_code == 403
    assert "not valid any more" in answer.content.decode()
    assert "arrival" not in client.cookies and not Arrival.objects.exists()


def test_a_tampered_token_is_refused(client, channel):
    head, _, tail = token().rpartition(".")
    assert arrive(client, channel, f"{head}.{tail[:-4]}AAAA").status_code == 403


@pytest.mark.parametrize(
    ("audience", "status"),
    [
        ("https://judge.example/arrive/x", 200),
        ("judge.example", 200),
        (["a.example", "judge.example"], 200),
        ("a.example", 403),
        ("https://[", 403),
    ],
)
def test_a_token_for_another_site_does_not_open_this_one(client, channel, settings, audience, status):
    settings.PUBLIC_URL = "https://judge.example"
    settings.ALLOWED_HOSTS = ["*"]
    assert arrive(client, channel, token(aud=audience)).status_code == status


def test_links_need_no_signature_unless_the_channel_asks_for_it(client, channel):
    channels.change_channel(channel, signed_links=False)
    assert let_in(arrive(client, channel))


class Fetched:
    """Stands for the network: what is published there, and how often it was asked for."""

    def __init__(self, monkeypatch, content):
        self.content, self.asked = content, []
        monkeypatch.setattr(signatures.urllib.request, "urlopen", self)

    def __call__(self, address, timeout):
        self.asked.append(address)
        if isinstance(self.content, Exception):
            raise self.content
        return io.BytesIO(self.content if isinstance(self.content, bytes) else json.dumps(self.content).encode())


@pytest.fixture
def unpasted(channel):
    return channels.change_channel(channel, keys=None)


def test_published_keys_are_fetched_once(client, unpasted, monkeypatch):
    network = Fetched(monkeypatch, KEYS)
    for _ in range(3):
        assert let_in(arrive(client, unpasted, token()))
    assert network.asked == ["https://api.prolific.com/.well-known/study/jwks.json"]


def test_pasted_keys_need_no_network(client, channel, monkeypatch):
    network = Fetched(monkeypatch, OSError("no network"))
    assert let_in(arrive(client, channel, token()))
    assert network.asked == []


@pytest.mark.parametrize("content", [urllib.error.URLError("no network"), TimeoutError(), b"<html>", b"[]", b"\xff"])
def test_without_the_keys_nobody_is_let_in_and_nobody_waits_twice(client, unpasted, monkeypatch, content):
    network = Fetched(monkeypatch, content)
    for _ in range(2):
        answer = arrive(client, unpasted, token())
        assert answer.status_code == 503
        assert "cannot be checked right now" in answer.content.decode()
    assert len(network.asked) == 1


def test_a_new_key_is_fetched_and_a_forged_name_does_not_ask_again_and_again(client, unpasted, monkeypatch):
    network = Fetched(monkeypatch, KEYS)
    assert let_in(arrive(client, unpasted, token()))
    cache.delete("prolific-keys-asked")  # a minute later
    network.content = published(("k1", KEY), ("k2", ANOTHER))
    assert let_in(arrive(client, unpasted, token(ANOTHER, kid="k2")))
    for _ in range(3):
        assert arrive(client, unpasted, token(ANOTHER, kid="k3")).status_code == 403
    assert len(network.asked) == 2


def test_known_keys_outlive_a_failure_to_fetch_new_ones(client, unpasted, monkeypatch):
    network = Fetched(monkeypatch, KEYS)
    arrive(client, unpasted, token())
    cache.delete("prolific-keys-asked")
    network.content = OSError("no network")
    assert arrive(client, unpasted, token(ANOTHER, kid="k9")).status_code == 403
    assert let_in(arrive(client, unpasted, token()))


@pytest.mark.parametrize("keys", [[], {}, {"keys": []}, {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}, {"keys": 3}, "x", 1])
def test_keys_that_check_nothing_are_refused_when_they_are_pasted(keys):
    with pytest.raises(BadFields, match="JWKS"):
        signatures.refuse_bad_keys(keys)
    signatures.refuse_bad_keys(KEYS)

"""Whom a request comes from: what proxies say, and nobody else."""

from ipaddress import ip_network

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import RequestFactory

from ireval_site import addresses, environment
from ireval_site.addresses import client_address, sender

PROXY, INNER, CLIENT = "10.0.0.2", "192.168.7.1", "198.51.100.1"


@pytest.fixture(autouse=True)
def two_proxies(settings):
    settings.TRUSTED_PROXIES = [ip_network("10.0.0.2"), ip_network("192.168.0.0/16"), ip_network("2001:db8:1::/64")]


def request(forwarded="", direct=PROXY):
    return RequestFactory().get("/", REMOTE_ADDR=direct, HTTP_X_FORWARDED_FOR=forwarded)


@pytest.mark.parametrize(
    ("direct", "forwarded", "address"),
    [
        (PROXY, CLIENT, CLIENT),
        (PROXY, f"203.0.113.9, {CLIENT}", CLIENT),  # the client's own claim stands before
        (PROXY, f"{CLIENT}, {INNER}", CLIENT),  # two proxies
        (PROXY, f"203.0.113.9, {CLIENT}, {INNER}, {INNER}", CLIENT),
        (INNER, f"{CLIENT},{PROXY}", CLIENT),
        (PROXY, "192.168.7.8, 192.168.7.9", "192.168.7.8"),  # nobody but proxies: the first of them asks
        (PROXY, "", PROXY),
        (PROXY, f"{CLIENT}, unknown", PROXY),
        (PROXY, f"unknown, {CLIENT}", CLIENT),
        (PROXY, "2001:db8::1", "2001:db8::1"),
        (PROXY, "fe80::1%eth0", "fe80::1"),
        (PROXY, f"{CLIENT}:4711", CLIENT),
        (PROXY, "[2001:db8::1]:4711", "2001:db8::1"),
        (f"::ffff:{PROXY}", f"::ffff:{CLIENT}", CLIENT),
        ("2001:db8:1::7", CLIENT, CLIENT),
        (CLIENT, "203.0.113.9", CLIENT),  # whoever comes directly is believed nothing
        (CLIENT, PROXY, CLIENT),
        ("", CLIENT, ""),
    ],
)
def test_the_client_is_the_last_who_is_no_trusted_proxy(direct, forwarded, address):
    assert client_address(request(forwarded, direct)) == address


@pytest.mark.parametrize("public", ["", "http://ireval.example", "https://ireval.example"])
def test_where_no_proxy_is_named_the_header_is_never_believed(settings, public):
    settings.TRUSTED_PROXIES, settings.PUBLIC_URL = [], public
    assert client_address(request(CLIENT, "127.0.0.1")) == "127.0.0.1"


def test_limits_count_a_network_of_ipv6_as_one_and_each_address_of_ipv4():
    assert sender(request("2001:db8::1")) == sender(request("2001:db8::ffff:1")) == "2001:db8::/64"
    assert sender(request("2001:db8:0:1::1")) != sender(request("2001:db8::1"))
    assert sender(request(CLIENT)) == CLIENT


@pytest.fixture
def behind_tls(settings):
    settings.PUBLIC_URL = "https://ireval.example"
    settings.ALLOWED_HOSTS = ["ireval.example"]
    settings.SECURE_SSL_REDIRECT = True
    settings.SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    addresses.mention.cache_clear()


def test_only_a_trusted_proxy_says_that_a_request_came_by_https(client, db, behind_tls, caplog):
    sent = {"HTTP_HOST": "ireval.example", "HTTP_X_FORWARDED_PROTO": "https"}
    assert client.get("/login/", REMOTE_ADDR=PROXY, **sent).status_code == 200
    assert not caplog.messages
    for _ in range(3):
        assert client.get("/login/", REMOTE_ADDR="198.51.100.9", **sent).status_code == 301
    assert [message for message in caplog.messages if "IREVAL_TRUSTED_PROXIES" in message and "198.51.100.9" in message]
    assert len(caplog.messages) == 1, "said once"


@pytest.mark.parametrize(
    ("written", "networks"),
    [
        ("", []),
        ("10.0.0.2", ["10.0.0.2/32"]),
        (" 10.0.0.2 , 172.16.0.0/12,2001:db8::/32 ,", ["10.0.0.2/32", "172.16.0.0/12", "2001:db8::/32"]),
    ],
)
def test_networks_are_read_from_the_environment(monkeypatch, written, networks):
    monkeypatch.setenv("IREVAL_TRUSTED_PROXIES", written)
    assert list(map(str, environment.networks("IREVAL_TRUSTED_PROXIES"))) == networks


@pytest.mark.parametrize("written", ["proxy.example", "10.0.0.1/8", "10.0.0.2 10.0.0.3", "*"])
def test_what_is_no_network_says_what_is_one(monkeypatch, written):
    monkeypatch.setenv("IREVAL_TRUSTED_PROXIES", f"10.0.0.2,{written}")
    with pytest.raises(ImproperlyConfigured, match=r"IREVAL_TRUSTED_PROXIES.*such as 10\.0\.0\.2,172\.16\.0\.0/12"):
        environment.networks("IREVAL_TRUSTED_PROXIES")

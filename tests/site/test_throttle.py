"""Limits that all processes share, through Redis while it is there."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from ireval_site import throttle
from ireval_site.laptop import broker
from ireval_site.throttle import Limit, Own, Shared, give_back, take
from tests import servers
from tests.conftest import absent

pytestmark = pytest.mark.database  # no database, but the broker beside it: on a socket or a port
THREE = Limit("three", most=3, seconds=30)


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(throttle, "own", Own(clock=clock))
    return clock


@pytest.fixture(scope="module")
def address():
    try:
        with servers.valkey() as url:
            yield url
    except broker.NoBroker as problem:
        absent("redis", str(problem))


@pytest.fixture(scope="module")
def older_address(redis_server):
    with servers.valkey(program=redis_server) as url:
        yield url


@pytest.fixture
def shared(address, monkeypatch):
    """Redis, empty, asked by this process."""
    return emptied(address, monkeypatch)


@pytest.fixture
def older(older_address, monkeypatch):
    return emptied(older_address, monkeypatch)


def emptied(address, monkeypatch):
    shared = Shared(address)
    shared.script.registered_client.flushall()
    monkeypatch.setattr(throttle, "server", shared)
    return shared


@pytest.fixture(params=["own", "shared", "older"])
def counting(request):
    """Both ways of counting answer alike, whichever Redis."""
    return request.getfixturevalue({"own": "clock"}.get(request.param, request.param))


def test_as_many_as_there_are_and_then_the_time_until_the_next(counting):
    assert [take(THREE.of("rita")) for _ in range(3)] == [0, 0, 0]
    assert take(THREE.of("rita")) == pytest.approx(10, abs=0.5)
    assert take(THREE.of("sid")) == 0, "another one's bucket"


def test_a_bucket_fills_up_again(clock):
    assert [take(THREE.of("rita")) > 0 for _ in range(4)] == [False, False, False, True]
    clock.now += 10
    assert [take(THREE.of("rita")) > 0 for _ in range(2)] == [False, True]
    clock.now += 1000
    assert [take(THREE.of("rita")) > 0 for _ in range(4)] == [False, False, False, True]


def test_a_bucket_on_redis_fills_up_again_and_leaves_nothing(shared):
    quick = Limit("quick", most=2, seconds=2)
    assert [take(quick.of("rita")) > 0 for _ in range(3)] == [False, False, True]
    time.sleep(1.1)
    assert take(quick.of("rita")) == 0
    time.sleep(2.1)
    assert not shared.script.registered_client.exists(quick.of("rita").key)


def test_all_or_none(counting):
    full, empty = THREE.of("full"), THREE.of("empty")
    take(empty, cost=3)
    assert take(full, empty) > 0
    assert take(full, cost=3) == 0


def test_what_is_given_back_can_be_taken_again_and_no_more(counting):
    take(THREE.of("rita"), cost=3)
    give_back(THREE.of("rita"))
    assert take(THREE.of("rita")) == 0
    assert take(THREE.of("rita")) > 0
    give_back(THREE.of("sid"), cost=100)
    assert [take(THREE.of("sid")) > 0 for _ in range(4)] == [False, False, False, True]


def test_what_costs_more_than_a_bucket_holds_is_paid_for_afterwards(counting):
    assert take(THREE.of("rita"), cost=6) == 0
    assert take(THREE.of("rita")) == pytest.approx(40, abs=0.5)


@pytest.mark.parametrize("stored", ["{full:.6f} {now:.6f}", "{soon:.6f}"])  # an hour ahead; as versions before wrote it
def test_a_clock_that_was_put_back_keeps_nobody_out(shared, stored):
    client = shared.script.registered_client
    seconds, micros = client.time()
    now = seconds + micros / 1e6 + 3600
    client.set(THREE.of("rita").key, stored.format(full=now + 20, now=now, soon=now - 3600 + 20))
    assert take(THREE.of("rita")) == 0, "two of three were taken"
    assert take(THREE.of("rita")) == pytest.approx(20 + 10 + 10 - 30, abs=0.5)


def test_redis_holds_no_names_and_no_addresses(shared):
    take(THREE.of("rita", "198.51.100.7"))
    (key,) = shared.script.registered_client.keys("throttle:*")
    assert key.startswith(b"throttle:")
    assert b"rita" not in key
    assert b"198.51" not in key
    assert len(key) == len("throttle:") + 32


def test_many_at_once_take_no_more_than_there_is(shared):
    twenty = Limit("twenty", most=20, seconds=3600)
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda _: take(twenty.of("rita")), range(200)))
    assert waits.count(0) == 20


def test_two_processes_share_a_bucket(shared, address):
    take(THREE.of("rita"), cost=3)
    assert Shared(address).take([THREE.of("rita")], 1) > 0


@pytest.mark.parametrize("url", ["redis://127.0.0.1:1/0", "unix:///nowhere/valkey.sock", "redis+socket:///nowhere/valkey.sock"])
def test_without_redis_a_process_counts_for_itself(monkeypatch, clock, caplog, url):
    monkeypatch.setattr(throttle, "server", Shared(url))
    assert [take(THREE.of("rita")) > 0 for _ in range(4)] == [False, False, False, True]
    warnings = [message for message in caplog.messages if "Redis does not answer, so each process counts for itself" in message]
    assert len(warnings) == 1, "it is not asked again for some seconds"


def test_a_redis_that_takes_its_time_delays_nobody_for_long(monkeypatch, clock):
    import socket

    with socket.create_server(("127.0.0.1", 0)) as deaf:
        monkeypatch.setattr(throttle, "server", Shared(f"redis://127.0.0.1:{deaf.getsockname()[1]}/0"))
        begun = time.monotonic()
        for _ in range(20):
            take(THREE.of("rita"))
        assert time.monotonic() - begun < 1.5


def test_redis_is_used_again_when_it_is_back(monkeypatch, shared, clock):
    shared.lost(redis.ConnectionError("gone"))
    take(THREE.of("rita"), cost=3)
    monkeypatch.setattr(shared, "away_until", 0.0)
    assert take(THREE.of("rita")) == 0


def test_redis_forgets_the_script_when_it_is_started_again(shared):
    take(THREE.of("rita"))
    shared.script.registered_client.script_flush()
    assert take(THREE.of("rita")) == 0
    assert shared.is_there()


def test_a_redis_that_refuses_to_write_keeps_nobody_out(shared, clock, caplog):
    client = shared.script.registered_client
    client.config_set("maxmemory", 1)
    try:
        assert take(THREE.of("rita")) == 0
        assert not shared.is_there()
        assert [words for words in caplog.messages if words.startswith("Redis refuses, so each process counts for itself: ")]
    finally:
        client.config_set("maxmemory", 0)


@pytest.mark.parametrize("url", ["", "sentinel://127.0.0.1:26379"])
def test_what_only_celery_understands_is_no_error(url):
    assert throttle.connected(url) is None


def test_one_process_remembers_only_so_many():
    own = Own(most=2)
    for name in ("a", "b", "c"):
        own.take([THREE.of(name)], 3)
    assert own.take([THREE.of("a")], 1) == 0
    assert own.take([THREE.of("c")], 1) > 0

"""Limits on how often somebody may do something: buckets that fill up again, shared by all processes through Redis.

The buckets are our own: a request takes from several of them at once or from none, in one round trip. Libraries for limits count
one limit a call. Three limits would be three round trips, and the first two would be used up where the third refuses.

Redis may be lost at any moment. Then each process counts for itself and looks again after a few seconds. Limits become looser by
the number of processes; nobody is kept out and nothing fails.
"""

import hashlib
import hmac
import logging
import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry

log = logging.getLogger(__name__)

TIMEOUT = 0.2  # seconds that a request waits for Redis
AWAY = 5.0  # seconds without asking Redis after it did not answer
REMEMBERED = 100_000  # buckets of one process
LEAST = 0.000001  # seconds; less is an error of rounding
# It is there, but full, read-only or being loaded, or takes the password or the command from nobody like us.
REFUSALS = (redis.ResponseError, redis.AuthenticationError, redis.BusyLoadingError)

# A bucket is stored as two moments: when it will be full again, and when it was stored. If the latter lies ahead, the clock was
# put back since. All buckets are taken from, or none; the longest wait is returned. A cost above what a bucket holds is let
# through when it is full, and paid for afterwards.
SCRIPT = """
local clock = redis.call('TIME')
local now = clock[1] + clock[2] / 1000000
local cost, wait, full = tonumber(ARGV[1]), 0, {}
for place, key in ipairs(KEYS) do
  local most, seconds = tonumber(ARGV[2 * place]), tonumber(ARGV[2 * place + 1])
  local filled, stored = string.match(redis.call('GET', key) or '0 0', '(%S+) ?(%S*)')
  local ahead = math.max((tonumber(stored) or 0) - now, 0)
  local from = math.max(tonumber(filled) - ahead, now)
  wait = math.max(wait, from + math.min(cost, most) * seconds / most - now - seconds)
  full[place] = from + cost * seconds / most
end
if wait > 0.000001 then return string.format('%.6f', wait) end
for place, key in ipairs(KEYS) do
  if full[place] > now then
    redis.call('SET', key, string.format('%.6f %.6f', full[place], now), 'PX', math.ceil((full[place] - now) * 1000))
  else
    redis.call('DEL', key)
  end
end
return '0'
"""


class Bucket(NamedTuple):
    """How often one person, address or key may still act. The key is a keyed hash: Redis holds no names and no addresses."""

    key: str
    most: float
    seconds: float

    @property
    def pace(self) -> float:
        """The seconds in which one action comes back."""
        return self.seconds / self.most


class Limit(NamedTuple):
    """A limit of `most` actions at once, and as many again in `seconds`, for each of those it counts."""

    name: str
    most: float
    seconds: float

    def of(self, *who: object) -> Bucket:
        """The bucket of the one whom the words name."""
        words = "\0".join(map(str, (self.name, *who))).encode(errors="surrogatepass")
        digest = hmac.digest(settings.SECRET_KEY.encode(), b"throttle:" + words, hashlib.sha256)
        return Bucket(f"throttle:{digest[:16].hex()}", self.most, self.seconds)


def take(*buckets: Bucket, cost: float = 1) -> float:
    """Take from all of the buckets or, where one has too little, from none. Returns 0, or the seconds to wait."""
    if server and server.is_there():
        try:
            return server.take(buckets, cost)
        except (redis.RedisError, OSError) as error:
            server.lost(error)
    return own.take(buckets, cost)


def give_back(*buckets: Bucket, cost: float = 1) -> None:
    """Put back what was taken needlessly."""
    take(*buckets, cost=-cost)


def retry_after(wait: float) -> str:
    """The wait in whole seconds for the header Retry-After.

    >>> retry_after(0.2), retry_after(90)
    ('1', '90')
    """
    return str(max(1, math.ceil(wait)))


class Shared:
    """Buckets on Redis: looking and taking are one round trip that nothing can interrupt."""

    def __init__(self, url: str):
        # Celery and the client write the address of a socket differently.
        url = url.replace("redis+socket://", "unix://", 1).replace("virtual_host=", "db=")
        client = redis.Redis.from_url(
            url, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT, retry=Retry(NoBackoff(), 1)
        )  # one retry, since a connection may be left of a Redis that was started again
        self.script = client.register_script(SCRIPT)
        self.away_until = -math.inf

    def is_there(self) -> bool:
        return time.monotonic() >= self.away_until

    def take(self, buckets: Sequence[Bucket], cost: float) -> float:
        sizes = [size for bucket in buckets for size in (bucket.most, bucket.seconds)]
        return float(self.script(keys=[bucket.key for bucket in buckets], args=[cost, *sizes]))

    def lost(self, error: Exception) -> None:
        self.away_until = time.monotonic() + AWAY
        what = "refuses" if isinstance(error, REFUSALS) else "does not answer"
        log.warning("Redis %s, so each process counts for itself: %s", what, error)


class Own:
    """The same buckets in this process alone; the least recently used are dropped."""

    def __init__(self, *, most: int = REMEMBERED, clock: Callable[[], float] = time.monotonic):
        self.most, self.clock = most, clock
        self.full: OrderedDict[str, float] = OrderedDict()
        self.lock = threading.Lock()

    def take(self, buckets: Sequence[Bucket], cost: float) -> float:
        with self.lock:
            now = self.clock()
            starts = [max(self.full.get(bucket.key, now), now) for bucket in buckets]
            wait = max(
                start + min(cost, bucket.most) * bucket.pace - now - bucket.seconds
                for bucket, start in zip(buckets, starts, strict=True)
            )
            if wait > LEAST:
                return wait
            for bucket, start in zip(buckets, starts, strict=True):
                self.full[bucket.key] = start + cost * bucket.pace
                self.full.move_to_end(bucket.key)
            while len(self.full) > self.most:
                self.full.popitem(last=False)
            return 0.0


def connected(url: str) -> Shared | None:
    """The buckets at a REDIS_URL; None without one, or if only Celery understands it."""
    try:
        return Shared(url) if url else None
    except ValueError as error:
        log.warning("REDIS_URL cannot be used for limits, so each process counts for itself: %s", error)
        return None


server = connected(settings.REDIS_URL)
own = Own()

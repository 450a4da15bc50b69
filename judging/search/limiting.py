"""How fast one address may search: nobody should fill a site's log by holding down a key. Nothing of it is stored."""

import threading
import time
from collections import OrderedDict

A_SECOND = 5.0
AT_ONCE = 20.0
ADDRESSES = 10_000


class Limit:
    """A bucket an address that fills up by so many a second; the addresses seen longest ago are forgotten.

    >>> limit = Limit(a_second=1, at_once=2)
    >>> [limit.allows("1.2.3.4", now) for now in (0, 0, 0, 1, 1)]
    [True, True, False, True, False]
    """

    def __init__(self, a_second: float = A_SECOND, at_once: float = AT_ONCE, addresses: int = ADDRESSES):
        self.a_second, self.at_once, self.addresses = a_second, at_once, addresses
        self.left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self.lock = threading.Lock()

    def allows(self, address: str, now: float | None = None) -> bool:
        now = time.monotonic() if now is None else now
        with self.lock:
            left, before = self.left.pop(address, (self.at_once, now))
            left = min(self.at_once, left + (now - before) * self.a_second)
            allowed = left >= 1
            self.left[address] = left - allowed, now
            if len(self.left) > self.addresses:
                self.left.popitem(last=False)
            return allowed


searches = Limit()

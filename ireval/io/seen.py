"""Which ids a file has had, and on which line, in some 30 bytes an id: a dictionary takes 150, gigabytes for a large corpus."""

from array import array
from collections.abc import Hashable

WORD = 2**64 - 1


class Seen:
    """The line on which each id was seen first: a hash table in two arrays, probed one place after the other.

    An id is kept as Python's own 64-bit hash of it, keyed anew in each process, so that no file can be made to collide;
    that two of ten million ids share one by chance happens in one of 370,000 such files.

    >>> seen = Seen()
    >>> seen.first_line("d1", 7), seen.first_line("d1", 9)
    (0, 7)
    """

    def __init__(self, size: int = 1024):
        self.hashes, self.lines = array("Q", bytes(8 * size)), array("Q", bytes(8 * size))
        self.count = 0

    def first_line(self, identifier: Hashable, line: int) -> int:
        """The line on which the id was seen first, or 0 when it is new."""
        wanted = hash(identifier) & WORD or 1  # 0 is an empty place
        place = self.place_of(wanted)
        if self.hashes[place]:
            return self.lines[place]
        self.hashes[place], self.lines[place] = wanted, line
        self.count += 1
        if 3 * self.count > 2 * len(self.hashes):
            self.grow()
        return 0

    def place_of(self, wanted: int) -> int:
        last = len(self.hashes) - 1
        place = wanted & last
        while self.hashes[place] not in (0, wanted):
            place = (place + 1) & last
        return place

    def grow(self) -> None:
        hashes, lines = self.hashes, self.lines
        self.hashes, self.lines = array("Q", bytes(16 * len(hashes))), array("Q", bytes(16 * len(hashes)))
        for known, line in zip(hashes, lines, strict=True):
            if known:
                place = self.place_of(known)
                self.hashes[place], self.lines[place] = known, line

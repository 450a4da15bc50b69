"""Which rows of a run are judged documents: found by hashes of their ids, told from chance by the ids themselves."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.io.columns import hashes_of

KEY = ["topic", "docno"]
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
BITS = 63  # of a hash; the last one is dropped, so that no hash is as large as END
ONE = np.uint64(1)
END = np.uint64(2**64 - 1)


class Lookup:
    """The documents of a frame with topic and docno, each of them once, sorted by their hashes.

    A directory of the hashes' first bits says where to begin to look, which nearly always is where the document is. A hundred
    runs are looked up in the same qrels, and one of millions of rows piece by piece, so all this is made once.
    """

    def __init__(self, documents: pl.DataFrame):
        self.ids = documents.select(KEY)
        hashes = hashes_of(self.ids, KEY) >> ONE
        bits = len(hashes).bit_length() + 2
        self.order = np.argsort(hashes)
        self.hashes = np.append(hashes[self.order], END)
        self.shift = BITS - bits
        self.starts = np.searchsorted(self.hashes, np.arange(2**bits, dtype=np.uint64) << self.shift)

    def find(self, frame: pl.DataFrame) -> tuple[Places, Places]:
        """Which rows of `frame` (topic, docno) are among the documents, in any order, and which document each of them is.

        Raises TypeError for ids that are no text: numbers would not be found.

        >>> documents = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["a", "b", "a"]})
        >>> rows, places = Lookup(documents).find(pl.DataFrame({"topic": ["2", "2"], "docno": ["b", "a"]}))
        >>> rows.tolist(), places.tolist()
        ([1], [2])
        """
        for column in KEY:
            if frame.schema[column] != pl.String:
                raise TypeError(f"{column} is of type {frame.schema[column]}; expected text")
        rows, places = self.find_hashes(hashes_of(frame, KEY) >> ONE)
        if frame.select(KEY)[rows].equals(self.ids[places]):
            return rows, places
        return self.find_ids(frame)

    def find_hashes(self, wanted: Hashes) -> tuple[Places, Places]:
        at = self.starts[(wanted >> self.shift).view(np.int64)]
        here = self.hashes[at]
        further = np.flatnonzero(here < wanted)
        while len(further):
            at[further] += 1
            here[further] = self.hashes[at[further]]
            further = further[here[further] < wanted[further]]
        rows = np.flatnonzero(here == wanted)
        return rows, self.order[at[rows]]

    def find_ids(self, frame: pl.DataFrame) -> tuple[Places, Places]:
        """The same without hashes, for the day on which two documents share one."""
        found = frame.select(KEY).with_row_index("row").join(self.ids.with_row_index("place"), on=KEY)
        return found["row"].to_numpy().astype(np.int64), found["place"].to_numpy().astype(np.int64)

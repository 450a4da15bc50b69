"""An index of judged documents, which finds them in a run by hashes of their ids and then compares the ids."""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.io.columns import hashes_of
from ireval.io.files import BadInput

KEY = ["topic", "docno"]
Hashes = NDArray[np.uint64]
Places = NDArray[np.int64]
BITS = 63  # of a hash; the last bit is dropped, so that no hash equals END
DROPPED_BITS = np.uint64(1)
END = np.uint64(2**64 - 1)


class Lookup:
    """The documents of a frame with topic and docno, each once, sorted by their hashes.

    A directory of the hashes' first bits says where to begin the search, which nearly always is the document's place. It is built
    once for many runs, and for the portions of a long one.
    """

    def __init__(self, documents: pl.DataFrame):
        self.ids = documents.select(KEY)
        hashes = hashes_of(self.ids, KEY) >> DROPPED_BITS
        bits = len(hashes).bit_length() + 2
        self.order = np.argsort(hashes)
        self.hashes = np.append(hashes[self.order], END)
        self.shift = BITS - bits
        self.starts = np.searchsorted(self.hashes, np.arange(2**bits, dtype=np.uint64) << self.shift)

    def find(self, frame: pl.DataFrame) -> tuple[Places, Places]:
        """The rows of `frame` (topic, docno) that are among the documents, in any order, and the place of each document.

        Raises BadInput for ids that are no text, since numbers would not be found.

        >>> documents = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["a", "b", "a"]})
        >>> rows, places = Lookup(documents).find(pl.DataFrame({"topic": ["2", "2"], "docno": ["b", "a"]}))
        >>> rows.tolist(), places.tolist()
        ([1], [2])
        """
        for column in KEY:
            if frame.schema[column] != pl.String:
                raise BadInput(f"{column} is of type {frame.schema[column]}; expected text")
        rows, places = self.find_hashes(hashes_of(frame, KEY) >> DROPPED_BITS)
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
        """As `find`, but without hashes, for the case that two documents share one."""
        joined = frame.select(KEY).with_row_index("row").join(self.ids.with_row_index("place"), on=KEY)
        return joined["row"].to_numpy().astype(np.int64), joined["place"].to_numpy().astype(np.int64)

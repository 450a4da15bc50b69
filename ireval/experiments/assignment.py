"""Assignment of units to arms by a hash: always the same, with nothing to store."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from hashlib import blake2b
from itertools import accumulate

from ireval.experiments.observations import BadExperiment
from ireval.io.arguments import as_numbers, require_type

# This byte never occurs in UTF-8, so no other salt and unit make the same bytes.
BETWEEN = b"\xff"
# As many bits as a double holds.
BITS = 53


def place(unit: str, salt: str) -> float:
    """The place of a unit in [0, 1): the first 53 bits of BLAKE2b-512 of salt, byte FF and unit, in UTF-8, / 2⁵³.

    Uniform, and independent between salts. Units are text: "1" and "01" differ. A share of the traffic is the units with place <
    share; when it grows, units stay in. Experiments that exclude each other own stretches of [0, 1) for a common salt; the arm
    of a unit needs another salt. BadExperiment for text that UTF-8 cannot hold (half of a surrogate pair).
    Source: Aumasson et al., BLAKE2, RFC 7693.

    >>> round(place("ann", "new ranking"), 6)
    0.145859
    """
    for name, value in (("unit", unit), ("salt", salt)):
        require_type(name, value, str, "text", BadExperiment)
    try:
        digest = blake2b(salt.encode() + BETWEEN + unit.encode()).digest()
    except UnicodeEncodeError as error:
        raise BadExperiment(f"{error.object[:50]!r} has half of a character; expected text that UTF-8 can hold") from error
    return (int.from_bytes(digest[:8], "big") >> (64 - BITS)) / 2**BITS


def assign(unit: str, salt: str, weights: Sequence[float]) -> int:
    """The arm of a unit: the first whose cumulated weight, over the sum of all, is above the unit's place.

    `weights` (A,) may have any sum; an arm with weight 0 gets no unit. BadExperiment without weights, for weights below 0 or not
    finite, and if all are 0.

    >>> assign("ann", "new ranking", [0.5, 0.5]), assign("ann", "new ranking", [1, 2, 7])
    (0, 1)
    """
    parts = as_numbers("weights", weights, BadExperiment).ravel().tolist()
    cumulated = list(accumulate(parts))
    if not cumulated or not min(parts) >= 0 or not 0 < cumulated[-1] < math.inf:
        raise BadExperiment(f"weights are {list(weights)}; expected numbers from 0, one of them above 0")
    # Divided, the last is 1 exactly, and every place is below 1.
    return bisect_right([weight / cumulated[-1] for weight in cumulated], place(unit, salt))

"""Types of arrays, and the one division that measures need: by the number of relevant documents, which may be none."""

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def share(part: NDArray, whole: NDArray) -> Floats:
    """Divide part by whole, topic by topic; 0 where the whole is nothing.

    >>> share(np.array([1, 0]), np.array([2, 0])).tolist()
    [0.5, 0.0]
    """
    return np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0)

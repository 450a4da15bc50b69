"""How attentive workers are: how far their votes follow what the votes of all say of the same lists."""

from typing import NamedTuple

import numpy as np

from ireval.aggregation import default_method, ordinal
from ireval.arrays import Floats
from ireval.io.frames import TableSource
from ireval.labels import Labels
from ireval.preferences.habits import PREFERRED, labels_of_points
from ireval.preferences.vote_files import as_votes
from ireval.preferences.votes import Votes

# Points of the first system of a pair for the labels second, tie and first.
POINTS_OF_LABEL = np.array([0.0, 0.5, 1.0])


class Attention(NamedTuple):
    """Each worker's attention, (W,), from 1 for who always votes for the better system down to 0 for who guesses or does worse.

    1 for everybody where `undefined` says why it cannot be told.
    """

    worker: Floats
    undefined: str = ""


def attention(votes: Votes | TableSource) -> Attention:
    """How much likelier a worker prefers a system where it is the better one than where it is the worse one (Youden's J).

    What is better on an item is not known. The ordinal model estimates it, together with a table of each worker, from who agrees
    with whom. Workers with few votes are drawn towards the crowd. Attention below 0 is 0. Undefined where fewer than half of the
    pairs of lists have two votes.
    Sources: `ordinal`; Youden, Index for rating diagnostic tests, Cancer 3, 1950. That a worker's quality should weigh their
    votes: Chen, Bennett, Collins-Thompson and Horvitz, Pairwise ranking aggregation in a crowdsourced setting, WSDM 2013.

    >>> from ireval.preferences.votes import small
    >>> attention(small()).worker.round(1).tolist()
    [0.6, 0.9]
    """
    votes = as_votes(votes)
    code = np.unique(votes.unit, return_inverse=True)[1]
    items = tuple(map(str, range(code.max(initial=-1) + 1)))
    labels = Labels(code, votes.worker, labels_of_points(votes.points), items, votes.workers, PREFERRED, ordered=True)
    if default_method(labels) == "majority":
        return Attention(np.ones(len(votes.workers)), "fewer than half of the pairs of lists have votes of two workers")
    confusion = ordinal(labels).confusion
    assert confusion is not None
    second, _, first = np.moveaxis(confusion @ POINTS_OF_LABEL, 1, 0)
    return Attention(np.clip(first - second, 0, 1))

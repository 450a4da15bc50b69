"""Which click model foresees clicks that it has not seen."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.clicks.models import BASELINE, MODELS, ClickModel, fit
from ireval.clicks.sessions import Sessions
from ireval.significance.clusters import Clustered, clustered


class HeldOut(NamedTuple):
    """A model fitted to some sessions and asked about others.

    - perplexity: the mean over ranks of `by_rank` (K,), each over the impressions that reach there
    - log_likelihood: natural, of the held-out `impressions`
    - gain: log likelihood an impression above the baseline's, with an interval robust to impressions of a session being alike
    """

    model: ClickModel
    impressions: int
    perplexity: float
    by_rank: Floats
    log_likelihood: float
    gain: Clustered


def held_out(
    sessions: Sessions,
    models: Sequence[str] = tuple(MODELS),
    *,
    share: float = 0.25,
    seed: int = 0,
    prior: float = 1,
    confidence: float = 0.95,
) -> list[HeldOut]:
    """Fit models to whole sessions, and hold them against the share of sessions held out, drawn by lot with the seed; the
    baseline (rank-ctr) comes first, asked for or not. BadClicks where no session would be left on a side.

    >>> from ireval.clicks.sessions import small
    >>> [round(one.perplexity, 4) for one in held_out(small(), ["cascade"], share=0.5)]
    [2.0, 1.7474]
    """
    training, test = sessions.split(share, seed)
    names = [BASELINE, *(name for name in models if name != BASELINE)]
    fitted = [fit(training, name, prior=prior, confidence=confidence) for name in names]
    likelihoods = [model.log_likelihoods(test) for model in fitted]
    return [judged(model, test, own, likelihoods[0], confidence) for model, own in zip(fitted, likelihoods, strict=True)]


def judged(model: ClickModel, test: Sessions, own: Floats, baseline: Floats, confidence: float) -> HeldOut:
    by_rank = model.perplexity(test)
    better = own - baseline
    influence = (better - better.mean()) / len(better)
    gain = clustered(float(better.mean()), influence, {"session": test.session}, against=0, confidence=confidence)
    undefined = gain.undefined.replace("votes", "impressions")
    return HeldOut(model, len(test), float(by_rank.mean()), by_rank, float(own.sum()), gain._replace(undefined=undefined))


def perplexity_table(found: Sequence[HeldOut]) -> pl.DataFrame:
    """A row a rank, a column a model: its held-out perplexity there."""
    ranks = {"rank": np.arange(1, len(found[0].by_rank) + 1)}
    return pl.DataFrame({**ranks, **{one.model.name: one.by_rank for one in found}})

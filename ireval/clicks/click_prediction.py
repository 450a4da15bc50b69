"""How well click models predict held-out clicks."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.clicks.click_files import as_sessions
from ireval.clicks.models import BASELINE, MODELS, ClickModel, fit
from ireval.clicks.sessions import BadClicks, Sessions
from ireval.io.arguments import require_each
from ireval.io.frames import TableSource
from ireval.significance.clusters import Clustered, clustered
from ireval.significance.decision import Decision, decide


class HeldOut(NamedTuple):
    """A model fitted to some sessions and tested on others.

    - perplexity: the mean over ranks of `by_rank` (K,), each over the impressions that reach the rank.
    - log_likelihood: natural, of the held-out `impressions`.
    - gain: log likelihood per impression above the baseline's; its interval is robust to similar impressions within a session.
    """

    model: ClickModel
    impressions: int
    perplexity: float
    by_rank: Floats
    log_likelihood: float
    gain: Clustered


def held_out(
    sessions: Sessions | TableSource,
    models: Sequence[str] = tuple(MODELS),
    *,
    share: float = 0.25,
    seed: int = 0,
    prior: float = 1,
    confidence: float = 0.95,
) -> list[HeldOut]:
    """Fit models to some sessions and test them on a `share` of sessions held out, drawn at random with the seed.

    The baseline (rank-ctr) always comes first. BadClicks where no session would be left for one of the two parts.

    >>> from ireval.clicks.sessions import small
    >>> [round(result.perplexity, 4) for result in held_out(small(), ["cascade"], share=0.5)]
    [2.0, 1.7474]
    """
    sessions = as_sessions(sessions)
    return held_out_on(*sessions.split(share, seed), models, prior=prior, confidence=confidence)


def held_out_on(
    training: Sessions | TableSource,
    test: Sessions | TableSource,
    models: Sequence[str] = tuple(MODELS),
    *,
    prior: float = 1,
    confidence: float = 0.95,
) -> list[HeldOut]:
    """Fit models to `training` and test them on other sessions; the baseline (rank-ctr) always comes first.

    Queries and documents are known by their names. What `training` lacks counts as documents never seen.

    >>> from ireval.clicks.sessions import small
    >>> training, test = small().split(0.5)
    >>> [round(result.perplexity, 4) for result in held_out_on(training, test, ["cascade"])]
    [2.0, 1.7474]
    """
    training, test = as_sessions(training), as_sessions(test)
    names = [BASELINE, *(name for name in models if name != BASELINE)]
    fitted = [fit(training, name, prior=prior, confidence=confidence) for name in names]
    likelihoods = [model.log_likelihoods(test) for model in fitted]
    return [tested(model, test, own, likelihoods[0], confidence) for model, own in zip(fitted, likelihoods, strict=True)]


def foresight(gains: Sequence[Clustered], *, alpha: float = 0.05) -> list[Decision]:
    """Whether each model foresees clicks better than the baseline ("first"), by its `HeldOut.gain` against 0.

    p and intervals are corrected for all models together (Holm). "unknown" where the gain has no interval. Source: as `decide`.

    >>> from ireval.clicks.sessions import small
    >>> [decision.outcome for decision in foresight([held_out(small(), ["cascade"], share=0.5)[1].gain])]
    ['none']
    """
    require_each("gains", gains, Clustered, "the gains of HeldOut")
    return decide([gain.estimate for gain in gains], alpha=alpha)


def tested(model: ClickModel, test: Sessions, own: Floats, baseline: Floats, confidence: float) -> HeldOut:
    by_rank = model.perplexity(test)
    better = own - baseline
    influence = (better - better.mean()) / len(better)
    gain = clustered(float(better.mean()), influence, {"session": test.session}, against=0, confidence=confidence)
    undefined = gain.undefined.replace("votes", "impressions")
    return HeldOut(model, len(test), float(by_rank.mean()), by_rank, float(own.sum()), gain._replace(undefined=undefined))


def perplexity_table(results: Sequence[HeldOut]) -> pl.DataFrame:
    """Held-out perplexity: one row per rank, one column per model."""
    require_each("results", results, HeldOut, "the results of held_out")
    if not results:
        raise BadClicks("there are no results of held_out")
    ranks = {"rank": np.arange(1, len(results[0].by_rank) + 1)}
    return pl.DataFrame({**ranks, **{result.model.name: result.by_rank for result in results}})

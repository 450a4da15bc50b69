"""Many systems from the strongest to the weakest: how sure each strength, each rank and each comparison of two is."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.agreement import Resampling
from ireval.agreement.item_bootstrap import USUAL
from ireval.arrays import Floats, Ints
from ireval.preferences.robust import drawn_strengths
from ireval.preferences.strengths import (
    DEFAULT_MODEL,
    PRIOR,
    Counts,
    Fitted,
    Likelihood,
    Strengths,
    are_bounded,
    as_tables,
    bradley_terry,
    counts_of,
    expected_score,
    maximise,
)
from ireval.preferences.vote_bootstrap import BLOCK, RESAMPLED, Drawn, resampled_counts
from ireval.preferences.votes import BadVotes, Votes

# What intervals are made of: strengths drawn by their variance, or fitted to votes, topics or workers drawn again.
DRAWN: dict[str, tuple[str, ...]] = {"strengths": ("topic", "worker"), **RESAMPLED}
DEFAULT_DRAWN = "strengths"
# Strengths closer to each other than this are equal, and draws that spread less do not spread: the rest is rounding.
ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class Ladder:
    """S systems with intervals of resamples; NaN where `undefined` says why, and for what no resample changes.

    - strengths: the estimates
    - low, high (S,): the ends of the strengths' percentile intervals; average_low, average_high (S,): of `against_average`
    - above (S, S): the share of resamples in which the row's system is stronger than the column's; equal ones count half
    - rank, rank_low, rank_high (S,): 1 + how many of its component are stronger, and the ranks that it may have: all intervals of
      ranks together are right with the confidence of `how`
    - drawn: what was drawn (`DRAWN`); with_prior: resamples that alone have no finite estimate and got the prior
    """

    counts: Counts
    strengths: Strengths
    low: Floats
    high: Floats
    average_low: Floats
    average_high: Floats
    above: Floats
    rank: Ints
    rank_low: Ints
    rank_high: Ints
    drawn: str
    how: Resampling
    with_prior: int = 0
    undefined: str = ""

    def frame(self) -> pl.DataFrame:
        """A row a system, components apart, from the strongest down: component, rank, rank_low, rank_high, system, n (votes),
        wins, ties, losses, strength, low, high, error, against_average, average_low, average_high; null for NaN."""
        counts, strengths = self.counts, self.strengths
        columns = {
            "component": strengths.component + 1,
            "rank": self.rank,
            "rank_low": self.rank_low,
            "rank_high": self.rank_high,
            "system": pl.Series(strengths.systems, dtype=pl.String),
            "n": counts.compared.sum(axis=1).astype(np.int64),
            "wins": counts.wins.sum(axis=1).astype(np.int64),
            "ties": counts.ties.sum(axis=1).astype(np.int64),
            "losses": counts.wins.sum(axis=0).astype(np.int64),
            "strength": strengths.strength,
            "low": self.low,
            "high": self.high,
            "error": strengths.error,
            "against_average": strengths.against_average,
            "average_low": self.average_low,
            "average_high": self.average_high,
        }
        return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None)).sort("component", "rank", "system")


def ladder(
    votes: Votes, model: str = DEFAULT_MODEL, how: Resampling = USUAL, *, drawn: str = DEFAULT_DRAWN, prior: float | None = None
) -> Ladder:
    """Strengths of all systems (`bradley_terry`, which says what model and prior are) with intervals.

    `drawn` says where intervals come from:
    - "strengths": from the estimates' variance, robust to votes that are alike within topics and within workers, as that of
      `preference` is; strengths are drawn from a t distribution. Right in all worlds that were simulated, and fast.
    - "votes": every vote by itself, right where each is of a topic and a worker of its own
    - "topics": right for these workers; "workers": right for these topics
    - "topics and workers": both, and much too wide where votes differ mostly for reasons of neither, as votes do
    The last four are bootstraps, `how.resamples` fits to counts drawn again (`resampled_counts`), with percentile intervals that
    are expanded for few topics or workers.

    Ranks: two systems are told apart if their difference is more than c standard errors, c being the quantile of the largest
    deviation of all differences from the estimated ones; a system's best rank is 1 + how many are told to be stronger.
    Undefined (NaN) with fewer than two topics or workers to draw. BadVotes as in bradley_terry and for something else to draw.
    Sources: Cameron, Gelbach and Miller 2011; Efron and Tibshirani 1993, chapter 13; Hesterberg 2015; Mogstad, Romano, Shaikh and
    Wilhelm, Inference for ranks with applications to mobility across neighbourhoods and academic achievement across countries,
    Review of Economic Studies 91, 2024.

    >>> from ireval.preferences.votes import small
    >>> found = ladder(small(), how=Resampling(resamples=200))
    >>> found.strengths.systems, found.rank.tolist(), found.rank_high.tolist()
    (('a', 'b'), [1, 2], [2, 2])
    """
    counts = counts_of(votes)
    strengths = bradley_terry(counts, model, prior=prior)
    if drawn not in DRAWN:
        raise BadVotes(f"{drawn} cannot be drawn; expected one of {', '.join(DRAWN)}")
    why = cannot_draw(votes, drawn) or ("strengths are not finite" if np.isnan(strengths.strength).any() else "")
    if why:
        return without_intervals(counts, strengths, drawn, how, why)
    found, with_prior = draws(votes, counts, strengths, how, drawn)
    strength, nu = found
    tail = tail_of(votes, drawn, how.confidence)
    low, high = ends(strength, tail)
    average_low, average_high = ends(expected_score(strength, nu[:, None]), tail)
    same = strengths.component[:, None] == strengths.component
    told = told_apart(strength, strengths.strength, same, how.confidence)
    return Ladder(
        counts=counts,
        strengths=strengths,
        low=low,
        high=high,
        average_low=average_low,
        average_high=average_high,
        above=np.where(same, share_above(strength), np.nan),
        rank=ranks(strengths),
        rank_low=1 + told.sum(axis=0),
        rank_high=same.sum(axis=1) - told.sum(axis=1),
        drawn=drawn,
        how=how,
        with_prior=with_prior,
    )


def cannot_draw(votes: Votes, drawn: str) -> str:
    few = [name for name in DRAWN[drawn] if len(np.unique(getattr(votes, name))) < 2]
    return f"there is a single {few[0]}" if few else ""


def without_intervals(counts: Counts, strengths: Strengths, drawn: str, how: Resampling, why: str) -> Ladder:
    s = len(strengths.systems)
    nowhere, same = np.full(s, np.nan), strengths.component[:, None] == strengths.component
    first, last = np.ones(s, np.int64), same.sum(axis=1)
    unknown = (nowhere, nowhere, nowhere, nowhere, np.full((s, s), np.nan))
    return Ladder(counts, strengths, *unknown, ranks(strengths), first, last, drawn, how, undefined=why)


def draws(votes: Votes, counts: Counts, strengths: Strengths, how: Resampling, drawn: str) -> tuple[Fitted, int]:
    """Strengths as other studies might have found them, and how many of these needed the prior though it was not asked for."""
    if drawn == "strengths":
        return drawn_strengths(votes, counts, strengths, how.resamples, how.seed), 0
    blocks = [fitted(block, strengths) for block in resampled_counts(votes, drawn, how.resamples, how.seed)]
    strength, nu = (np.concatenate(part) for part in zip(*(block for block, _ in blocks), strict=True))
    return Fitted(strength, nu), sum(lacking for _, lacking in blocks)


def fitted(block: Drawn, strengths: Strengths) -> tuple[Fitted, int]:
    """Begun at the strengths of all votes."""
    tables = as_tables(block.wins, block.ties, strengths.model)
    added = np.full(len(block.wins), strengths.prior)
    lacking = np.zeros(len(block.wins), bool)
    if not strengths.prior:
        lacking = ~are_bounded(tables, strengths.component)
        added = np.where(lacking, PRIOR, 0.0)
    start = Fitted(strengths.strength[None], np.array([strengths.nu]))
    return maximise(Likelihood(tables, strengths.component, added), start), int(lacking.sum())


def tail_of(votes: Votes, drawn: str, confidence: float) -> float:
    """How much of the resamples lies below an interval, and above it: less than 2.5 % of a few clusters, Φ(−√(n / (n − 1)) · t).

    Resamples of n clusters spread by (n − 1) / n too little, and percentiles know no t distribution.
    Source: Hesterberg, What teachers should know about the bootstrap, American Statistician 69, 2015, section 5.1.1 ("expanded").
    """
    from scipy.special import ndtr, stdtrit  # noqa: PLC0415 - slow to import

    if drawn == "strengths":  # which are drawn from a t distribution
        return (1 - confidence) / 2
    n = min([len(np.unique(getattr(votes, name))) for name in RESAMPLED[drawn]] or [len(votes)])
    return float(ndtr(np.sqrt(n / (n - 1)) * stdtrit(n - 1, (1 - confidence) / 2))) if n > 1 else (1 - confidence) / 2


def ends(draws: Floats, tail: float) -> tuple[Floats, Floats]:
    """Percentiles of the columns; NaN where draws do not differ, for then they say nothing."""
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    still = np.ptp(draws, axis=0) < ROUNDING
    return np.where(still, np.nan, low), np.where(still, np.nan, high)


def ranks(strengths: Strengths) -> Ints:
    stronger = strengths.strength[:, None] > strengths.strength + ROUNDING
    return 1 + (stronger & (strengths.component[:, None] == strengths.component)).sum(axis=0)


def share_above(strength: Floats) -> Floats:
    found = np.zeros((strength.shape[1],) * 2)
    for apart in differences(strength):
        found += (apart > ROUNDING).sum(axis=0) + (np.abs(apart) <= ROUNDING).sum(axis=0) / 2
    return found / len(strength)


def told_apart(strength: Floats, estimate: Floats, same: NDArray[np.bool_], confidence: float) -> NDArray[np.bool_]:
    """Whether the row's system is told to be stronger than the column's, (S, S), all of them together with that confidence."""
    centre = estimate[:, None] - estimate
    squares = np.zeros_like(centre)
    for apart in differences(strength):
        squares += ((apart - centre) ** 2).sum(axis=0)
    error = np.sqrt(squares / len(strength))
    # Of differences that never change, or that mean nothing, nobody can tell.
    tellable = same & (error > ROUNDING)
    error = np.where(tellable, error, 1)
    largest = [(np.abs(apart - centre) / error).max(axis=(1, 2), where=tellable, initial=0) for apart in differences(strength)]
    return tellable & (centre > np.quantile(np.concatenate(largest), confidence) * error)


def differences(strength: Floats) -> Iterator[Floats]:
    """Of every two systems in each resample, (b, S, S), block by block."""
    rows = max(1, BLOCK // strength.shape[1] ** 2)
    for start in range(0, len(strength), rows):
        some = strength[start : start + rows]
        yield some[:, :, None] - some[:, None, :]


def ladder_content(found: Ladder) -> dict[str, Any]:
    """The ladder as a dictionary: each system's row, who stands above whom, and the fit's own figures."""
    strengths = found.strengths
    return {
        "ladder": found.frame(),
        "above": {
            one: dict(zip(strengths.systems, row, strict=True))
            for one, row in zip(strengths.systems, found.above.tolist(), strict=True)
        },
        "nu": strengths.nu,
        "prior": strengths.prior,
        "unbounded": strengths.unbounded,
        "with_prior": found.with_prior,
        "undefined": found.undefined,
    }

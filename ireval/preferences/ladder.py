"""A ladder of many systems from the strongest to the weakest, with intervals of strengths and ranks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.agreement import Resampling
from ireval.agreement.item_bootstrap import USUAL
from ireval.arrays import Floats, Ints
from ireval.io.arguments import is_name_in
from ireval.io.frames import TableSource
from ireval.preferences.attention import attention
from ireval.preferences.preference import decisions, preferences
from ireval.preferences.robust_variance import drawn_strengths
from ireval.preferences.strengths import (
    DEFAULT_MODEL,
    PRIOR,
    Counts,
    Likelihood,
    Parameters,
    Strengths,
    are_bounded,
    as_tables,
    bradley_terry,
    counts_of,
    expected_score,
    maximise,
)
from ireval.preferences.vote_bootstrap import BLOCK, RESAMPLED, ResampledCounts, resampled_counts
from ireval.preferences.vote_files import as_votes
from ireval.preferences.votes import BadVotes, Votes
from ireval.significance.students_t import expanded_tail

# What is drawn for intervals: strengths by their variance, or votes, topics or workers, to which strengths are fitted.
DRAWN: dict[str, tuple[str, ...]] = {"strengths": ("topic", "worker"), **RESAMPLED}
DEFAULT_DRAWN = "strengths"
# Strengths closer to each other than this are equal, and draws that spread less are constant, up to rounding.
ROUNDING = 1e-7


@dataclass(frozen=True, eq=False)
class Ladder:
    """S systems with intervals from resamples; NaN where `undefined` says why, and where resamples do not differ.

    - strengths: the estimates.
    - low, high (S,): the ends of the strengths' percentile intervals; average_low, average_high (S,): of `against_average`.
      NaN in a component whose votes are of a single topic or worker.
    - above (S, S): the share of resamples in which the row's system is stronger than the column's; ties count half.
    - rank (S,): 1 + how many systems of the component are stronger. rank_low, rank_high (S,): its interval. All intervals of
      ranks hold together with the confidence of `resampling`, if every two systems of a component were compared directly.
    - drawn: what was drawn (`DRAWN`). with_prior: resamples that got the prior, since they have no finite estimate.
    - by_attention: the ladder of votes weighted by their workers' attention; None where that cannot be told.
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
    resampling: Resampling
    with_prior: int = 0
    undefined: str = ""
    by_attention: "Ladder | None" = None

    def frame(self) -> pl.DataFrame:
        """One row per system, by component and from the strongest down; null for NaN.

        The columns are component, rank, rank_low, rank_high, system, n (votes), wins, ties, losses, strength, low, high, error,
        against_average, average_low and average_high. attentive, attentive_low and attentive_high are strengths by attention.
        """
        counts, strengths, by = self.counts, self.strengths, self.by_attention
        unknown = np.full(len(strengths.systems), np.nan)
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
            "attentive": unknown if by is None else by.strengths.strength,
            "attentive_low": unknown if by is None else by.low,
            "attentive_high": unknown if by is None else by.high,
        }
        return pl.DataFrame(columns).with_columns(pl.selectors.float().fill_nan(None)).sort("component", "rank", "system")


def ladder(
    votes: Votes | TableSource,
    model: str = DEFAULT_MODEL,
    resampling: Resampling = USUAL,
    *,
    drawn: str = DEFAULT_DRAWN,
    prior: float | None = None,
    by_attention: bool = False,
) -> Ladder:
    """Strengths of all systems with intervals; `model` and `prior` as in `bradley_terry`.

    With `by_attention` there is a second ladder, where strengths are drawn and attention can be told. In it each vote counts as
    its worker's `attention` says, so that workers who guess hardly move it. Its intervals take attention for given.

    `drawn` says where intervals come from:
    - "strengths": strengths, from a t distribution with the estimates' variance, robust to votes that are alike within topics and
      within workers (as in `preference`). Correct in all simulated worlds, and fast.
    - "votes": single votes. Correct if each is of a topic and a worker of its own.
    - "topics": correct for these workers. "workers": correct for these topics.
    - "topics and workers": both. Much too wide if votes differ mostly for other reasons, as they usually do.

    The last four are bootstraps: `resampling.resamples` fits to counts drawn again (`resampled_counts`). Their percentile
    intervals are expanded for few topics or workers.

    Ranks: a system's best rank is 1 + how many are significantly stronger. Of two systems that were compared directly one is, if
    the votes on them decide so (`decisions`). Of two that were not, one is if its strength is more than c standard errors higher.
    c is the quantile of the largest deviation of all differences from the estimates. By attention all go by strengths.
    Undefined (NaN) with fewer than two topics or workers to draw. BadVotes as in bradley_terry, and for an unknown `drawn`.
    Sources: Cameron, Gelbach and Miller 2011. Efron and Tibshirani 1993, chapter 13. Hesterberg 2015. Mogstad, Romano, Shaikh and
    Wilhelm, Inference for ranks with applications to mobility across neighbourhoods and academic achievement across countries,
    Review of Economic Studies 91, 2024.

    >>> from ireval.preferences.votes import small
    >>> standing = ladder(small(), resampling=Resampling(resamples=200))
    >>> standing.strengths.systems, standing.rank.tolist(), standing.rank_high.tolist()
    (('a', 'b'), [1, 2], [2, 2])
    """
    votes = as_votes(votes)
    standing = fitted_ladder(votes, model, resampling, drawn, prior)
    if not by_attention or drawn != "strengths" or (level := attention(votes)).undefined:
        return standing
    weighted = fitted_ladder(votes, model, resampling, drawn, prior, weights=level.worker[votes.worker])
    return replace(standing, by_attention=weighted)


def fitted_ladder(
    votes: Votes, model: str, resampling: Resampling, drawn: str, prior: float | None, *, weights: Floats | None = None
) -> Ladder:
    """The ladder in which votes count as `weights` (N,) say; its `counts` are of whole votes."""
    counts = counts_of(votes)
    strengths = bradley_terry(counts_of(votes, weights), model, prior=prior)
    if not is_name_in(drawn, DRAWN):
        raise BadVotes(f"{drawn} cannot be drawn; expected one of {', '.join(DRAWN)}")
    reason = cannot_draw(votes, drawn) or ("strengths are not finite" if np.isnan(strengths.strength).any() else "")
    if reason:
        return without_intervals(counts, strengths, drawn, resampling, reason)
    (strength, nu), with_prior = draws(votes, strengths, resampling, drawn, weights)
    tail = tail_of(votes, drawn, resampling.confidence)
    low, high = percentile_ends(strength, tail)
    average_low, average_high = percentile_ends(expected_score(strength, nu[:, None]), tail)
    same = strengths.component[:, None] == strengths.component
    stronger = significantly_stronger(strength, strengths.strength, same, resampling.confidence)
    if weights is None:
        stronger = np.where(counts.compared > 0, preferred(votes, resampling.confidence), stronger)
    return Ladder(
        counts=counts,
        strengths=strengths,
        low=low,
        high=high,
        average_low=average_low,
        average_high=average_high,
        above=np.where(same & ~known_only_here(strength, strengths.strength), share_above(strength), np.nan),
        rank=ranks(strengths),
        rank_low=1 + stronger.sum(axis=0),
        rank_high=same.sum(axis=1) - stronger.sum(axis=1),
        drawn=drawn,
        resampling=resampling,
        with_prior=with_prior,
    )


def preferred(votes: Votes, confidence: float) -> NDArray[np.bool_]:
    """Whether the votes on the two decide that the row's system is preferred to the column's, (S, S)."""
    pairs = preferences(votes)
    is_preferred = np.zeros((len(votes.systems),) * 2, bool)
    for pair, decision in zip(pairs, decisions([pair.score for pair in pairs], alpha=1 - confidence), strict=True):
        first, second = votes.systems.index(pair.first), votes.systems.index(pair.second)
        is_preferred[first, second], is_preferred[second, first] = decision.outcome == "first", decision.outcome == "second"
    return is_preferred


def cannot_draw(votes: Votes, drawn: str) -> str:
    few = [name for name in DRAWN[drawn] if len(np.unique(getattr(votes, name))) < 2] or ["vote"] * (len(votes) < 2)
    return f"there is a single {few[0]}" if few else ""


def without_intervals(counts: Counts, strengths: Strengths, drawn: str, resampling: Resampling, reason: str) -> Ladder:
    s = len(strengths.systems)
    undefined, same = np.full(s, np.nan), strengths.component[:, None] == strengths.component
    first, last = np.ones(s, np.int64), same.sum(axis=1)
    unknown = (undefined, undefined, undefined, undefined, np.full((s, s), np.nan))
    return Ladder(counts, strengths, *unknown, ranks(strengths), first, last, drawn, resampling, undefined=reason)


def draws(
    votes: Votes, strengths: Strengths, resampling: Resampling, drawn: str, weights: Floats | None
) -> tuple[Parameters, int]:
    """Strengths (resamples, S) with their ν, as other studies might estimate them, and how many resamples needed the prior."""
    if drawn == "strengths":
        return drawn_strengths(votes, strengths, resampling.resamples, resampling.seed, weights), 0
    blocks = [fitted_block(block, strengths) for block in resampled_counts(votes, drawn, resampling.resamples, resampling.seed)]
    strength, nu = (np.concatenate(part) for part in zip(*(block for block, _ in blocks), strict=True))
    return Parameters(strength, nu), sum(lacking for _, lacking in blocks)


def fitted_block(block: ResampledCounts, strengths: Strengths) -> tuple[Parameters, int]:
    """Strengths fitted to a block of resamples, starting at those of all votes, and how many of them needed the prior."""
    tables = as_tables(block.wins, block.ties, strengths.model)
    added = np.full(len(block.wins), strengths.prior)
    lacking = np.zeros(len(block.wins), bool)
    if not strengths.prior:
        lacking = ~are_bounded(tables, strengths.component)
        added = np.where(lacking, PRIOR, 0.0)
    start = Parameters(strengths.strength[None], np.array([strengths.nu]))
    return maximise(Likelihood(tables, strengths.component, added), start), int(lacking.sum())


def tail_of(votes: Votes, drawn: str, confidence: float) -> float:
    """The share of the draws below an interval, and above it: less than 2.5 % where few clusters are resampled."""
    if drawn == "strengths":  # which are drawn from a t distribution
        return (1 - confidence) / 2
    return expanded_tail(min([len(np.unique(getattr(votes, name))) for name in RESAMPLED[drawn]] or [len(votes)]), confidence)


def percentile_ends(draws: Floats, tail: float) -> tuple[Floats, Floats]:
    """Percentiles of the columns, low and high, (S,) each; NaN where draws do not differ."""
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0)
    still = np.ptp(draws, axis=0) < ROUNDING
    return np.where(still, np.nan, low), np.where(still, np.nan, high)


def ranks(strengths: Strengths) -> Ints:
    stronger = strengths.strength[:, None] > strengths.strength + ROUNDING
    return 1 + (stronger & (strengths.component[:, None] == strengths.component)).sum(axis=0)


def share_above(strength: Floats) -> Floats:
    counts = np.zeros((strength.shape[1],) * 2)
    for apart in differences(strength):
        counts += (apart > ROUNDING).sum(axis=0) + (np.abs(apart) <= ROUNDING).sum(axis=0) / 2
    return counts / len(strength)


def known_only_here(strength: Floats, estimate: Floats) -> NDArray[np.bool_]:
    """Which two systems differ, but by the same in all draws, (S, S): their votes say nothing of other topics or workers."""
    still = np.ptp(strength, axis=0) < ROUNDING
    return still[:, None] & still & (np.abs(estimate[:, None] - estimate) > ROUNDING)


def significantly_stronger(strength: Floats, estimate: Floats, same: NDArray[np.bool_], confidence: float) -> NDArray[np.bool_]:
    """Whether the row's system is significantly stronger than the column's, (S, S); `confidence` holds for all together."""
    centre = estimate[:, None] - estimate
    squares = np.zeros_like(centre)
    for apart in differences(strength):
        squares += ((apart - centre) ** 2).sum(axis=0)
    error = np.sqrt(squares / len(strength))
    # Differences that never change, or between components, are not tested.
    tested = same & (error > ROUNDING)
    error = np.where(tested, error, 1)
    largest = [(np.abs(apart - centre) / error).max(axis=(1, 2), where=tested, initial=0) for apart in differences(strength)]
    return tested & (centre > np.quantile(np.concatenate(largest), confidence) * error)


def differences(strength: Floats) -> Iterator[Floats]:
    """Yield the differences of every two systems in each resample, (b, S, S), block by block."""
    rows = max(1, BLOCK // strength.shape[1] ** 2)
    for start in range(0, len(strength), rows):
        some = strength[start : start + rows]
        yield some[:, :, None] - some[:, None, :]


def ladder_content(standing: Ladder) -> dict[str, Any]:
    """The ladder as a dictionary: a row per system, `above` by names, and the fit's own figures."""
    strengths = standing.strengths
    return {
        "ladder": standing.frame(),
        "above": {
            system: dict(zip(strengths.systems, row, strict=True))
            for system, row in zip(strengths.systems, standing.above.tolist(), strict=True)
        },
        "nu": strengths.nu,
        "prior": strengths.prior,
        "unbounded": strengths.unbounded,
        "with_prior": standing.with_prior,
        "undefined": standing.undefined,
    }

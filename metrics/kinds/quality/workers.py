"""The step that looks at workers: what their work looks like, and which of it is out of the ordinary.

A flag says where to look. What follows from it is for the study's rules and its researchers to say.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ireval import wilson_interval
from judging.models import Rule
from judging.rules.worker_profile import count_column, median, signal_text
from metrics.kinds.quality.evidence import Evidence
from metrics.kinds.studies import ROWS
from metrics.pipeline import Findings

Signal = Rule.Signal
FARTHEST = 3.5  # Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993
FEWEST_WORKERS = 5  # among fewer nothing is ordinary


class Notice(NamedTuple):
    """From how many answers on a signal is looked at, and which difference from the median matters."""

    least: int = 10
    apart: float = 0.1


# The differences that matter are our choice; without any, one hasty answer among diligent workers would be far out.
NOTICES = {
    Signal.GOLD: Notice(least=5),
    Signal.ATTENTION: Notice(least=2, apart=2),
    Signal.AGREEMENT: Notice(),
    Signal.SECONDS: Notice(apart=float(np.log(2))),  # half as long as usual
    Signal.HASTY: Notice(),
    Signal.RUN: Notice(apart=5),
    Signal.COMMONEST: Notice(),
    Signal.CANNOT: Notice(),
    Signal.TWIN: Notice(apart=0.7),  # good workers are alike, too
}


def workers(evidence: Evidence) -> Findings:
    """One row per worker who answered anything: the signals, Wilson's interval of gold, and why they are flagged, if they are."""
    frame = with_intervals(evidence.signals, evidence.spec["intervals"]["confidence"])
    frame = frame.with_columns(why=pl.Series(reasons(frame, evidence.facts["rules"]), dtype=pl.List(pl.String)))
    medians = {signal.value: median(frame, signal) for signal in NOTICES}
    flagged = frame.filter(pl.col("why").list.len() > 0).height
    return Findings({"workers": frame.height, "flagged": flagged, "medians": medians}, {ROWS: frame})


def with_intervals(frame: pl.DataFrame, confidence: float) -> pl.DataFrame:
    answered = frame["gold_answered"].to_numpy()
    right = (frame["gold"].fill_null(0) * frame["gold_answered"]).to_numpy()
    low, high = wilson_interval(right, answered, confidence)
    ends = [pl.Series("gold_low", low, pl.Float64), pl.Series("gold_high", high, pl.Float64)]
    return frame.with_columns(ends).with_columns(pl.col("gold_low", "gold_high").fill_nan(None))


def reasons(frame: pl.DataFrame, rules: Sequence[Sequence[Any]]) -> list[list[str]]:
    """A sentence for each signal that says something about the worker; none for who is left alone."""
    found: list[dict[Signal, list[str]]] = [{} for _ in range(frame.height)]
    for name, threshold, least in rules:
        for place in np.flatnonzero(breaks(frame, Signal(name), threshold, least)):
            found[place].setdefault(Signal(name), []).append(rule_in_words(Signal(name), threshold))
    for signal in NOTICES:
        for place in np.flatnonzero(out_of_the_ordinary(frame, signal)):
            found[place].setdefault(signal, []).append(f"far from the usual {signal_text(signal, median(frame, signal))}")
    return [[told(frame, place, signal, why) for signal, why in of_one.items()] for place, of_one in enumerate(found)]


def breaks(frame: pl.DataFrame, signal: Signal, threshold: float, least: int) -> np.ndarray:
    """Who a rule of the study applies to: below the threshold, or from it on, depending on which is bad."""
    value, enough = pl.col(signal.value), pl.col(count_column(signal)) >= least
    bad = value < threshold if signal in Rule.LOW_IS_BAD else value >= threshold
    return frame.select(found=(bad & enough).fill_null(value=False))["found"].to_numpy()


def out_of_the_ordinary(frame: pl.DataFrame, signal: Signal) -> np.ndarray:
    """Who lies far on the bad side of the median of all who have enough answers, and by a difference that matters.

    Far is by the modified z-score: from the median, in median absolute deviations, or mean ones where more than half are equal.
    """
    notice = NOTICES[signal]
    value = pl.col(signal.value).log1p() if signal == Signal.SECONDS else pl.col(signal.value).cast(pl.Float64)
    compared = pl.when(pl.col(count_column(signal)) >= notice.least).then(value)
    values = frame.select(value=compared)["value"].fill_null(np.nan).to_numpy()
    known = values[~np.isnan(values)]
    if len(known) < FEWEST_WORKERS:
        return np.zeros(len(values), bool)
    middle = np.median(known)
    apart = middle - values if signal in Rule.LOW_IS_BAD else values - middle
    spread = np.median(np.abs(known - middle)) * 1.4826 or np.mean(np.abs(known - middle)) * 1.2533
    with np.errstate(invalid="ignore"):
        return (apart > FARTHEST * spread) & (apart >= notice.apart)


def rule_in_words(signal: Signal, threshold: float) -> str:
    return f"a rule of this study says {'below' if signal in Rule.LOW_IS_BAD else 'from'} {signal_text(signal, threshold)}"


def told(frame: pl.DataFrame, place: int, signal: Signal, why: list[str]) -> str:
    return f"{signal.label} {signal_text(signal, frame[signal.value][place])}: {'; '.join(why)}"

"""Workers of a graded study: the signals of their work, and which of these are out of the ordinary.

A flag says where to look. What follows from it is for the study's rules and its researchers to decide.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from ireval import wilson_interval
from judging.models import Rule, Study, Worker
from judging.rules.worker_profile import count_column, median, signal_text
from metrics.kinds.quality.evidence import Evidence
from metrics.kinds.studies import ROWS, in_order, part, rows
from metrics.models import Report
from metrics.pipeline import Findings

Signal = Rule.Signal
FARTHEST = 3.5  # Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993
FEWEST_WORKERS = 5  # among fewer nothing is ordinary


class Notice(NamedTuple):
    """When a signal is noticed: from how many answers on (`least`), and from which difference from the median (`apart`)."""

    least: int = 10
    apart: float = 0.1


# The differences that matter are our choice. Without them, one hasty answer among diligent workers would be far out.
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
    """One row per worker who answered anything: signals, Wilson's interval of gold, and the reasons for a flag (`why`)."""
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
    """For each worker, one sentence per noticed signal; an empty list for workers who are not flagged."""
    noticed: list[dict[Signal, list[str]]] = [{} for _ in range(frame.height)]
    for name, threshold, least in rules:
        for place in np.flatnonzero(breaks(frame, Signal(name), threshold, least)):
            noticed[place].setdefault(Signal(name), []).append(rule_in_words(Signal(name), threshold))
    for signal in NOTICES:
        for place in np.flatnonzero(out_of_the_ordinary(frame, signal)):
            noticed[place].setdefault(signal, []).append(far_in_words(signal, median(frame, signal)))
    return [
        [flag_in_words(frame, place, signal, why) for signal, why in signals.items()] for place, signals in enumerate(noticed)
    ]


def worker_rows(report: Report) -> pl.DataFrame:
    """The rows of a report, and how many `flags` each has; reasons, stored in English, are as their reader reads them."""
    frame = rows(report, "workers")
    if not (get_language() or "en").startswith("en"):
        frame = frame.with_columns(why=pl.Series(reasons(frame, report.evidence["rules"]), dtype=pl.List(pl.String)))
    return frame.with_columns(flags=pl.col("why").list.len())


def flagged(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.filter(pl.col("flags") > 0)


def workers_in_order(frame: pl.DataFrame, order: str) -> pl.DataFrame:
    """The rows sorted by a column, falling after a minus; else those with most flags first."""
    is_column = order.removeprefix("-") in {"worker", "answered", *NOTICES}
    return in_order(frame, order if is_column else "-flags", ties=[pl.col("worker")])


def with_workers(study: Study, frame: pl.DataFrame) -> list[tuple[dict[str, Any], Worker, list[str]]]:
    """Each row with its worker as they are now, and the worker's signals in the order of NOTICES."""
    people = Worker.objects.filter(study=study).in_bulk(frame["worker"].to_list())
    return [
        (
            row,
            people[row["worker"]],
            [signal_text(signal, row[signal.value] if row[count_column(signal)] else None) for signal in NOTICES],
        )
        for row in frame.iter_rows(named=True)
    ]


def medians_in_words(report: Report) -> list[str]:
    medians = part(report, "workers")["medians"]
    return [signal_text(signal, medians[signal.value]) for signal in NOTICES]


def breaks(frame: pl.DataFrame, signal: Signal, threshold: float, least: int) -> np.ndarray:
    """Marks of the workers whom a rule of the study applies to: below the threshold, or from it on if high is bad."""
    value, enough = pl.col(signal.value), pl.col(count_column(signal)) >= least
    bad = value < threshold if signal in Rule.LOW_IS_BAD else value >= threshold
    return frame.select(broken=(bad & enough).fill_null(value=False))["broken"].to_numpy()


def out_of_the_ordinary(frame: pl.DataFrame, signal: Signal) -> np.ndarray:
    """Marks of the workers who lie far on the bad side of the median, by a difference that matters.

    The median is over all workers with enough answers. Distance is the modified z-score: from the median, in median absolute
    deviations, or in mean ones where more than half are equal.
    """
    notice = NOTICES[signal]
    value = pl.col(signal.value).log1p() if signal == Signal.SECONDS else pl.col(signal.value).cast(pl.Float64)
    compared = pl.when(pl.col(count_column(signal)) >= notice.least).then(value)
    values = frame.select(value=compared)["value"].fill_null(np.nan).to_numpy()
    measured = values[~np.isnan(values)]
    if len(measured) < FEWEST_WORKERS:
        return np.zeros(len(values), bool)
    middle = np.median(measured)
    apart = middle - values if signal in Rule.LOW_IS_BAD else values - middle
    spread = np.median(np.abs(measured - middle)) * 1.4826 or np.mean(np.abs(measured - middle)) * 1.2533
    with np.errstate(invalid="ignore"):
        return (apart > FARTHEST * spread) & (apart >= notice.apart)


def rule_in_words(signal: Signal, threshold: float) -> str:
    text = (
        _("a rule of this study says below %(value)s")
        if signal in Rule.LOW_IS_BAD
        else _("a rule of this study says from %(value)s")
    )
    return text % {"value": signal_text(signal, threshold)}


def far_in_words(signal: Signal, usual: float | None) -> str:
    return _("far from the usual %(value)s") % {"value": signal_text(signal, usual)}


def flag_in_words(frame: pl.DataFrame, place: int, signal: Signal, why: list[str]) -> str:
    return f"{signal.label} {signal_text(signal, frame[signal.value][place])}: {'; '.join(why)}"

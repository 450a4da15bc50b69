"""python -m ireval experiment: what users did in the arms of an A/B test in; which arm is better, and how sure that is, out."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from ireval import ENGINE_VERSION
from ireval.cli.compare import as_p, decimals, share
from ireval.cli.evaluate import whole
from ireval.cli.output import aligned
from ireval.experiments import (
    DEFAULT_PLANNED,
    MISMATCH,
    ArmMean,
    BadExperiment,
    ChiSquare,
    Effect,
    Experiment,
    Metric,
    ProportionTest,
    SampleRatio,
    arm_effects,
    arm_means,
    homogeneity,
    proportion_test,
    read_experiment,
    sample_ratio,
)
from ireval.io.csv_rows import csv_of
from ireval.io.plain import plain

# Crossed units named in a table; JSON names all.
NAMED = 5


class Asked:
    """What was asked of which experiment, computed when it is needed."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.experiment: Experiment = read_experiment(options.file, metrics=options.metrics)
        self.control = options.control or self.experiment.control
        self.base = self.experiment.number_of(self.control)

    @cached_property
    def ratio(self) -> SampleRatio:
        return sample_ratio(self.experiment.n, weights_of(self.options.weights, self.experiment.arms))

    @cached_property
    def means(self) -> list[ArmMean]:
        return arm_means(self.experiment, confidence=self.options.confidence)

    @cached_property
    def effects(self) -> list[Effect]:
        options = self.options
        return arm_effects(
            self.experiment, self.control, confidence=options.confidence, adjust=options.adjust, planned=options.planned
        )

    @cached_property
    def shares(self) -> list[tuple[Metric, ChiSquare, dict[str, ProportionTest]]]:
        """Of metrics that are proportions: all arms at once, and each against the control."""
        return [(metric, *self.tests(metric)) for metric in self.experiment.metrics if metric.kind == "proportion"]

    def tests(self, metric: Metric) -> tuple[ChiSquare, dict[str, ProportionTest]]:
        counts = [(one.n, round(one.n * float(one.mean[0]))) for one in metric.moments]
        found = {
            arm: proportion_test(*counts[number], *counts[self.base], confidence=self.options.confidence)
            for number, arm in enumerate(self.experiment.arms)
            if number != self.base
        }
        return homogeneity(*zip(*counts, strict=True)), found


def weights_of(given: list[tuple[str, float]] | None, arms: tuple[str, ...]) -> list[float] | None:
    if given is None:
        return None
    weights = dict(given)
    if set(weights) != set(arms) or len(given) != len(weights):
        raise BadExperiment(f"--weights names {', '.join(arm for arm, _ in given)}; expected each of {', '.join(arms)} once")
    return [weights[arm] for arm in arms]


def weight(text: str) -> tuple[str, float]:
    arm, _, number = text.rpartition("=")
    try:
        found = float(number) if arm else math.nan
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected an arm and a number above 0, such as control=0.9")
    return arm, found


def add_experiment(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "file",
        metavar="FILE",
        help='CSV or Parquet with unit, arm and metrics, or arm, n and conversions, a row an arm; "-" is standard input',
    )
    command.add_argument("-m", dest="metrics", metavar="METRIC", action="append", help="only this column; several may be given")
    command.add_argument("--control", metavar="ARM", help="default: the arm called control, else the first by alphabet")
    command.add_argument(
        "--weights", metavar="ARM=W", nargs="+", type=weight, help="how many units each arm should get (default: as many)"
    )
    command.add_argument("--no-adjust", dest="adjust", action="store_false", help="leave the time before (__before) out")
    command.add_argument("--planned", metavar="N", type=whole(1), default=DEFAULT_PLANNED, help=PLANNED_HELP)
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s; csv: a row an arm and metric")
    command.set_defaults(command=show_experiment)


PLANNED_HELP = "units at which always-valid intervals are narrowest, chosen before the data came in (default %(default)s)"


def show_experiment(options: argparse.Namespace) -> None:
    """Say which arm of an experiment is better. First whether the arms got the units that they should, since nothing else counts
    where they did not; then each metric's mean an arm, and its difference to the control with interval, p and p corrected for all
    that was asked, once for a single look at the end and once for any number of looks. Columns NAME__per make a ratio of NAME,
    NAME__before sharpens it by what units did before. A unit in two arms is left out and named. How many units it takes says
    experiment-plan."""
    print(FORMATS[options.format](Asked(options)))


def as_table(asked: Asked) -> str:
    sections = (warning, heading, ratio_lines, mean_lines, effect_lines, always_lines, share_lines)
    return "\n".join(line for section in sections for line in section(asked))


def warning(asked: Asked) -> Iterator[str]:
    if asked.ratio.mismatch:
        yield f"SAMPLE RATIO MISMATCH, p {as_p(asked.ratio.p)}: arms did not get the units that they should."
        yield "Find out why before you believe anything below."
        yield ""


def heading(asked: Asked) -> Iterator[str]:
    experiment = asked.experiment
    yield f"{asked.options.file}: {experiment.n.sum():,} units in {len(experiment.arms)} arms, control {asked.control}"
    if crossed := experiment.crossed:
        more = f" and {len(crossed) - NAMED:,} more" if len(crossed) > NAMED else ""
        units = f"{len(crossed):,} unit{'s' if len(crossed) > 1 else ''}"
        yield f"  {units} in two arms or more left out: {', '.join(crossed[:NAMED])}{more}"


def ratio_lines(asked: Asked) -> Iterator[str]:
    found = asked.ratio
    table = [["arm", "units", "expected"]]
    for arm, count, expected in zip(asked.experiment.arms, found.counts, found.expected, strict=True):
        table.append([arm, f"{count:,}", f"{expected:,.1f}"])
    yield from aligned(table)
    if not sum(found.counts):
        yield "  sample ratio: unknown, since no units are left"
        yield ""
        return
    verdict = f"mismatch, p < {MISMATCH:g}" if found.mismatch else f"no mismatch, since p is not below {MISMATCH:g}"
    yield f"  sample ratio: χ² = {decimals(found.chi2, 2)}, df = {found.freedom}, p {as_p(found.p)}: {verdict}"
    yield ""


def mean_lines(asked: Asked) -> Iterator[str]:
    table = [["metric", "", "arm", "n", "mean", interval_title(asked), "sd"]]
    for one in asked.means:
        places = places_for(one.high - one.low)
        numbers = [f"{one.n:,}", decimals(one.mean, places), between(one.low, one.high), decimals(one.sd)]
        table.append([one.metric, one.kind, one.arm, *numbers])
    yield from aligned(table)
    yield ""


def effect_lines(asked: Asked) -> Iterator[str]:
    yield f"  against {asked.control}: Welch's t, ratios by the delta method over units, relative intervals by Fieller's theorem;"
    yield f"  p corrected for {len(asked.effects)} question{'s' if len(asked.effects) > 1 else ''}"
    titles = ["difference", interval_title(asked), "relative", "interval", "d", "p", "Holm", "Benjamini–Hochberg"]
    table = [["metric", "arm", *titles, "variance less"]]
    for one in asked.effects:
        relative = [as_percent(one.relative), between_percent(one.relative_low, one.relative_high)]
        p = [as_p(number) for number in (one.p, one.holm, one.bh)]
        difference = decimals(one.difference, places_for(one.high - one.low))
        sizes = [difference, between(one.low, one.high), *relative, decimals(one.d, 3)]
        table.append([one.metric, one.arm, *sizes, *p, as_percent(one.reduction, sign="")])
    yield from aligned(table)
    for one in asked.effects:
        if one.undefined:
            yield f"  {one.metric}, {one.arm}: no interval because {one.undefined}"
    if any(one.adjusted for one in asked.effects):
        yield "  variance less: taken away by what units did before (CUPED)"
    yield ""


def always_lines(asked: Asked) -> Iterator[str]:
    yield f"  the same differences however often one looks (asymptotic confidence sequence, N* = {asked.options.planned:,})"
    table = [["metric", "arm", "difference", interval_title(asked), "p"]]
    for one in asked.effects:
        difference = decimals(one.difference, places_for(one.always_high - one.always_low))
        table.append([one.metric, one.arm, difference, between(one.always_low, one.always_high), as_p(one.always_p)])
    yield from aligned(table)


def share_lines(asked: Asked) -> Iterator[str]:
    if not asked.shares:
        return
    yield ""
    yield "  proportions: Newcombe's interval, Pearson's χ² and Fisher's exact p"
    table = [["metric", "arm", "difference", interval_title(asked), "h", "χ²", "p", "exact p"]]
    for metric, every, tests in asked.shares:
        if len(tests) > 1:
            table.append([metric.name, "all arms", "", "", "", decimals(every.chi2, 2), as_p(every.p), ""])
        for arm, one in tests.items():
            difference = decimals(one.difference, places_for(one.high - one.low))
            sizes = [difference, between(one.low, one.high), decimals(one.h, 3), decimals(one.chi2, 2)]
            table.append([metric.name, arm, *sizes, as_p(one.p), as_p(one.exact)])
    yield from aligned(table)


def interval_title(asked: Asked) -> str:
    return f"{100 * asked.options.confidence:g} % interval"


def places_for(width: float) -> int:
    """Four, or as many more as show a narrow interval's ends: experiments on millions find small differences.

    >>> places_for(0.02), places_for(0.00001), places_for(math.nan)
    (4, 6, 4)
    """
    return max(4, 1 - math.floor(math.log10(width))) if width > 0 else 4


def between(low: float, high: float) -> str:
    places = places_for(high - low)
    return "" if math.isnan(low) else f"{low:.{places}f} to {high:.{places}f}"


def as_percent(number: float, sign: str = "+") -> str:
    return "" if math.isnan(number) else f"{100 * number:{sign}.2f} %"


def between_percent(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{as_percent(low)} to {as_percent(high)}"


def as_csv(asked: Asked) -> str:
    """A row an arm and metric, with p of the sample ratio in each; a mismatch is said on standard error as well."""
    print(*warning(asked), sep="\n", end="", file=sys.stderr)
    rows = ([*plain(list(row)), asked.ratio.p] for row in asked.effects)
    return csv_of([*Effect._fields, "sample_ratio_p"], *rows).rstrip("\n")


def as_json(asked: Asked) -> str:
    """One object, whose NaN is null."""
    options, experiment = asked.options, asked.experiment
    content: dict[str, Any] = {
        "sample_ratio": asked.ratio,
        "file": options.file,
        "engine": ENGINE_VERSION,
        **{name: getattr(options, name) for name in ("confidence", "planned", "adjust")},
        "arms": experiment.arms,
        "control": asked.control,
        "crossed": experiment.crossed,
        "means": asked.means,
        "effects": asked.effects,
        "proportions": [{"metric": metric.name, "all_arms": every, "arms": tests} for metric, every, tests in asked.shares],
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[Asked], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

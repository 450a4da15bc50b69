"""The command experiment: from what users did in the arms of an A/B test to which arm is better, and how sure that is."""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from ireval import ENGINE_VERSION
from ireval.cli.compare import as_p, decimals, share
from ireval.cli.evaluate import whole_number
from ireval.cli.experiments import FORMATS as FORMATS_OF_TESTS
from ireval.cli.experiments import experiments_in, weights_of
from ireval.cli.output import aligned, between, interval_title, option_values, places_for
from ireval.experiments import (
    DEFAULT_PLANNED,
    MISMATCH,
    ArmMean,
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
    sample_ratio,
)
from ireval.io.csv_rows import csv_of
from ireval.io.plain import plain

# Crossed units named in a table; JSON names all.
NAMED = 5


class ExperimentAnalysis:
    """The results of an experiment by the command's options, each computed when it is first used."""

    def __init__(self, experiment: Experiment, options: argparse.Namespace):
        self.experiment, self.options = experiment, options
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
        """For every metric that is a proportion: a test of all arms, and one of each arm against the control."""
        return [(metric, *self.tests(metric)) for metric in self.experiment.metrics if metric.kind == "proportion"]

    def tests(self, metric: Metric) -> tuple[ChiSquare, dict[str, ProportionTest]]:
        counts = [(moments.n, round(moments.n * float(moments.mean[0]))) for moments in metric.moments]
        tests = {
            arm: proportion_test(*counts[number], *counts[self.base], confidence=self.options.confidence)
            for number, arm in enumerate(self.experiment.arms)
            if number != self.base
        }
        return homogeneity(*zip(*counts, strict=True)), tests


def weight(text: str) -> tuple[str, float]:
    arm, _, number = text.rpartition("=")
    try:
        size = float(number) if arm else math.nan
    except ValueError:
        size = math.nan
    if not 0 < size < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected an arm and a number above 0, such as control=0.9")
    return arm, size


def add_experiment(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help='CSV or Parquet with unit, arm and metrics, or arm, n and conversions, a row an arm; "-" is standard input; several'
        " files, or a column test, are several experiments",
    )
    command.add_argument("-m", dest="metrics", metavar="METRIC", action="append", help="only this column; several may be given")
    command.add_argument("--control", metavar="ARM", help="default: the arm called control, else the first by alphabet")
    command.add_argument(
        "--weights", metavar="ARM=W", nargs="+", type=weight, help="how many units each arm should get (default: as many)"
    )
    command.add_argument("--no-adjust", dest="adjust", action="store_false", help="leave the time before (__before) out")
    command.add_argument("--planned", metavar="N", type=whole_number(1), default=DEFAULT_PLANNED, help=PLANNED_HELP)
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument(
        "--format", choices=FORMATS, default="table", help="default %(default)s; csv: a row an arm and metric, or a test"
    )
    command.set_defaults(command=show_experiment)


PLANNED_HELP = "units at which always-valid intervals are narrowest, chosen before the data came in (default %(default)s)"


def show_experiment(options: argparse.Namespace) -> None:
    """Say which arm of an experiment is better. The first result is whether the arms got the units that they should: nothing else
    counts where they did not. Then each metric's mean per arm, and its difference to the control with interval, p and corrected
    p. The differences come twice: for a single look at the end, and for any number of looks. Columns NAME__per make a ratio of
    NAME, NAME__before sharpens it by what units did before. A unit in two arms is left out and named. How many units it takes
    says experiment-plan. Of several experiments each is one row: its most certain effect."""
    read = experiments_in(options.files, options.metrics)
    if isinstance(read, Experiment):
        print(FORMATS[options.format](ExperimentAnalysis(read, options)))
    else:
        print(FORMATS_OF_TESTS[options.format](read, options))


def as_table(analysis: ExperimentAnalysis) -> str:
    sections = (warning, heading, ratio_lines, mean_lines, effect_lines, always_lines, share_lines)
    return "\n".join(line for section in sections for line in section(analysis))


def warning(analysis: ExperimentAnalysis) -> Iterator[str]:
    if analysis.ratio.mismatch:
        yield f"SAMPLE RATIO MISMATCH, p {as_p(analysis.ratio.p)}: arms did not get the units that they should."
        yield "Find out why before you believe anything below."
        yield ""


def heading(analysis: ExperimentAnalysis) -> Iterator[str]:
    experiment = analysis.experiment
    yield f"{analysis.options.files[0]}: {experiment.n.sum():,} units in {len(experiment.arms)} arms, control {analysis.control}"
    if crossed := experiment.crossed:
        more = f" and {len(crossed) - NAMED:,} more" if len(crossed) > NAMED else ""
        units = f"{len(crossed):,} unit{'s' if len(crossed) > 1 else ''}"
        yield f"  {units} in two arms or more left out: {', '.join(crossed[:NAMED])}{more}"


def ratio_lines(analysis: ExperimentAnalysis) -> Iterator[str]:
    ratio = analysis.ratio
    table = [["arm", "units", "expected"]]
    for arm, count, expected in zip(analysis.experiment.arms, ratio.counts, ratio.expected, strict=True):
        table.append([arm, f"{count:,}", f"{expected:,.1f}"])
    yield from aligned(table)
    if not sum(ratio.counts):
        yield "  sample ratio: unknown, since no units are left"
        yield ""
        return
    verdict = f"mismatch, p < {MISMATCH:g}" if ratio.mismatch else f"no mismatch, since p is not below {MISMATCH:g}"
    yield f"  sample ratio: χ² = {decimals(ratio.chi2, 2)}, df = {ratio.freedom}, p {as_p(ratio.p)}: {verdict}"
    yield ""


def mean_lines(analysis: ExperimentAnalysis) -> Iterator[str]:
    table = [["metric", "", "arm", "n", "mean", interval_title(analysis.options), "sd"]]
    for mean in analysis.means:
        places = places_for(mean.high - mean.low)
        numbers = [f"{mean.n:,}", decimals(mean.mean, places), between(mean.low, mean.high), decimals(mean.sd)]
        table.append([mean.metric, mean.kind, mean.arm, *numbers])
    yield from aligned(table)
    yield ""


def effect_lines(analysis: ExperimentAnalysis) -> Iterator[str]:
    methods = "Welch's t, ratios by the delta method over units, relative intervals by Fieller's theorem"
    yield f"  against {analysis.control}: {methods};"
    yield f"  p corrected for {len(analysis.effects)} question{'s' if len(analysis.effects) > 1 else ''}"
    titles = ["difference", interval_title(analysis.options), "relative", "interval", "d", "p", "Holm", "Benjamini–Hochberg"]
    table = [["metric", "arm", *titles, "variance less"]]
    for effect in analysis.effects:
        relative = [as_percent(effect.relative), between_percent(effect.relative_low, effect.relative_high)]
        p = [as_p(number) for number in (effect.p, effect.holm, effect.bh)]
        difference = decimals(effect.difference, places_for(effect.high - effect.low))
        sizes = [difference, between(effect.low, effect.high), *relative, decimals(effect.d, 3)]
        table.append([effect.metric, effect.arm, *sizes, *p, as_percent(effect.reduction, sign="")])
    yield from aligned(table)
    for effect in analysis.effects:
        if effect.undefined:
            yield f"  {effect.metric}, {effect.arm}: no interval because {effect.undefined}"
    if any(effect.adjusted for effect in analysis.effects):
        yield "  variance less: taken away by what units did before (CUPED)"
    yield ""


def always_lines(analysis: ExperimentAnalysis) -> Iterator[str]:
    yield f"  the same differences however often one looks (asymptotic confidence sequence, N* = {analysis.options.planned:,})"
    table = [["metric", "arm", "difference", interval_title(analysis.options), "p"]]
    for effect in analysis.effects:
        difference = decimals(effect.difference, places_for(effect.always_high - effect.always_low))
        table.append(
            [effect.metric, effect.arm, difference, between(effect.always_low, effect.always_high), as_p(effect.always_p)]
        )
    yield from aligned(table)


def share_lines(analysis: ExperimentAnalysis) -> Iterator[str]:
    if not analysis.shares:
        return
    yield ""
    yield "  proportions: Newcombe's interval, Pearson's χ² and Fisher's exact p"
    table = [["metric", "arm", "difference", interval_title(analysis.options), "h", "χ²", "p", "exact p"]]
    for metric, every, tests in analysis.shares:
        if len(tests) > 1:
            table.append([metric.name, "all arms", "", "", "", decimals(every.chi2, 2), as_p(every.p), ""])
        for arm, test in tests.items():
            difference = decimals(test.difference, places_for(test.high - test.low))
            sizes = [difference, between(test.low, test.high), decimals(test.h, 3), decimals(test.chi2, 2)]
            table.append([metric.name, arm, *sizes, as_p(test.p), as_p(test.exact)])
    yield from aligned(table)


def as_percent(number: float, sign: str = "+") -> str:
    return "" if math.isnan(number) else f"{100 * number:{sign}.2f} %"


def between_percent(low: float, high: float) -> str:
    return "" if math.isnan(low) else f"{as_percent(low)} to {as_percent(high)}"


def as_csv(analysis: ExperimentAnalysis) -> str:
    """One row per arm and metric, with p of the sample ratio in each; a mismatch is also reported on standard error."""
    print(*warning(analysis), sep="\n", end="", file=sys.stderr)
    rows = ([*plain(list(row)), analysis.ratio.p] for row in analysis.effects)
    return csv_of([*Effect._fields, "sample_ratio_p"], *rows).rstrip("\n")


def as_json(analysis: ExperimentAnalysis) -> str:
    """One JSON object, in which NaN is null."""
    options, experiment = analysis.options, analysis.experiment
    content: dict[str, Any] = {
        "sample_ratio": analysis.ratio,
        "file": options.files[0],
        "engine": ENGINE_VERSION,
        **option_values(options, "confidence", "planned", "adjust"),
        "arms": experiment.arms,
        "control": analysis.control,
        "crossed": experiment.crossed,
        "means": analysis.means,
        "effects": analysis.effects,
        "proportions": [{"metric": metric.name, "all_arms": every, "arms": tests} for metric, every, tests in analysis.shares],
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[ExperimentAnalysis], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

"""Effects of arms on metrics: the difference to the control, with interval, p and effect size."""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ireval.arrays import Floats
from ireval.experiments.experiment_files import as_experiment
from ireval.experiments.moments import Moments
from ireval.experiments.observations import Experiment, Metric
from ireval.io.arguments import require_confidence
from ireval.io.frames import TableSource
from ireval.significance.corrections import benjamini_hochberg, holm
from ireval.significance.decision import Estimate
from ireval.significance.sequences import DEFAULT_PLANNED, always_valid
from ireval.significance.students_t import quantile, two_sided

# A variance less than this share of what it was computed from is rounding error.
ROUNDING = 1e-12


class ArmMean(NamedTuple):
    """A metric's mean in an arm of n units (for a ratio: sum over sum), with the ends of Student's interval.

    `sd` is the standard deviation between units; for a ratio, that of (value − mean · per) / mean per.
    """

    metric: str
    kind: str
    arm: str
    n: int
    mean: float
    low: float
    high: float
    sd: float


class Effect(NamedTuple):
    """The effect of an arm on a metric, compared with the control. Unknown numbers are NaN, and `undefined` says why.

    - difference, low, high, error, freedom, p: Welch's t. If `adjusted` (CUPED), what units did before is taken into account;
      `reduction` is the share of variance that this removed.
    - relative, relative_low, relative_high: difference / |control's mean|, with Fieller's interval.
    - d: Cohen's, the difference in standard deviations between units.
    - always_low, always_high, always_p: interval and p that hold at any time.
    - holm, bh: p corrected for all metrics and arms.
    """

    metric: str
    kind: str
    arm: str
    control: str
    n: int
    n_control: int
    mean: float
    mean_control: float
    difference: float
    low: float = math.nan
    high: float = math.nan
    error: float = math.nan
    freedom: float = math.nan
    p: float = math.nan
    d: float = math.nan
    relative: float = math.nan
    relative_low: float = math.nan
    relative_high: float = math.nan
    always_low: float = math.nan
    always_high: float = math.nan
    always_p: float = math.nan
    adjusted: bool = False
    reduction: float = math.nan
    holm: float = math.nan
    bh: float = math.nan
    undefined: str = ""

    @property
    def estimate(self) -> Estimate:
        """The difference as `decide` takes it."""
        return Estimate(self.difference, self.error, self.freedom, self.n + self.n_control, self.undefined)


# Metric, kind, arm, control, and units of the two.
Names = tuple[str, str, str, str, int, int]


class EffectOptions(NamedTuple):
    """The options of `arm_effects`."""

    confidence: float
    adjust: bool
    planned: int


class ArmEstimate(NamedTuple):
    """An arm's mean, the mean of the time before, and the covariance (2, 2) of these two estimates.

    `before` is NaN where none of the arm's units was there before.
    """

    n: int
    mean: float
    before: float
    covariance: Floats


class Contrast(NamedTuple):
    """The adjusted means of two arms with the variance of their difference, and the numbers that Fieller's interval needs."""

    mean: float
    mean_control: float
    variance: float
    freedom: float
    variance_control: float
    covariance: float
    reduction: float

    @property
    def difference(self) -> float:
        return self.mean - self.mean_control


def arm_means(experiment: Experiment | TableSource, *, confidence: float = 0.95) -> list[ArmMean]:
    """Every metric in every arm, with Student's interval; of a ratio by the delta method over units.

    The delta method allows for a unit's searches being alike. NaN without units or a denominator above 0; the interval also for
    fewer than two units. Sources: Student 1908. Deng, Knoblich and Lu, Applying the delta method in metric analytics, KDD 2018.

    >>> from ireval.experiments.observations import Observed, experiment_from
    >>> clicks = Observed([1, 3, 0, 2], per=[1, 3, 2, 2])
    >>> means = arm_means(experiment_from([0, 0, 1, 1], ["a", "b"], {"clicks": clicks}))
    >>> [(mean.arm, mean.mean, round(mean.sd, 4)) for mean in means]
    [('a', 1.0, 0.0), ('b', 0.5, 0.7071)]
    """
    experiment = as_experiment(experiment)
    require_confidence(confidence)
    return [
        arm_mean(metric, arm, moments, confidence)
        for metric in experiment.metrics
        for arm, moments in zip(experiment.arms, metric.moments, strict=True)
    ]


def arm_mean(metric: Metric, arm: str, moments: Moments, confidence: float) -> ArmMean:
    estimated = estimate(metric, moments)
    error = math.sqrt(estimated.covariance[0, 0])
    half = quantile(moments.n - 1, confidence) * error if moments.n > 1 else math.nan
    ends = (estimated.mean - half, estimated.mean + half)
    return ArmMean(metric.name, metric.kind, arm, moments.n, estimated.mean, *ends, error * math.sqrt(moments.n))


def arm_effects(
    experiment: Experiment | TableSource,
    control: str | None = None,
    *,
    confidence: float = 0.95,
    adjust: bool = True,
    planned: int = DEFAULT_PLANNED,
) -> list[Effect]:
    """The effect of every arm except the control (default: `experiment.control`) on every metric.

    The difference has Welch's t interval; for ratios by the delta method over units. If the time before is known in both arms,
    the difference is adjusted by it (CUPED), unless `adjust` is False. It is then difference − θ · (difference before), with the
    θ of the smallest variance. The always-valid interval is narrowest at `planned` units. NaN, with a reason, for an arm with
    fewer than two units or without a denominator above 0. Also where units of an arm do not differ. The relative interval is also
    NaN where the control's mean may be 0. BadExperiment for a control that is no arm.
    Sources: Welch, Biometrika 34, 1947. Deng, Knoblich and Lu 2018. Deng, Xu, Kohavi and Walker, Improving the sensitivity of
    online controlled experiments by utilizing pre-experiment data, WSDM 2013. Fieller, Some problems in interval estimation, JRSS
    B 16, 1954. Holm 1979. Benjamini and Hochberg 1995.

    >>> from ireval.experiments.observations import experiment_from_counts
    >>> counts = experiment_from_counts(["control", "new"], [1000, 1000], {"bought": [100, 130]})
    >>> (effect,) = arm_effects(counts)
    >>> [round(number, 4) for number in (effect.difference, effect.low, effect.high, effect.p, effect.relative)]
    [0.03, 0.002, 0.058, 0.0355, 0.3]
    """
    experiment = as_experiment(experiment)
    require_confidence(confidence)
    base = experiment.number_of(experiment.control if control is None else control)
    effects = [
        effect_of(metric, experiment, number, base, EffectOptions(confidence, adjust, planned))
        for metric in experiment.metrics
        for number in range(len(experiment.arms))
        if number != base
    ]
    p = np.array([effect.p for effect in effects])
    corrected = zip(effects, holm(p).tolist(), benjamini_hochberg(p).tolist(), strict=True)
    return [effect._replace(holm=by_holm, bh=by_bh) for effect, by_holm, by_bh in corrected]


def effect_of(metric: Metric, experiment: Experiment, number: int, base: int, how: EffectOptions) -> Effect:
    arm, control = estimate(metric, metric.moments[number]), estimate(metric, metric.moments[base])
    adjusted = how.adjust and metric.before != "none" and not math.isnan(arm.before - control.before)
    names: Names = (metric.name, metric.kind, experiment.arms[number], experiment.arms[base], arm.n, control.n)
    if reason := why_undefined(arm, control):
        return effect_without_interval(names, (arm.mean, control.mean), adjusted, math.nan, reason)
    adjusted_means = contrast(arm, control, adjusted)
    means = (adjusted_means.mean, adjusted_means.mean_control)
    if not adjusted_means.variance:
        return effect_without_interval(names, means, adjusted, 1.0, "the time before tells all that units differ by")
    critical = quantile(adjusted_means.freedom, how.confidence)
    error, difference = math.sqrt(adjusted_means.variance), adjusted_means.difference
    return Effect(
        *names,
        *means,
        difference,
        difference - critical * error,
        difference + critical * error,
        error,
        adjusted_means.freedom,
        two_sided(difference / error, adjusted_means.freedom),
        difference / pooled_deviation(arm, control),
        *fieller(adjusted_means, critical),
        *always_valid(
            difference,
            error,
            arm.n + control.n,
            planned=how.planned,
            confidence=how.confidence,
            freedom=adjusted_means.freedom,
        ),
        adjusted,
        adjusted_means.reduction,
    )


def effect_without_interval(names: Names, means: tuple[float, float], adjusted: bool, reduction: float, reason: str) -> Effect:
    """An effect with its difference, but without interval and p."""
    return Effect(*names, *means, means[0] - means[1], adjusted=adjusted, reduction=reduction, undefined=reason)


def estimate(metric: Metric, moments: Moments) -> ArmEstimate:
    """The means of an arm and their covariance, by the delta method."""
    slopes = np.zeros((2, len(moments.mean)))
    columns = iter(range(len(moments.mean)))
    mean = slope_of(moments.mean, columns, metric.kind == "ratio", slopes[0])
    before = 0.0 if metric.before == "none" else slope_of(moments.mean, columns, metric.before == "ratio", slopes[1])
    if not moments.n or math.isnan(mean):
        return ArmEstimate(moments.n, math.nan, 0.0, np.full((2, 2), np.nan))
    covariance = slopes @ moments.covariance @ slopes.T / moments.n
    parts = np.abs(slopes[0]) @ np.abs(moments.covariance) @ np.abs(slopes[0]) / moments.n
    if covariance[0, 0] <= ROUNDING * parts:
        covariance[0, 0] = 0.0
    return ArmEstimate(moments.n, mean, before, covariance)


def slope_of(means: Floats, columns: Iterator[int], ratio: bool, slopes: Floats) -> float:
    """A mean, or a ratio of means; writes its derivatives into `slopes`. NaN if the denominator is 0."""
    top = next(columns)
    if not ratio:
        slopes[top] = 1.0
        return float(means[top])
    bottom = next(columns)
    if not means[bottom] > 0:
        return math.nan
    ratio_of_means = float(means[top] / means[bottom])
    slopes[top], slopes[bottom] = 1 / means[bottom], -ratio_of_means / means[bottom]
    return ratio_of_means


def why_undefined(arm: ArmEstimate, control: ArmEstimate) -> str:
    if min(arm.n, control.n) < 2:
        return "an arm has fewer than two units"
    if math.isnan(arm.mean) or math.isnan(control.mean):
        return "an arm's denominators are all 0"
    if not arm.covariance[0, 0] + control.covariance[0, 0]:
        return "units of an arm do not differ"
    return ""


def contrast(arm: ArmEstimate, control: ArmEstimate, adjusted: bool) -> Contrast:
    """Both means, adjusted to the mean of the time before over both arms, and their variances."""
    arm_covariance, control_covariance = arm.covariance, control.covariance
    both = arm_covariance + control_covariance
    theta = float(both[0, 1] / both[1, 1]) if adjusted and both[1, 1] > 0 else 0.0
    share = arm.n / (arm.n + control.n)
    apart = theta * (arm.before - control.before) if theta else 0.0
    at_arm, at_control = np.array([1, -theta]), np.array([0, theta * share])
    parts = float(at_arm @ arm_covariance @ at_arm), float(at_arm @ control_covariance @ at_arm)
    variance = sum(parts) if sum(parts) > ROUNDING * both[0, 0] else 0.0
    own = np.array([1, -theta * share])
    variance_control = float(own @ control_covariance @ own + at_control @ arm_covariance @ at_control)
    covariance = float(at_arm @ arm_covariance @ at_control - at_arm @ control_covariance @ own)
    freedom = variance**2 / (parts[0] ** 2 / (arm.n - 1) + parts[1] ** 2 / (control.n - 1)) if variance else math.nan
    reduction = 1 - variance / float(both[0, 0]) if adjusted else math.nan
    means = arm.mean - (1 - share) * apart, control.mean + share * apart
    return Contrast(*means, variance, freedom, variance_control, covariance, reduction)


def fieller(means: Contrast, critical: float) -> tuple[float, float, float]:
    """The relative difference and the ends of its interval: all L with (D − L m)² ≤ t² (V_D − 2 L V_Dm + L² V_m).

    m is the control's mean. The interval leaves out 0 exactly when the difference's own does. NaN ends where L is unbounded.
    """
    m, difference = means.mean_control, means.difference
    if m == 0:
        return math.nan, math.nan, math.nan
    relative = difference / abs(m)
    a = m**2 - critical**2 * means.variance_control
    if a <= 0:
        return relative, math.nan, math.nan
    b = difference * m - critical**2 * means.covariance
    root = math.sqrt(max(0.0, b**2 - a * (difference**2 - critical**2 * means.variance)))
    ends = sorted(math.copysign(1, m) * (b + sign * root) / a for sign in (-1, 1))
    return relative, ends[0], ends[1]


def unit_deviation(experiment: Experiment, effect: Effect) -> float:
    """The standard deviation between units that Cohen's d divides by, pooled over two arms; NaN for an undefined effect."""
    if effect.undefined:
        return math.nan
    metric = next(metric for metric in experiment.metrics if metric.name == effect.metric)
    arms = (experiment.number_of(arm) for arm in (effect.arm, effect.control))
    return pooled_deviation(*(estimate(metric, metric.moments[number]) for number in arms))


def pooled_deviation(arm: ArmEstimate, control: ArmEstimate) -> float:
    squares = sum((side.n - 1) * side.n * float(side.covariance[0, 0]) for side in (arm, control))
    return math.sqrt(squares / (arm.n + control.n - 2))

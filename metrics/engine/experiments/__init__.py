"""Experiments on users: A/B tests and interleaving. Which arm is better, how sure that is, and whether to believe it at all.

Read or make an `Experiment`; `sample_ratio` first of all, then `arm_means` and `arm_effects`; `homogeneity` and `proportion_test`
for shares; `always_valid` for those who look before the end. `interleaving` and `credit_table` of two systems in one list,
`multileaving` of more. Before an experiment: `users_needed`, `detectable_effect`, `days_needed`, `impressions_needed`; while
it runs: `assign`, `place`. docs/experiments.md has formulas, sources and degenerate cases.
"""

from .assigning import assign, place
from .credits import Credits, credits_of, read_credits
from .effects import ArmMean, Effect, arm_effects, arm_means
from .experiment import (
    BadExperiment,
    Experiment,
    Metric,
    Observed,
    experiment_from,
    experiment_from_counts,
    experiment_of,
)
from .files import read_experiment
from .impressions import detectable_delta, impressions_needed, interleaving_power, users_are_alike
from .interleaving import BYS, VOTERS, Interleaved, Multileaved, Pair, Standing, credit_table, interleaving, multileaving
from .moments import Moments, moments_of, moments_of_counts
from .parts import as_sums, from_sums
from .planning import days_needed, detectable_effect, experiment_power, ratio_deviation, users_needed
from .proportions import ProportionTest, homogeneity, proportion_test
from .sample_ratio import MISMATCH, ChiSquare, SampleRatio, sample_ratio
from .sequences import DEFAULT_PLANNED, AlwaysValid, always_valid, sequence_half_width, sequence_rho

__all__ = [
    "BYS",
    "DEFAULT_PLANNED",
    "MISMATCH",
    "VOTERS",
    "AlwaysValid",
    "ArmMean",
    "BadExperiment",
    "ChiSquare",
    "Credits",
    "Effect",
    "Experiment",
    "Interleaved",
    "Metric",
    "Moments",
    "Multileaved",
    "Observed",
    "Pair",
    "ProportionTest",
    "SampleRatio",
    "Standing",
    "always_valid",
    "arm_effects",
    "arm_means",
    "as_sums",
    "assign",
    "credit_table",
    "credits_of",
    "days_needed",
    "detectable_delta",
    "detectable_effect",
    "experiment_from",
    "experiment_from_counts",
    "experiment_of",
    "experiment_power",
    "from_sums",
    "homogeneity",
    "impressions_needed",
    "interleaving",
    "interleaving_power",
    "moments_of",
    "moments_of_counts",
    "multileaving",
    "place",
    "proportion_test",
    "ratio_deviation",
    "read_credits",
    "read_experiment",
    "sample_ratio",
    "sequence_half_width",
    "sequence_rho",
    "users_are_alike",
    "users_needed",
]

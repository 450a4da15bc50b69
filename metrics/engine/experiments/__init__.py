"""Experiments on users: A/B tests and interleaving. Which arm is better, how sure that is, and whether to believe it at all.

Read or make an `Experiment`; `sample_ratio` first of all, then `arm_means` and `arm_effects`; `homogeneity` and `proportion_test`
for shares; `always_valid` for those who look before the end. `interleaving` and `credit_table` of two systems in one list. Before
an experiment: `users_needed`, `detectable_effect`, `days_needed`. docs/experiments.md has formulas, sources and degenerate cases.
"""

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
from .interleaving import VOTERS, Interleaved, credit_table, interleaving
from .moments import Moments, moments_of, moments_of_counts
from .planning import days_needed, detectable_effect, experiment_power, ratio_deviation, users_needed
from .proportions import ProportionTest, homogeneity, proportion_test
from .sample_ratio import MISMATCH, ChiSquare, SampleRatio, sample_ratio
from .sequences import DEFAULT_PLANNED, AlwaysValid, always_valid, sequence_half_width, sequence_rho

__all__ = [
    "DEFAULT_PLANNED",
    "MISMATCH",
    "VOTERS",
    "AlwaysValid",
    "ArmMean",
    "BadExperiment",
    "ChiSquare",
    "Effect",
    "Experiment",
    "Interleaved",
    "Metric",
    "Moments",
    "Observed",
    "ProportionTest",
    "SampleRatio",
    "always_valid",
    "arm_effects",
    "arm_means",
    "credit_table",
    "days_needed",
    "detectable_effect",
    "experiment_from",
    "experiment_from_counts",
    "experiment_of",
    "experiment_power",
    "homogeneity",
    "interleaving",
    "moments_of",
    "moments_of_counts",
    "proportion_test",
    "ratio_deviation",
    "read_experiment",
    "sample_ratio",
    "sequence_half_width",
    "sequence_rho",
    "users_needed",
]

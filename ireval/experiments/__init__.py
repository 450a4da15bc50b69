"""Experiments on users: A/B tests and interleaving. Which arm is better, how sure that is, and whether to believe it at all.

Read or make an `Experiment`; `sample_ratio` first of all, then `arm_means` and `arm_effects`; `homogeneity` and `proportion_test`
for shares; `always_valid` for those who look before the end. `interleaving` and `credit_table` of two systems in one list,
`multileaving` of more. Before an experiment: `users_needed`, `detectable_effect`, `days_needed`, `impressions_needed`; while
it runs: `assign`, `place`. docs/experiments.md has formulas, sources and degenerate cases.
"""

from ireval.experiments.ab_test import ArmMean, Effect, arm_effects, arm_means
from ireval.experiments.assignment import assign, place
from ireval.experiments.experiment_files import read_experiment
from ireval.experiments.moments import Moments, moments_of, moments_of_counts
from ireval.experiments.observations import (
    BadExperiment,
    Experiment,
    Metric,
    Observed,
    experiment_from,
    experiment_from_counts,
    experiment_of,
)
from ireval.experiments.proportions import ProportionTest, homogeneity, proportion_test
from ireval.experiments.sample_ratio import MISMATCH, ChiSquare, SampleRatio, sample_ratio
from ireval.experiments.sequences import DEFAULT_PLANNED, AlwaysValid, always_valid, sequence_half_width, sequence_rho
from ireval.experiments.sums import as_sums, from_sums

__all__ = [
    "DEFAULT_PLANNED",
    "MISMATCH",
    "AlwaysValid",
    "ArmMean",
    "BadExperiment",
    "ChiSquare",
    "Effect",
    "Experiment",
    "Metric",
    "Moments",
    "Observed",
    "ProportionTest",
    "SampleRatio",
    "always_valid",
    "arm_effects",
    "arm_means",
    "as_sums",
    "assign",
    "experiment_from",
    "experiment_from_counts",
    "experiment_of",
    "from_sums",
    "homogeneity",
    "moments_of",
    "moments_of_counts",
    "place",
    "proportion_test",
    "read_experiment",
    "sample_ratio",
    "sequence_half_width",
    "sequence_rho",
]

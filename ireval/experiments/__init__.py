"""Experiments on users: which arm of an A/B test is better, how sure that is, and whether the data can be believed.

Read or make an `Experiment`. Check the `sample_ratio` first; then come `arm_means` and `arm_effects`, and for shares
`homogeneity` and `proportion_test`. `always_valid` is for looks before the end. `assign` and `place` decide who gets which arm.
Planning is in ireval.planning, interleaving in ireval.interleaving. docs/reference/experiments.md has formulas, sources and
degenerate cases.
"""

from ireval.experiments.ab_test import ArmMean, Effect, arm_effects, arm_means
from ireval.experiments.assignment import assign, place
from ireval.experiments.experiment_files import experiment_of, read_experiment
from ireval.experiments.moments import Moments
from ireval.experiments.observations import (
    BadExperiment,
    Experiment,
    Metric,
    Observed,
    experiment_from,
    experiment_from_counts,
)
from ireval.experiments.proportions import ProportionTest, homogeneity, proportion_test
from ireval.experiments.sample_ratio import MISMATCH, ChiSquare, SampleRatio, sample_ratio
from ireval.experiments.sums import as_sums
from ireval.significance.sequences import DEFAULT_PLANNED, AlwaysValid, always_valid, sequence_half_width, sequence_rho

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
    "homogeneity",
    "place",
    "proportion_test",
    "read_experiment",
    "sample_ratio",
    "sequence_half_width",
    "sequence_rho",
]

"""How far workers agree: coefficients with intervals, and a table of the items and of the workers."""

from ireval.agreement.coefficients import LEVELS, agreement_of, cohen_kappa, fleiss_kappa, krippendorff_alpha, percent_agreement
from ireval.agreement.item_bootstrap import Agreement, Resampling
from ireval.agreement.items import entropy, item_agreement
from ireval.agreement.worker_pairs import LEAST_IN_COMMON, mean_cohen_kappa
from ireval.agreement.workers import confusion, longest_runs, wilson_interval, worker_table

__all__ = [
    "LEAST_IN_COMMON",
    "LEVELS",
    "Agreement",
    "Resampling",
    "agreement_of",
    "cohen_kappa",
    "confusion",
    "entropy",
    "fleiss_kappa",
    "item_agreement",
    "krippendorff_alpha",
    "longest_runs",
    "mean_cohen_kappa",
    "percent_agreement",
    "wilson_interval",
    "worker_table",
]

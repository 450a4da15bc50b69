"""Tests, intervals and effect sizes for paired scores: is a system better than another, or were the topics kind to it?"""

from ireval.significance.bootstrap import bootstrap, bootstrap_test, difference_interval
from ireval.significance.clusters import Clustered
from ireval.significance.comparison import TESTS, Comparison, Rules, compare, pairs_of
from ireval.significance.corrections import CORRECTIONS, benjamini_hochberg, bonferroni, holm, shares_of_alpha
from ireval.significance.decision import Decision, Estimate, decide
from ireval.significance.effect_sizes import cohens_d, hedges_g, superiority
from ireval.significance.exact_tests import SignTests, binomial_test, sign_tests, trinomial_test
from ireval.significance.intervals import Interval, bootstrap_interval, mean_interval, measure_interval
from ireval.significance.paired_t import paired_t, t_interval
from ireval.significance.pairs import Pairs
from ireval.significance.randomisation import randomisation, randomise
from ireval.significance.scores import BadComparison, Scores, read_scores, scores_of
from ireval.significance.sign import sign_test
from ireval.significance.studentised_range import upper_quantile, upper_tail
from ireval.significance.tukey import randomised_half_width, randomised_ranges, randomised_tukey, tukey, tukey_half_width
from ireval.significance.wilcoxon import wilcoxon

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "BadComparison",
    "Clustered",
    "Comparison",
    "Decision",
    "Estimate",
    "Interval",
    "Pairs",
    "Rules",
    "Scores",
    "SignTests",
    "benjamini_hochberg",
    "binomial_test",
    "bonferroni",
    "bootstrap",
    "bootstrap_interval",
    "bootstrap_test",
    "cohens_d",
    "compare",
    "decide",
    "difference_interval",
    "hedges_g",
    "holm",
    "mean_interval",
    "measure_interval",
    "paired_t",
    "pairs_of",
    "randomisation",
    "randomise",
    "randomised_half_width",
    "randomised_ranges",
    "randomised_tukey",
    "read_scores",
    "scores_of",
    "shares_of_alpha",
    "sign_test",
    "sign_tests",
    "superiority",
    "t_interval",
    "trinomial_test",
    "tukey",
    "tukey_half_width",
    "upper_quantile",
    "upper_tail",
    "wilcoxon",
]

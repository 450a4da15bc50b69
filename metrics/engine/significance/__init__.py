"""Is one system better than another, or were the topics kind to it? Tests, intervals and effect sizes for paired scores."""

from .bootstrap import bootstrap, bootstrap_test, difference_interval
from .comparison import TESTS, Comparison, Rules, compare, pairs_of
from .corrections import CORRECTIONS, benjamini_hochberg, bonferroni, holm
from .effects import cohens_d, hedges_g, superiority
from .paired_t import paired_t, t_interval
from .pairs import Pairs, against, all_pairs
from .randomisation import randomisation, randomise
from .scores import BadComparison, Scores, read_scores, scores_of
from .sign import sign_test
from .studentised_range import upper_quantile, upper_tail
from .tukey import randomised_half_width, randomised_ranges, randomised_tukey, tukey, tukey_half_width
from .wilcoxon import wilcoxon

__all__ = [
    "CORRECTIONS",
    "TESTS",
    "BadComparison",
    "Comparison",
    "Pairs",
    "Rules",
    "Scores",
    "against",
    "all_pairs",
    "benjamini_hochberg",
    "bonferroni",
    "bootstrap",
    "bootstrap_test",
    "cohens_d",
    "compare",
    "difference_interval",
    "hedges_g",
    "holm",
    "paired_t",
    "pairs_of",
    "randomisation",
    "randomise",
    "randomised_half_width",
    "randomised_ranges",
    "randomised_tukey",
    "read_scores",
    "scores_of",
    "sign_test",
    "superiority",
    "t_interval",
    "tukey",
    "tukey_half_width",
    "upper_quantile",
    "upper_tail",
    "wilcoxon",
]

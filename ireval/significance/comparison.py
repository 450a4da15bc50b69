"""Comparisons of systems two by two: how large each difference is, and how sure."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
import polars as pl

from ireval.arrays import Floats
from ireval.io.arguments import is_name_in, require_confidence, require_count
from ireval.io.frames import Source, to_pandas
from ireval.significance.bootstrap import bootstrap, difference_interval
from ireval.significance.corrections import CORRECTIONS
from ireval.significance.effect_sizes import cohens_d, hedges_g, superiority
from ireval.significance.intervals import few_topics
from ireval.significance.paired_t import paired_t, t_interval
from ireval.significance.pairs import Pairs, against, all_pairs
from ireval.significance.randomisation import randomise
from ireval.significance.scores import BadComparison, Scores, as_scores
from ireval.significance.sign import sign_test
from ireval.significance.students_t import corrected_ends
from ireval.significance.tukey import randomised_half_width, randomised_ranges, randomised_tukey, tukey, tukey_half_width
from ireval.significance.wilcoxon import wilcoxon

DEFAULT_TEST = "t"
DEFAULT_CORRECTION = "holm"


@dataclass(frozen=True)
class Rules:
    """How to compare. `resamples` are flips, resamples or permutations.

    Every step begins with the seed, so that the numbers of a pair do not depend on the other pairs. BadInput for a confidence
    that is not between 0 and 1, and for no resamples.
    """

    confidence: float = 0.95
    resamples: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        require_confidence(self.confidence)
        require_count("resamples", self.resamples)

    def rng(self) -> np.random.Generator:
        """A new generator, seeded."""
        return np.random.default_rng(self.seed)


class PairResults(NamedTuple):
    """p of each pair and the ends of its difference's interval, (pairs,) each."""

    p: Floats
    low: Floats
    high: Floats


Choice = TypeVar("Choice")
Find = Callable[[Scores, Pairs, Rules], PairResults]


@dataclass(frozen=True)
class Test:
    """A test as people choose it. A `joint` test takes all systems at once and needs no correction.

    A test that is `inverted` asks of the mean difference: its interval leaves out 0 exactly where the corrected p is below alpha.
    With fewer than `enough` topics its 95 % intervals may hold the truth in less than 93.5 % (docs/explanation/statistics.md).
    """

    title: str
    interval: str
    find: Find
    random: bool = False
    joint: bool = False
    inverted: bool = False
    enough: int = 25


def paired(p_of: Callable[[Floats], Floats]) -> Find:
    """Make a test of each pair's differences alone."""

    def find(scores: Scores, pairs: Pairs, rules: Rules) -> PairResults:
        p = [p_of(table) for _, table in pairs.tables(scores.values)]
        return PairResults(np.concatenate(p), *students(scores, pairs, rules))

    return find


def students(scores: Scores, pairs: Pairs, rules: Rules) -> tuple[Floats, Floats]:
    low, high = zip(*(t_interval(table, rules.confidence) for _, table in pairs.tables(scores.values)), strict=True)
    return np.concatenate(low), np.concatenate(high)


def find_by_randomisation(scores: Scores, pairs: Pairs, rules: Rules) -> PairResults:
    return PairResults(randomise(scores.values, pairs, rules.rng(), rules.resamples), *students(scores, pairs, rules))


def find_by_bootstrap(scores: Scores, pairs: Pairs, rules: Rules) -> PairResults:
    def interval(table: Floats) -> tuple[Floats, Floats]:
        return difference_interval(table, rules.rng(), confidence=rules.confidence, samples=rules.resamples)

    low, high = zip(*(interval(table) for _, table in pairs.tables(scores.values)), strict=True)
    p = bootstrap(scores.values, pairs, rules.rng(), rules.resamples)
    return PairResults(p, np.concatenate(low), np.concatenate(high))


def find_tukey(scores: Scores, pairs: Pairs, rules: Rules) -> PairResults:
    half = tukey_half_width(scores.values, rules.confidence)
    return PairResults(tukey(scores.values, pairs), *surrounded(scores, pairs, half))


def find_randomised_tukey(scores: Scores, pairs: Pairs, rules: Rules) -> PairResults:
    if not scores.topics:
        return PairResults(*np.full((3, len(pairs)), np.nan))
    ranges = randomised_ranges(scores.values, rules.rng(), rules.resamples)
    half = randomised_half_width(ranges, rules.confidence)
    return PairResults(randomised_tukey(scores.values, pairs, ranges), *surrounded(scores, pairs, half))


def surrounded(scores: Scores, pairs: Pairs, half: float) -> tuple[Floats, Floats]:
    difference = scores.means[pairs.first] - scores.means[pairs.second]
    return difference - half, difference + half


TESTS = {
    "t": Test("paired t test", "Student's t", paired(paired_t), inverted=True, enough=10),
    "wilcoxon": Test("Wilcoxon's signed-rank test, draws dropped", "Student's t", paired(wilcoxon), enough=10),
    "sign": Test("exact sign test, draws dropped", "Student's t", paired(sign_test), enough=10),
    "randomisation": Test("randomisation test", "Student's t", find_by_randomisation, random=True, inverted=True, enough=10),
    "bootstrap": Test("bootstrap shift test", "bootstrap percentiles, expanded", find_by_bootstrap, random=True),
    "tukey": Test("Tukey's HSD, two-way layout", "Tukey's, simultaneous", find_tukey, joint=True),
    "randomised-tukey": Test(
        "Tukey's HSD by randomisation", "randomised, simultaneous", find_randomised_tukey, random=True, joint=True
    ),
}


@dataclass(frozen=True, eq=False)
class Comparison:
    """The result for every pair, arrays (pairs,); `difference` is the first's mean minus the second's.

    `low` and `high` end its interval, cut off at the scores' `largest_difference`. Of tests of the mean it has the confidence 1 −
    the pair's share of alpha, of others that of the rules.
    """

    scores: Scores
    test: str
    correction: str
    rules: Rules
    pairs: Pairs
    difference: Floats
    low: Floats
    high: Floats
    d: Floats
    g: Floats
    superiority: Floats
    p: Floats
    corrected: Floats

    @property
    def caution(self) -> str:
        """Say that intervals may be too narrow for so few topics; empty where there are enough."""
        return few_topics(len(self.scores.topics), TESTS[self.test].enough)

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per pair: its two systems, their means and the results; NaN where a result is undefined."""
        systems, first, second = pl.Series(self.scores.systems, dtype=pl.String), self.pairs.first, self.pairs.second
        return pl.DataFrame(
            {
                "first": systems.gather(first),
                "second": systems.gather(second),
                "mean_first": self.scores.means[first],
                "mean_second": self.scores.means[second],
                "difference": self.difference,
                "low": self.low,
                "high": self.high,
                "n": np.full(len(self.pairs), len(self.scores.topics)),
                "d": self.d,
                "g": self.g,
                "superiority": self.superiority,
                "p": self.p,
                "corrected_p": self.corrected,
            }
        )

    def to_pandas(self) -> Any:
        """The table as a frame of pandas."""
        return to_pandas(self.table)


def compare(
    scores: Scores | Source,
    test: str = DEFAULT_TEST,
    *,
    correction: str | None = None,
    baseline: str | None = None,
    rules: Rules | None = None,
) -> Comparison:
    """Compare every two systems, or every other system with the baseline.

    `scores` are those of scores_of or read_scores, or a table that read_scores takes. `correction` is one of CORRECTIONS, over
    the pairs compared; the default is Holm's, and none for a joint test. BadComparison for names that do not exist, fewer than
    two systems, and a correction of a joint test.

    >>> scores = Scores(tuple("1234"), ("bm25", "rm3"), np.array([[0.2, 0.3], [0.1, 0.3], [0.4, 0.7], [0.3, 0.2]]))
    >>> result = compare(scores)
    >>> [float(number[0].round(4)) for number in (result.difference, result.p, result.g, result.superiority)]
    [-0.125, 0.2394, -0.5296, 0.25]
    """
    scores = as_scores(scores)
    chosen = choose(test, TESTS, "test")
    correction = correction or ("none" if chosen.joint else DEFAULT_CORRECTION)
    _, correct = choose(correction, CORRECTIONS, "correction")
    if chosen.joint and correction != "none":
        raise BadComparison(f"the test {test} is corrected for all pairs as it is; leave the correction {correction} out")
    pairs, rules = pairs_of(scores, baseline), rules or Rules()
    results = chosen.find(scores, pairs, rules)
    if chosen.inverted:
        ends = corrected_ends(*results, len(scores.topics) - 1, correction=correction, confidence=rules.confidence)
        results = PairResults(results.p, *ends)
    low, high = np.clip([results.low, results.high], -scores.largest_difference, scores.largest_difference)
    return Comparison(
        scores=scores,
        test=test,
        correction=correction,
        rules=rules,
        pairs=pairs,
        difference=scores.means[pairs.first] - scores.means[pairs.second],
        low=low,
        high=high,
        **effects(scores, pairs),
        p=results.p,
        corrected=correct(results.p),
    )


def pairs_of(scores: Scores | Source, baseline: str | None = None) -> Pairs:
    """Every two systems, or every other system with the baseline. BadComparison for fewer than two, or an unknown baseline.

    >>> len(pairs_of(Scores((), ("bm25", "rm3", "dense"), np.empty((0, 3)))))
    3
    """
    scores = as_scores(scores)
    m = len(scores.systems)
    if m < 2:
        raise BadComparison(f"there is only {', '.join(scores.systems) or 'nothing'}; expected at least two systems")
    return all_pairs(m) if baseline is None else against(scores.number_of(baseline), m)


def effects(scores: Scores, pairs: Pairs) -> dict[str, Floats]:
    kinds = {"d": cohens_d, "g": hedges_g, "superiority": superiority}
    sizes = [[effect(table) for effect in kinds.values()] for _, table in pairs.tables(scores.values)]
    return dict(zip(kinds, map(np.concatenate, zip(*sizes, strict=True)), strict=True))


def choose(name: str, choices: dict[str, Choice], what: str) -> Choice:
    if not is_name_in(name, choices):
        raise BadComparison(f"there is no {what} {name}; expected one of {', '.join(choices)}")
    return choices[name]

"""How far clicks order or grade documents as workers do; uncertainty is over queries, not over documents."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from ireval.arrays import Floats, Ints
from ireval.clicks.click_files import as_sessions
from ireval.clicks.click_preferences import RULES, with_earlier
from ireval.clicks.rates import ctr_by_rank
from ireval.clicks.sessions import BadClicks, Sessions
from ireval.correlation.rank_correlation import COEFFICIENTS, Paired
from ireval.io.arguments import require_type
from ireval.io.cells import first_repeated, require_cells, require_columns
from ireval.io.frames import Frame, TableSource, as_table
from ireval.labels.labels import texts
from ireval.significance.clusters import Clustered, clustered

Value = Callable[[Floats], Floats]


class LabelAgreement(NamedTuple):
    """Agreement of clicks and of the baseline with workers, and the gain; over `n` documents or pairs of the `queries`."""

    name: str
    title: str
    n: int
    queries: int
    clicks: Clustered
    baseline: Clustered
    gain: Clustered


class RuleAgreement(NamedTuple):
    """How a rule orders pairs of documents that workers do not call equal.

    - pairs: how many of them the rule orders; `right` is the share that it orders as workers do.
    - coverage: `pairs` over all pairs that workers do not call equal.
    - impressions: how many order one of the `pairs`; `impressions_right` is the share that orders it as workers do.
    - tied: pairs that the rule orders and workers call equal.
    """

    rule: str
    title: str
    queries: int
    pairs: int
    right: Clustered
    coverage: float
    impressions: int
    impressions_right: Clustered
    tied: int


def over_queries(sums: Floats, value: Value, bounds: tuple[float, float], confidence: float, *, against: float = 0) -> Clustered:
    """`value` of the summed rows of `sums`, (Q, …), one row per query, with a jackknife interval over queries.

    `value` takes R sums, (R, …), and returns (R,) numbers. V is (Q − 1) / Q · Σ(θ₋q − mean θ₋)². The interval is
    θ ± t(Q − 1) · √V, cut off at the bounds. Undefined (NaN) for fewer than two queries, where θ or one of the θ₋q is, and
    where all θ₋q are the same.
    Source: Efron and Tibshirani, An introduction to the bootstrap, 1993, chapter 11.

    >>> share = over_queries(np.array([[1.0, 2], [4, 4], [1, 2]]), mean_of, (0, 1), 0.95, against=0.5)
    >>> share.value, round(share.error, 4)
    (0.75, 0.2222)
    """
    size = len(sums)
    total = sums.sum(axis=0)
    estimate = float(value(total[None])[0])
    without = value(total - sums)
    if np.isnan(estimate) or (size > 1 and np.isnan(without).any()):
        return Clustered(estimate, np.nan, np.nan, np.nan, np.nan, 0, "there is too little to compare")
    influence = (size - 1) / size * (without.mean() - without) if size > 1 else np.zeros(1)
    # A difference of equal numbers this small is rounding error.
    influence[np.abs(influence) < 1e-12] = 0
    interval = clustered(estimate, influence, {"query": np.arange(size)}, against=against, confidence=confidence)
    low, high = np.clip([interval.low, interval.high], *bounds).tolist()
    return interval._replace(low=low, high=high, undefined=interval.undefined.replace("votes", "queries"))


def mean_of(sums: Floats) -> Floats:
    return np.divide(sums[:, 0], sums[:, 1], out=np.full(len(sums), np.nan), where=sums[:, 1] > 0)


class Statistic(NamedTuple):
    """A statistic of sums over queries: its value, its bounds, and the value that chance gives."""

    name: str
    title: str
    value: Value
    bounds: tuple[float, float]
    chance: float

    def of(self, n: int, clicks: Floats, baseline: Floats, confidence: float) -> LabelAgreement:
        """Compare clicks and the baseline by their sums of the same queries, (Q, …) each."""
        both = np.stack([clicks, baseline], axis=1)
        apart = self.bounds[1] - self.bounds[0]
        return LabelAgreement(
            self.name,
            self.title,
            n,
            len(clicks),
            over_queries(clicks, self.value, self.bounds, confidence, against=self.chance),
            over_queries(baseline, self.value, self.bounds, confidence, against=self.chance),
            over_queries(both, lambda sums: self.value(sums[:, 0]) - self.value(sums[:, 1]), (-apart, apart), confidence),
        )


def order_agreement(query: Ints, grade: Ints, sides: tuple[Floats, Floats], confidence: float) -> list[LabelAgreement]:
    """Mean τ_b and ρ over queries, and the share of pairs ordered as workers do; of estimates and baseline, (N,) each.

    `query` ascends. Queries whose documents workers call equal are left out. A side that ties all documents of a query gets 0;
    a pair that it ties counts half.
    """
    return [
        *(correlation(name, query, grade, sides, confidence) for name in ("kendall_b", "spearman")),
        pairs_in_order(query, grade, sides, confidence),
    ]


def correlation(name: str, query: Ints, grade: Ints, sides: tuple[Floats, Floats], confidence: float) -> LabelAgreement:
    coefficient, size = COEFFICIENTS[name], int(query.max(initial=-1)) + 1
    varied = ~np.isnan(coefficient(Paired(grade, grade, query, size)))
    values = [np.nan_to_num(coefficient(Paired(side, grade, query, size))) for side in sides]
    clicks, baseline = (np.column_stack([value, varied])[varied] for value in values)
    title = f"{coefficient.title}, mean of queries"
    return Statistic(name, title, mean_of, (-1, 1), 0).of(int(varied[query].sum()), clicks, baseline, confidence)


def pairs_in_order(query: Ints, grade: Ints, sides: tuple[Floats, Floats], confidence: float) -> LabelAgreement:
    first, second = pairs_within(query)
    differing = grade[first] != grade[second]
    first, second = first[differing], second[differing]
    right = [(1 + np.sign((side[first] - side[second]) * (grade[first] - grade[second]))) / 2 for side in sides]
    clicks, baseline = (sums_by_query(query[first], correct, np.ones(len(first))) for correct in right)
    statistic = Statistic("pairs", "pairs of documents in the order of workers", mean_of, (0, 1), 0.5)
    return statistic.of(len(first), clicks, baseline, confidence)


def sums_by_query(query: Ints, *columns: NDArray) -> Floats:
    """Sums of each of the columns, (N,), over queries: (Q, columns)."""
    own, place = np.unique(query, return_inverse=True)
    return np.column_stack([np.bincount(place, column, len(own)) for column in columns]).astype(np.float64)


def pairs_within(query: Ints) -> tuple[Ints, Ints]:
    """Every two places with the same query, the later one first, (n,) each; `query` ascends.

    >>> [part.tolist() for part in pairs_within(np.array([0, 0, 0, 1, 1]))]
    [[1, 2, 2, 4], [0, 1, 0, 3]]
    """
    return with_earlier(np.arange(len(query)) - np.searchsorted(query, query))


def preference_agreement(
    preferences: Mapping[str, Frame],
    judged: Frame | None = None,
    side_by_side: Frame | None = None,
    *,
    confidence: float = 0.95,
) -> list[RuleAgreement]:
    """How often each of RULES orders two documents of a query as workers do.

    `preferences` are the tables of `click_preferences`, by rule. A pair is ordered as the majority of its impressions say, and
    not counted if there is none. Workers prefer the higher grade of `judged` (query, document, grade). By `side_by_side` (query,
    first, second, score) they prefer the first if the pair's scores add up to more than 0, the second if to less. Where a pair
    is in both, `side_by_side` counts. Frames may be of polars or pandas. Intervals are over queries.
    BadClicks for an unknown rule, if neither is given, and for a missing column. Also for a cell that is empty or no grade, with
    its row.
    Source: Joachims et al., ACM TOIS 25(2), 2007, section 5.

    >>> from ireval.clicks.click_preferences import click_preferences
    >>> from ireval.clicks.sessions import small
    >>> judged = pl.DataFrame({"query": ["owls"] * 3, "document": ["a", "b", "c"], "grade": [0, 2, 1]})
    >>> agreements = preference_agreement({"skip-above": click_preferences(small(), "skip-above")}, judged)
    >>> [(agreement.pairs, agreement.right.value, round(agreement.coverage, 2)) for agreement in agreements]
    [(2, 0.5, 0.67)]
    """
    require_type("preferences", preferences, Mapping, "{rule: the table of click_preferences}", BadClicks)
    if strange := [rule for rule in preferences if rule not in RULES]:
        raise BadClicks(f"there is no rule {strange[0]}; expected one of {', '.join(RULES)}")
    workers = workers_order(judged, side_by_side)
    return [rule_agreement(rule, pairs, workers, confidence) for rule, pairs in preferences.items()]


def blind(sessions: Sessions | TableSource, seed: int = 0) -> Sessions:
    """The same impressions with clicks that depend on ranks alone: each document is clicked at the rate of its rank.

    Clicks come from the top down if the log has any order of clicks. Rules on these sessions show how often they are right by
    chance. That is not ½: four rules prefer the lower document, and rankings put better documents higher.
    """
    sessions = as_sessions(sessions)
    chance = ctr_by_rank(sessions)["ctr"].to_numpy()[sessions.place]
    clicked = np.random.default_rng(seed).random(len(chance)) < chance
    order = np.where(clicked, sessions.place + 1, 0) if sessions.order.any() else np.zeros_like(sessions.order)
    return replace(sessions, clicks=clicked.astype(np.int64), order=order, seconds=np.full(len(chance), np.nan))


def rule_agreement(rule: str, preferences: Frame, workers: pl.DataFrame, confidence: float) -> RuleAgreement:
    table = as_table(preferences, BadClicks)
    require_columns(table, ("query", "preferred", "over", "count", "against"), BadClicks)
    clicks = table.select(
        "query",
        first=pl.min_horizontal("preferred", "over"),
        second=pl.max_horizontal("preferred", "over"),
        # In alphabetical order, so that both orders of a pair become one row.
        count=pl.when(pl.col("preferred") < pl.col("over")).then("count").otherwise("against"),
        against=pl.when(pl.col("preferred") < pl.col("over")).then("against").otherwise("count"),
    ).unique()
    both = clicks.filter(pl.col("count") != pl.col("against")).join(workers, on=["query", "first", "second"])
    kept = both.filter(pl.col("better") != 0).sort("query", "first", "second")
    firsts = kept["better"].to_numpy() > 0
    count, against = kept["count"].to_numpy(), kept["against"].to_numpy()
    query = kept["query"].rle_id().to_numpy()
    shares = [((count > against) == firsts, np.ones(len(kept))), (np.where(firsts, count, against), count + against)]
    right, impressions_right = (
        over_queries(sums_by_query(query, *share), mean_of, (0, 1), confidence, against=0.5) for share in shares
    )
    every = int((workers["better"] != 0).sum())
    return RuleAgreement(
        rule=rule,
        title=RULES[rule][0],
        queries=kept["query"].n_unique(),
        pairs=len(kept),
        right=right,
        coverage=len(kept) / every if every else np.nan,
        impressions=int((count + against).sum()),
        impressions_right=impressions_right,
        tied=len(both) - len(kept),
    )


def workers_order(judged: Frame | None, side_by_side: Frame | None) -> pl.DataFrame:
    """One row per pair that workers judged: query, first and second in alphabetical order, better (1, 0, −1)."""
    frames = []
    if side_by_side is not None:
        frames.append(from_side_by_side(side_by_side))
    if judged is not None:
        frames.append(from_grades(checked_grades(judged)))
    if not frames:
        raise BadClicks("there are neither grades nor preferences of workers")
    return pl.concat(frames).unique(["query", "first", "second"], keep="first", maintain_order=True)


def from_grades(judged: pl.DataFrame) -> pl.DataFrame:
    rows = judged.sort("query", "document")
    later, earlier = pairs_within(rows["query"].rle_id().to_numpy())
    name, grade = rows["document"], rows["grade"].to_numpy()
    better = np.sign(grade[earlier] - grade[later])
    return pl.DataFrame(
        {"query": rows["query"].gather(later), "first": name.gather(earlier), "second": name.gather(later), "better": better}
    )


def from_side_by_side(frame: Frame) -> pl.DataFrame:
    compared = as_table(frame, BadClicks)
    require_cells(compared, ("query", "first", "second", "score"), BadClicks)
    rows = compared.select(*(texts(compared[name]).alias(name) for name in ("query", "first", "second")), "score")
    if (rows["first"] == rows["second"]).any():
        raise BadClicks(f"document {rows.filter(pl.col('first') == pl.col('second'))['first'][0]} is compared to itself")
    straight = pl.col("first") < pl.col("second")
    rows = rows.select(
        "query",
        first=pl.min_horizontal("first", "second"),
        second=pl.max_horizontal("first", "second"),
        score=pl.when(straight).then("score").otherwise(-pl.col("score")).cast(pl.Float64),
    )
    sums = rows.group_by("query", "first", "second").agg(pl.col("score").sum())
    return sums.select("query", "first", "second", better=pl.col("score").sign().cast(pl.Int64))


def checked_grades(judged: Frame, most: float = np.inf) -> pl.DataFrame:
    """The columns query, document and grade, a whole number from 0; BadClicks for anything else and for repeated documents."""
    table = as_table(judged, BadClicks)
    require_cells(table, ("query", "document", "grade"), BadClicks)
    grade = table["grade"].cast(pl.Float64, strict=False)
    good = (grade >= 0) & (grade % 1 == 0) & (grade <= most)
    if (bad := ~good.fill_null(value=False)).any():
        row, upto = bad.arg_max() or 0, "" if np.isinf(most) else f" to {most:g}"
        what = f"the grade is {table['grade'][row]}; expected a whole number from 0{upto}"
        raise BadClicks(f"row {row + 1:,}: column grade: {what}: round it, or leave the row out")
    grades = table.select(*(texts(table[name]).alias(name) for name in ("query", "document")), grade.cast(pl.Int64))
    if grades.select("query", "document").is_duplicated().any():
        row = first_repeated(grades, ["query", "document"])
        query, document, _ = grades.row(row)
        why = f"document {document} has two grades for query {query}"
        raise BadClicks(f"row {row + 1:,}: columns query and document: {why}: keep one of the rows")
    return grades

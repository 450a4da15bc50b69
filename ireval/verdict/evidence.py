"""Evidence as it is collected, and the line that each kind gives a verdict. In every table system A is "a" and B is "b"."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import polars as pl

from ireval.aggregation.aggregate_labels import TIES, leaders
from ireval.arrays import Floats
from ireval.experiments import Observed, arm_effects, experiment_from
from ireval.experiments.ab_test import Effect, unit_deviation
from ireval.experiments.sums import from_sums
from ireval.interleaving import Credits, compare_interleaved
from ireval.interleaving.analysis import Voter
from ireval.io.frames import as_run
from ireval.measures.evaluation import evaluate
from ireval.measures.names import parse_measure
from ireval.measures.rankings import Qrels
from ireval.measures.registry import Measure
from ireval.preferences import Votes, preference, topic_table, votes_of
from ireval.significance.decision import Estimate
from ireval.significance.pairs import Pairs
from ireval.significance.scores import BadComparison, scores_of
from ireval.verdict.lines import Line, line_of_arms, line_of_interleaving, line_of_score, line_of_topics, line_of_votes

APART = "\x1f"  # no id of a topic has it: joins it with a worker's
CELL = ["topic", "worker"]
B_AGAINST_A = Pairs(np.array([1]), np.array([0]))


@dataclass(frozen=True, eq=False)
class Grades:
    """Graded documents, `qrels` (topic, docno, grade, perhaps subtopic), and both rankings, `a` and `b` (topic, docno, score).

    `votes` (topic, docno, worker, grade) are the workers' grades that became the qrels, where these are known: the interval is
    then over other workers, too. `unit` is "topics", or "queries" where grades come from clicks.
    """

    kind: str
    measure: str
    margin: float
    qrels: pl.DataFrame
    a: pl.DataFrame
    b: pl.DataFrame
    votes: pl.DataFrame | None = None
    unit: str = "topics"

    @property
    def parsed(self) -> Measure:
        """The measure; BadMeasure if there is none of that name."""
        return parse_measure(self.measure)

    def line(self) -> Line:
        """The measure's mean difference over topics, and how often B is better on one."""
        table = self.differences(self.qrels, self.a, self.b)
        largest = self.parsed.kind.largest_difference
        return line_of_topics(
            self.kind,
            self.measure,
            table["difference"],
            margin=self.margin,
            without_worker=self.without_workers(table),
            bounds=(-largest, largest),
            unit=self.unit,
        )

    def by_topic(self) -> pl.DataFrame:
        """How far B is ahead on each topic, from −1 to 1: the difference in standard deviations of all topics', as tanh.

        A single topic has none to be told in, and is silent (null). Where all topics differ by the same, that is 1, 0 or −1.
        """
        table = self.differences(self.qrels, self.a, self.b)
        difference = table["difference"].to_numpy()
        if table.height < 2:
            return table.select("topic", ahead=pl.lit(None, pl.Float64))
        deviation = float(np.std(difference, ddof=1))
        return pl.DataFrame(
            {"topic": table["topic"], "ahead": np.tanh(difference / deviation) if deviation else np.sign(difference)}
        )

    def differences(self, qrels: pl.DataFrame | Qrels, a: pl.DataFrame, b: pl.DataFrame) -> pl.DataFrame:
        """B − A by topic, of topics that both systems have: topic, difference. More is better for B, whatever the measure.

        BadComparison for a measure that is no mean of topics' values.
        """
        if self.parsed.weight:
            raise BadComparison(f"{self.parsed} is a ratio of two means over topics; a verdict needs a mean of topics' values")
        evaluations = {name: evaluate(run, qrels, self.measure, may_share_none=True) for name, run in (("a", a), ("b", b))}
        scores = scores_of(evaluations, self.parsed)
        sign = -1.0 if self.parsed.kind.better == "lower" else 1.0
        difference = sign * B_AGAINST_A.differences(scores.values)[:, 0]
        return pl.DataFrame({"topic": scores.topics, "difference": difference}, schema_overrides={"topic": pl.String})

    def on_the_scale(self, qrels: pl.DataFrame) -> Qrels:
        """Qrels of some topics with the highest grade of all: some measures take it for the end of the scale."""
        return Qrels(qrels, subtopics=self.parsed.kind.by_intent, top_grade=Qrels(self.qrels).top_grade)

    def looked_at(self, run: pl.DataFrame) -> pl.DataFrame:
        """The part of a run that the measure looks at; the rest need not be repeated for every cell."""
        cutoff = self.parsed.values.get("cutoff")
        if cutoff is None or self.parsed.values.get("judged_only"):
            return run
        return pl.DataFrame(as_run(run).lazy().filter(pl.col("rank") <= cutoff).collect().select("topic", "docno", "score"))

    def without_workers(self, table: pl.DataFrame) -> dict[str, dict[int, float]]:
        """What is left of a topic's difference without one worker's grades, by worker and the topic's place in `table`.

        Only cells that change a document's majority are evaluated; in the others nothing changes.
        """
        if self.votes is None:
            return {}
        place = {topic: number for number, topic in enumerate(table["topic"])}
        differences = table["difference"].to_list()
        cells = self.votes.select(pl.col(CELL).cast(pl.String)).unique().sort(CELL).filter(pl.col("topic").is_in(list(place)))
        without: dict[str, dict[int, float]] = {worker: {} for worker in sorted(cells["worker"].unique())}
        for topic, worker in cells.iter_rows():
            without[worker][place[topic]] = differences[place[topic]]
        changed = changed_grades(self.votes)
        if changed.height:
            named = changed.select(CELL).unique().with_columns(cell=pl.concat_str(CELL, separator=APART))
            qrels = (
                in_cells(self.qrels, named)
                .join(changed, on=[*CELL, "docno"], how="left")
                .with_columns(grade=pl.coalesce("without", "grade"))
            )
            runs = [of_cells(in_cells(self.looked_at(run), named)) for run in (self.a, self.b)]
            for cell, difference in self.differences(self.on_the_scale(of_cells(qrels.drop("without"))), *runs).iter_rows():
                topic, worker = cell.split(APART)
                if topic in place:
                    without[worker][place[topic]] = difference
        return without


def changed_grades(votes: pl.DataFrame) -> pl.DataFrame:
    """The documents whose majority another worker's absence changes: topic, worker, docno, and the grade `without` them.

    Ties are settled on the median of the tied grades, rounded down. A document that only one worker graded keeps its grade.
    """
    votes = votes.with_columns(pl.col("topic", "docno", "worker").cast(pl.String))
    scale = np.unique(votes["grade"].to_numpy())
    item = votes.select(pl.struct("topic", "docno").rank("dense")).to_series().to_numpy().astype(np.int64) - 1
    code = np.searchsorted(scale, votes["grade"].to_numpy())
    counts = np.zeros((int(item.max(initial=-1)) + 1, len(scale)))
    np.add.at(counts, (item, code), 1)
    left = counts[item]
    left[np.arange(len(item)), code] -= 1
    before, after = settled(counts)[item], settled(left)
    changes = (left.sum(axis=1) > 0) & (before != after)
    return votes.select(*CELL, "docno").with_columns(without=pl.Series(scale[after])).filter(pl.Series(changes))


def settled(counts: Floats) -> np.ndarray:
    """The majority's code of each item, from how often each grade was given, (items, grades)."""
    return TIES["median"][1](leaders(counts)).argmax(axis=1)


def in_cells(frame: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """The rows of each cell's topic, once for every cell."""
    return frame.with_columns(pl.col("topic", "docno").cast(pl.String)).join(cells, on="topic")


def of_cells(frame: pl.DataFrame) -> pl.DataFrame:
    """With each cell as a topic of its own."""
    return frame.with_columns(topic=pl.col("cell")).drop("cell", "worker")


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Votes on the two systems' lists: item, topic, left, right, winner and worker, as `votes_of` takes them."""

    kind: str
    margin: float
    frame: pl.DataFrame

    @property
    def votes(self) -> Votes:
        """The votes, checked; BadVotes as votes_of."""
        return votes_of(self.frame)

    def line(self) -> Line:
        """How often B is preferred."""
        preferred = preference(self.votes, "b", "a")
        return line_of_votes(self.kind, preferred.score, preferred.n, margin=self.margin)

    def by_topic(self) -> pl.DataFrame:
        """How far B is ahead on each topic, from −1 to 1. It is twice its share of votes less one, as if each had won once
        more."""
        table = topic_table(self.votes, "b", "a")
        share = (pl.col("wins") + pl.col("ties") / 2 + 1) / (pl.col("n") + 2)
        return table.select("topic", ahead=2 * share - 1)


@dataclass(frozen=True, eq=False)
class Interleaved:
    """Impressions of interleaved lists: user, query, and each system's credit, `a` and `b`."""

    kind: str
    margin: float
    impressions: pl.DataFrame
    voter: Voter = "impression"
    planned: int | None = None

    def line(self) -> Line:
        """The score of B among the impressions, queries or users that vote."""
        frame = self.impressions
        credits = Credits(frame["user"], frame["query"], {"b": frame["b"], "a": frame["a"]})
        result = compare_interleaved(credits, voter=self.voter)
        unit = {"impression": "impressions", "query": "queries", "user": "users"}[self.voter]
        return line_of_interleaving(self.kind, result.score, result.n, margin=self.margin, unit=unit, planned=self.planned)


@dataclass(frozen=True, eq=False)
class Arms:
    """A test on users: `counts` has arm, value and units, a row for each value that units of an arm have.

    A ratio has `per`, too, its denominator. `more_is_better` is False for metrics such as the time to the first click.
    """

    kind: str
    measure: str
    margin: float
    counts: pl.DataFrame
    more_is_better: bool = True
    planned: int | None = None

    def line(self) -> Line:
        """The difference of the arms' means, and how often a user of B has more than one of A."""
        counts = self.counts.filter(pl.col("units") > 0)
        rows = counts.select(pl.exclude("units").repeat_by("units").explode())
        per = rows["per"].to_numpy() if "per" in rows.columns else None
        arm = (rows["arm"] == "b").cast(pl.Int64).to_numpy()
        experiment = experiment_from(arm, ["a", "b"], {self.measure: Observed(rows["value"].to_numpy(), per=per)})
        (effect,) = arm_effects(experiment, "a")
        control, new = (values_of(counts.filter(pl.col("arm") == arm)) for arm in ("a", "b"))
        return line_of_arms(
            self.kind,
            self.measure,
            effect.estimate,
            control,
            new,
            margin=self.margin,
            more_is_better=self.more_is_better,
            planned=self.planned,
            bounds=bounds_of(effect),
        )


def values_of(counts: pl.DataFrame) -> tuple[Floats, Floats]:
    """Each unit's value, of a ratio its own, and how many units have it; units with a denominator of 0 have none."""
    if "per" in counts.columns:
        counts = counts.filter(pl.col("per") > 0).with_columns(value=pl.col("value") / pl.col("per"))
    return counts["value"].cast(pl.Float64).to_numpy(), counts["units"].cast(pl.Float64).to_numpy()


@dataclass(frozen=True)
class Scored:
    """An analysis of interleaved lists made elsewhere: the score of B with its error and degrees of freedom, of `n` votes.

    It holds nothing of single users. `voters` are "impressions", "queries" or "users". `freedom` is None where it is not limited,
    `error` where there is none, `score` where neither system got credit. `weight` is what the score is a share of, where that is
    not the votes: by credit, the sum of it.
    """

    kind: str
    margin: float
    score: float | None
    error: float | None
    freedom: float | None
    n: int
    voters: str = "impressions"
    planned: int | None = None
    weight: float | None = None

    def line(self) -> Line:
        """The score of B with the error and freedom that it was given."""
        freedom = np.inf if self.freedom is None else self.freedom
        value, error = (np.nan if number is None else number for number in (self.score, self.error))
        score = Estimate(value, error, freedom)
        return line_of_score(
            self.kind, score, self.n, margin=self.margin, unit=self.voters, planned=self.planned, weight=self.weight
        )


@dataclass(frozen=True)
class Summed:
    """A test on users as sums over the users of each arm (`ireval.experiments.sums.as_sums`), which hold nothing of single users.

    `a` and `b` are the arms' names there, `measure` a metric's. How often a user of B has more than one of A is known of a share
    of users. Of other metrics it is that of two normal distributions so far apart (Cohen's d).
    """

    kind: str
    measure: str
    margin: float
    sums: Mapping[str, Any]
    a: str
    b: str
    more_is_better: bool = True
    planned: int | None = None

    def line(self) -> Line:
        """The difference of the arms' means, and how often a user of B has more than one of A."""
        experiment = from_sums(self.sums)
        effects = arm_effects(experiment, self.a)
        effect = next(effect for effect in effects if (effect.arm, effect.metric) == (self.b, self.measure))
        sign = 1 if self.more_is_better else -1
        difference = effect.estimate._replace(value=sign * effect.difference)
        share = share_of_effect(effect, sign, unit_deviation(experiment, effect))
        bounds = bounds_of(effect)
        return Line(self.kind, self.measure, "users", difference.n, difference, share, self.margin, self.planned, bounds)


def bounds_of(effect: Effect) -> tuple[float, float]:
    """The least and the largest difference that can be: shares of users differ by no more than all of them."""
    return (-1.0, 1.0) if effect.kind == "proportion" else (-np.inf, np.inf)


def share_of_effect(effect: Effect, sign: int, deviation: float) -> Estimate:
    """How often a unit of the arm has more than one of the control, from the effect and the standard deviation between units.

    Source: McGraw and Wong, A common language effect size statistic, Psychological Bulletin 111, 1992.
    """
    if effect.kind == "proportion":
        return effect.estimate._replace(value=0.5 + sign * effect.difference / 2, error=effect.error / 2)
    apart = NORMAL.cdf(sign * effect.d / 2**0.5) if np.isfinite(effect.d) else np.nan
    slope = NORMAL.pdf(effect.d / 2**0.5) / 2**0.5 if np.isfinite(effect.d) else np.nan
    return effect.estimate._replace(value=apart, error=slope * effect.error / deviation if deviation else np.nan)


NORMAL = NormalDist()
Evidence = Grades | SideBySide | Interleaved | Arms | Scored | Summed

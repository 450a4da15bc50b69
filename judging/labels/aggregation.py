"""Aggregation of votes into grades by the engine's methods, on a study's scale and with the gold that its workers answered."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import polars as pl
from django.utils.translation import gettext_noop as _  # the texts are stored, too: pages translate them

from ireval.aggregation import METHODS, TIES, Aggregated, aggregate
from ireval.arrays import Ints
from ireval.labels import UNKNOWN, BadLabels, Labels
from judging.errors import Impossible
from judging.models import Item, Study

ITEM = ["topic", "docno"]
# What pages count while workers judge, and what the other methods are compared with.
MAJORITY = "majority"
TIE_RULE = "median"
SURE = 0.9


class MethodChoice(NamedTuple):
    """A method as researchers choose it: what it is called and what to think of before choosing it. It is stored, in English."""

    name: str
    title: str
    why: str


METHOD_CHOICES = {
    way.name: way
    for way in (
        MethodChoice(
            "ordinal",
            _("Ordinal model"),
            _(
                "Learns from the votes how strict and how able each worker is, and how far apart the grades are. Errs least on "
                "most crowds."
            ),
        ),
        MethodChoice(MAJORITY, _("Majority"), _("The commonest grade. Every vote counts alike, and everybody understands it.")),
        MethodChoice(
            "dawid-skene",
            _("Dawid and Skene’s model"),
            _("Learns how often each worker gives which grade for which. Blind to their order, it needs more votes per worker."),
        ),
        MethodChoice(
            "gold-weighted",
            _("Votes weighted by gold"),
            _("Each vote weighs as much as its worker was right on items whose grade is known."),
        ),
        MethodChoice("median", _("Median"), _("The middle grade; between two, the middle of them, rounded down on the scale.")),
        MethodChoice("mean", _("Mean"), _("The grade nearest to the mean; from the middle between two, the lower one.")),
    )
}
MODELS = {"ordinal", "dawid-skene"}
LEARNS_FROM_GOLD = {*MODELS, "gold-weighted"}
CAUTIONS = {
    **dict.fromkeys(
        MODELS,
        _(
            "Confidences of models are too sure where many workers err on the same hard documents. Look again at the least sure"
            " grades first; for the size of a confidence, hold it against gold."
        ),
    ),
    "gold-weighted": _("Confidences take all workers to err independently, and towards every other grade alike."),
}
OF_VOTES = _("The confidence is a share of votes, which is no probability.")


class CannotLabel(Impossible):
    """These votes cannot be settled that way; the text says why."""


class Gold(NamedTuple):
    """Items with one known right grade (topic, docno, right), and workers' answers to them as checks (topic, docno, worker,
    grade)."""

    items: pl.DataFrame
    answers: pl.DataFrame


@dataclass(frozen=True, eq=False)
class Ballot:
    """A study's votes as the engine takes them. The first items of `labels` are those of `pairs` (topic, docno): they have
    `votes`, so many, and get a grade. Behind them stand gold items from outside the pool, of which workers are only learnt."""

    labels: Labels
    gold: Ints | None
    pairs: pl.DataFrame
    votes: pl.Series


@dataclass(frozen=True, eq=False)
class Labelling:
    """A grade of every item that has votes, by one method."""

    ballot: Ballot
    aggregated: Aggregated
    tie_rule: str = TIE_RULE

    @cached_property
    def frame(self) -> pl.DataFrame:
        """topic, docno, grade, votes, confidence, and p0, p1 …: how likely each grade is, by the method's own account."""
        n, values = self.ballot.pairs.height, self.ballot.labels.values
        return self.ballot.pairs.with_columns(
            grade=pl.Series(np.array(values).astype(np.int32)[self.aggregated.label[:n]]),
            votes=self.ballot.votes,
            confidence=self.aggregated.confidence[:n],
            **{f"p{value}": self.aggregated.posterior[:n, place] for place, value in enumerate(values)},
        )

    @cached_property
    def tied(self) -> np.ndarray:
        """Whether a rule had to settle the item; never where the method knows no ties."""
        n = self.ballot.pairs.height
        return self.aggregated.disputed[:n] if METHODS[self.aggregated.method].ties else np.zeros(n, bool)

    @property
    def ties(self) -> int:
        return int(self.tied.sum())

    @property
    def sure(self) -> float:
        """The share of grades with a confidence of at least SURE."""
        return float((self.aggregated.confidence[: self.ballot.pairs.height] >= SURE).mean())

    def differences(self, other: "Labelling") -> int:
        """How many items the other method grades otherwise."""
        return int((self.frame["grade"] != other.frame["grade"]).sum())

    def recipe(self) -> dict:
        """How the grades came to be, in words and numbers that a page shows as they are."""
        method, objective = METHODS[self.aggregated.method], self.aggregated.objective
        recipe = {"method": self.aggregated.method, "how": method.title, "items": self.ballot.pairs.height}
        if method.parameters:
            recipe["parameters"] = ", ".join(f"{name} {value:g}" for name, value in method.parameters.items())
        if self.ballot.gold is not None:
            recipe["gold items"] = int((self.ballot.gold != UNKNOWN).sum())
        if method.ties:
            recipe |= {"ties": self.ties, "ties settled on": TIES[self.tie_rule][0]}
        if objective:
            recipe |= {"iterations": len(objective), "log-likelihood and log-prior": round(objective[-1], 2)}
        return recipe | {f"share of grades at least {SURE:g} sure": round(self.sure, 3), "caution": self.caution}

    @property
    def caution(self) -> str:
        """How far to trust the confidences."""
        return CAUTIONS.get(self.aggregated.method, OF_VOTES)


def ballot_of(votes: pl.DataFrame, grades: Sequence[int], gold: Gold | None = None) -> Ballot:
    """The votes (topic, docno, worker, grade) on a scale of these grades, with the gold that workers answered or voted on."""
    grades = sorted(grades)
    counted = votes.group_by(ITEM).len("votes").sort(ITEM)
    pairs = counted.select(ITEM)
    answers = votes.select(*ITEM, "worker", "grade")
    items = pairs
    if gold is not None:
        answers = pl.concat([answers, gold.answers.select(answers.columns)])
        items = pl.concat([pairs, gold.answers.select(ITEM).unique().sort(ITEM).join(pairs, on=ITEM, how="anti")])
    items = items.with_row_index("item")
    answers = answers.join(items, on=ITEM, how="left", maintain_order="left")
    worker = answers["worker"].rank("dense").to_numpy().astype(np.int64) - 1
    labels = Labels(
        item=answers["item"].to_numpy().astype(np.int64),
        worker=worker,
        label=np.searchsorted(grades, answers["grade"].to_numpy()),
        items=tuple(items.select(pl.format("{} {}", *ITEM)).to_series()),
        workers=tuple(f"w{key}" for key in answers["worker"].unique().sort()),
        values=tuple(map(str, grades)),
        ordered=True,
    )
    return Ballot(labels, None if gold is None else gold_codes(items, gold, grades), pairs, counted["votes"])


def several_judge(study: Study) -> bool:
    """Whether more than one worker is to judge every item, or some."""
    return study.overlap > 1 or (study.pk is not None and study.items.filter(role=Item.Role.WORK, wanted__gt=1).exists())


def default_method(study: Study) -> str:
    """The model that usually errs least; of one worker per item there is nothing to learn, and each grade is taken as it is."""
    return "ordinal" if several_judge(study) else MAJORITY


def gold_codes(items: pl.DataFrame, gold: Gold, grades: Sequence[int]) -> Ints | None:
    """The right grades as codes, UNKNOWN for items of which nobody knows; None if none is known."""
    right = items.join(gold.items, on=ITEM, how="left", maintain_order="left")["right"]
    codes = np.searchsorted(grades, right.fill_null(grades[0]).to_numpy())
    has_grade = right.is_not_null().to_numpy()
    return np.where(has_grade, codes, UNKNOWN) if has_grade.any() else None


def labelling_of(
    votes: pl.DataFrame, grades: Sequence[int], method: str, gold: Gold | None = None, *, ties: str = TIE_RULE
) -> Labelling:
    """Grades by one of METHOD_CHOICES. CannotLabel where the method needs what is not there, or does not exist.

    Where votes are counted they alone decide; only a method that learns of workers is told what is known to be right.

    >>> votes = pl.DataFrame({"topic": "1", "docno": ["d1", "d1", "d2"], "worker": [7, 8, 7], "grade": [0, 3, 2]})
    >>> labelling_of(votes, [0, 1, 2, 3], "majority").frame.select("docno", "grade", "confidence").rows()
    [('d1', 1, 0.0), ('d2', 2, 1.0)]
    """
    ballot = ballot_of(votes, grades, gold if method in LEARNS_FROM_GOLD else None)
    try:
        return Labelling(ballot, aggregate(ballot.labels, method, ballot.gold, ties=ties), ties)
    except BadLabels as error:
        raise CannotLabel(f"{error}.") from error

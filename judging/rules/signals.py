"""Signals of each worker's answers: gold, agreement, pace, habits, and whether somebody answers just the same.

Every answer that stands counts, surplus ones too: they tell as much about who gave them. Of gold and attention checks it is the
first answer that is right or wrong, so that who comes to suspect one cannot mend it. Items of the training and the test count for
nothing here, nor do items that nobody is asked any more. The time of an answer includes that of the answers it revises.
"""

from typing import Any

import numpy as np
import polars as pl
from django.db.models import Q, Value

from ireval.agreement.workers import shared_lead, wilson_interval
from judging.models import Item, Judgement, Study, Worker

Role = Item.Role
COLUMNS: dict[str, Any] = {
    "worker": pl.Int64, "answered": pl.Int64, "gold": pl.Float64, "gold_answered": pl.Int64, "attention": pl.Int64,
    "attention_answered": pl.Int64, "agreement": pl.Float64, "compared": pl.Int64, "seconds": pl.Float64, "hasty": pl.Float64,
    "run": pl.Int64, "commonest": pl.Float64, "cannot": pl.Float64, "twin": pl.Float64, "twin_worker": pl.Int64,
    "twin_common": pl.Int64, "twin_same": pl.Int64,
}  # fmt: skip
COUNTS = ("answered", "gold_answered", "attention", "attention_answered", "compared", "run")
LEAST_COMMON = 10  # items that two must share before they are compared: fewer are the same by chance
PRIOR = 2  # so many pairs of answers of the whole study are added to those of an item, which are few
AT_A_TIME = 500  # workers compared with all others at once, so that memory grows with their number and not with its square


def signals(study: Study, workers: list[int] | None = None) -> pl.DataFrame:
    """One row per worker who answered anything, by number; of these workers, or of all.

    - answered: answers to any item but training
    - gold, gold_answered: the share of gold that is right, of how many; votes that made an item gold are left out
    - attention, attention_answered: attention checks failed by a wrong grade, of how many
    - agreement, compared: the share of their grades that say what most others say, tied ones sharing it; of how many items that
      others graded. Machines and the excluded are compared, too, but are not among the others: they have no vote.
    - seconds: the median; hasty: the share of answers that came sooner than the study's `least_seconds`
    - run: the most answers of the same grade in a row; commonest: the share of their commonest grade; cannot: of “can't judge”
    - twin, twin_worker, twin_common, twin_same: see `twins`
    """
    every = answers(study)
    real = every.filter(~pl.col("role").is_in([Role.TRAINING, Role.TEST, Role.MIRROR]))
    graded = real.filter(pl.col("grade").is_not_null())
    frame = every.select("worker").unique()
    for part in (
        answer_counts(every),
        check_signals(real),
        habits(real, study),
        grades(graded),
        agreement(graded),
        twins(graded),
    ):
        frame = frame.join(part, on="worker", how="left")
    if workers is not None:
        frame = frame.filter(pl.col("worker").is_in(workers))
    return (
        frame.with_columns(pl.col(COUNTS).fill_null(0))
        .select(pl.col(name).cast(kind) for name, kind in COLUMNS.items())
        .sort("worker")
    )


def answers(study: Study) -> pl.DataFrame:
    """One row per worker and item, in the order of first answers. It has the first grade, the grade that stands, what was
    pressed for it, and the time that all answers took. What is pressed is the grade, but for two lists, of which either may
    have stood on the left."""
    side = "preference__swapped" if study.compares else Value(True)
    fields = ("id", "worker_id", "item_id", "grade", "milliseconds")
    rows = Judgement.objects.filter(item__study=study).order_by().values_list(*fields, side)
    schema = {**dict.fromkeys(("id", "worker", "item", "grade", "milliseconds"), pl.Int64), "as_is": pl.Boolean}
    acts = pl.DataFrame(list(rows), schema=schema, orient="row")
    pressed = pl.when("as_is").then("grade").otherwise(-pl.col("grade"))
    by_item = acts.with_columns(pressed=pressed).sort("id").group_by("worker", "item", maintain_order=True)
    last = by_item.agg(pl.col("grade", "pressed").last(), pl.col("milliseconds").sum(), first=pl.col("grade").first())
    voting = study.workers.filter(machine="").exclude(standing=Worker.Standing.EXCLUDED)
    return (
        last.join(checks_of(study), on="item", how="left", maintain_order="left")
        .join(made_gold(study), on=["worker", "item"], how="left", maintain_order="left")
        .with_columns(
            pl.col("role").fill_null(Role.WORK), votes=pl.col("worker").is_in(list(voting.values_list("id", flat=True)))
        )
        .filter(pl.col("role") != Role.RETIRED)
    )


def checks_of(study: Study) -> pl.DataFrame:
    rows = study.items.exclude(role=Role.WORK).values_list("id", "role", "right")
    return pl.DataFrame(list(rows), schema={"item": pl.Int64, "role": pl.String, "right": pl.List(pl.Int64)}, orient="row")


def made_gold(study: Study) -> pl.DataFrame:
    """Votes on what is gold now: they are right because it was chosen by them."""
    votes = Judgement.objects.filter(Q(item__study=study, item__role=Role.GOLD, revises=None, slot__number__isnull=False))
    schema = {"worker": pl.Int64, "item": pl.Int64}
    frame = pl.DataFrame(list(votes.values_list("worker_id", "item_id")), schema=schema, orient="row")
    return frame.with_columns(made_it=pl.lit(value=True))


def answer_counts(every: pl.DataFrame) -> pl.DataFrame:
    return every.filter(pl.col("role") != Role.TRAINING).group_by("worker").agg(answered=pl.len())


def check_signals(real: pl.DataFrame) -> pl.DataFrame:
    """How often each worker graded gold rightly, and missed attention checks. Who can't judge gold has not graded it rightly,
    but was not inattentive either."""
    first = pl.col("first")
    right = pl.col("right").list.contains(first)
    gold = (pl.col("role") == Role.GOLD) & pl.col("made_it").is_null()
    attention = pl.col("role") == Role.ATTENTION
    return real.group_by("worker").agg(
        gold=(first.is_not_null() & right).filter(gold).mean(),
        gold_answered=gold.sum(),
        attention=(attention & first.is_not_null() & ~right).sum(),
        attention_answered=attention.sum(),
    )


def habits(real: pl.DataFrame, study: Study) -> pl.DataFrame:
    return real.group_by("worker").agg(
        seconds=pl.col("milliseconds").median() / 1000,
        hasty=(pl.col("milliseconds") < 1000 * study.least_seconds).mean(),
        cannot=pl.col("grade").is_null().mean(),
    )


def grades(graded: pl.DataFrame) -> pl.DataFrame:
    pressed = pl.col("pressed")
    return graded.group_by("worker", maintain_order=True).agg(
        run=pressed.rle().struct.field("len").max(), commonest=pressed.value_counts().struct.field("count").max() / pl.len()
    )


def agreement(graded: pl.DataFrame) -> pl.DataFrame:
    """Each worker's agreement, as in `ireval.agreement.worker_table`, but compared only with those who have a vote: no
    machines, no excluded workers."""
    item, label, counts = counts_of(graded)
    votes = graded["votes"].to_numpy()
    np.add.at(counts, (item[votes], label[votes]), 1)
    others = counts[item]
    others[votes, label[votes]] -= 1
    frame = pl.DataFrame(
        {
            "worker": graded["worker"],
            "leads": shared_lead(others)[np.arange(len(item)), label],
            "comparable": others.any(axis=1),
        }
    )
    comparable = frame.filter("comparable")
    return comparable.group_by("worker").agg(agreement=pl.col("leads").mean(), compared=pl.len())


def counts_of(graded: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes of each answer's item and grade, and room to count grades an item."""
    items, item = np.unique(graded["item"].to_numpy(), return_inverse=True)
    values, label = np.unique(graded["grade"].to_numpy(), return_inverse=True)
    return item, label, np.zeros((len(items), max(len(values), 1)), np.int64)


def twins(graded: pl.DataFrame) -> pl.DataFrame:
    """The one other worker whose answers are most suspiciously the same, whoever of both is excluded.

    `twin_same` of `twin_common` grades are the same. Honest workers agree on easy items, too: `twin` is the share of the answers
    which would differ by chance that are the same nevertheless, (low − chance) / (1 − chance). `low` is the lower end of the 95 %
    interval of the share of same answers, so that few items do not suffice. `chance` is how often any two workers agree on these
    very items, the pair itself left out. It comes from an item's agreeing pairs, with some of the whole study's added.
    """
    from scipy.sparse import csr_array, diags_array  # noqa: PLC0415  slow to import

    workers, worker = np.unique(graded["worker"].to_numpy(), return_inverse=True)
    item, label, counts = counts_of(graded)
    np.add.at(counts, (item, label), 1)
    answers_of, agreeing = counts.sum(axis=1), (counts * (counts - 1)).sum(axis=1) / 2
    pairs = answers_of * (answers_of - 1) / 2
    usual = agreeing.sum() / max(pairs.sum(), 1)
    without = 1 / np.maximum(pairs - 1 + PRIOR, 1)
    weights = np.ones(len(item))
    did = csr_array((weights, (worker, item)), shape=(len(workers), len(counts)))
    gave = csr_array((weights, (worker, item * counts.shape[1] + label)), shape=(len(workers), counts.size))
    chance = diags_array((agreeing + PRIOR * usual) * without)
    own = diags_array(np.repeat(without, counts.shape[1]))
    rows: list[tuple] = []
    for first in range(0, len(workers), AT_A_TIME):
        here = slice(first, first + AT_A_TIME)
        common, same = (did[here] @ did.T).toarray(), (gave[here] @ gave.T).toarray()
        expected = (did[here] @ chance @ did.T).toarray() - (gave[here] @ own @ gave.T).toarray()
        common[np.arange(len(common)), np.arange(first, first + len(common))] = 0
        share = beyond_chance(same, common, expected)
        best = share.argmax(axis=1)
        indices = np.flatnonzero(common.max(axis=1, initial=0) >= LEAST_COMMON)
        place = (indices, best[indices])
        rows += zip(
            workers[first + indices].tolist(),
            share[place].tolist(),
            workers[best[indices]].tolist(),
            common[place].astype(int).tolist(),
            same[place].astype(int).tolist(),
            strict=True,
        )
    schema = {name: COLUMNS[name] for name in ("worker", "twin", "twin_worker", "twin_common", "twin_same")}
    return pl.DataFrame(rows, schema=schema, orient="row")


def beyond_chance(same: np.ndarray, common: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """The share for each pair, -1 for those who share too few items."""
    enough = common >= LEAST_COMMON
    low, _ = wilson_interval(np.where(enough, same, 0), np.where(enough, common, 1))
    chance = np.divide(expected, common, out=np.ones_like(expected), where=enough)
    share = np.divide(low - chance, 1 - chance, out=np.zeros_like(chance), where=chance < 1)
    return np.where(enough, np.maximum(share, 0), -1.0)

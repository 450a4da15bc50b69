"""Pairs of lists of which one is known to be better: the checks of a side-by-side study.

The better list is what one of the study's runs shows for a topic, where half of it or more is relevant by the qrels. The other
list is as long, and has only documents that the qrels call not relevant: those first that the same run ranks highest. So it is
worse by any measure, and nothing depends on documents without a grade.
"""

import random
from typing import Any, NamedTuple

import polars as pl
from django.db import transaction
from django.utils.translation import gettext as _

from judging.audit import Deed, in_english, note, quoted
from judging.collections.storage import qrels_frame, run_frame
from judging.labels.gold_choice import NothingToChoose, mix_in, next_position, recount
from judging.models import Item, Listing, Qrels, Run, Study, Topic, User
from judging.studies.pair_plan import listings, plan

Role = Item.Role
RIGHT = [1, 2, 3]  # the first list is better, by however many steps
LEAST_RELEVANT = 0.5  # of the better list
SPARE = 3  # times as many are looked at as are wanted: some have no text to show


class KnownPair(NamedTuple):
    """What is shown on either side for a topic (its key), and how much of the better list is relevant."""

    topic: int
    better: list[dict[str, Any]]
    worse: list[dict[str, Any]]
    relevant: int


class Ranked(NamedTuple):
    """What a run can show of topics, better and worse: topic, docno, rank, and the grade where there is one."""

    run: Run
    better: pl.DataFrame
    worse: pl.DataFrame


def take_from_qrels(
    study: Study, qrels: Qrels, *, role: Item.Role, count: int, by: User | None = None, seed: int | None = None
) -> int:
    """Make checks, at most one of a topic, of topics first that the study does not compare. Returns how many."""
    with transaction.atomic():
        study = Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        pairs = choose(study, qrels, count, random.Random(seed))  # noqa: S311  no secret
        if not pairs:
            raise NothingToChoose(why_none(study))
        for pair in pairs:
            add(study, pair, role)
        recount(study)
        if role == Role.GOLD:
            mix_in(study)
        what = in_english(Role(role).label).lower()
        note(Deed.CHECKED, f"{len(pairs)} × {what}, pairs made of the qrels {quoted(qrels)}", by, study)
    return len(pairs)


def why_none(study: Study) -> str:
    why = _(
        "No further topic has a clear pair: a run whose first %(depth)s results are half relevant by these qrels, "
        "and %(depth)s documents that are not."
    )
    return why % {"depth": study.depth}


def add(study: Study, pair: KnownPair, role: Item.Role) -> Item:
    """Store the pair, with an explanation that its researchers may rewrite."""
    first, second = (
        Listing.objects.create(study=study, topic_id=pair.topic, results=results) for results in (pair.better, pair.worse)
    )
    why = _("Of the %(results)s results in the better list %(relevant)s are known to be relevant. In the other list none is.")
    return Item.objects.create(
        study=study,
        topic_id=pair.topic,
        first=first,
        second=second,
        position=next_position(study),
        wanted=0,
        role=role,
        right=RIGHT,
        explanation=why % {"results": len(pair.better), "relevant": pair.relevant},
    )


def choose(study: Study, qrels: Qrels, count: int, order: random.Random) -> list[KnownPair]:
    """Choose topics at random, and for each a run at random of those that make a clear pair."""
    grades = qrels_frame(qrels).group_by("topic", "docno").agg(pl.col("grade").max())
    ranked = [ranked_by(run, grades, SPARE * study.depth) for run in study.runs.order_by("name")]
    clear = [clear_topics(of_run, study.depth) for of_run in ranked]
    topics = free_topics(study, set().union(*clear), order)
    runs = {number: order.choice([place for place, numbers in enumerate(clear) if number in numbers]) for number in topics}
    tried = list(topics)[: SPARE * count]
    pairs: dict[str, KnownPair] = {}
    for place, of_run in enumerate(ranked):
        pairs |= known_pairs(study, of_run, {number: topics[number] for number in tried if runs[number] == place})
    return [pairs[number] for number in tried if number in pairs][:count]


def ranked_by(run: Run, grades: pl.DataFrame, most: int) -> Ranked:
    """The best results of the run, and the documents that are not relevant: those of the run first, as it ranks them."""
    of_topics = pl.col("topic").is_in(grades["topic"].unique().to_list())
    ranking = run_frame(run, columns=["topic", "docno", "rank"]).filter(of_topics)
    better = ranking.filter(pl.col("rank") <= most).join(grades, on=["topic", "docno"], how="left")
    bad = grades.filter(pl.col("grade") <= 0).join(ranking, on=["topic", "docno"], how="left")
    in_order = bad.sort("topic", "rank", "docno", nulls_last=True)
    worse = in_order.with_columns(rank=pl.int_range(1, pl.len() + 1).over("topic")).filter(pl.col("rank") <= most)
    return Ranked(run, better, worse)


def clear_topics(ranked: Ranked, depth: int) -> set[str]:
    """The topics on which the run makes a clear pair, if all of it can be shown."""
    shown = ranked.better.filter(pl.col("rank") <= depth).group_by("topic").agg(pl.len(), relevant=(pl.col("grade") > 0).sum())
    good = shown.filter((pl.col("len") == depth) & (pl.col("relevant") >= LEAST_RELEVANT * depth))
    bad = ranked.worse.group_by("topic").len().filter(pl.col("len") >= depth)
    return set(good["topic"]) & set(bad["topic"])


def free_topics(study: Study, numbers: set[str], order: random.Random) -> dict[str, int]:
    """Those of these topics that have no check yet, in random order, by number; what the study compares comes last."""
    checked = study.items.exclude(role__in=[Role.WORK, Role.SAME, Role.MIRROR, Role.RETIRED]).order_by().values("topic")
    free = Topic.objects.filter(collection=study.collection_id, number__in=numbers).exclude(pk__in=checked)
    rows = list(free.order_by("number").values_list("number", "pk"))
    order.shuffle(rows)
    compared = compared_topics(study)
    return dict(sorted(rows, key=lambda row: row[1] in compared))


def compared_topics(study: Study) -> set[int]:
    if study.is_launched:
        return set(study.items.filter(role__in=[Role.WORK, Role.SAME]).order_by().values_list("topic", flat=True))
    planned = plan(study)
    return {pair.topic for pair in (*planned.items, *planned.same)}


def known_pairs(study: Study, ranked: Ranked, topics: dict[str, int]) -> dict[str, KnownPair]:
    """The pairs of these topics that are clear by what can be shown, by the topic's number."""
    if not topics:
        return {}
    run, depth = ranked.run, study.depth
    better, worse = (listings(study, [run], {run.pk: frame}, topics)[0] for frame in (ranked.better, ranked.worse))
    relevant = set(ranked.better.filter(pl.col("grade") > 0).select("topic", "docno").iter_rows())
    pairs = {}
    for number, topic in topics.items():
        first, second = (lists.get((topic, run.pk), [])[:depth] for lists in (better, worse))
        count = sum((number, row["docno"]) in relevant for row in first)
        if len(first) == len(second) == depth and count >= LEAST_RELEVANT * depth:
            pairs[number] = KnownPair(topic, first, second, count)
    return pairs

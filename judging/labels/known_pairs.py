"""Pairs of lists of which one is known to be better: the checks of a side-by-side study.

The better list is what one of the study's runs shows for a topic, where that is good by the qrels. The other list is as long and
has nothing that the qrels call relevant. First come documents that they call not relevant, as the same run ranks them. Then come
those without a grade from the far end of its ranking. So it is worse by any measure.
"""

import random
from typing import Any, NamedTuple

import polars as pl
from django.db import transaction
from django.utils.translation import gettext as _

from ireval import evaluate
from judging.audit import Deed, in_english, note, quoted
from judging.collections.storage import qrels_frame, run_frame
from judging.labels.gold_choice import NothingToChoose, mix_in, next_position, recount
from judging.models import Item, Listing, Qrels, Run, Study, Topic, User
from judging.studies.pair_plan import listings, plan

Role = Item.Role
RIGHT = [1, 2, 3]  # the first list is better, by however many steps
LEAST_NDCG = 0.5  # of the better list; that of the other one is 0
FAR = 5  # times as deep as lists are shown, a ranking's documents are taken to be not relevant, if nobody has judged them
SPARE = 3  # times as many are looked at as are wanted: some have no text to show


class KnownPair(NamedTuple):
    """What is shown on either side for a topic (its key), and how much of the better list is relevant."""

    topic: int
    better: list[dict[str, Any]]
    worse: list[dict[str, Any]]
    relevant: int


class Ranked(NamedTuple):
    """What a run makes of the topics on which it is good: the two lists, as topic, docno, rank and grade, where there is one."""

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
        "No further topic has a clear pair: a run whose first %(depth)s results are good by these qrels, "
        "and %(depth)s documents that are not relevant."
    )
    return why % {"depth": study.depth}


def add(study: Study, pair: KnownPair, role: Item.Role) -> Item:
    """Store the pair, with an explanation that its researchers may rewrite."""
    first, second = (
        Listing.objects.create(study=study, topic_id=pair.topic, results=results) for results in (pair.better, pair.worse)
    )
    why = _("Results known to be relevant: %(relevant)s of %(results)s in the better list, none in the other.")
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
    ranked = [ranked_by(run, grades, study.depth) for run in study.runs.order_by("name")]
    clear = [clear_topics(of_run, study.depth) for of_run in ranked]
    topics = free_topics(study, set().union(*clear), order)
    runs = {number: order.choice([place for place, numbers in enumerate(clear) if number in numbers]) for number in topics}
    tried = list(topics)[: SPARE * count]
    pairs: dict[str, KnownPair] = {}
    for place, of_run in enumerate(ranked):
        pairs |= known_pairs(study, of_run, {number: topics[number] for number in tried if runs[number] == place})
    return [pairs[number] for number in tried if number in pairs][:count]


def ranked_by(run: Run, grades: pl.DataFrame, depth: int) -> Ranked:
    ranking = run_frame(run)
    measure = f"nDCG@{depth}"
    values = evaluate(ranking, grades, measure, may_share_none=True).values
    good = values.filter(pl.col(measure) >= LEAST_NDCG)["topic"].to_list()
    of_good = ranking.select("topic", "docno", "rank").filter(pl.col("topic").is_in(good))
    judged = of_good.join(grades.filter(pl.col("topic").is_in(good)), on=["topic", "docno"], how="full", coalesce=True)
    better = judged.filter(pl.col("rank") <= depth)
    bad = judged.filter(pl.col("grade") <= 0).sort("rank", "docno", nulls_last=True)
    far = judged.filter(pl.col("grade").is_null(), pl.col("rank") > FAR * depth).sort("rank", descending=True)
    in_order = pl.concat([bad, far]).with_columns(rank=pl.int_range(1, pl.len() + 1).over("topic"))
    worse = in_order.filter(pl.col("rank") <= SPARE * depth)
    return Ranked(run, better, worse)


def clear_topics(ranked: Ranked, depth: int) -> set[str]:
    """The topics of which both lists are long enough, if all of their documents can be shown."""
    lengths = [dict(frame.group_by("topic").len().iter_rows()) for frame in (ranked.better, ranked.worse)]
    return {number for number in lengths[0] if min(lengths[0][number], lengths[1].get(number, 0)) >= depth}


def free_topics(study: Study, numbers: set[str], order: random.Random) -> dict[str, int]:
    """The topics that have and had no check, in random order: their keys by number. What the study compares comes last."""
    checked = study.items.exclude(role__in=[Role.WORK, Role.SAME, Role.MIRROR]).order_by().values("topic")
    free = Topic.objects.filter(collection=study.collection_id).exclude(pk__in=checked).order_by("number")
    rows = [(number, pk) for number, pk in free.values_list("number", "pk") if number in numbers]
    order.shuffle(rows)
    compared = compared_topics(study)
    return dict(sorted(rows, key=lambda row: row[1] in compared))


def compared_topics(study: Study) -> set[int]:
    if study.is_launched:
        return set(study.items.filter(role__in=[Role.WORK, Role.SAME]).order_by().values_list("topic", flat=True))
    planned = plan(study)
    return {pair.topic for pair in (*planned.items, *planned.same)}


def known_pairs(study: Study, ranked: Ranked, topics: dict[str, int]) -> dict[str, KnownPair]:
    """The pairs of these topics of which both lists can be shown, by the topic's number."""
    if not topics:
        return {}
    run, depth = ranked.run, study.depth
    better, worse = (listings(study, [run], {run.pk: frame}, topics)[0] for frame in (ranked.better, ranked.worse))
    relevant = dict(ranked.better.group_by("topic").agg((pl.col("grade") > 0).sum()).iter_rows())
    pairs = {}
    for number, topic in topics.items():
        first, second = (lists.get((topic, run.pk), [])[:depth] for lists in (better, worse))
        if len(first) == len(second) == depth:
            pairs[number] = KnownPair(topic, first, second, relevant[number])
    return pairs

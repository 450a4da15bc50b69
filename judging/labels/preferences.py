"""Preferences of workers between two systems' lists: every answer, and those that have a vote."""

from collections import Counter
from typing import Any

import polars as pl
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ireval.translatable import Phrase
from judging.labels.results import NothingYet, current
from judging.labels.settlement import keep
from judging.models import Item, Judgement, Listing, Preference, Qrels, Study, User, Worker
from judging.work.pair_answers import as_seen

COLUMNS: dict[str, Any] = {
    "item": pl.Int64, "topic": pl.String, "left": pl.String, "right": pl.String, "winner": pl.String, "strength": pl.Int32,
    "worker": pl.String, "mirrored": pl.Boolean, "votes": pl.Boolean, "cannot_judge": pl.String, "reasons": pl.List(pl.String),
    "comment": pl.String, "seconds": pl.Float64, "simulated": pl.Boolean, "created": pl.Datetime("us", "UTC"),
    "marks": pl.List(pl.Struct({"side": pl.String, "rank": pl.Int32, "docno": pl.String, "grade": pl.Int32})),
    "left_seen": pl.Float64, "left_results_seen": pl.Int32, "right_seen": pl.Float64, "right_results_seen": pl.Int32,
    "interactions": pl.List(pl.Struct({"milliseconds": pl.Int64, "what": pl.String, "side": pl.String, "rank": pl.Int32})),
}  # fmt: skip
SIDES = ("left", "right")


def answers(study: Study) -> QuerySet[Judgement]:
    """The answers that stand to what is compared, in the order in which they were first given; without the two lists of each.

    Answers to checks are none of them: their lists are no system's.
    """
    related = ("item__topic", "item__first__run", "item__second__run", "preference", "worker", "slot")
    lists = ("item__first__results", "item__second__results")
    compared = current(study).filter(item__role__in=[Item.Role.WORK, Item.Role.MIRROR])
    return compared.select_related(*related).defer(*lists).order_by("slot__judged_at", "id")


def rows(study: Study) -> pl.DataFrame:
    """One row per answer: which system stood where, and which was preferred. A mirrored one has the item that it repeats.

    - winner: left, right, tie or both_bad; empty where the worker can't judge. strength: by how many steps.
    - votes: whether it counts. Surplus answers, those of excluded workers, and those beyond the number that an item wants do not.
      A mirrored answer counts for consistency where the first answer counts.
    - reasons and marks are of the answer; side and rank (from 1) as the worker saw them
    - left_seen, right_seen: for how many seconds each list was on the screen, with how many of its results; empty: not measured
    """
    judgements = list(answers(study).iterator(chunk_size=2000))
    counting, docnos = votes_among(judgements), docnos_marked(study, judgements)
    return pl.DataFrame(
        [row(judgement, judgement.pk in counting, docnos) for judgement in judgements], schema=COLUMNS, orient="row"
    )


def docnos_marked(study: Study, judgements: list[Judgement]) -> dict[int, list[str]]:
    """The docnos of each list in which something was marked, by the list's key."""
    marked = {kept.pk for judgement in judgements if judgement.preference.marks for kept in lists_of(judgement.item)}
    lists = study.listings.values_list("pk", "results").iterator() if marked else []
    return {key: [result["docno"] for result in results] for key, results in lists if key in marked}


def votes_among(judgements: list[Judgement]) -> set[int]:
    """The keys of the answers that count: an item's first answers by workers with a vote, as many as it wants."""
    able = [
        judgement
        for judgement in judgements
        if judgement.grade is not None and judgement.slot and judgement.worker.standing != Worker.Standing.EXCLUDED
    ]
    counts: Counter[int] = Counter()
    voters: set[tuple[int | None, int]] = set()
    keys: set[int] = set()
    for judgement in able:
        is_work = judgement.item.role == Item.Role.WORK and judgement.slot is not None and judgement.slot.number is not None
        if is_work and counts[judgement.item_id] < judgement.item.wanted:
            counts[judgement.item_id] += 1
            voters.add((judgement.item_id, judgement.worker_id))
            keys.add(judgement.pk)
    return keys | {judgement.pk for judgement in able if (judgement.item.mirrors_id, judgement.worker_id) in voters}


def row(judgement: Judgement, counts: bool, docnos: dict[int, list[str]]) -> dict[str, Any]:
    beside, lists = judgement.preference, lists_of(judgement.item)
    left_to_right = lists[::-1] if beside.swapped else lists
    step = None if judgement.grade is None else as_seen(judgement.grade, swapped=beside.swapped)
    return {
        "item": judgement.item.mirrors_id or judgement.item_id,
        "topic": judgement.item.topic.number,
        "left": left_to_right[0].run.name,
        "right": left_to_right[1].run.name,
        "winner": winner(step, both_bad=beside.both_bad),
        "strength": None if step is None else abs(step),
        "worker": f"w{judgement.worker_id}",
        "mirrored": judgement.item.mirrors_id is not None,
        "votes": counts,
        "cannot_judge": judgement.cannot_judge,
        "reasons": beside.reasons,
        "comment": judgement.comment,
        "seconds": judgement.milliseconds / 1000,
        "simulated": judgement.worker.simulated,
        "created": judgement.created,
        "marks": [
            {"side": SIDES[of ^ beside.swapped], "rank": place + 1, "docno": docnos[lists[of].pk][place], "grade": grade}
            for of, place, grade in beside.marks
            if place < len(docnos[lists[of].pk])
        ],
        **seen_by_side(beside),
        "interactions": [
            {"milliseconds": moment, "what": what, "side": SIDES[of ^ beside.swapped], "rank": place + 1}
            for moment, what, of, place in beside.interactions
        ],
    }


def seen_by_side(beside: Preference) -> dict[str, float]:
    """How long each list was on the screen (seconds), and how many of its results."""
    if beside.seen is None:
        return {}
    left, right = beside.seen[::-1] if beside.swapped else beside.seen
    names = ("left_seen", "left_results_seen", "right_seen", "right_results_seen")
    return dict(zip(names, (left[0] / 1000, left[1], right[0] / 1000, right[1]), strict=True))


def lists_of(item: Item) -> tuple[Listing, Listing]:
    assert item.first is not None
    assert item.second is not None
    return item.first, item.second


def winner(step: int | None, *, both_bad: bool) -> str | None:
    if step is None:
        return None
    if both_bad:
        return "both_bad"
    return "tie" if step == 0 else "left" if step < 0 else "right"


def identical_pairs(study: Study) -> pl.DataFrame:
    """Topics on which two runs show the same, which are ties that nobody was asked for: topic, first, second."""
    items = study.items.filter(role=Item.Role.SAME).values_list("topic__number", "first__run__name", "second__run__name")
    return pl.DataFrame(list(items), schema=dict.fromkeys(("topic", "first", "second"), pl.String), orient="row")


def marks(study: Study) -> pl.DataFrame:
    """One row per worker and result that they marked in an answer that counts: topic, docno, grade (1 relevant, 0 bad),
    worker, simulated. A result marked in several answers is relevant if one of them says so."""
    frame = rows(study).filter("votes").select("topic", "worker", "simulated", "marks").explode("marks").drop_nulls("marks")
    by_worker = frame.unnest("marks").group_by("topic", "docno", "worker", "simulated", maintain_order=True)
    return by_worker.agg(pl.col("grade").max())


def settle_marks(study: Study, *, by: User) -> Qrels:
    """Keep what most workers marked as a version of the study's qrels; who are divided make nothing relevant.

    NothingYet where nothing is marked.
    """
    votes = marks(study)
    if votes.is_empty():
        raise NothingYet(_("No result has been marked as relevant or bad yet."))
    relevant = (pl.col("grade").mean() > 0.5).cast(pl.Int32)
    frame = votes.group_by("topic", "docno").agg(grade=relevant, votes=pl.len()).sort("topic", "docno")
    workers = votes["worker"].n_unique()
    recipe = {"method": "marked while comparing", "judgements": votes.height, "workers": workers}
    description = Phrase(
        "What most of %(workers)s workers marked while comparing lists: %(marks)s marks.", workers=workers, marks=votes.height
    )
    return keep(study, frame, by=by, recipe=recipe, description=description, simulated=int(votes["simulated"].sum()))

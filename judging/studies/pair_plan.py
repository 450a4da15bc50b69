"""The plan of a side-by-side study: which runs' lists it compares, on which topics, and what that costs."""

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from typing import Any, NamedTuple

import polars as pl

from ireval.correlation.orderings import correlate_runs
from judging.collections.storage import SHOWN, document_ids, run_frame, shown_frame
from judging.models import Comparison, Item, Listing, Run, Slot, Study, Topic
from judging.models.slot import SPAN
from judging.pay.rates import cost_of
from judging.work import checks
from judging.work.mirrors import expected_mirrors

NEVER = 0.0  # alike
MOST_PAIRS = 100  # of runs, whose lists are correlated to find where they differ; of more, as many at random


class Pair(NamedTuple):
    """Two runs' lists for a topic, by primary keys."""

    topic: int
    first: int
    second: int


Lists = dict[tuple[int, int], list[dict[str, Any]]]  # by topic and run: what is shown, the best first


@dataclass(frozen=True)
class PairPlan:
    """What launching a side-by-side study would ask for, and what it leaves out and why."""

    items: list[Pair]  # to be judged
    same: list[Pair]  # ties that nobody is asked for
    lists: Lists
    over_budget: int  # pairs of lists that the budget has no room for
    without_topic: int  # results
    without_document: int
    study: Study
    drafted: list[Item]  # checks

    @property
    def topics(self) -> int:
        return len({pair.topic for pair in (*self.items, *self.same)})

    @property
    def systems(self) -> int:
        return len({run for pair in (*self.items, *self.same) for run in pair[1:]})

    @property
    def overlap(self) -> int:
        return self.study.overlap

    @property
    def judgements(self) -> int:
        return len(self.items) * self.overlap

    most_judgements = judgements

    @property
    def counts(self) -> dict[str, Any]:
        """What launching notes with the study."""
        of_checks = checks.counts_of([check.role for check in self.drafted], self.mixes) if self.drafted else {}
        return {
            "items": len(self.items),
            "topics": self.topics,
            "without_topic": self.without_topic,
            "without_document": self.without_document,
            "same": len(self.same),
            **of_checks,
        }

    @property
    def as_launched(self) -> Study:
        return checks.with_counts(self.study, self.counts)

    @property
    def mixes(self) -> checks.Mixes:
        """How much work there is, and how much gold among it: one mix, as pairs come in any order."""
        gold = sum(check.role == Item.Role.GOLD for check in self.drafted)
        return Counter([checks.Mix(len(self.items), gold, 0)])

    @property
    def repeats(self) -> int:
        """How many answers go to mirrored pairs."""
        return expected_mirrors(self.study.comparison.mirrored, self.judgements + self.gold)

    @property
    def gold(self) -> int:
        """How many answers go to gold pairs."""
        return round(checks.expected(self.as_launched, self.judgements))

    @property
    def answers(self) -> int:
        return self.judgements + self.repeats + self.gold

    @property
    def hours(self) -> float:
        return self.answers * self.study.seconds_a_judgement / 3600

    @property
    def cost(self) -> Decimal:
        return cost_of(self.study, self.answers)


def plan(study: Study) -> PairPlan:
    """Plan the pairs, the same each time whatever is left to chance: what is launched is what was shown before."""
    comparison, chance = study.comparison, random.Random(study.pk)  # noqa: S311  no secret
    runs = list(study.runs.order_by("name"))
    tops = {run.pk: top_of(run, study.depth) for run in runs}
    topics = dict(Topic.objects.filter(collection=study.collection).values_list("number", "id"))
    numbers = chosen_topics(comparison, tops, pairs_of(comparison, runs), set(topics), chance)
    lists, without_document = listings(study, runs, tops, {number: topics[number] for number in numbers})
    pairs = [
        Pair(topics[number], first, second)
        for number in numbers
        for first, second in pairs_of(comparison, runs)
        if (topics[number], first) in lists and (topics[number], second) in lists
    ]
    same = [
        pair
        for pair in pairs
        if visible_results(lists, pair.first, pair.topic) == visible_results(lists, pair.second, pair.topic)
    ]
    ask = sorted(set(pairs) - set(same))
    drafted = checks.of_draft(study)
    room = within_budget(comparison, ask, drafted, chance)
    return PairPlan(
        items=room,
        same=same,
        lists=lists,
        over_budget=len(ask) - len(room),
        without_topic=sum(top.filter(~pl.col("topic").is_in(list(topics))).height for top in tops.values()),
        without_document=without_document,
        study=study,
        drafted=drafted,
    )


def top_of(run: Run, depth: int) -> pl.DataFrame:
    return run_frame(run).filter(pl.col("rank") <= depth)


def pairs_of(comparison: Comparison, runs: list[Run]) -> list[tuple[int, int]]:
    keys = [run.pk for run in runs]
    if comparison.pairing == Comparison.Pairing.BASELINE:
        return [(comparison.baseline_id, key) for key in keys if comparison.baseline_id in keys and key != comparison.baseline_id]
    return list(combinations(keys, 2))


def chosen_topics(
    comparison: Comparison, tops: dict[int, pl.DataFrame], pairs: list[tuple[int, int]], numbers: set[str], chance: random.Random
) -> list[str]:
    """Topics of the collection on which at least one pair of runs has lists."""
    of_run = {key: set(top["topic"].unique()) & numbers for key, top in tops.items()}
    both = sorted(set().union(*(of_run[first] & of_run[second] for first, second in pairs)))
    if comparison.topics == Comparison.Topics.ALL or comparison.topic_count is None:
        return both
    if comparison.topics == Comparison.Topics.SAMPLE:
        return sorted(chance.sample(both, min(comparison.topic_count, len(both))))
    differs = differences(tops, pairs if len(pairs) <= MOST_PAIRS else chance.sample(pairs, MOST_PAIRS))
    return sorted(sorted(both, key=lambda number: (-differs.get(number, 0), number))[: comparison.topic_count])


def differences(tops: dict[int, pl.DataFrame], pairs: list[tuple[int, int]]) -> dict[str, float]:
    """How much the lists of a topic differ: 1 − rank-biased overlap, the mean over the pairs of runs."""
    each = [correlate_runs(tops[first], tops[second], methods=["rbo"]).select("topic", "rbo") for first, second in pairs]
    if not each:
        return {}
    return dict(pl.concat(each).group_by("topic").agg(1 - pl.col("rbo").fill_nan(NEVER).mean()).iter_rows())


def listings(study: Study, runs: list[Run], tops: dict[int, pl.DataFrame], topics: dict[str, int]) -> tuple[Lists, int]:
    """What is shown of each run for each of the topics, and how many results cannot be shown: nobody knows their text."""
    wanted = {key: top.filter(pl.col("topic").is_in(list(topics))).sort("topic", "rank") for key, top in tops.items()}
    documents = document_ids(study.collection, list(set().union(*(top["docno"].to_list() for top in wanted.values()))))
    lists: Lists = {}
    missing = 0
    for run in runs:
        shown = shown_by(run, list(topics))
        for number, docno in wanted[run.pk].select("topic", "docno").iter_rows():
            rows = lists.setdefault((topics[number], run.pk), [])
            row = {"docno": docno, "document": documents.get(docno), **shown.get((number, docno), {})}
            if row["document"] is None and len(row) == 2:
                missing += 1
            else:
                rows.append(row)
    return lists, missing


def shown_by(run: Run, topics: list[str]) -> dict[tuple[str, str], dict[str, str]]:
    """What a run brought along of each result: title, url and snippet."""
    frame = shown_frame(run, topics)
    if frame is None:
        return {}
    return {(row.pop("topic"), row.pop("docno")): row for row in frame.iter_rows(named=True) if has_text(row)}


def has_text(row: dict[str, str]) -> bool:
    return any(row[name] for name in SHOWN)


def visible_results(lists: Lists, run: int, topic: int) -> list[tuple]:
    """What a worker sees of a list: two that show the same are a tie."""
    return [tuple(map(row.get, ("document", "title", "url", "snippet"))) for row in lists[topic, run]]


def within_budget(comparison: Comparison, pairs: list[Pair], drafted: list[Item], chance: random.Random) -> list[Pair]:
    """The pairs that the budget allows with what comes among them, spread evenly over topics in turn. Each turn takes the pair of
    runs that has the fewest yet."""
    if comparison.pairing != Comparison.Pairing.BUDGET or comparison.budget is None:
        return pairs
    every = comparison.study.gold_every if any(check.role == Item.Role.GOLD for check in drafted) else 0
    work = max(1 - comparison.mirrored - (1 / every if every else 0), 0)
    room = int(comparison.budget * work) // comparison.study.overlap
    left: dict[int, list[Pair]] = {}
    for pair in pairs:
        left.setdefault(pair.topic, []).append(pair)
    turns = list(left.values())
    chance.shuffle(turns)
    return sorted(taken_in_turns(turns, min(room, len(pairs)), chance))


def taken_in_turns(turns: list[list[Pair]], room: int, chance: random.Random) -> list[Pair]:
    """Take one pair of each topic per turn. Topics with the least choice come first, so that the others can make up for it."""
    taken: list[Pair] = []
    used: Counter = Counter()
    while len(taken) < room:
        for left in sorted([left for left in turns if left][: room - len(taken)], key=len):
            pair = min(
                left, key=lambda candidate: (used[candidate[1:]], used[candidate.first] + used[candidate.second], chance.random())
            )
            left.remove(pair)
            used.update([pair[1:], pair.first, pair.second])
            taken.append(pair)
    return taken


def items_of(study: Study, planned: PairPlan, chance: random.Random) -> list[Item]:
    """Store the lists and make the items in random order; which of two lists comes first is chance, too."""
    used = {(pair.topic, run) for pair in (*planned.items, *planned.same) for run in pair[1:]}
    rows = [Listing(study=study, topic_id=topic, run_id=run, results=planned.lists[topic, run]) for topic, run in sorted(used)]
    kept = {(listing.topic_id, listing.run_id): listing for listing in Listing.objects.bulk_create(rows, batch_size=500)}
    ask, same = planned.items[:], planned.same
    chance.shuffle(ask)
    made = []
    for position, pair in enumerate([*ask, *same]):
        first, second = chance.sample([kept[pair.topic, pair.first], kept[pair.topic, pair.second]], 2)
        is_asked = position < len(ask)
        role, wanted = (Item.Role.WORK, study.overlap) if is_asked else (Item.Role.SAME, 0)
        made.append(
            Item(study=study, topic_id=pair.topic, first=first, second=second, position=position, role=role, wanted=wanted)
        )
    return made


def slots_of(items: Iterable[Item], overlap: int, chance: random.Random) -> Iterator[Slot]:
    """K slots an item, each side as often as the other; scattered over one stretch, so that a worker meets pairs in any order."""
    for item in items:
        start = chance.randrange(2)
        for number in range(1, overlap + 1 if item.role == Item.Role.WORK else 1):
            swapped = bool((number + start) % 2)
            yield Slot(study=item.study, item=item, position=chance.randrange(SPAN), number=number, swapped=swapped)

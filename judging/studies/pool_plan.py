"""The plan of a pool: the best documents of every run, or those that were chosen, for the chosen topics, each judged once."""

import random
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

import polars as pl

from ireval.pooling.depth import pool
from judging.collections.storage import document_ids, run_frame
from judging.collections.topic_tags import with_tag
from judging.models import Item, Study, Topic
from judging.pay.rates import cost_of, with_gold
from judging.work import checks

TRIED_DEPTHS = (10, 100, 1000)  # to which runs are read, until the pool is larger than a budget allows


@dataclass(frozen=True)
class PoolPlan:
    """What launching a study would ask for, and why some of the pool is left out.

    `pool` is topic and document, by primary key; topics together. `drafted` are the checks that the draft has, in their order.
    """

    pool: list[tuple[int, int]]
    pooled: int
    without_topic: int
    without_document: int
    study: Study
    depth: int
    drafted: list[Item]
    over_budget: int = 0  # judgements that the shallowest pool would take, where the budget has no room for them

    @cached_property
    def items(self) -> list[tuple[int, int]]:
        """What workers are to judge: the pool without the documents whose grade is known."""
        known = set(map(pair_of, self.known))
        return [pair for pair in self.pool if pair not in known]

    @cached_property
    def known(self) -> list[Item]:
        """Checks in the pool that say which grade their document has."""
        return [check for check in self.in_pool if has_grade(check)]

    @cached_property
    def overtaken(self) -> list[Item]:
        """Checks that the pool has come to hold, but which do not say a grade: they would be work."""
        return [check for check in self.in_pool if not has_grade(check)]

    @cached_property
    def in_pool(self) -> list[Item]:
        pool = set[tuple[int, int | None]](self.pool)
        return [check for check in self.drafted if pair_of(check) in pool]

    @cached_property
    def checks_left(self) -> list[Item]:
        return [check for check in self.drafted if check not in self.overtaken]

    @property
    def topics(self) -> int:
        return len({topic for topic, _ in self.items})

    @property
    def overlap(self) -> int:
        return self.study.overlap

    @property
    def judgements(self) -> int:
        return len(self.items) * self.overlap

    @property
    def most_judgements(self) -> int:
        """The number of judgements if workers disagree about everything."""
        return len(self.items) * (self.study.most_overlap or self.overlap)

    @property
    def gold(self) -> int:
        """How many answers go to checks among the work."""
        return self.with_gold(self.judgements) - self.judgements

    def with_gold(self, judgements: int) -> int:
        """How many answers these judgements take: by the checks that there are, or if there are none yet, as many as wanted."""
        if not any(check.role in checks.MIXED_IN for check in self.checks_left):
            return with_gold(self.study, judgements)
        return judgements + round(checks.expected(self.as_launched, judgements))

    @property
    def hours(self) -> float:
        return self.with_gold(self.judgements) * self.study.seconds_a_judgement / 3600

    @property
    def cost(self) -> Decimal:
        return cost_of(self.study, self.with_gold(self.judgements))

    @property
    def most_answers(self) -> int:
        return self.with_gold(self.most_judgements)

    @property
    def most_cost(self) -> Decimal:
        return cost_of(self.study, self.most_answers)

    @cached_property
    def as_launched(self) -> Study:
        return checks.with_counts(self.study, self.counts)

    @cached_property
    def counts(self) -> dict:
        """What launching notes with the study."""
        counts = {
            "items": len(self.items),
            "topics": self.topics,
            "without_topic": self.without_topic,
            "without_document": self.without_document,
            "pooled": self.pooled,
        }
        if self.known:
            counts["known"] = len(self.known)
        return (
            {**counts, **checks.counts_of([check.role for check in self.checks_left], self.mixes)} if self.checks_left else counts
        )

    @cached_property
    def mixes(self) -> checks.Mixes:
        """How much work each topic has, and how many checks among it."""
        work = Counter(topic for topic, _ in self.items)
        gold, attention = (
            Counter(check.topic_id for check in self.checks_left if check.role == role)
            for role in (Item.Role.GOLD, Item.Role.ATTENTION)
        )
        return Counter(checks.Mix(work[topic], gold[topic], attention[topic]) for topic in work)


def plan(study: Study) -> PoolPlan:
    """Pool the study's runs to its depth, or as deep as its budget allows, or take its chosen documents."""
    if study.chosen or not study.has_budget:
        return plan_at(study, pool_to(study, study.depth), study.depth)
    return plan_within_budget(study)


def plan_within_budget(study: Study) -> PoolPlan:
    """The deepest pool that the budget allows, however deep the runs are."""
    for tried in TRIED_DEPTHS:
        pooled = pool_to(study, tried)
        ranks = pooled.filter(pl.col("document").is_not_null())["rank"].unique().sort().to_list()
        fitting = bisect_left(ranks, True, key=lambda rank: not fits(plan_at(study, pooled, rank)))
        if fitting < len(ranks) or pooled["rank"].max() != tried:
            break
    if fitting:
        return plan_at(study, pooled, ranks[fitting - 1])
    shallowest = plan_at(study, pooled, ranks[0] if ranks else study.depth)
    return replace(shallowest, pool=[], pooled=0, over_budget=shallowest.most_answers) if ranks else shallowest


def fits(plan: PoolPlan) -> bool:
    """Whether the study's budget allows it, checks included, even if workers disagree about everything."""
    study = plan.study
    within_judgements = study.judgement_budget is None or plan.most_answers <= study.judgement_budget
    return within_judgements and (study.money_budget is None or plan.most_cost <= study.money_budget)


def plan_at(study: Study, pooled: pl.DataFrame, depth: int) -> PoolPlan:
    """The plan of what is pooled to this depth."""
    pooled = pooled.filter(pl.col("rank") <= depth)
    known_topic = pooled.filter(pl.col("topic").is_not_null())
    readable = known_topic.filter(pl.col("document").is_not_null())
    return PoolPlan(
        pool=readable.select("topic", "document").sort("topic", "document").rows(),
        pooled=pooled.height,
        without_topic=pooled.height - known_topic.height,
        without_document=known_topic.height - readable.height,
        study=study,
        depth=depth,
        drafted=checks.of_draft(study),
    )


def pair_of(check: Item) -> tuple[int, int | None]:
    return check.topic_id, check.document_id


def has_grade(check: Item) -> bool:
    """Whether the check says which grade its document has: then nobody need judge it, even if it is in the pool."""
    return check.role != Item.Role.ATTENTION and len(check.right) == 1


def pool_to(study: Study, depth: int) -> pl.DataFrame:
    """Topic and document, by primary key where the collection has them, and the best rank of what is pooled."""
    pooled = pool_of(study, depth)
    topics = chosen_topics(study, pooled["topic"].unique().to_list())
    if chooses_topics(study):
        pooled = pooled.filter(pl.col("topic").is_in(list(topics)))
    documents = document_ids(study.collection, pooled["docno"].unique().to_list())
    return pooled.select(
        topic=pl.col("topic").replace_strict(topics, default=None, return_dtype=pl.Int64),
        document=pl.col("docno").replace_strict(documents, default=None, return_dtype=pl.Int64),
        rank="best_rank",
    )


def pool_of(study: Study, depth: int) -> pl.DataFrame:
    """Topic, docno and best rank of what the runs find, or of what was chosen."""
    if study.chosen:
        return pl.DataFrame(study.chosen, schema={"topic": pl.String, "docno": pl.String}, orient="row").with_columns(best_rank=1)
    frames = [run_frame(run, columns=["topic", "docno", "rank"]) for run in study.runs.order_by("name")]
    return pool(frames, depth)


def chooses_topics(study: Study) -> bool:
    return bool(study.topic_tags or study.topic_numbers or study.topic_count)


def chosen_topics(study: Study, pooled: list[str]) -> dict[str, int]:
    """Which of the pooled topics the study has judged, by their numbers; without a choice all that the collection has.

    A draw goes by a number that the seed gives each topic: with a further run, or another tag, most of the topics stay.
    """
    topics = Topic.objects.filter(collection=study.collection_id)
    if study.topic_tags:
        topics = with_tag(topics, *study.topic_tags)
    ids = dict(topics.values_list("number", "id"))
    if study.topic_numbers:
        ids = {number: ids[number] for number in study.topic_numbers if number in ids}
    if study.topic_count is None:
        return ids
    drawn = sorted(ids.keys() & set(pooled), key=lambda number: (lot(study.topic_seed, number), number))
    return {number: ids[number] for number in drawn[: study.topic_count]}


def lot(seed: int, number: str) -> float:
    return random.Random(f"{seed} {number}").random()  # noqa: S311  no secret

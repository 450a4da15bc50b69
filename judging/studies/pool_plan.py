"""The plan of a pool: the best documents of every run, or those that were chosen, each judged once."""

from dataclasses import dataclass
from decimal import Decimal

import polars as pl

from ireval.pooling.depth import pool
from judging.collections.storage import document_ids, run_frame
from judging.models import Study, Topic
from judging.pay.rates import cost_of, with_gold


@dataclass(frozen=True)
class PoolPlan:
    """What launching a study would ask for, and why some of the pool is left out."""

    items: list[tuple[int, int]]  # topic and document, by primary key; topics together
    pooled: int
    without_topic: int
    without_document: int
    study: Study

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
        """How many answers go to items of known grade."""
        return with_gold(self.study, self.judgements) - self.judgements

    @property
    def hours(self) -> float:
        return with_gold(self.study, self.judgements) * self.study.seconds_a_judgement / 3600

    @property
    def cost(self) -> Decimal:
        return cost_of(self.study, with_gold(self.study, self.judgements))

    @property
    def most_cost(self) -> Decimal:
        return cost_of(self.study, with_gold(self.study, self.most_judgements))


def plan(study: Study) -> PoolPlan:
    """Pool the study's runs to its depth, or take its chosen documents, and look up what the collection has of them."""
    pooled = pool_of(study)
    topics = dict(Topic.objects.filter(collection=study.collection).values_list("number", "id"))
    documents = document_ids(study.collection, pooled["docno"].unique().to_list())
    rows = list(pooled.select("topic", "docno").iter_rows())
    known_topic = [(topics[topic], docno) for topic, docno in rows if topic in topics]
    items = [(topic, documents[docno]) for topic, docno in known_topic if docno in documents]
    return PoolPlan(
        items=sorted(items),
        pooled=len(rows),
        without_topic=len(rows) - len(known_topic),
        without_document=len(known_topic) - len(items),
        study=study,
    )


def pool_of(study: Study) -> pl.DataFrame:
    """Topic and docno of what is to be judged."""
    if study.chosen:
        return pl.DataFrame(study.chosen, schema={"topic": pl.String, "docno": pl.String}, orient="row")
    frames = [run_frame(run, columns=["topic", "docno", "rank"]) for run in study.runs.order_by("name")]
    return pool(frames, study.depth) if frames else pl.DataFrame(schema={"topic": pl.String, "docno": pl.String})

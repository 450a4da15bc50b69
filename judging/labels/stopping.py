"""Stopping a graded study early: whether it is settled which run is best, and how many judgements more it takes otherwise.

Topics were shuffled at the launch, and which one is begun next is chance. So they come in random order: that in which they were
begun. Only the first of them count, without a gap: those with few documents are finished early, and in them runs differ little.

Newcomers finish what others left (`work.beginnings`), so that there are few gaps. That changes how soon the first topics are
complete, not which topics are the first; and a newcomer's topic depends on chance and on who is there, on no grade.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from math import ceil, inf

import polars as pl
from django.db.models import Count, Min, Q

from ireval.verdict import Order, orders_so_far
from judging.collections.storage import run_frame
from judging.errors import Impossible
from judging.labels.aggregation import MAJORITY
from judging.labels.results import label_votes, votes, with_known
from judging.models import Run, Slot, Study

LEAST_TOPICS = 10  # with fewer no interval is said
MOST_RUNS = 5  # a page waits for the answer
MOST_ROWS, MOST_JUDGEMENTS = 2_000_000, 200_000
NEVER = datetime.max.replace(tzinfo=UTC)


class CannotTell(Impossible):
    """Why nothing can be said of stopping a study; the text says what to do instead."""


@dataclass(frozen=True)
class TopicSoFar:
    """A topic of the launch: when its first judgement came, how many documents wait for theirs, how many judgements are open."""

    number: str
    begun: datetime | None
    waiting: int
    open: int


@dataclass(frozen=True)
class Stopping:
    """What the topics that were begun first say of the runs. `orders` is empty where they are few.

    - topics: those of the launch, in the order in which they were begun
    - judged: how many of the first of them have a judgement of every document, without a gap
    """

    measure: str
    topics: list[TopicSoFar]
    judged: int
    orders: list[Order]

    @property
    def best(self) -> str:
        """The run that is ahead of all others so far."""
        behind = {order.first if order.decision.value > 0 else order.second for order in self.orders}
        names = dict.fromkeys(name for order in self.orders for name in (order.first, order.second))
        return next((name for name in names if name not in behind), next(iter(names), ""))

    @property
    def duels(self) -> list[Order]:
        """The best run against each other one, the closest first."""
        of_best = [order for order in self.orders if self.best in (order.first, order.second)]
        return sorted(of_best, key=lambda order: abs(order.decision.value))

    @property
    def hardest(self) -> Order | None:
        """The duel that is expected to be settled last; None where all are."""
        waiting = [order for order in self.duels if order.better is None]
        return max(waiting, key=lambda order: order.needed or inf, default=None)

    @property
    def is_settled(self) -> bool:
        return bool(self.orders) and all(order.better == self.best for order in self.duels)

    @property
    def open(self) -> int:
        """How many judgements the study still wants."""
        return sum(topic.open for topic in self.topics)

    @property
    def needed(self) -> int | None:
        """With how many topics it is expected to be settled which run is best; None where that cannot be foreseen."""
        if not self.orders:
            return LEAST_TOPICS
        return self.hardest.needed if self.hardest else self.judged

    @property
    def more(self) -> int | None:
        """About how many judgements more that takes, to two digits; None where the study's topics do not suffice."""
        if self.needed is None or self.needed > len(self.topics):
            return None
        left = len(self.topics) - self.judged
        return two_digits(ceil(self.open * (self.needed - self.judged) / left)) if left else 0


def two_digits(number: int) -> int:
    return int(float(f"{number:.2g}"))


def stopping_of(study: Study) -> Stopping:
    """What can be said now. Raises CannotTell for a study that has no order to settle, or one too large for a page."""
    runs = list(study.runs.order_by("name"))
    refuse_unless_comparable(study, runs)
    topics = topics_so_far(study)
    if len(topics) < LEAST_TOPICS:
        raise CannotTell(f"With fewer than {LEAST_TOPICS} topics a study cannot end early. See its results when all is judged.")
    first = [topic.number for topic in takewhile(lambda topic: not topic.waiting, topics)]
    measure = f"nDCG@{study.depth}"
    if len(first) < LEAST_TOPICS:
        return Stopping(measure, topics, len(first), [])
    vote_frame = votes(study).filter(pl.col("topic").is_in(first))
    grades = with_known(label_votes(vote_frame, study, MAJORITY).frame, study).filter(pl.col("topic").is_in(first))
    orders = orders_so_far(
        {run.name: judged_part(run, first, study.depth) for run in runs},
        grades.select("topic", "docno", "grade"),
        measure,
        votes=vote_frame.select("topic", "docno", "worker", "grade"),
        planned=len(topics),
    )
    return Stopping(measure, topics, len(first), orders)


def refuse_unless_comparable(study: Study, runs: list[Run]) -> None:
    if study.compares or not study.is_launched or len(runs) < 2:
        raise CannotTell("Only a launched graded study of two runs or more has an order to settle.")
    if study.chosen:
        raise CannotTell("Its documents were chosen for what they could change. Settle their grades, and ask for a report.")
    if study.items.filter(urgent=True).exists():
        raise CannotTell("Some documents are judged first, so that topics do not come in random order.")
    if len(runs) > MOST_RUNS:
        raise CannotTell(f"This is for up to {MOST_RUNS} runs. Settle the grades so far, and ask for a report on all runs.")
    judgements = Slot.objects.filter(study=study, judged_at__isnull=False).count()
    if sum(run.rows for run in runs) > MOST_ROWS or judgements > MOST_JUDGEMENTS:
        raise CannotTell("This study is too large to say at once. Settle the grades so far, and ask for a report.")


def topics_so_far(study: Study) -> list[TopicSoFar]:
    """The topics of the launch, those first that were begun first. Topics that were added since were chosen, and by no lot."""
    launched = study.pool_counts.get("items", 0) - study.pool_counts.get("added", 0)
    judged = Q(judged_at__isnull=False)
    rows = (
        Slot.objects.filter(study=study, number__isnull=False)
        .order_by()
        .values_list("item__topic__number")
        .annotate(
            oldest=Min("item__position"),
            begun=Min("judged_at"),
            waiting=Count("item", distinct=True) - Count("item", distinct=True, filter=judged),
            open=Count("id", filter=~judged),
        )
    )
    topics = [TopicSoFar(number, begun, waiting, left) for number, oldest, begun, waiting, left in rows if oldest < launched]
    return sorted(topics, key=lambda topic: (topic.begun or NEVER, topic.number))


def judged_part(run: Run, topics: list[str], depth: int) -> pl.DataFrame:
    """What the pool has of a run."""
    return run_frame(run).filter(pl.col("topic").is_in(topics) & (pl.col("rank") <= depth)).select("topic", "docno", "score")


def sentence(stopping: Stopping) -> str:
    """The answer: stop, go on for so many judgements, or that what is left will hardly do."""
    others = "all others" if len(stopping.duels) > 1 else "".join(order.rival(stopping.best) for order in stopping.duels)
    if stopping.is_settled:
        return (
            f"Stop now: {stopping.best} is better than {others}."
            if stopping.open
            else f"{stopping.best} is better than {others}."
        )
    if not stopping.open:
        return "All is judged, and which run is best is not settled."
    if not stopping.orders:
        return f"Too early to tell: {stopping.judged} of the first {LEAST_TOPICS} topics are judged."
    if stopping.more:
        return f"About {stopping.more:,} judgement{'' if stopping.more == 1 else 's'} more until it is settled which run is best."
    return "The judgements that are left will hardly settle which run is best."


def beyond(stopping: Stopping) -> str:
    """Which difference that would settle, and what it would take where the study's own topics do not suffice."""
    if stopping.hardest is None:
        return ""
    if stopping.needed is None:
        return "The runs are too much alike."
    rival = stopping.hardest.rival(stopping.best)
    value = f"{stopping.hardest.seen_from(stopping.best).value:+.4f}".replace("-", "−")
    target = f"{stopping.best} from {rival}, if their difference in {stopping.measure} stays at {value}"
    if stopping.more:
        return f"As many tell {target}."
    topics = two_digits(stopping.needed)
    return f"It would take about {topics:,} topics to tell {target}; this study has {len(stopping.topics):,}."

"""Stopping a graded study early: whether it is settled which run is best, and how many judgements more it takes otherwise.

Topics were shuffled at the launch, and which one is begun next is chance. So they come in random order: that in which they were
begun. Only the first of them count, without a gap: those with few documents are finished early, and in them runs differ little.

Newcomers finish what others left (`work.beginnings`), so that there are few gaps. That changes when the first topics are
complete, not which they are. A newcomer's topic depends on chance and on who is there, on no grade.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import takewhile
from math import ceil, inf

import polars as pl
from django.db.models import Count, Min, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

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
        text = _("With fewer than %(topics)s topics a study cannot end early. See its results when all is judged.")
        raise CannotTell(text % {"topics": LEAST_TOPICS})
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
        raise CannotTell(_("Only a launched graded study of two runs or more has an order to settle."))
    if study.chosen:
        raise CannotTell(_("Its documents were chosen for what they could change. Settle their grades, and ask for a report."))
    if study.items.filter(urgent=True).exists():
        raise CannotTell(_("Some documents are judged first, so that topics do not come in random order."))
    if len(runs) > MOST_RUNS:
        text = _("This is for up to %(runs)s runs. Settle the grades so far, and ask for a report on all runs.")
        raise CannotTell(text % {"runs": MOST_RUNS})
    judgements = Slot.objects.filter(study=study, judged_at__isnull=False).count()
    if sum(run.rows for run in runs) > MOST_ROWS or judgements > MOST_JUDGEMENTS:
        raise CannotTell(_("This study is too large to say at once. Settle the grades so far, and ask for a report."))


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
    if stopping.is_settled:
        return settled(stopping)
    if not stopping.open:
        return _("All is judged, and which run is best is not settled.")
    if not stopping.orders:
        text = _("Too early to tell: %(judged)s of the first %(topics)s topics are judged.")
        return text % {"judged": stopping.judged, "topics": LEAST_TOPICS}
    if stopping.more:
        return ngettext(
            "About %(count)s judgement more until it is settled which run is best.",
            "About %(count)s judgements more until it is settled which run is best.",
            stopping.more,
        ) % {"count": f"{stopping.more:,}"}
    return _("The judgements that are left will hardly settle which run is best.")


def settled(stopping: Stopping) -> str:
    runs = {"best": stopping.best, "other": "".join(order.rival(stopping.best) for order in stopping.duels)}
    stop, text = _("Stop now: %(best)s is better than %(other)s."), _("%(best)s is better than %(other)s.")
    if len(stopping.duels) > 1:
        stop, text = _("Stop now: %(best)s is better than all others."), _("%(best)s is better than all others.")
    return (stop if stopping.open else text) % runs


def beyond(stopping: Stopping) -> str:
    """Which difference that would settle, and what it would take where the study's own topics do not suffice."""
    if stopping.hardest is None:
        return ""
    if stopping.needed is None:
        return _("The runs are too much alike.")
    duel = {
        "best": stopping.best,
        "rival": stopping.hardest.rival(stopping.best),
        "measure": stopping.measure,
        "value": f"{stopping.hardest.seen_from(stopping.best).value:+.4f}".replace("-", "−"),
        "topics": f"{two_digits(stopping.needed):,}",
        "all": f"{len(stopping.topics):,}",
    }
    if stopping.more:
        return _("As many tell %(best)s from %(rival)s, if their difference in %(measure)s stays at %(value)s.") % duel
    return (
        _(
            "It would take about %(topics)s topics to tell %(best)s from %(rival)s, if their difference in %(measure)s stays at "
            "%(value)s; this study has %(all)s."
        )
        % duel
    )

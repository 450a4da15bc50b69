"""The forecast of what a study will cost with all of its judgements: as planned, and by what those that are there cost."""

from dataclasses import dataclass
from decimal import Decimal

from django.db.models import Count, Q, Sum

from judging.models import Slot, Study
from judging.pay.earnings import Earnings
from judging.pay.rates import HOUR, cost_of, to_cents, with_gold
from judging.work.checks import has_checks
from judging.work.progress import total_left


@dataclass(frozen=True)
class Forecast:
    """`more` judgements may be wanted besides where workers disagree. Hours are of work, costs in the study's currency."""

    wanted: int
    judged: int
    more: int
    planned_hours: Decimal
    planned: Decimal
    hours: Decimal
    cost: Decimal
    most_cost: Decimal

    @property
    def left(self) -> int:
        return self.wanted - self.judged


@dataclass(frozen=True)
class Whole:
    """All that a newcomer can do in a study: so many answers, the minutes that they take, and their pay without bonuses."""

    answers: int
    minutes: int
    pay: Decimal


def whole_of(study: Study) -> Whole:
    """Reckon with the time that the study expects for each answer; minutes are rounded up."""
    answers = total_left(study)
    return Whole(answers, -(-answers * study.seconds_a_judgement // 60), cost_of(study, answers))


def forecast(study: Study, earnings: Earnings) -> Forecast:
    """Forecast the cost: each judgement that is still wanted costs what those that are there did, surplus, checks and screening
    included.

    Before there are any it costs what was planned. Bonuses are not expected to go on.
    """
    counts = Slot.objects.filter(study=study, number__isnull=False).aggregate(wanted=Count("id"), judged=Count("judged_at"))
    wanted, judged, more = counts["wanted"], counts["judged"], more_wanted(study)
    answers = with_gold(study, wanted) if has_checks(study) else wanted
    planned, planned_hours = cost_of(study, answers), Decimal(answers * study.seconds_a_judgement) / HOUR
    if judged:
        each, hours_each = (earnings.pay + earnings.screening) / judged, Decimal(earnings.seconds) / HOUR / judged
    else:
        each, hours_each = planned / (wanted or 1), planned_hours / (wanted or 1)
    left = wanted - judged
    return Forecast(
        wanted=wanted,
        judged=judged,
        more=more,
        planned_hours=planned_hours,
        planned=planned,
        hours=Decimal(earnings.seconds) / HOUR + left * hours_each,
        cost=earnings.total + to_cents(left * each),
        most_cost=earnings.total + to_cents((left + more) * each),
    )


def more_wanted(study: Study) -> int:
    """How many judgements would come on top if workers disagreed about every item that still waits for one."""
    if not study.is_adaptive:
        return 0
    items = Slot.objects.filter(study=study, number__isnull=False).order_by().values("item")
    open_items = items.annotate(slots=Count("id"), open=Count("id", filter=Q(judged_at__isnull=True))).filter(open__gt=0)
    totals = open_items.aggregate(items=Count("item"), places=Sum("slots"))
    return totals["items"] * (study.most_overlap or 0) - (totals["places"] or 0)

"""Studies that are finished, or have reached their budget: looked for now and then, if anybody wants to hear of it."""

from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse

from judging.access import studies_for
from judging.models import AuditEntry, Slot, Study, Subscription
from judging.models.subscription import Event
from judging.news.events import post
from judging.pay.earnings import earnings


def sweep() -> None:
    """Tell each subscriber of their own studies, of what happened after they subscribed."""
    for subscription in Subscription.objects.filter(user__is_active=True).select_related("user"):
        studies = studies_of(subscription)
        if Event.STUDY_FINISHED in subscription.events:
            for study in finished(studies):
                text = f"The study “{study.name}” is finished."
                what = f"closed {study.closed}" if study.lacks_some else f"{study.last_wanted:%Y%m%d%H%M%S}"
                tell_once(subscription, Event.STUDY_FINISHED, study, what, text)
        if Event.BUDGET_REACHED in subscription.events:
            for study in studies.filter(Q(money_budget__isnull=False) | Q(judgement_budget__isnull=False)):
                if spent := spent_budget(study):
                    text = f"The study “{study.name}” has reached its budget: {spent}."
                    tell_once(subscription, Event.BUDGET_REACHED, study, "budget", text)


def spent_budget(study: Study) -> str:
    """What was spent of how much, once it is all; nothing before."""
    totals = earnings(study)
    if study.money_budget is not None:
        return f"{totals.total} of {study.money_budget} {study.currency}" if totals.total >= study.money_budget else ""
    wanted = study.judgement_budget or 0
    return f"{totals.judged:,} of {wanted:,} judgements" if totals.judged >= wanted else ""


def studies_of(subscription: Subscription) -> QuerySet[Any]:
    """The studies that the subscriber runs, and that went on since they subscribed; an admin hears of no others."""
    mine = Q(owner=subscription.user) | Q(members=subscription.user)
    launched = studies_for(subscription.user).filter(mine, archived=None).exclude(state=Study.State.DRAFT)
    return launched.annotate(last=Max("slots__judged_at")).filter(last__gt=subscription.created)


def finished(studies: QuerySet[Any]) -> QuerySet[Any]:
    """Those whose every wanted judgement is there, or that were closed. Whatever comes later makes neither happen again."""
    wanted = Slot.objects.filter(study=OuterRef("pk"), number__isnull=False)
    closings = AuditEntry.objects.filter(study=OuterRef("pk"), deed=AuditEntry.Deed.CLOSED).order_by("-pk")
    return studies.annotate(
        lacks_some=Exists(wanted.filter(judged_at=None)),
        last_wanted=Max("slots__judged_at", filter=Q(slots__number__isnull=False)),
        closed=Subquery(closings.values("pk")[:1]),
    ).filter(Q(state=Study.State.CLOSED) | Q(lacks_some=False, last_wanted__isnull=False))


def tell_once(subscription: Subscription, event: Event, study: Study, what: str, text: str) -> None:
    post(subscription, event, key=f"study {study.pk}: {what}", text=text, path=reverse("study", args=[study.pk]))

"""Studies that are finished, or have nearly used up their budget: looked for now and then, if anybody wants to hear of it."""

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import Any

from django.db.models import Exists, Max, OuterRef, Q, QuerySet, Subquery
from django.urls import reverse
from django.utils.translation import gettext as _

from ireval.translatable import Phrase
from judging.access import studies_for
from judging.models import AuditEntry, Comparison, Slot, Study, Subscription
from judging.models.subscription import Event
from judging.news.events import post
from judging.pay.earnings import earnings
from judging.text.library_words import worded

NEARLY_ALL = Decimal("0.9")  # of a budget


def sweep() -> None:
    """Tell each subscriber of their own studies, of what happened after they subscribed."""
    for subscription in Subscription.objects.filter(user__is_active=True).select_related("user"):
        studies = studies_of(subscription)
        if Event.STUDY_FINISHED in subscription.events:
            for study in finished(studies):
                what = f"closed {study.closed}" if study.lacks_some else f"{study.last_wanted:%Y%m%d%H%M%S}"
                words = partial(is_finished, study)
                tell_once(subscription, Event.STUDY_FINISHED, study, what, words)
        if Event.BUDGET_REACHED in subscription.events:
            of_pairs = Q(comparison__pairing=Comparison.Pairing.BUDGET)
            for study in studies.filter(Q(money_budget__isnull=False) | Q(judgement_budget__isnull=False) | of_pairs):
                if news := budget_news(study):
                    tell_once(subscription, Event.BUDGET_REACHED, study, "budget", news)


def is_finished(study: Study) -> str:
    return _("The study “%(study)s” is finished.") % {"study": study.name}


def budget_news(study: Study) -> Callable[[], str] | None:
    """What to say once nearly all of a budget is spent: pools are planned to stay within it, so that few use it up."""
    totals = earnings(study)
    judgements = study.comparison.budget if study.compares else study.judgement_budget
    spent: list[tuple[Decimal, Phrase]] = []  # which share of a budget, and how much of it
    if study.money_budget is not None:
        blanks = {"spent": totals.total, "budget": study.money_budget, "currency": study.currency}
        spent.append((totals.total / study.money_budget, Phrase("%(spent)s of %(budget)s %(currency)s", **blanks)))
    if judgements is not None:
        blanks = {"judged": f"{totals.judged:,}", "wanted": f"{judgements:,}"}
        spent.append((Decimal(totals.judged) / judgements, Phrase("%(judged)s of %(wanted)s judgements", **blanks)))
    share, phrase = max(spent)
    return partial(has_spent, study, phrase, share >= 1) if share >= NEARLY_ALL else None


def has_spent(study: Study, spent: Phrase, all_of_it: bool) -> str:
    about = {"study": study.name, "spent": worded(spent)}
    if all_of_it:
        return _("The study “%(study)s” has reached its budget: %(spent)s.") % about
    return _("The study “%(study)s” has nearly used up its budget: %(spent)s.") % about


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


def tell_once(subscription: Subscription, event: Event, study: Study, what: str, text: Callable[[], str]) -> None:
    post(subscription, event, key=f"study {study.pk}: {what}", text=text, path=lambda: reverse("study", args=[study.pk]))

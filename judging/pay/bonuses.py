"""Money besides what judgements earn: given to workers for a reason, withdrawn, never deleted."""

from collections.abc import Collection as Some
from decimal import Decimal

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note
from judging.errors import Impossible
from judging.models import Bonus, Study, User, Worker
from judging.pay.rates import is_paid


class NoBonus(Impossible):
    """Why a bonus cannot be given; the text says it."""


def give(study: Study, workers: Some[Worker], *, amount: Decimal, reason: str, by: User, after: int | None = None) -> list[Bonus]:
    """Give each of the study's workers the amount.

    `after` is the last bonus that whoever asks has seen: who presses the button twice gives it once.
    """
    if not is_paid(study):
        raise NoBonus(_("Nobody is paid in this study."))
    if any(worker.machine for worker in workers):
        raise NoBonus(_("A machine judge is not paid."))
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        same = Bonus.objects.filter(worker__in=workers, amount=amount, reason=reason, withdrawn__isnull=True)
        if after is not None and same.filter(pk__gt=after).exists():
            raise NoBonus(_("These workers were given this bonus a moment ago. It was not given again."))
        bonuses = [Bonus.objects.create(worker=worker, amount=amount, reason=reason, by=by) for worker in workers]
        names = ", ".join(map(str, workers))
        note(Deed.PAID, f"bonus of {amount} {study.currency} for {reason}, to {names}", by, study)
    return bonuses


def withdraw(bonus: Bonus, *, by: User) -> bool:
    """Take the bonus back. Returns whether it had not been taken back before."""
    with transaction.atomic():
        standing = Bonus.objects.filter(pk=bonus.pk, withdrawn__isnull=True)
        withdrawn = standing.update(withdrawn=timezone.now(), withdrawn_by=by)
        if withdrawn:
            study = bonus.worker.study
            about = f"withdrawn: bonus of {bonus.amount} {study.currency} for {bonus.reason}, to {bonus.worker}"
            note(Deed.PAID, about, by, study)
    return bool(withdrawn)


def bonuses_of(study: Study) -> QuerySet[Bonus]:
    """The latest first, those that were withdrawn included."""
    return Bonus.objects.filter(worker__study=study).select_related("worker", "by", "withdrawn_by").order_by("-pk")


def last_bonus(study: Study) -> int:
    """The number of the study's latest bonus; 0 before the first."""
    return Bonus.objects.filter(worker__study=study).order_by("-pk").values_list("pk", flat=True).first() or 0

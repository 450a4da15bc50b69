"""Leases: for how long a slot is kept for the worker who holds it."""

from datetime import datetime, timedelta

from django.utils import timezone

from judging.models import Slot, Study


def end_of_lease(study: Study) -> datetime:
    return timezone.now() + timedelta(minutes=study.lease_minutes)


def runs_out_soon(slot: Slot) -> bool:
    """Whether less than half of the lease is left, so that renewing is worth a write."""
    assert slot.leased_until is not None  # a constraint: a worker holds a lease
    return slot.leased_until < end_of_lease(slot.study) - timedelta(minutes=slot.study.lease_minutes) / 2


def shorten() -> int:
    """Let no lease last longer than one can: the clock was put back, and who holds the slot may have gone."""
    shortened = 0
    for study in Study.objects.filter(state=Study.State.RUNNING):
        end = end_of_lease(study)
        held = Slot.objects.filter(study=study, judged_at__isnull=True, leased_until__gt=end + timedelta(minutes=1))
        shortened += held.update(leased_until=end)
    return shortened

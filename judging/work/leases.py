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

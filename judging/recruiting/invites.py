"""Invites to a study: by a link that can be shown again, checked by its hash, and revoked; or by the open call."""

from uuid import UUID, uuid4

from django.core.exceptions import SuspiciousOperation
from django.db import IntegrityError, transaction
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from judging import audit
from judging.access import named_in
from judging.accounts.link_tokens import TOKEN_BYTES, fresh_token, token_hash, token_of
from judging.audit import Deed, note, quoted
from judging.models import Channel, Invite, Study, User, Worker
from judging.work.beginnings import beginning
from judging.work.progress import is_work_left

__all__ = ["TOKEN_BYTES", "fresh_token", "token_hash", "token_of"]  # of links to a study, too


class NotForMachines(SuspiciousOperation):
    """Programs cannot take part; no page of ours offers it."""

    def __init__(self):
        super().__init__("Programs judge documents. Two lists are compared by people, on the page.")


@transaction.atomic
def invite(study: Study, *, by: User, label: str = "", machines: bool = False) -> Invite:
    """A link for people, or for machine judges: those who come by the one kind are never taken for the other."""
    if machines and study.compares:
        raise NotForMachines
    link = Invite.objects.create(study=study, created_by=by, label=label, machines=machines, **fresh_token())
    note(Deed.INVITED, called(link), by, study)
    return link


def called(link: Invite | Channel) -> str:
    """What the audit calls a link, by its number too: labels may be alike, or empty."""
    if isinstance(link, Channel):
        kind = f"{link.get_source_display()} channel"
    else:
        kind = "link for machines" if link.machines else "link"
    return f"{kind} {link.pk}{f' {quoted(link.label)}' if link.label else ''}"


def find_invite(token: str) -> Invite | None:
    """The link that a visitor came by, if it is not revoked and its study is launched."""
    links = Invite.objects.filter(revoked__isnull=True).exclude(study__state=Study.State.DRAFT)
    return links.filter(token_hash=token_hash(token)).first()


@transaction.atomic
def revoke(link: Invite | Channel, *, by: User | None = None) -> None:
    """End a link: nobody new comes in by it, and whoever works already goes on."""
    if type(link)._default_manager.filter(pk=link.pk, revoked__isnull=True).update(revoked=timezone.now()):
        note(Deed.REVOKED, called(link), by, link.study)


def call(study: Study, *, open_call: bool, language: str, by: User | None = None) -> None:
    """Show the study to everybody with an account here, or no longer."""
    audit.change(study, {"open_call": open_call, "language": language}, by=by)


def open_studies(user: User) -> QuerySet[Study]:
    """What people with an account can join: running and called for, with how many judgements are still wanted."""
    left = Count("slots", filter=Q(slots__judged_at__isnull=True, slots__number__isnull=False))
    return called_for(user).annotate(left=left).filter(left__gt=0).order_by("-launched", "-pk")


def called_for(user: User) -> QuerySet[Study]:
    """The studies that somebody with an account may join without a link: of the open call, or with them as a judge.

    Those with nothing left at this moment are among them, as whoever has the page open may still join.
    """
    joinable = Q(open_call=True) | named_in(Study.judges, user)
    return Study.objects.filter(joinable, state=Study.State.RUNNING, archived__isnull=True)


def why_not_now(study: Study) -> str:
    """Why a newcomer gets nothing here: the study is "paused", "closed", or "full", with no answer wanted. Empty: they do."""
    if study.state != Study.State.RUNNING:
        return study.state
    return "" if is_work_left(study) else "full"


def join(
    study: Study, *, link: Invite | None = None, user: User | None = None, machine: str = "", key: UUID | None = None
) -> Worker:
    """The visitor agreed to take part. Somebody with an account is the same worker when they come again, and stays a person, or
    the machine that they were. `key`: what the worker's cookie will carry, where that was settled before."""
    if machine and study.compares:
        raise NotForMachines
    if user is not None:
        worker = Worker.objects.filter(study=study, user=user).first()
        if worker:
            return worker
    try:
        with transaction.atomic():
            start = beginning(study, machine=bool(machine))
            return Worker.objects.create(study=study, invite=link, user=user, start=start, machine=machine, key=key or uuid4())
    except IntegrityError:
        if user is None:
            raise
        # the same account, twice at once
        return Worker.objects.get(study=study, user=user)

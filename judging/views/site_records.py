"""Single records of a site, for its owner: the newest ones, those of one search, and what was refused."""

import json
from datetime import date
from typing import Any, NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from ireval_site.lists import words_in
from judging.access import own_site_for
from judging.database.numbers import number_in
from judging.logs import record_list, refusals, resubmission
from judging.models import Agent, Event, Quarantined, Query
from judging.models.log import Record
from judging.requests import SignedIn

KINDS: dict[str, type[Record]] = {"queries": Query, "events": Event}
OUTCOME = gettext_lazy(
    "%(sent)s sent: %(accepted)s accepted, %(duplicate)s duplicate, %(conflict)s conflict, %(rejected)s rejected. "
    "What was rejected again stays here."
)


class Row(NamedTuple):
    record: Any
    place: record_list.Place
    raw: str
    agent: str
    is_event: bool


@login_required
@require_safe
def site_records(request: SignedIn, pk: int) -> HttpResponse:
    site = own_site_for(request.user, pk)
    kind = "queries" if request.GET.get("kind") == "queries" else "events"
    action, day = words_in(request.GET.get("q", "")) if kind == "events" else "", day_in(request.GET.get("day", ""))
    after = record_list.place_in(request.GET.get("after", ""))
    if day:
        page = record_list.of_day(site, KINDS[kind], day, after=after, action=action)
    else:
        page = record_list.newest(site, KINDS[kind], after=after, action=action)
    context = {
        "site": site,
        "kind": kind,
        "rows": rows_of(page.records),
        "next": page.next,
        "looked_through": page.looked_through,
        "is_first": "after" not in request.GET,
        "action": action,
        "day": day,
        "actions": record_list.actions(site) if kind == "events" else [],
    }
    return render(request, "judging/site_records.html", context)


def day_in(text: str) -> date | None:
    """The day that an address names, of those whose neighbours are days, too; None where it names none."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if date.min < day < date.max else None


def rows_of(records: list[Record]) -> list[Row]:
    agents = Agent.objects.in_bulk({record.agent for record in records if record.agent})
    return [
        Row(record, record_list.place_of(record), readable(record.raw), agent_of(record, agents), isinstance(record, Event))
        for record in records
    ]


def readable(raw: Any) -> str:
    return json.dumps(raw, ensure_ascii=False, indent=2)


def agent_of(record: Record, agents: dict[int, Agent]) -> str:
    return agents[record.agent].text if record.agent in agents else ""


@login_required
@require_safe
def site_record(request: SignedIn, pk: int, place: str) -> HttpResponse:
    """A record among those of its search."""
    site = own_site_for(request.user, pk)
    where = record_list.place_in(place)
    record = record_list.record_at(site, where) if where else None
    if record is None:
        raise Http404("There is no such record.")
    search = record_list.search_of(site, record)
    context = {"site": site, "record": record, "rows": rows_of(search.records), "whole": search.whole, "far": record_list.FAR}
    return render(request, "judging/site_record.html", context)


@login_required
@require_safe
def site_quarantine(request: SignedIn, pk: int) -> HttpResponse:
    site = own_site_for(request.user, pk)
    summary = refusals.reasons_of(site)
    conflicts = [row for reason in summary.reasons if reason.conflicts for row in reason.examples]
    firsts = refusals.first_ones(site, conflicts) if conflicts else {}
    context = {
        "site": site,
        "summary": summary,
        "reasons": [(reason, examples_of(reason, firsts)) for reason in summary.reasons],
        "rejected": any(not reason.conflicts for reason in summary.reasons),
        "after": number_in(request.GET.get("after", "")),
        "most": resubmission.MOST,
    }
    return render(request, "judging/site_quarantine.html", context)


def examples_of(reason: refusals.Reason, firsts: dict[int, Event]) -> list[tuple]:
    """Each refused record, with the record that was there first in a conflict."""
    return [(row, with_blanks(row.raw), first_of(row, firsts)) for row in reason.examples]


def with_blanks(raw: str) -> str:
    try:
        return readable(json.loads(raw))
    except (ValueError, RecursionError):
        return raw


def first_of(row: Quarantined, firsts: dict[int, Event]) -> tuple[record_list.Place, str] | None:
    event = firsts.get(row.pk)
    return (record_list.place_of(event), readable(event.raw)) if event else None


@login_required
@require_POST
def quarantine_replay(request: SignedIn, pk: int) -> HttpResponse:
    """Send in again the records of one reason or of all, the oldest first, so many at a time."""
    site = own_site_for(request.user, pk)
    why, after = request.POST.get("why", "").replace("\0", ""), number_in(request.POST.get("after", "")) or 0
    rows, more = refusals.to_replay(site, why, after=after)
    here = reverse("site_quarantine", args=[pk])
    if not rows:
        messages.info(request, _("Nothing was left to send in."))
        return redirect(here)
    outcome = resubmission.replay(site, rows, by=request.user)
    say = messages.success if outcome.accepted or outcome.duplicate else messages.info
    say(request, OUTCOME % {name: f"{count:,}" for name, count in outcome._asdict().items()})
    return redirect(f"{here}?after={rows[-1].pk}" if more else here)

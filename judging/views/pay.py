"""Pages of pay: what a study costs, what each worker earned, bonuses; and a worker's own earnings."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from judging.access import refuse_participants, sees_participants, study_for
from judging.audit import Deed, note
from judging.database.numbers import number_in
from judging.forms.pay import BonusFileForm, BonusForm
from judging.models import Bonus, Channel, Study
from judging.pay import bonuses, payouts
from judging.pay.earnings import Earned, Earnings, earnings, most_seconds, standing_bonuses
from judging.pay.forecast import forecast
from judging.pay.rates import an_hour, is_paid
from judging.requests import SignedIn
from judging.views.item_page import bar
from judging.views.judge import worker_or_404
from judging.views.refusals import refusals_on
from judging.work.progress import progress_of

SORTS: dict[str, Callable[[Earned], Any]] = {
    "worker": lambda row: row.worker,
    "judged": lambda row: row.judged,
    "time": lambda row: row.milliseconds,
    "pay": lambda row: row.pay,
    "bonus": lambda row: row.bonus,
    "total": lambda row: row.total,
    "hour": lambda row: row.an_hour,
}


@login_required
@require_safe
def study_pay(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    return page(request, study) if study.is_launched else render(request, "judging/study_pay.html", {"study": study})


def page(request: SignedIn, study: Study, *, status: int = 200, **forms: Any) -> HttpResponse:
    totals = earnings(study)
    sources = list(study.channels.filter(arrivals__isnull=False).order_by("source").values_list("source", flat=True).distinct())
    last = bonuses.last_bonus(study)
    context = {
        "study": study,
        "paid": is_paid(study),
        "earnings": totals,
        "forecast": forecast(study, totals),
        "promised": an_hour(study),
        "underpaid": is_underpaid(study, totals),
        "most_seconds": most_seconds(study),
        "simulated": sum(row.simulated for row in totals.rows),
        "sort": request.GET.get("sort", "worker"),
        "page": Paginator(sorted_rows(totals, request.GET.get("sort", "")), 100).get_page(request.GET.get("page")),
        "bonuses": bonuses.bonuses_of(study)[:200],
        "give": BonusForm(study=study, initial={"after": last}),
        "ticked": [int(worker) for worker in request.POST.getlist("workers") if number_in(worker)],
        "files": BonusFileForm(sources=sources) if sources else None,
        "may_see_ids": sees_participants(request.user, study),
        **forms,
    }
    return render(request, "judging/study_pay.html", context, status=status)


def is_underpaid(study: Study, totals: Earnings) -> bool:
    return is_paid(study) and totals.median_hourly is not None and totals.median_hourly < an_hour(study)


def sorted_rows(totals: Earnings, sort: str) -> list[Earned]:
    """The rows in an order: by worker where there is no such order, and last those that it says nothing of."""
    falls, key = sort.startswith("-"), SORTS.get(sort.removeprefix("-"))
    if key is None:
        return totals.rows
    known = [row for row in totals.rows if key(row) is not None]
    return sorted(known, key=key, reverse=falls) + [row for row in totals.rows if key(row) is None]


@login_required
@require_POST
@refusals_on("study_pay")
def bonus_give(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    form = BonusForm(request.POST, study=study)
    if not form.is_valid():
        return page(request, study, status=422, give=form)
    wanted = form.cleaned_data
    rows = bonuses.give(study, wanted.pop("workers"), by=request.user, **wanted)
    given = ngettext("Given: %(amount)s to %(count)s worker.", "Given: %(amount)s to %(count)s workers.", len(rows))
    messages.success(request, given % {"amount": f"{rows[0].amount} {study.currency}", "count": len(rows)})
    return redirect("study_pay", pk)


@login_required
@require_POST
def bonus_withdraw(request: SignedIn, pk: int, bonus_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    bonus = get_object_or_404(Bonus.objects.select_related("worker__study"), pk=bonus_pk, worker__study=study)
    if bonuses.withdraw(bonus, by=request.user):
        withdrawn = {"amount": f"{bonus.amount} {study.currency}", "worker": bonus.worker}
        messages.success(request, _("Withdrawn: %(amount)s for %(worker)s. It stays in the list.") % withdrawn)
    return redirect("study_pay", pk)


@login_required
@require_safe
def earned_file(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    note(Deed.EXPORTED, "pay of all workers, as csv", request.user, study)
    return file(study, "pay", payouts.earned_file(study))


@login_required
@require_safe
def bonus_file(request: SignedIn, pk: int) -> HttpResponse:
    """The file of bonuses to upload to the marketplace; only for members, since it says who people are there."""
    study = study_for(request.user, pk)
    refuse_participants(request.user, study)
    form = BonusFileForm(request.GET, sources=list(Channel.Source.values))
    if not form.is_valid():
        return page(request, study, status=422, files=form)
    wanted = form.cleaned_data
    content = payouts.bonus_file(
        study,
        wanted["source"],
        everything=wanted["what"] == "everything",
        reward=wanted["reward"] or payouts.NOTHING,
        since=wanted["since"],
    )
    note(Deed.EXPORTED, "participants’ ids with amounts, as csv", request.user, study)
    return file(study, f"{wanted['source']}-{wanted['what']}", content)


def file(study: Study, what: str, content: bytes) -> HttpResponse:
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slugify(study.name) or study.pk}-{what}.csv"'
    return response


@never_cache
@require_safe
def my_work(request: HttpRequest, study_id: int) -> HttpResponse:
    """What a worker has done and earned, and what is left."""
    worker = worker_or_404(request, study_id)
    context = bar(worker, progress_of(worker)) | {"worker": worker, "bonuses": standing_bonuses().filter(worker=worker)}
    return render(request, "judging/my_work.html", context)

"""Workers of a study: the list of them and what can be done to several, and one worker with what they did."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Case, Count, F, IntegerField, OuterRef, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce
from django.http import HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.lists import Column, Filter, ListPage, RowList, Search
from judging.access import study_for
from judging.database.numbers import number_in
from judging.forms.workers import BonusOfSeveral, ExclusionForm, ExclusionOfSeveral, MessageForm
from judging.labels import result_tables, worker_order
from judging.models import Exclusion, Item, Slot, Study, User, Worker
from judging.pay import bonuses
from judging.pay.rates import is_paid
from judging.requests import SignedIn
from judging.rules import worker_profile
from judging.views.bulk_actions import BulkAction, bulk, offered
from judging.views.refusals import refusals_on
from judging.work import checks, enquiries, exclusions

CHECKED = (Item.Role.TEST, Item.Role.GOLD)
Standing = Worker.Standing
HARDER = Case(
    *(When(standing=standing, then=Value(place)) for place, standing in enumerate(Standing)), output_field=IntegerField()
)
MOST_EXCLUDED = 200  # at once: each item that loses votes is looked at
KINDS = [("people", _("People")), ("simulated", _("Simulated")), ("programs", _("Machine judges"))]


def by_number(workers: QuerySet[Worker], text: str) -> QuerySet[Worker]:
    key = number_in(text.removeprefix("w"))
    return workers.none() if key is None else workers.filter(pk=key)


def of_kind(workers: QuerySet[Worker], kind: str) -> QuerySet[Worker]:
    if kind == "programs":
        return workers.exclude(machine="")
    return workers.filter(machine="", simulated=kind == "simulated")


def with_at_least(workers: QuerySet[Any], answers: str) -> QuerySet[Any]:
    least = number_in(answers)
    return workers if least is None else workers.filter(answers__gte=least)


def worker_list(study: Study) -> RowList:
    """What the list of a study's workers offers."""
    return RowList(
        _("workers"),
        [
            Column(_("Choose"), hidden=True),
            Column(_("Worker"), "worker", "pk"),
            Column(_("Standing"), "standing", HARDER),
            Column(_("Judgements"), "answers", num=True),
            Column(_("Median seconds"), "seconds", worker_order.median_milliseconds(), num=True, gaps=True),
            Column(_("Can’t judge"), "cannot", worker_order.number(grade__isnull=True), num=True),
            Column(_("Surplus"), "surplus", worker_order.number(slot__isnull=True), num=True),
            *(Column(str(grade), f"grade{grade}", worker_order.number(grade=grade), num=True) for grade in study.grades),
            Column(_("Last"), "last"),
        ],
        order="-last",
        search=Search(_("Worker, such as w12"), by_number),
        filters=[
            Filter("standing", _("Standing"), "standing", [(key, str(label).split(":")[0]) for key, label in Standing.choices]),
            Filter("kind", _("Kind"), of_kind, KINDS),
            Filter("least", _("Judgements, at least"), with_at_least),
        ],
        a_page=25,  # all that each of them judged is read
    )


def with_answers(workers: QuerySet[Worker]) -> QuerySet[Any]:
    """With how many places each took, which an index alone tells, and when they were last seen."""
    taken = Slot.objects.filter(worker=OuterRef("pk"), judged_at__isnull=False).order_by()
    counted = taken.values("worker").annotate(count=Count("pk")).values("count")
    newest = taken.order_by("-judged_at").values("judged_at")[:1]
    return workers.annotate(answers=Coalesce(Subquery(counted), 0), last=Coalesce(Subquery(newest), F("consented")))


def listed_workers(study: Study, query: QueryDict) -> ListPage[Any]:
    workers = with_answers(study.workers.all())
    return worker_list(study).page(workers, query, whole=workers)


@login_required
@require_safe
def study_workers(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    listed = listed_workers(study, request.GET)
    did = {row["worker"]: row for row in result_tables.worker_table(study, listed)} if listed else {}
    context = {
        "study": study,
        "listed": listed,
        "rows": [(worker, did.get(worker.pk)) for worker in listed],
        "actions": offered(ACTIONS, study),
    }
    return render(request, "judging/study_workers.html", context)


def exclude_several(study: Study, workers: QuerySet[Worker], *, by: User, standing: str, reason: str) -> str:
    count = exclusions.exclude_all(workers, reason=reason, by=by, standing=Standing(standing))
    blocked = gettext("%(workers)s blocked. “Let back in” takes it back.")
    excluded = gettext("%(workers)s excluded. “Let back in” takes it back.")
    return (blocked if standing == Standing.BLOCKED else excluded) % {"workers": some(count)}


def let_back_in(study: Study, workers: QuerySet[Worker], *, by: User) -> str:
    count = workers.count()
    exclusions.lift_all(workers, by=by)
    return gettext("%(workers)s let back in, and judged by their work again.") % {"workers": some(count)}


def give_bonus(study: Study, workers: QuerySet[Worker], *, by: User, **asked: Any) -> str:
    given = bonuses.give(study, list(workers), by=by, **asked)
    total = sum(bonus.amount for bonus in given)
    about = {"total": f"{total} {study.currency}", "workers": some(len(given))}
    return gettext("Given: %(total)s in all, to %(workers)s. On the page Pay it can be withdrawn.") % about


def message_several(study: Study, workers: QuerySet[Worker], *, by: User, **asked: Any) -> str:
    sent = enquiries.write(study, list(workers), by=by, **asked)
    return gettext("Sent to %(workers)s. Whether they read it stands among the workers’ questions.") % {
        "workers": some(len(sent))
    }


def some(count: int) -> str:
    return ngettext("%(n)s worker", "%(n)s workers", count) % {"n": f"{count:,}"}


ACTIONS = [
    BulkAction(
        name="message",
        label=_("Message"),
        does=_("They see it where replies to their questions come, the next time they judge or look. It cannot be taken back."),
        do=message_several,
        able=lambda workers: workers.filter(machine=""),
        others=_("is a machine judge"),
        form=MessageForm,
    ),
    BulkAction(
        name="bonus",
        label=_("Pay a bonus"),
        does=_("Each of them gets the amount besides what their judgements earn, and may read what it is for."),
        do=give_bonus,
        able=lambda workers: workers.filter(machine=""),
        others=_("is a machine judge"),
        form=BonusOfSeveral,
        offered=is_paid,
    ),
    BulkAction(
        name="back",
        label=_("Let back in"),
        does=_("All that stands against them is taken back: they get work again, and what they judged has votes again."),
        do=let_back_in,
        able=lambda workers: workers.exclude(standing=Standing.GOOD),
        others=_("is not excluded"),
        most=MOST_EXCLUDED,
    ),
    BulkAction(
        name="exclude",
        label=_("Exclude"),
        does=_("They get no more work. Nothing is deleted, and it can be taken back at any time."),
        do=exclude_several,
        able=lambda workers: workers.exclude(standing=Standing.EXCLUDED),
        others=_("is excluded already"),
        form=ExclusionOfSeveral,
        danger=True,
        most=MOST_EXCLUDED,
    ),
]


@login_required
@require_POST
@refusals_on("study_workers")
def workers_act(request: SignedIn, pk: int) -> HttpResponse:
    """Ask whether to do something to several workers, and then do it."""
    study = study_for(request.user, pk)
    listed, back = listed_workers(study, request.GET), reverse("study_workers", args=[pk])
    return bulk(request, study, listed, ACTIONS, counted=some, back=back)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_worker(request: SignedIn, pk: int, worker_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    worker = get_object_or_404(Worker, pk=worker_pk, study=study)
    form = ExclusionForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        wanted = form.cleaned_data
        exclusions.exclude(worker, reason=wanted["reason"], standing=Standing(wanted["standing"]), by=request.user)
        blocked = gettext("%(worker)s is blocked. It can be taken back here.")
        excluded = gettext("%(worker)s is excluded. It can be taken back here.")
        messages.success(request, (blocked if wanted["standing"] == Standing.BLOCKED else excluded) % {"worker": worker})
        return redirect("study_worker", pk, worker_pk)
    context = {
        "study": study,
        "worker": worker,
        "row": next(iter(result_tables.worker_table(study, [worker])), None),
        "scores": [(role.label, score) for role in CHECKED if (score := checks.score(worker, role)).answered],
        "signals": worker_profile.beside_the_study(worker),
        "confusions": [
            confusion for confusion in (worker_profile.against_others(worker), worker_profile.against_gold(worker)) if confusion
        ],
        "exclusions": worker.exclusions.select_related("by", "lifted_by", "rule").order_by("-id"),
        "form": form,
    }
    return render(request, "judging/study_worker.html", context)


@login_required
@require_POST
def exclusion_lift(request: SignedIn, pk: int, worker_pk: int, exclusion_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    exclusion = get_object_or_404(Exclusion, pk=exclusion_pk, worker=worker_pk, worker__study=study)
    exclusions.lift(exclusion, by=request.user)
    messages.success(request, gettext("Taken back. %(worker)s is judged by their work again.") % {"worker": exclusion.worker})
    return redirect("study_worker", pk, worker_pk)

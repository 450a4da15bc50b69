"""A study's machine judges: how right they are, and their grades to take away."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from judging.access import graded_for
from judging.audit import Deed, note
from judging.labels import exports, machine_labels
from judging.models import Worker
from judging.requests import SignedIn
from judging.views.refusals import refusals_on


@login_required
@require_safe
def study_machines(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    comparisons = machine_labels.compare(study, machine_labels.machines_of(study))
    qrels = study.qrels.filter(recipe__machine__isnull=False).order_by("name", "-version")
    context = {"study": study, "machines": comparisons, "qrels": qrels, "formats": exports.FORMATS["qrels"]}
    return render(request, "judging/study_machines.html", context)


def machine_for(request: SignedIn, pk: int, worker_pk: int) -> Worker:
    machines = machine_labels.machines_of(graded_for(request.user, pk))
    return get_object_or_404(machines.select_related("study__collection"), pk=worker_pk)


@login_required
@require_safe
@refusals_on("study_machines")
def machine_qrels(request: SignedIn, pk: int, worker_pk: int, form: str) -> HttpResponse:
    worker = machine_for(request, pk, worker_pk)
    if form not in exports.FORMATS["qrels"]:
        raise Http404("There is no such format.")
    content = machine_labels.qrels_file(worker, form)
    note(Deed.EXPORTED, f"qrels of the machine judge {worker} as {form}", request.user, worker.study)
    attachment = {"Content-Disposition": f'attachment; filename="{machine_labels.filename(worker, form)}"'}
    return HttpResponse(content, content_type=exports.CONTENT_TYPES[form], headers=attachment)


@login_required
@require_POST
@refusals_on("study_machines")
def machine_settle(request: SignedIn, pk: int, worker_pk: int) -> HttpResponse:
    worker = machine_for(request, pk, worker_pk)
    qrels = machine_labels.settle_as_qrels(worker, by=request.user)
    about = {"qrels": qrels, "rows": f"{qrels.rows:,}"}
    messages.success(request, _("The qrels “%(qrels)s” have these %(rows)s grades. They say that a machine gave them.") % about)
    return redirect("study_machines", pk)

"""The deletion of a run or a qrels version, and the question before it."""

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from judging.access import own_collection_for, qrels_for, runs_for
from judging.collections.deletion import delete_qrels, delete_run
from judging.models import Qrels, Run
from judging.requests import SignedIn
from judging.views.refusals import refusals_on


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("run")
def run_delete(request: SignedIn, pk: int) -> HttpResponse:
    run = get_object_or_404(runs_for(request.user).select_related("collection"), pk=pk)
    return deletion(request, run, "run", lambda: delete_run(run, by=request.user))


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@refusals_on("qrels")
def qrels_delete(request: SignedIn, pk: int) -> HttpResponse:
    qrels = get_object_or_404(qrels_for(request.user).select_related("collection"), pk=pk)
    return deletion(request, qrels, "qrels", lambda: delete_qrels(qrels, by=request.user))


def deletion(request: SignedIn, evidence: Run | Qrels, noun: str, delete: Callable[[], None]) -> HttpResponse:
    """The question; once it is answered, the collection without it, or why it stays. `noun` names its page, too."""
    own_collection_for(request.user, evidence.collection_id)
    if request.method != "POST":
        return render(
            request, "judging/evidence_delete.html", {"evidence": evidence, "noun": noun, "collection": evidence.collection}
        )
    delete()
    deleted = _("Deleted the run “%(name)s”.") if noun == "run" else _("Deleted the qrels “%(name)s”.")
    messages.success(request, deleted % {"name": evidence})
    return redirect("collection", evidence.collection_id)

"""The studies that everybody with an account can join."""

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from judging.models import Worker
from judging.recruiting import invites
from judging.requests import SignedIn


@login_required
@require_safe
def open_call(request: SignedIn) -> HttpResponse:
    page = Paginator(invites.open_studies(request.user), 50).get_page(request.GET.get("page"))
    mine = set(Worker.objects.filter(user=request.user, study__in=[study.pk for study in page]).values_list("study", flat=True))
    return render(request, "judging/open_call.html", {"page": page, "rows": [(study, study.pk in mine) for study in page]})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def open_join(request: SignedIn, study_id: int) -> HttpResponse:
    """Join by the open call: the page of consent that a link leads to, too."""
    if Worker.objects.filter(study=study_id, user=request.user).exists():
        return redirect("judge", study_id)
    study = get_object_or_404(invites.called_for(request.user), pk=study_id)
    if why := invites.why_not_now(study):
        return render(request, "judging/join_closed.html", {"study": study, "why": why, "has_account": True})
    if request.method != "POST":
        return render(request, "judging/join.html", {"study": study})
    if not request.POST.get("agree"):
        return render(request, "judging/join.html", {"study": study, "must_agree": True}, status=400)
    invites.join(study, user=request.user)
    return redirect("judge", study_id)

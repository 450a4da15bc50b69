"""The way from the invite link to the first document."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from judging.recruiting import identity, invites


@never_cache
@require_safe
def follow_invite(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange the link's token for a cookie at once, so that it stays in no address bar, history or referrer."""
    link = invites.find_invite(token)
    if link is None or link.machines:
        return render(request, "judging/join_unknown.html", status=404)
    response = redirect("join")
    identity.remember_invite(response, link)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest) -> HttpResponse:
    """What the study is and asks; agreeing makes the visitor a worker."""
    link = identity.invite_of(request)
    if link is None:
        return render(request, "judging/join_unknown.html", {"cookies": bool(request.COOKIES)}, status=404)
    study = link.study
    if identity.worker_of(request, study.pk):
        return redirect("judge", study.pk)
    if why := invites.why_not_now(study):
        return render(request, "judging/join_closed.html", {"study": study, "why": why})
    if request.method != "POST":
        return render(request, "judging/join.html", {"study": study})
    if not request.POST.get("agree"):
        return render(request, "judging/join.html", {"study": study, "must_agree": True}, status=400)
    worker = invites.join(study, link=link, user=request.user if request.user.is_authenticated else None)
    response = redirect("judge", study.pk)
    identity.remember_worker(request, response, worker)
    return response

"""What is the same for every kind of report: how far it is, and its files."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django_htmx.http import HttpResponseClientRefresh

from judging.audit import Deed, note
from judging.requests import SignedIn
from metrics.downloads import File, attachment


def progress(request: SignedIn, context: dict[str, Any]) -> HttpResponse | None:
    """How far the report is, for the page that waits for it; None for who asked for the page."""
    if request.htmx.target != "report-progress":
        return None
    if not context["waiting"]:  # the page that waited for it shows it whole
        return HttpResponseClientRefresh()
    return render(request, "metrics/_progress.html", context)


def download(
    request: SignedIn, files: Mapping[str, File], kind: str, results: Any, *, name: str, about: str, **subject: Any
) -> HttpResponse:
    """One of a report's files. Who took it away is noted, with what it is `about`; 404 for one that there is not."""
    if kind not in files:
        raise Http404(_("“%(kind)s” is not one of %(kinds)s.") % {"kind": kind, "kinds": ", ".join(files)})
    file = files[kind]
    note(Deed.EXPORTED, f"{about}, {kind}", request.user, **subject)
    return attachment(file.write(results), file.content_type, name)

"""Keeping grades from clicks as qrels: metrics computes them and judging stores them, and neither app may do both."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from judging.access import own_site_for
from judging.labels.click_labels import settle_clicks
from judging.requests import SignedIn
from judging.views.refusals import refusals_on
from judging.views.results import kept_as
from metrics.kinds.clicks.freshness import latest_reports
from metrics.kinds.clicks.labels import description_of, label_choice, labels_of, name_of, recipe_of
from metrics.kinds.clicks.results import ClickResults


@login_required
@require_POST
@refusals_on("site_clicks_grades")
def site_clicks_keep(request: SignedIn, pk: int) -> HttpResponse:
    """Keep grades from clicks as qrels of the site's collection, as the preview showed them."""
    site = own_site_for(request.user, pk)
    report = latest_reports(site).report
    if report is None:
        raise Http404("Nothing has been computed of this site’s clicks yet.")
    if request.POST.get("report") != str(report.pk):
        messages.error(request, _("Clicks have been computed anew since you looked: see what the grades are now."))
        return redirect("site_clicks_grades", pk)
    results = ClickResults(report, request.user)
    choice = None if results.nothing or results.collection is None else label_choice(results, request.POST)
    if choice is None:
        messages.error(request, _("There are no workers’ grades to calibrate on."))
        return redirect("site_clicks_grades", pk)
    labels = labels_of(results, choice)
    before = set(choice.qrels.collection.qrels.values_list("pk", flat=True))
    kept = settle_clicks(
        site,
        labels.frame,
        name=name_of(results, choice),
        recipe=recipe_of(results, labels),
        description=description_of(results, labels),
        by=request.user,
    )
    if kept.pk in before:
        messages.info(
            request, _("No grade has changed since “%(qrels)s” was kept, so it stays the newest version.") % {"qrels": kept}
        )
    else:
        messages.success(request, kept_as(kept))
    return redirect("qrels", kept.pk)

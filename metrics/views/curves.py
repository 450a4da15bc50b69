"""A report's page on curves: how far each run has got by each rank and recall."""

from django.http import HttpResponse
from django.shortcuts import render

from metrics.models import Report
from metrics.views.opening import page_of_a_report
from metrics.views.who import SignedIn


@page_of_a_report
def report_curves(request: SignedIn, report: Report) -> HttpResponse:
    return render(request, "metrics/report_curves.html", {"report": report})

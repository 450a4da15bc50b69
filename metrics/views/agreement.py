"""A report's page on agreement: how far measures and qrels order the runs alike."""

from django.http import HttpResponse
from django.shortcuts import render

from metrics.models import Report
from metrics.views.opening import page_of_a_report
from metrics.views.who import SignedIn


@page_of_a_report
def report_agreement(request: SignedIn, report: Report) -> HttpResponse:
    return render(request, "metrics/report_agreement.html", {"report": report})

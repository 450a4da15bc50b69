"""A report's page on differences: which runs differ, and how surely."""

from django.http import HttpResponse
from django.shortcuts import render

from metrics.models import Report
from metrics.views.opening import page_of_a_report
from metrics.views.who import SignedIn


@page_of_a_report
def report_differences(request: SignedIn, report: Report) -> HttpResponse:
    return render(request, "metrics/report_differences.html", {"report": report})

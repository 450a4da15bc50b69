"""A report's page on what to judge next."""

from dataclasses import dataclass
from itertools import groupby

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from ireval.io.csv_rows import csv_of_frame
from judging.models import Document, Qrels
from judging.requests import SignedIn
from metrics.downloads import CSV, attachment
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.files import filename
from metrics.kinds.runs.next_judgements import (
    MOST,
    CannotChoose,
    NextJudgements,
    asks_for_all,
    chosen_judgements,
    documents_in,
    judging_of,
    number_of_documents,
    two_runs,
)
from metrics.kinds.runs.words import what_is_open
from metrics.models import Report
from metrics.views.report_files import finished_report_for
from metrics.views.report_pages import page_of_a_report

MOST_ORDERS = 20  # certain ones that a page names


@dataclass(frozen=True)
class Line:
    """A document to judge next; `document` is None if the collection lacks it: nobody could read it."""

    topic: str
    docno: str
    change: float
    document: Document | None


@page_of_a_report
def report_next(request: SignedIn, report: Report) -> HttpResponse:
    choice = Choice.read(request.GET, report)
    context = {"report": report, "choice": choice, "collection": str(report.collection_id), "most": MOST}
    if len(choice.outcomes) > 1:
        n = number_of_documents(request.GET.get("n", ""))
        context |= {"duel": two_runs(request.GET, choice), "all": asks_for_all(request.GET), "n": n}
        context |= parts(request, choice)
    return render(request, "metrics/report_next.html", context)


@login_required
@require_safe
def report_next_csv(request: SignedIn, pk: int) -> HttpResponse:
    report = finished_report_for(request, pk)
    choice = Choice.read(request.GET, report)
    try:
        frame = chosen_judgements(request.GET, choice).documents
    except CannotChoose as reason:
        return HttpResponse(str(reason), status=reason.status, content_type="text/plain; charset=utf-8")
    text = csv_of_frame(frame, to_the_letter=("topic", "docno"))
    return attachment(text, CSV, filename(report, "next.csv"))


def parts(request: SignedIn, choice: Choice) -> dict:
    try:
        result = chosen_judgements(request.GET, choice)
    except CannotChoose as reason:
        return {"why_not": str(reason)}
    lines = lines_of(choice.report, result)
    readable = [line for line in lines if line.document]
    orders = result.bounds.certain_orders
    return {
        "result": result,
        "words": what_is_open(result),
        "low": result.bounds.low[0],
        "high": result.bounds.high[0],
        "orders": orders[:MOST_ORDERS],
        "more_orders": len(orders[MOST_ORDERS:]),
        "topics": [(topic, list(group)) for topic, group in groupby(lines, key=lambda line: line.topic)],
        "readable": readable,
        "unreadable": sum(line.document is None for line in lines),
        **judging_of(len(readable), qrels=Qrels.objects.get(pk=choice.qrels), user=request.user),
        "compared": result.runs,
    }


def lines_of(report: Report, result: NextJudgements) -> list[Line]:
    documents = documents_in(report, result.documents["docno"].unique().to_list())
    return [Line(topic, docno, change, documents.get(docno)) for topic, docno, change in result.documents.iter_rows()]

"""A run's page, and its ranking of one topic beside the grades of a qrels."""

from dataclasses import dataclass

import polars as pl
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from ireval.io.qrels import highest_grades
from judging.access import may_change, own_collection_for, qrels_for, runs_for, studies_for
from judging.collections.downloads import formats_of
from judging.collections.storage import SHOWN, qrels_frame, run_frame, shown_frame
from judging.models import Document, Qrels, Run
from judging.requests import SignedIn
from judging.search.own_runs import request_own_runs
from judging.views.qrels import LABELS
from judging.views.refusals import refusals_on
from judging.views.systems import ask_systems

TOP = 10
A_PAGE = 50


@login_required
@require_safe
def run(request: SignedIn, pk: int) -> HttpResponse:
    """Facts, and how much the run has for each topic."""
    run = get_object_or_404(runs_for(request.user).select_related("collection", "created_by", "version__system"), pk=pk)
    mine = may_change(request.user, run.collection)
    depths = depth_of_each_topic(run)
    titles = dict(run.collection.topics.values_list("number", "title"))
    rows = [(topic, titles.get(topic), depth) for topic, depth in depths.items()]
    context = {
        "run": run,
        "collection": run.collection,
        "page": Paginator(rows, A_PAGE).get_page(request.GET.get("page")),
        "shortest": min(depths.values()),
        "missing": len(titles.keys() - depths.keys()),
        "has_documents": run.collection.documents.exists(),
        "studies": studies_for(request.user).filter(runs=run),
        "formats": [(form, LABELS[form]) for form in formats_of(run)],
        "mine": mine,
    }
    if mine:
        context |= ask_systems(Run.objects.filter(pk=run.pk), run.collection)
    return render(request, "judging/run.html", context)


def depth_of_each_topic(run: Run) -> dict[str, int]:
    """Results a topic, in the collection's order of its topics; those that it does not have come last."""
    depths = dict(run_frame(run, columns=["topic"]).group_by("topic", maintain_order=True).len().iter_rows())
    order = {number: place for place, number in enumerate(run.collection.topics.values_list("number", flat=True))}
    return dict(sorted(depths.items(), key=lambda topic: order.get(topic[0], len(order))))


@login_required
@require_POST
@refusals_on("collection")
def own_runs(request: SignedIn, pk: int) -> HttpResponse:
    """Have runs made of the collection's documents and topics."""
    request_own_runs(collection=own_collection_for(request.user, pk), by=request.user)
    return redirect("collection", pk)


@dataclass(frozen=True)
class Result:
    """One line of a ranking; `document` is None where the collection lacks it, `grade` where nobody judged it.

    `shown` is what the system's site shows of it, empty if nobody said.
    """

    rank: int
    docno: str
    score: float
    document: Document | None
    grade: int | None
    shown: dict[str, str]

    @property
    def is_relevant(self) -> bool:
        """As the count above the ranking takes it: by any grade above 0."""
        return self.grade is not None and self.grade > 0

    @property
    def link(self) -> str:
        """The shown url where it is a web address: "javascript:" is a url too."""
        url = self.shown.get("url", "")
        return url if url.lower().startswith(("http://", "https://")) else ""


@login_required
@require_safe
def ranking(request: SignedIn, pk: int) -> HttpResponse:
    """What the run found for one topic, with titles and, where a qrels is chosen, grades."""
    run = get_object_or_404(runs_for(request.user).select_related("collection"), pk=pk)
    topics = list(depth_of_each_topic(run))
    topic = request.GET.get("topic", topics[0])
    if topic not in topics:
        raise Http404("The run has nothing for this topic.")
    every_qrels = list(qrels_for(request.user).filter(collection=run.collection))
    chosen = chosen_qrels(every_qrels, request.GET.get("qrels", ""))
    grades = dict(highest_grades(qrels_frame(chosen, topic=topic)).select("docno", "grade").iter_rows()) if chosen else {}
    frame = run_frame(run, topic=topic)
    page = Paginator(range(frame.height), A_PAGE).get_page(request.GET.get("page"))
    place = topics.index(topic)
    context = {
        "run": run,
        "collection": run.collection,
        "topic": run.collection.topics.filter(number=topic).first(),
        "number": topic,
        "topics": topics,
        "previous": topics[place - 1] if place else None,
        "next": topics[place + 1] if place + 1 < len(topics) else None,
        "qrels": every_qrels,
        "chosen": chosen,
        "has_documents": run.collection.documents.exists(),
        "page": page,
        "results": results(run, frame[page.start_index() - 1 : page.end_index()], grades),
        "top": min(TOP, frame.height),
        "judged": sum(docno in grades for docno in frame["docno"].head(TOP)),
        "relevant": sum(grades.get(docno, 0) > 0 for docno in frame["docno"].head(TOP)),
    }
    return render(request, "judging/ranking.html", context)


def chosen_qrels(every: list[Qrels], wanted: str) -> Qrels | None:
    """The qrels asked for by id, the first one if none is, nothing if there are none or "none" is asked for."""
    if not wanted:
        return every[0] if every else None
    return next((qrels for qrels in every if str(qrels.pk) == wanted), None)


def results(run: Run, rows: pl.DataFrame, grades: dict[str, int]) -> list[Result]:
    queryset = Document.objects.filter(collection=run.collection_id, docno__in=rows["docno"].to_list()).defer("text")
    documents = {document.docno: document for document in queryset}
    shown = shown_of(run, rows)
    return [
        Result(rank, docno, score, documents.get(docno), grades.get(docno), shown.get(docno, {}))
        for rank, docno, score in rows.select("rank", "docno", "score").iter_rows()
    ]


def shown_of(run: Run, rows: pl.DataFrame) -> dict[str, dict[str, str]]:
    """What the system's site shows of each result, by docno."""
    frame = shown_frame(run, topics=rows["topic"].unique())
    if frame is None:
        return {}
    wanted = frame.filter(pl.col("docno").is_in(rows["docno"].implode()))
    return {row["docno"]: {field: row[field] for field in SHOWN} for row in wanted.iter_rows(named=True)}

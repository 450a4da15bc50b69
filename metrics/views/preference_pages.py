"""The pages behind what workers prefer: topic by topic, beside a measure, worker by worker, and what was opened."""

from collections.abc import Callable
from functools import wraps
from itertools import zip_longest
from typing import Any

import polars as pl
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from ireval import BadMeasure
from judging.access import pairs_for, qrels_for
from judging.database.numbers import number_in
from judging.models import Study, Topic, Worker
from metrics.figures.plotly_static import style_ids
from metrics.kinds.preferences import lists, words
from metrics.kinds.preferences.against import DEFAULT_MEASURE, against, known_measure, offered
from metrics.kinds.preferences.behaviour import MEASURED
from metrics.kinds.preferences.choice import chosen
from metrics.kinds.preferences.evidence import answers_of
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.preferences.results import Duel, same_topics, topics
from metrics.kinds.quality.results import Coefficient, in_order
from metrics.kinds.runs.evidence import Unreadable
from metrics.kinds.studies import how_it_stands, not_people, part, rows
from metrics.models import Report
from metrics.views.frames import page_of, slice_of
from metrics.views.who import SignedIn

Context = dict[str, Any]
BY_TOPIC = [pl.col("topic").cast(pl.Int64, strict=False), pl.col("topic")]  # 2 before 10
TOPIC_ORDERS = {"n": "n", "wins": "Won", "ties": "Tied", "losses": "Lost", "score": "Score"}
WORKER_ORDERS = {
    "answers": "Answers", "side": "Chose left", "consistency": "Consistent", "agreement": "With the others", "seconds": "Seconds",
    "cannot": "Can’t judge",
}  # fmt: skip


def page_of_preferences(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """The view gets how the study's report stands, and only once there is one."""

    @login_required
    @require_safe
    @wraps(view)
    def opened(request: SignedIn, pk: int, **more: int) -> HttpResponse:
        context = how_it_stands(PREFERENCES, pairs_for(request.user, pk))
        return view(request, context, **more) if context["report"] else redirect("study_preferences", pk)

    return opened


@page_of_preferences
def study_preferences_topics(request: SignedIn, context: Context) -> HttpResponse:
    """Where each of the two wins, and why."""
    report, order = context["report"], request.GET.get("sort", "")
    context |= chosen(report, request.GET)
    context |= by_measure(request, report, context["duel"])
    if one := context["duel"]:
        frame = topics(report, one)
        orders = dict(TOPIC_ORDERS)
        if found := context["against"]:
            frame = frame.join(found.table.select("topic", "difference"), on="topic", how="left")
            orders["difference"] = found.measure
        known = order.removeprefix("-") in {"topic", *orders}
        frame = in_order(frame, order if known else "-score", ties=BY_TOPIC)
        page = page_of(frame, request)
        lines = with_topics(report.subject, slice_of(frame, page))
        same = same_topics(report.subject, one["first"], one["second"])
        context |= {"lines": lines, "page": page, "sort": order, "orders": orders, "same": same}
    return render(request, "metrics/preferences_topics.html", context)


def with_topics(study: Study, frame: pl.DataFrame) -> list[tuple[dict[str, Any], Topic]]:
    known = Topic.objects.filter(collection=study.collection_id, number__in=frame["topic"].to_list())
    found = {topic.number: topic for topic in known}
    return [(row, found[row["topic"]]) for row in frame.iter_rows(named=True)]


@page_of_preferences
def study_preferences_topic(request: SignedIn, context: Context, topic: int) -> HttpResponse:
    """Both lists for a topic, and every answer on them."""
    study, report = context["study"], context["report"]
    context |= chosen(report, request.GET)
    first, second = context["first"], context["second"]
    shown = get_object_or_404(Topic, pk=topic, collection=study.collection_id)
    if not first or not lists.has_listing(study, shown, first, second):
        raise Http404("These two systems’ lists for this topic are not in the study.")
    given = lists.answers_on(answers_of(report), shown.number, first, second)
    frame = topics(report, context["duel"]).sort(BY_TOPIC) if context["duel"] else pl.DataFrame({"topic": []})
    numbers = frame["topic"].to_list()
    place = numbers.index(shown.number) if shown.number in numbers else None
    around = [] if place is None else [numbers[place - 1] if place else None, *numbers[place + 1 : place + 2]]
    keys = dict(Topic.objects.filter(collection=study.collection_id, number__in=filter(None, around)).values_list("number", "pk"))
    both = lists.lists(study, shown, first, second, given.filter("votes"))
    context |= {
        "topic": shown,
        "row": None if place is None else frame.row(place, named=True),
        "previous": keys.get(around[0]) if around else None,
        "next": keys.get(around[1]) if len(around) > 1 else None,
        "ranks": list(zip_longest(*both)),
        "shared": sum(one.also is not None for one in both[0]),
        "why": "" if given.height else lists.why_nobody(study, shown, first, second),
        "given": [(lists.told(row), int(row["worker"].removeprefix("w"))) for row in given.iter_rows(named=True)],
    }
    return render(request, "metrics/preferences_topic.html", context)


@page_of_preferences
def study_preferences_measure(request: SignedIn, context: Context) -> HttpResponse:
    """Whether a measure agrees with what people prefer."""
    report = context["report"]
    context |= chosen(report, request.GET)
    context |= by_measure(request, report, context["duel"], by_default=True)
    found, one = context["against"], context["duel"]
    if found and one:
        context |= {"said": found.said(one["first"], one["second"]), "figure": found.figure(one["first"])}
        context["points"] = found.table.sort(BY_TOPIC).to_dicts()
    context["marks"] = int(answers_of(report).filter("votes")["marks"].list.len().sum() or 0)
    return render(request, "metrics/preferences_measure.html", context | {"style_ids": style_ids()})


def by_measure(request: SignedIn, report: Report, one: Duel | None, *, by_default: bool = False) -> Context:
    """The pair by a measure under qrels of the collection, if the address names any; or by default by the newest."""
    every = list(qrels_for(request.user).filter(collection=report.subject.collection_id).order_by("-pk"))
    asked = number_in(request.GET.get("qrels", ""))
    qrels = next((found for found in every if found.pk == asked), every[0] if every and by_default else None)
    context: Context = {"every_qrels": every, "qrels": qrels, "against": None, "complaint": "", "measure": DEFAULT_MEASURE}
    try:
        context["measure"] = known_measure(request.GET.get("measure", ""))
        if one and qrels:
            runs = {run.name: run for run in report.subject.runs.all()}
            asked_of = (topics(report, one), runs[one["first"]], runs[one["second"]], qrels)
            context["against"] = against(*asked_of, context["measure"])
    except (BadMeasure, Unreadable) as why:
        context["complaint"] = str(why)
    return context | {"measures": offered(context["measure"])}


@page_of_preferences
def study_preferences_workers(request: SignedIn, context: Context) -> HttpResponse:
    """How far what workers said can be trusted."""
    report, order = context["report"], request.GET.get("sort", "")
    found = part(report, "trust")
    known = order.removeprefix("-") in {"worker", *WORKER_ORDERS}
    frame = in_order(with_numbers(rows(report, "trust")), order if known else "worker", ties=[pl.col("worker")])
    page = page_of(frame, request)
    people = Worker.objects.filter(study=context["study"]).in_bulk(slice_of(frame, page)["worker"].to_list())
    context |= {
        "trust": found,
        "simulated": not_people(part(report, "pairs")),
        "said": words.of_workers(found),
        "coefficients": [Coefficient(**one) for one in found["agreement"]],
        "lines": [(row, people[row["worker"]]) for row in slice_of(frame, page).iter_rows(named=True)],
        "page": page,
        "sort": order,
        "orders": WORKER_ORDERS,
    }
    return render(request, "metrics/preferences_workers.html", context)


def with_numbers(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.with_columns(pl.col("worker").str.strip_prefix("w").cast(pl.Int64))


@page_of_preferences
def study_preferences_interactions(request: SignedIn, context: Context) -> HttpResponse:
    """What workers did before they answered."""
    found = part(context["report"], "behaviour")
    said = [words.of_behaviour(one, MEASURED[one["what"]]) for one in found["preferred"]]
    context |= {"behaviour": found, "said": said, "tables": [("System", found["systems"]), ("Side", found["sides"])]}
    return render(request, "metrics/preferences_interactions.html", context)

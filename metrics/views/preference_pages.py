"""Further pages of a side-by-side study's report: topics, one topic, a measure, workers, and what they opened."""

from collections.abc import Callable
from functools import wraps
from itertools import zip_longest
from typing import Any

import polars as pl
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_safe

from ireval import BadMeasure
from judging.access import pairs_for, qrels_for
from judging.database.numbers import number_in
from judging.models import Study, Topic, Worker
from judging.requests import SignedIn
from metrics.kinds.preferences import figures, lists, words
from metrics.kinds.preferences.behaviour import MEASURED
from metrics.kinds.preferences.chosen_pair import chosen_pair
from metrics.kinds.preferences.measure_agreement import DEFAULT_MEASURE, compare_with_measure, known_measure, offered_measures
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.preferences.results import Duel, same_topics, topics
from metrics.kinds.preferences.trust import worker_rows
from metrics.kinds.preferences.words import agreement_with_measure
from metrics.kinds.quality.results import Coefficient
from metrics.kinds.quality.words import caution
from metrics.kinds.runs.evidence import Unreadable
from metrics.kinds.runs.topic_rankings import topic_names
from metrics.kinds.studies import in_order, not_people, page_context, part
from metrics.models import Report
from metrics.views.frames import page_of, slice_of

Context = dict[str, Any]
BY_TOPIC = [pl.col("topic").cast(pl.Int64, strict=False), pl.col("topic")]  # 2 before 10
TOPIC_ORDERS = {
    "n": "n",
    "wins": gettext_lazy("Won"),
    "ties": gettext_lazy("Tied"),
    "losses": gettext_lazy("Lost"),
    "score": gettext_lazy("Score"),
}
WORKER_ORDERS = {
    "answers": gettext_lazy("Answers"),
    "side": gettext_lazy("Chose left"),
    "consistency": gettext_lazy("Consistent"),
    "agreement": gettext_lazy("With the others"),
    "seconds": gettext_lazy("Seconds"),
    "cannot": gettext_lazy("Can’t judge"),
}
SIDES = {"left": gettext_lazy("left"), "right": gettext_lazy("right")}


def page_of_preferences(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the context of the study's report; redirect to the report's page while there is none."""

    @login_required
    @require_safe
    @wraps(view)
    def opened(request: SignedIn, pk: int, **more: int) -> HttpResponse:
        context = page_context(PREFERENCES, pairs_for(request.user, pk))
        return view(request, context, **more) if context["report"] else redirect("study_preferences", pk)

    return opened


@page_of_preferences
def study_preferences_topics(request: SignedIn, context: Context) -> HttpResponse:
    """Show on which topics each of the two systems wins, and why."""
    report, order = context["report"], request.GET.get("sort", "")
    context |= chosen_pair(report, request.GET, request.user)
    context |= by_measure(request, report, context["duel"])
    if duel := context["duel"]:
        frame = topics(report, duel)
        orders: dict[str, Any] = dict(TOPIC_ORDERS)
        if comparison := context["comparison"]:
            frame = frame.join(comparison.table.select("topic", "difference"), on="topic", how="left")
            orders["difference"] = comparison.measure
        is_column = order.removeprefix("-") in {"topic", *orders}
        frame = in_order(frame, order if is_column else "-score", ties=BY_TOPIC)
        page = page_of(frame, request)
        lines = with_topics(report.subject, slice_of(frame, page))
        same = same_topics(report.subject, duel["first"], duel["second"])
        context |= {"lines": lines, "page": page, "sort": order, "orders": orders, "same": same}
    return render(request, "metrics/preferences_topics.html", context)


def with_topics(study: Study, frame: pl.DataFrame) -> list[tuple[dict[str, Any], Topic]]:
    named = Topic.objects.filter(collection=study.collection_id, number__in=frame["topic"].to_list())
    by_number = {topic.number: topic for topic in named}
    return [(row, by_number[row["topic"]]) for row in frame.iter_rows(named=True)]


@page_of_preferences
def study_preferences_topic(request: SignedIn, context: Context, topic: int) -> HttpResponse:
    """Show both lists for a topic, and every answer on them."""
    study, report = context["study"], context["report"]
    context |= chosen_pair(report, request.GET, request.user)
    first, second = context["first"], context["second"]
    shown = get_object_or_404(Topic, pk=topic, collection=study.collection_id)
    if not first or not lists.has_listing(study, shown, first, second):
        raise Http404(_("These two systems’ lists for this topic are not in the study."))
    answers = lists.answers_on(report, shown.number, first, second)
    frame = topics(report, context["duel"]).sort(BY_TOPIC) if context["duel"] else pl.DataFrame({"topic": []})
    numbers = frame["topic"].to_list()
    place = numbers.index(shown.number) if shown.number in numbers else None
    around = [] if place is None else [numbers[place - 1] if place else None, *numbers[place + 1 : place + 2]]
    keys = dict(Topic.objects.filter(collection=study.collection_id, number__in=filter(None, around)).values_list("number", "pk"))
    both = lists.lists(study, shown, first, second, answers.filter("votes"))
    context |= {
        "topic": shown,
        "row": None if place is None else frame.row(place, named=True),
        "previous": keys.get(around[0]) if around else None,
        "next": keys.get(around[1]) if len(around) > 1 else None,
        "ranks": list(zip_longest(*both)),
        "shared": sum(result.also is not None for result in both[0]),
        "reason": "" if answers.height else lists.why_nobody(study, shown, first, second),
        "answers": [(lists.answer_row(row), int(row["worker"].removeprefix("w"))) for row in answers.iter_rows(named=True)],
    }
    return render(request, "metrics/preferences_topic.html", context)


@page_of_preferences
def study_preferences_measure(request: SignedIn, context: Context) -> HttpResponse:
    """Show whether a measure agrees with what people prefer."""
    report = context["report"]
    context |= chosen_pair(report, request.GET, request.user)
    context |= by_measure(request, report, context["duel"], by_default=True)
    comparison, duel = context["comparison"], context["duel"]
    context["cautions"] = list(filter(None, [not_people(context["results"].pairs)]))
    if comparison and duel:
        addresses, table = topic_addresses(request, report), comparison.table.sort(BY_TOPIC)
        names = topic_names(report.subject.collection_id, table["topic"].to_list())
        context |= {
            "sentence": agreement_with_measure(comparison, duel["first"], duel["second"]),
            "figure": figures.by_measure(comparison, duel["first"], names, addresses),
            "points": [(addresses.get(row["topic"]), names[row["topic"]], row) for row in table.to_dicts()],
        }
    context["marks"] = lists.mark_count(report)
    return render(request, "metrics/preferences_measure.html", context)


def topic_addresses(request: SignedIn, report: Report) -> dict[str, str]:
    """Where the lists of the pair that the address names are shown, by topic."""
    pair = urlencode({name: request.GET[name] for name in ("first", "second") if name in request.GET})
    keys = Topic.objects.filter(collection=report.subject.collection_id).values_list("number", "pk")
    return {number: f"{reverse('study_preferences_topic', args=[report.study_id, pk])}?{pair}" for number, pk in keys}


def by_measure(request: SignedIn, report: Report, duel: Duel | None, *, by_default: bool = False) -> Context:
    """The context of the pair by a measure under the qrels that the address names; `by_default` under the newest qrels."""
    every = list(qrels_for(request.user).filter(collection=report.subject.collection_id).order_by("-pk"))
    named = number_in(request.GET.get("qrels", ""))
    qrels = next((qrels for qrels in every if qrels.pk == named), every[0] if every and by_default else None)
    context: Context = {"every_qrels": every, "qrels": qrels, "comparison": None, "complaint": "", "measure": DEFAULT_MEASURE}
    try:
        context["measure"] = known_measure(request.GET.get("measure", ""))
        if duel and qrels:
            runs = {run.name: run for run in report.subject.runs.all()}
            first, second = runs[duel["first"]], runs[duel["second"]]
            context["comparison"] = compare_with_measure(topics(report, duel), first, second, qrels, context["measure"])
    except (BadMeasure, Unreadable) as why:
        context["complaint"] = str(why)
    return context | {"measures": offered_measures(context["measure"])}


@page_of_preferences
def study_preferences_workers(request: SignedIn, context: Context) -> HttpResponse:
    """Show how far the workers' answers can be trusted."""
    report, order = context["report"], request.GET.get("sort", "")
    trust = part(report, "trust")
    coefficients = [Coefficient(**row) for row in trust["agreement"]]
    frame = worker_rows(report, order)
    page = page_of(frame, request)
    people = Worker.objects.filter(study=context["study"]).in_bulk(slice_of(frame, page)["worker"].to_list())
    context |= {
        "trust": trust,
        "cautions": list(filter(None, [not_people(part(report, "pairs"))])),
        "sentences": words.worker_sentences(trust),
        "coefficients": coefficients,
        "caution": caution(coefficients),
        "lines": [(row, people[row["worker"]]) for row in slice_of(frame, page).iter_rows(named=True)],
        "page": page,
        "sort": order,
        "orders": WORKER_ORDERS,
    }
    return render(request, "metrics/preferences_workers.html", context)


@page_of_preferences
def study_preferences_interactions(request: SignedIn, context: Context) -> HttpResponse:
    """Show what workers did before they answered."""
    behaviour = part(context["report"], "behaviour")
    sentences = [words.behaviour_sentence(row, str(MEASURED[row["what"]])) for row in behaviour["preferred"]]
    sides = [{**row, "name": SIDES[row["name"]]} for row in behaviour["sides"]]
    tables = [(_("By system"), _("System"), behaviour["systems"]), (_("By side"), _("Side"), sides)]
    context |= {"behaviour": behaviour, "sentences": sentences, "tables": tables}
    return render(request, "metrics/preferences_interactions.html", context)

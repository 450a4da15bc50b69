"""The results of a study: labels, and the files to take away."""

import io
from typing import Any, NamedTuple

import polars as pl
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from judging.access import graded_for, qrels_for, study_for
from judging.audit import Deed, note
from judging.labels import adjudications, exports, machine_labels, result_tables, results, settlement, study_progress
from judging.labels.aggregation import MAJORITY, METHOD_CHOICES, default_method
from judging.models import Qrels, Study, User
from judging.requests import SignedIn
from judging.text.counts import count
from judging.views.judgements import listed_judgements
from judging.views.refusals import refusals_on


@login_required
@require_safe
def study_results(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    if study.compares:
        return redirect("study_preferences", pk)
    options = method_options(study)
    option = next(
        (candidate for candidate in options if candidate.name == request.GET.get("method") and not candidate.lacks), options[0]
    )
    vote_frame = results.votes(study)
    settled = {} if vote_frame.is_empty() else settling(vote_frame, study, option.name)
    by_votes = results.labels_of(settled["labelling"], vote_frame) if settled else []
    adjudicated = adjudications.adjudicated_grades(study)
    labels = results.with_adjudicated(by_votes, adjudicated)
    known = results.known_labels(study)
    context = {
        "study": study,
        "progress": study_progress.progress(study),
        "grades": result_tables.grade_table(study, labels + known),
        "topics": result_tables.topic_table(study, labels + known),
        "labels": len(labels),
        "graded_topics": len({label.topic for label in labels}),
        "known": len(known),
        "adjudicated": adjudicated.height,
        "ways": options,
        "way": option,
        **settled,
        "qrels": versions(study, request.user),
        "by_machines": machine_labels.judgements_by_machines(study),
        "formats": exports.FORMATS,
    }
    return render(request, "judging/study_results.html", context)


class MethodOption(NamedTuple):
    """A way to settle the grades, and why it cannot be chosen."""

    name: str
    title: str
    why: str
    lacks: str


def method_options(study: Study) -> list[MethodOption]:
    """The ways to settle the grades, the default first."""
    lacks = {} if results.has_gold(study) else {"gold-weighted": _("It needs checks of which exactly one grade is right.")}
    choices = sorted(METHOD_CHOICES.values(), key=lambda choice: choice.name != default_method(study))
    return [MethodOption(choice.name, _(choice.title), _(choice.why), lacks.get(choice.name, "")) for choice in choices]


def settling(vote_frame: pl.DataFrame, study: Study, method: str) -> dict[str, Any]:
    """What a method finds, beside the majority."""
    labelling = results.label_votes(vote_frame, study, method)
    other = 0 if method == MAJORITY else labelling.differences(results.label_votes(vote_frame, study, MAJORITY))
    return {
        "labelling": labelling,
        "ties": labelling.ties,
        "sure": 100 * labelling.sure,
        "single": not vote_frame.select("topic", "docno").is_duplicated().any(),
        "differs": other,
        "caution": _(labelling.caution),
    }


def versions(study: Study, user: User) -> QuerySet[Qrels]:
    """What the study was settled into, and what was imported as a later version of that."""
    return (
        qrels_for(user).filter(collection=study.collection_id, name__in=study.qrels.values("name")).order_by("name", "-version")
    )


@login_required
@require_safe
@refusals_on("study_results")
def study_export(request: SignedIn, pk: int, what: str, form: str) -> HttpResponse:
    study = graded_for(request.user, pk)
    method = request.GET.get("method") or default_method(study)
    if form not in exports.FORMATS[what] or method not in METHOD_CHOICES:
        raise Http404(f"{what} come as {', '.join(exports.FORMATS[what])}, and grades by {', '.join(METHOD_CHOICES)}.")
    shown = listed_judgements(study, request.GET)
    narrowed = shown.matching if shown.is_narrowed else None
    content = exports.export(study, what, form, method, judgements=narrowed)
    note(Deed.EXPORTED, f"{what} as {form}", request.user, study)
    return download(content, exports.filename(study, what, form, method), exports.CONTENT_TYPES[form])


def download(content: io.BytesIO, filename: str, content_type: str) -> HttpResponse:
    response = HttpResponse(content.getvalue(), content_type=content_type)
    response["Content-Disposition"] = f'attachment; filename="{filename}"'
    return response


@login_required
@require_POST
@refusals_on("study_results")
def study_settle(request: SignedIn, pk: int) -> HttpResponse:
    study: Study = graded_for(request.user, pk)
    before = set(study.qrels.values_list("pk", flat=True))
    qrels = settlement.settle_as_qrels(study, by=request.user, method=request.POST.get("method"))
    if qrels.pk in before:
        unchanged = _("No grade has changed since “%(qrels)s” was kept, so it stays the newest version.")
        messages.info(request, unchanged % {"qrels": qrels})
        return redirect("study_results", pk)
    messages.success(request, kept_as(qrels))
    return redirect("study_results", pk)


def kept_as(qrels: Qrels) -> str:
    about = {"qrels": qrels, "grades": count(qrels.rows, "grade"), "topics": count(qrels.topic_count, "topic")}
    return _("Kept as the qrels “%(qrels)s”: %(grades)s, %(topics)s.") % about

"""What workers replied to the questions of a study besides the grade."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from judging.access import graded_for
from judging.audit import Deed, note
from judging.labels import exports, reply_labels
from judging.labels.results import current
from judging.models import Qrels
from judging.requests import SignedIn
from judging.views.refusals import refusals_on
from judging.views.results import download, kept_as

SHOWN = 50


@login_required
@require_safe
def study_questions(request: SignedIn, pk: int) -> HttpResponse:
    study = graded_for(request.user, pk)
    judgements = current(study).exclude(replies={}).select_related("item__topic", "item__document", "worker").order_by("-id")
    rows = [
        {
            "result": result,
            "qrels": versions_of(study.qrels.all(), result.question.name),
            "texts": [] if result.question.is_graded else texts(judgements, result.question.name),
        }
        for result in reply_labels.question_results(study)
    ]
    return render(request, "judging/study_questions.html", {"study": study, "rows": rows, "formats": exports.FORMATS["qrels"]})


def versions_of(versions, name: str) -> list[Qrels]:
    return list(versions.filter(recipe__question=name).order_by("-version"))


def texts(judgements, name: str) -> list:
    """The latest replies in words."""
    return [(row, row.replies[name]) for row in judgements.filter(replies__has_key=name)[:SHOWN]]


@login_required
@require_POST
@refusals_on("study_questions")
def study_question_settle(request: SignedIn, pk: int, name: str) -> HttpResponse:
    study = graded_for(request.user, pk)
    question = reply_labels.question_of(study, name)
    qrels = reply_labels.settle_as_qrels(study, question, by=request.user, method=request.POST.get("method"))
    messages.success(request, kept_as(qrels))
    return redirect("study_questions", pk)


@login_required
@require_safe
@refusals_on("study_questions")
def study_question_export(request: SignedIn, pk: int, name: str, form: str) -> HttpResponse:
    """The replies to a question as qrels, settled as they stand now."""
    study = graded_for(request.user, pk)
    if form not in exports.FORMATS["qrels"]:
        raise Http404("There is no such format.")
    content = exports.export_replies(study, reply_labels.question_of(study, name), form, request.GET.get("method"))
    note(Deed.EXPORTED, f"replies to {name} as {form}", request.user, study)
    return download(content, exports.filename(study, name, form), exports.CONTENT_TYPES[form])

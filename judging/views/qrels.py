"""A qrels version's page, and its grades as a file."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from judging.access import may_change, qrels_for, studies_for
from judging.audit import Deed, note, quoted
from judging.collections.downloads import QRELS_FORMATS, filename, qrels_file
from judging.labels.exports import CONTENT_TYPES
from judging.models import Qrels
from judging.views.who import SignedIn

LABELS = {"trec": "TREC", "csv": "CSV", "jsonl": "JSON Lines", "parquet": "Parquet"}


@login_required
@require_safe
def qrels(request: SignedIn, pk: int) -> HttpResponse:
    qrels = get_object_or_404(qrels_for(request.user).select_related("collection", "study", "created_by"), pk=pk)
    others = qrels_for(request.user).filter(collection=qrels.collection, name=qrels.name)
    context = {
        "qrels": qrels,
        "collection": qrels.collection,
        "grades": grades(qrels),
        "recipe": qrels.recipe.items(),  # a template would take an entry “items” for them
        "formats": [(form, LABELS[form]) for form in QRELS_FORMATS],
        "versions": others.exclude(pk=pk).order_by("-version"),
        "study": studies_for(request.user).filter(qrels=qrels).first(),
        "mine": may_change(request.user, qrels.collection),
    }
    return render(request, "judging/qrels.html", context)


def grades(qrels: Qrels) -> list[dict]:
    """Each grade with its rows, the best grade first; the label is what the study's scale calls it."""
    labels = {step["grade"]: step["label"] for step in scale_of(qrels)}
    counts = sorted(((int(grade), count) for grade, count in qrels.grade_counts.items()), reverse=True)
    return [{"grade": grade, "label": labels.get(grade, ""), "count": count} for grade, count in counts]


def scale_of(qrels: Qrels) -> list[dict]:
    """The scale of the study that settled them, or of its question."""
    if not qrels.study:
        return []
    asked = [question.scale for question in qrels.study.question_list if question.name == qrels.recipe.get("question")]
    return asked[0] if asked else qrels.study.scale


@login_required
@require_safe
def qrels_download(request: SignedIn, pk: int, form: str) -> HttpResponse:
    qrels = get_object_or_404(qrels_for(request.user).select_related("collection", "study"), pk=pk)
    if form not in QRELS_FORMATS:
        raise Http404("There is no such format.")
    try:
        content = qrels_file(qrels, form)
    except ValueError as why:
        messages.error(request, _("%(why)s. Take another format.") % {"why": why})
        return redirect("qrels", pk)
    note(Deed.EXPORTED, f"qrels {quoted(qrels)} as {form}", request.user, qrels.study, qrels.collection)
    attachment = f'attachment; filename="{filename(qrels, form)}"'
    return HttpResponse(content, content_type=CONTENT_TYPES[form], headers={"Content-Disposition": attachment})

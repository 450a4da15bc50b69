"""A qrels version's page, and its grades as a file."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from judging.access import may_change, qrels_for, studies_for
from judging.audit import Deed, note, quoted
from judging.collections.downloads import QRELS_FORMATS, filename, qrels_file
from judging.labels.exports import CONTENT_TYPES
from judging.models import Qrels
from judging.requests import SignedIn
from judging.views.refusals import refusals_on

# What recipes say, in the reader's language. Others are shown as they were written down.
RECIPE = {
    "adjudicated by": _("adjudicated by"),
    "adjudicated grades": _("adjudicated grades"),
    "ambiguous titles": _("ambiguous titles"),
    "asked": _("asked"),
    "calibrated on": _("calibrated on"),
    "caution": _("caution"),
    "engine": _("engine"),
    "excluded workers": _("excluded workers"),
    "filter of programs": _("bot filter"),
    "format": _("format"),
    "gold items": _("gold items"),
    "grades known before": _("grades known before"),
    "how": _("how"),
    "impressions": _("impressions"),
    "items": _("items"),
    "iterations": _("iterations"),
    "judgements": _("judgements"),
    "least support": _("least support"),
    "left out": _("left out"),
    "log-likelihood and log-prior": _("log-likelihood and log-prior"),
    "machine": _("machine judge"),
    "method": _("method"),
    "not in the collection": _("not in the collection"),
    "parameters": _("parameters"),
    "question": _("question"),
    "replies": _("replies"),
    "scale": _("scale"),
    "share of grades at least 0.9 sure": _("share of grades at least 0.9 sure"),
    "site": _("site"),
    "subtopics": _("subtopics"),
    "their judgements": _("their judgements"),
    "ties": _("ties"),
    "ties settled on": _("ties settled on"),
    "topics left out": _("topics left out"),
    "until": _("until"),
    "users": _("users"),
    "with too little support": _("with too little support"),
    "worker": _("worker"),
    "workers": _("workers"),
}
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
        "recipe": [(RECIPE.get(name, name), value) for name, value in qrels.recipe.items() if name != "file"],
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
@refusals_on("qrels")
def qrels_download(request: SignedIn, pk: int, form: str) -> HttpResponse:
    qrels = get_object_or_404(qrels_for(request.user).select_related("collection", "study"), pk=pk)
    if form not in QRELS_FORMATS:
        raise Http404("There is no such format.")
    content = qrels_file(qrels, form)
    note(Deed.EXPORTED, f"qrels {quoted(qrels)} as {form}", request.user, qrels.study, qrels.collection)
    attachment = f'attachment; filename="{filename(qrels, form)}"'
    return HttpResponse(content, content_type=CONTENT_TYPES[form], headers={"Content-Disposition": attachment})

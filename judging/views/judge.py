"""The page on which a worker judges: one topic, one document, a grade.

A plain form answers without a script and is sent on to the next item. The script sends the same form in the
background and gets back the item behind the one it already shows.
"""

import uuid
from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.database.numbers import number_in
from judging.labels import training
from judging.models import Item, Judgement, Study, Worker
from judging.recruiting import identity
from judging.recruiting.arrivals import is_over
from judging.studies.translations import translated
from judging.text import passages
from judging.views import arrivals as arrive
from judging.views import pair
from judging.views.item_page import bar, page_of_judgement, page_of_slot, with_slot
from judging.work import assignment, exclusions, replies
from judging.work.answers import Answer, AnswerRefused, SomebodyElses, WorkIsGone, record_judgement
from judging.work.pair_answers import NotReadable
from judging.work.progress import progress, progress_of
from judging.work.tickets import item_of, ticket

MOST_AHEAD = 10  # items that the script may have loaded behind the one on the page


def worker_or_404(request: HttpRequest, study_id: int) -> Worker:
    worker = identity.worker_of(request, study_id)
    if worker is None:
        raise Http404("You are not a worker of this study.")
    return worker


@gzip_page
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def judge(request: HttpRequest, study_id: int) -> HttpResponse:
    worker = identity.worker_of(request, study_id)
    if worker is None:
        return render(request, "judging/judge_who.html", status=404)
    if request.method == "POST":
        return store_answer(request, worker)
    if is_over(worker):
        return arrive.ended_for(request, worker)
    if worker.standing == Worker.Standing.WARNED:
        return warning_page(request, worker)
    slots = assignment.next_slots(worker)
    if slots:
        return HttpResponse(with_slot("judging/judge.html", request, worker, slots[0]))
    return nothing_to_judge(request, worker)


def warning_page(request: HttpRequest, worker: Worker) -> HttpResponse:
    """What the worker is to read before they go on."""
    warnings = worker.exclusions.filter(standing=Worker.Standing.WARNED, lifted=None).select_related("rule")
    context = bar(worker, progress_of(worker)) | {"worker": worker, "warnings": list(warnings)}
    return render(request, "judging/warning.html", context)


@never_cache
@require_POST
def warning_read(request: HttpRequest, study_id: int) -> HttpResponse:
    worker = worker_or_404(request, study_id)
    exclusions.acknowledge(worker, until=number_in(request.POST.get("until", "")) or 0)
    return redirect("judge", study_id)


def nothing_to_judge(request: HttpRequest, worker: Worker) -> HttpResponse:
    if arrive.is_set_aside(worker):
        arrive.finish(worker)
        return arrive.ended_for(request, worker)
    waiting = assignment.others_are_finishing(worker)
    may_wait = waiting or worker.study.state == Study.State.PAUSED
    context = {
        "worker": worker,
        "others_are_finishing": waiting,
        "may_leave": may_wait and getattr(worker, "arrival", None),
        "way_back": None if may_wait else arrive.finish(worker),
    }
    context |= bar(worker, progress(worker, assignment.done(worker), is_over=not may_wait))
    return render(request, "judging/judge.html", context)


def store_answer(request: HttpRequest, worker: Worker) -> HttpResponse:
    """Store the answer. For the script: the item to load ahead; without one: on to the next item.

    After an item in training also what was right: with the script beside the next item, else on the item's own page.
    """
    try:
        giver, item, answer = read_answer(request, worker)
        if giver == worker:
            record_judgement(worker=worker, item=item, answer=answer, ahead=most_held(request, worker))
        else:
            record_judgement(worker=giver, item=item, answer=answer, may_revise=False)
    except AnswerRefused as refusal:
        return refusal_response(request, worker, refusal)
    feedback = training.feedback(giver, item.pk) if "practice" in request.POST else None
    if by_script(request):
        return next_missing(request, worker, request.POST, feedback)
    again = redirect("judge_again", worker.study_id, ticket(worker, item.pk))
    return again if feedback and giver == worker else redirect("judge", worker.study_id)


def read_offer(form: QueryDict, worker: Worker) -> tuple[Worker, identity.Offer]:
    """What an answer must bring along, and who gives it: the worker whom its item was shown to."""
    text = form.get("offer", "")
    giver, offer = worker, identity.read_offer(text, worker)
    if offer is None:
        giver = worker_before(text, worker, browsers=[worker.browser, form.get("browser", "")])
        offer = identity.read_offer(text, giver)
    if offer is None:
        raise AnswerRefused(NOT_YOURS)
    if offer.expired:
        raise AnswerRefused(_("This page is more than 30 days old: its answer cannot be saved any more."))
    return giver, offer


NOT_YOURS = gettext_lazy("This page is not yours or is damaged. Reload it and answer again.")


def worker_before(text: str, worker: Worker, *, browsers: list[str]) -> Worker:
    """Another worker of the study, whom the offer was made to in this browser.

    A browser that has lost its cookie comes back by the link as somebody new, with the answers that it kept meanwhile. Those of a
    worker with an account wait until that account is signed in again.
    """
    key = identity.offered_to(text)
    giver = identity.find_worker(worker.study_id, "id", key) if key is not None else None
    if giver is None:
        raise AnswerRefused(NOT_YOURS)
    if giver.user_id is not None:
        raise SomebodyElses(_("Somebody else gave this answer. It is kept in this browser until they are back."))
    if not any(identity.was_shown_in(browser, text) for browser in browsers):
        raise AnswerRefused(NOT_YOURS)
    return giver


@gzip_page
@never_cache
@require_safe
def ahead(request: HttpRequest, study_id: int) -> HttpResponse:
    """The next item that the script does not have (`?have=`) of those that it wants ahead (`?ahead=`)."""
    return next_missing(request, worker_or_404(request, study_id), request.GET)


def most_held(request: HttpRequest, worker: Worker) -> int:
    if is_over(worker):
        return 0
    return 1 + wanted_ahead(request.POST) if by_script(request) else 1


def wanted_ahead(form: QueryDict) -> int:
    """How many items the script wants behind the one that it shows: one, or more where the connection is bad."""
    return min(max(number_in(form.get("ahead", "")) or 1, 1), MOST_AHEAD)


def by_script(request: HttpRequest) -> bool:
    return request.headers.get("X-Requested-With") == "fetch"


def next_missing(
    request: HttpRequest, worker: Worker, form: QueryDict, feedback: training.Feedback | None = None
) -> HttpResponse:
    """One item that the script does not have yet, and the names of all that are held for the worker.

    `have` lists what the script shows, has loaded and has still to send.
    """
    slots = [] if is_over(worker) else assignment.next_slots(worker, count=1 + wanted_ahead(form))
    held = {ticket(worker, slot.item_id): slot for slot in slots}
    missing = [slot for name, slot in held.items() if name not in form.get("have", "").split(",")]
    remarks = script_remarks(worker, feedback)
    if missing:
        return HttpResponse(with_slot("judging/_ahead.html", request, worker, missing[0], held=",".join(held)) + remarks)
    return HttpResponse(nothing_ahead(worker, held=held) + remarks)


def nothing_ahead(worker: Worker, *, held: Collection[str] = ()) -> str:
    context = bar(worker, progress(worker, assignment.done(worker), more=len(held))) | {"held": ",".join(held)}
    return render_to_string("judging/_ahead.html", context)


WARNED = "<p data-warned></p>"  # has the script open the page where the warning stands


def script_remarks(worker: Worker, feedback: training.Feedback | None) -> str:
    """The feedback and the warning that the script gets beside an item, as HTML."""
    html = render_to_string("judging/_feedback.html", {"study": worker.study, "feedback": feedback}) if feedback else ""
    return html + (WARNED if worker.standing == Worker.Standing.WARNED else "")


def refusal_response(request: HttpRequest, worker: Worker, refusal: AnswerRefused) -> HttpResponse:
    if by_script(request):
        status = 409 if isinstance(refusal, SomebodyElses) else 400
        return HttpResponse(str(refusal), status=status, content_type="text/plain; charset=utf-8")
    slots = assignment.next_slots(worker)
    context = {"shown": slots and page_of_slot(worker, slots[0]), "refusal": refusal}
    context |= bar(worker, progress(worker, assignment.done(worker), more=len(slots)))
    return render(request, "judging/judge.html", context, status=400)


def read_answer(request: HttpRequest, worker: Worker) -> tuple[Worker, Item, Answer]:
    """The posted form as an answer to an item that somebody was shown, usually this worker."""
    form = request.POST
    giver, offer = read_offer(form, worker)
    item = item_of_offer(worker, offer)
    try:
        own = pair.read(form, offer, worker.study) if worker.study.compares else read_grade(form, item)
        answer = Answer(
            key=uuid.UUID(form.get("key", "")),
            cannot_judge=form.get("cannot_judge", "") if own["grade"] is None else "",
            comment=form.get("comment", "").replace("\0", ""),
            milliseconds=min(int(form.get("milliseconds") or offer.age_ms), offer.age_ms),
            **own,
        )
    except passages.NotPassages:
        raise AnswerRefused(_("The passages that are marked cannot be read. Reload the page and answer again.")) from None
    except NotReadable:
        raise AnswerRefused(_("What you marked or opened cannot be read. Reload the page and answer again.")) from None
    except ValueError:
        raise AnswerRefused(_("Something in this answer is not a number. Reload the page and answer again.")) from None
    return giver, item, answer


def item_of_offer(worker: Worker, offer: identity.Offer) -> Item:
    """The item that was shown; with its topic where questions are asked by subtopic."""
    if not worker.study.asks_by_subtopic:
        return Item(pk=offer.item_id, study=worker.study)
    item = Item.objects.select_related("topic").filter(pk=offer.item_id).first()
    if item is None:
        raise WorkIsGone
    item.study = worker.study
    return item


def read_grade(form: QueryDict, item: Item) -> dict[str, Any]:
    """What an answer to a document has of its own."""
    text = form.get("grade", "")
    grade = int(text) if text else None
    own = {"grade": grade, "passages": passages.read(form.get("passages", ""))}
    return own if grade is None else own | {"replies": replies.read(form, item.study.question_list, item)}


@never_cache
@require_safe
def judge_again(request: HttpRequest, study_id: int, name: str) -> HttpResponse:
    """An item that the worker has answered, to change the answer."""
    worker = worker_or_404(request, study_id)
    return answered_page(request, worker, item_of(worker, name), "judging/judge.html")


def answered_page(request: HttpRequest, worker: Worker, item: int | None, template: str) -> HttpResponse:
    standing = get_object_or_404(standing_of(worker), item=item)
    in_training = standing.item.role == Item.Role.TRAINING
    context = bar(worker, progress_of(worker)) | {
        "worker": worker,
        "shown": page_of_judgement(worker, standing),
        "feedback": training.feedback_on(standing, worker.study) if in_training else None,
    }
    return render(request, template, context)


def standing_of(worker: Worker) -> QuerySet[Judgement]:
    """The worker's answers that stand, with what they were about."""
    beside = "preference" if worker.study.compares else "item__document"
    return worker.judgements.standing().select_related("item__topic", beside)


@never_cache
@require_safe
def answers(request: HttpRequest, study_id: int) -> HttpResponse:
    """What the worker has answered, the latest first, each with a way back to it."""
    worker = worker_or_404(request, study_id)
    judgements = standing_of(worker).order_by("-created")[:200]
    labels = {step["grade"]: translated(step["label"], worker.study) for step in worker.study.scale}
    context = bar(worker, progress_of(worker)) | {
        "worker": worker,
        "judgements": [(judgement, ticket(worker, judgement.item_id), labels.get(judgement.grade)) for judgement in judgements],
    }
    return render(request, "judging/answers.html", context)


@gzip_page
@never_cache
@require_safe
def back(request: HttpRequest, study_id: int) -> HttpResponse:
    """Go back to the item answered before `?before=` (an item), or to the one answered last. The script gets that item itself.

    A changed answer keeps its place: one would never get past it.
    """
    worker = worker_or_404(request, study_id)
    judgements = Judgement.objects.filter(worker=worker, revises__isnull=True).order_by("-id")
    here = judgements.filter(item=item_of(worker, request.GET.get("before", ""))).first()
    latest = judgements.filter(id__lt=here.pk).first() if here else judgements.first()
    if by_script(request):
        return (
            answered_page(request, worker, latest.item_id, "judging/_ahead.html")
            if latest
            else HttpResponse(nothing_ahead(worker))
        )
    return redirect("judge_again", study_id, ticket(worker, latest.item_id)) if latest else redirect("judge", study_id)


@never_cache
@require_safe
def instructions(request: HttpRequest, study_id: int) -> HttpResponse:
    worker = worker_or_404(request, study_id)
    return render(request, "judging/instructions.html", {"study": worker.study, "worker": worker})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, study_id: int) -> HttpResponse:
    """Give back what is held, so that nobody has to wait for the lease to run out, and say good-bye."""
    worker = worker_or_404(request, study_id)
    if request.method == "POST":
        arrive.stop(worker)
        return redirect("leave", study_id)
    context = bar(worker, progress_of(worker)) | {"worker": worker, "way_back": arrive.completion_of(worker)}
    return render(request, "judging/left.html", context)

"""The way from a marketplace to the first document, and back to it."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from judging.models import Arrival, Channel, Worker
from judging.recruiting import arrivals, channels, identity, invites, signatures
from judging.recruiting.arrivals import ArrivalRefused, Claim, Outcome
from judging.recruiting.channels import Completion
from judging.work import assignment, departure

REFUSALS: tuple[type[ArrivalRefused], ...] = (
    *(arrivals.NotWellFormed, arrivals.OthersSubmission, arrivals.BegunElsewhere),
    *(signatures.NotSigned, signatures.NoKeys),
)
STATUSES = {refusal.why: refusal.status for refusal in REFUSALS}
LARGEST_MESSAGE = 64 * 1024


@never_cache
@require_safe
def follow_channel(request: HttpRequest, token: str) -> HttpResponse:
    """Exchange the ids in the address for a cookie at once, so that they stay in no address bar, history or referrer."""
    channel = channels.find_channel(token)
    if channel is None:
        return render(request, "judging/join_unknown.html", status=404)
    parameters = dict(request.GET.lists())
    try:
        claim = arrivals.read_claim(channel, parameters)
        if channel.signed_links:
            claim = signatures.check_link(channel, claim, parameters.get(signatures.TOKEN_PARAMETER, []))
        arrival = arrivals.recognise(channel, claim, here=identity.worker_of(request, channel.study_id))
    except ArrivalRefused as refusal:
        return redirect("arrival_refused", token, refusal.why)  # without the ids, here too
    if arrival:
        return let_in(request, arrival)
    response = redirect("arrived")
    identity.remember_claim(response, channel, claim)
    return response


@never_cache
@require_safe
def arrival_refused(request: HttpRequest, token: str, why: str) -> HttpResponse:
    channel = channels.find_channel(token)
    if channel is None:
        return render(request, "judging/join_unknown.html", status=404)
    return refusal_page(request, channel, why)


def refusal_page(request: HttpRequest, channel: Channel, why: str) -> HttpResponse:
    participant, _, submission = channels.parameters_of(channel)
    context = {"channel": channel, "study": channel.study, "why": why, "parameters": [participant, submission]}
    return render(request, "judging/arrive_refused.html", context, status=STATUSES[why])


def let_in(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    assert arrival.worker is not None
    response = redirect("judge", arrival.worker.study_id)
    identity.remember_worker(request, response, arrival.worker)
    identity.forget_claim(response)
    return response


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def arrived(request: HttpRequest) -> HttpResponse:
    """What the study is and asks, for somebody from a marketplace: to agree, or to go back with the code for that."""
    remembered = identity.claim_of(request)
    if remembered is None:
        return render(request, "judging/join_unknown.html", status=404)
    try:
        return claim_page(request, *remembered)
    except ArrivalRefused as refusal:
        return refusal_page(request, remembered[0], refusal.why)


def claim_page(request: HttpRequest, channel: Channel, claim: Claim) -> HttpResponse:
    """Lead participants who have begun to their work, and ask the others whether they want to take part."""
    if channel.signed_links and not claim.signed:  # it was made before the channel asked for that
        raise signatures.NotSigned
    here = identity.worker_of(request, channel.study_id)
    arrival = arrivals.recognise(channel, claim, here=here)
    return let_in(request, arrival) if arrival else answer_consent(request, channel, claim, here)


def answer_consent(request: HttpRequest, channel: Channel, claim: Claim, here: Worker | None) -> HttpResponse:
    if why := "closed" if channel.revoked else invites.why_not_now(channel.study):
        context = {"study": channel.study, "why": why, "marketplace": channel.get_source_display()}
        return render(request, "judging/join_closed.html", context)
    if request.POST.get("decline"):
        return ended_page(request, arrivals.decline(channel, claim, here=here))
    if request.POST.get("agree"):
        return let_in(request, arrivals.consent(channel, claim, here=here))
    return ask_consent(request, channel, must_agree=request.method == "POST")


def ask_consent(request: HttpRequest, channel: Channel, *, must_agree: bool) -> HttpResponse:
    context = {"study": channel.study, "marketplace": channel.get_source_display(), "must_agree": must_agree}
    return render(request, "judging/join.html", context, status=400 if must_agree else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def readmit(request: HttpRequest, token: str) -> HttpResponse:
    """A researcher's link, which makes this browser its worker's. The button uses it up: programs open links to preview them."""
    arrival = arrivals.find_readmission(token)
    if arrival and request.method != "POST":
        return render(request, "judging/readmit.html", {"study": arrival.channel.study})
    if arrival is None or not arrivals.use_readmission(arrival):
        return render(request, "judging/join_unknown.html", status=404)
    return let_in(request, arrival)


def ended_page(request: HttpRequest, arrival: Arrival) -> HttpResponse:
    """Why the participant gets nothing more, and how they go back."""
    context = {
        "study": arrival.channel.study,
        "arrival": arrival,
        "way_back": arrivals.way_back(arrival),
        "done": assignment.done(arrival.worker) if arrival.worker else 0,
    }
    return render(request, "judging/arrival_ended.html", context)


def ended_for(request: HttpRequest, worker: Worker) -> HttpResponse:
    return ended_page(request, Arrival.objects.select_related("channel__study", "worker").get(worker=worker))


def finish(worker: Worker) -> Completion | None:
    """The way back for a worker who is done; None for one who came by no marketplace."""
    if getattr(worker, "arrival", None) is None:
        return None
    arrival = departure.leave(worker, Outcome.FAILED_CHECK if is_set_aside(worker) else Outcome.COMPLETED)
    return arrivals.way_back(arrival) if arrival else None


def is_set_aside(worker: Worker) -> bool:
    """Whether a marketplace's participant gets nothing more because of what they answered."""
    return getattr(worker, "arrival", None) is not None and not worker.may_work


def stop(worker: Worker) -> None:
    """The worker stops. Who still owes judgements that the study asks of each has not completed, and may come back."""
    assignment.give_back(worker)
    if assignment.done(worker) and not assignment.owes_work(worker):
        finish(worker)


def completion_of(worker: Worker) -> Completion | None:
    """The way back for a worker who has stopped, if their submission is complete."""
    arrival = getattr(worker, "arrival", None)
    return arrivals.way_back(arrival) if arrival and arrival.outcome != Outcome.WORKING else None


@csrf_exempt
@require_POST
def hear(request: HttpRequest, channel_id: int) -> HttpResponse:
    """What a marketplace tells about a submission. It is answered shortly: nobody reads it."""
    channel = Channel.objects.filter(pk=channel_id).first()
    if len(request.body) > LARGEST_MESSAGE:
        return HttpResponse("too large", status=413, content_type="text/plain")
    try:
        changed = channel is not None and signatures.receive_message(channel, request.headers, request.body)
    except signatures.Forged:
        channel = None
    if channel is None:  # whoever signs nothing cannot tell which channels there are
        return HttpResponse("not signed by the secret that this channel has, or too old", status=403, content_type="text/plain")
    return HttpResponse("noted" if changed else "nothing to do", content_type="text/plain")

"""The researcher's side of marketplaces: the channel's address and codes, who came by it, and the open call."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Count, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from ireval_site.addresses import public_address
from ireval_site.lists import Column, Filter, RowList, Search
from judging.access import refuse_participants, study_for
from judging.audit import Deed, note
from judging.forms.channels import ChannelForm, OpenCallForm
from judging.models import Arrival, Channel, Study, Worker
from judging.pay.payouts import minutes, payouts
from judging.recruiting import arrivals, channels, invites
from judging.requests import SignedIn
from judging.views.workers import by_number


def of_worker(arrivals: QuerySet[Arrival], text: str) -> QuerySet[Arrival]:
    return arrivals.filter(worker__in=by_number(Worker.objects.all(), text))


ARRIVALS = RowList(
    gettext_lazy("participants"),
    [
        Column(gettext_lazy("Worker"), "worker", "worker", gaps=True),
        Column(gettext_lazy("Channel"), "channel", "channel_id"),
        Column(gettext_lazy("Outcome"), "outcome"),
        Column(gettext_lazy("Judgements"), "judgements", num=True),
        Column(gettext_lazy("Minutes"), "minutes", "milliseconds", num=True),
        Column(gettext_lazy("Arrived"), "arrived", "pk"),
        Column(gettext_lazy("Ended"), "ended", gaps=True),
        Column(gettext_lazy("Let in again, erase"), hidden=True),
    ],
    order="arrived",
    search=Search(gettext_lazy("Worker, such as w12"), of_worker),
    filters=[
        Filter("outcome", gettext_lazy("Outcome"), "outcome", Arrival.Outcome.choices),
        Filter("channel", gettext_lazy("Channel"), "channel"),
    ],
    a_page=100,
)


def channels_of_study(request: HttpRequest, study: Study) -> dict:
    """The study's open channels as its page shows them: what to paste, and where workers will be sent."""
    made = list(study.channels.annotate(came=Count("arrivals")).order_by("created", "pk"))
    opened = [{"channel": channel, **addresses(request, channel)} for channel in made if not channel.revoked]
    return {"channels": opened, "has_arrivals": any(channel.came for channel in made)}


def addresses(request: HttpRequest, channel: Channel) -> dict:
    token = invites.token_of(channel)
    url = public_address(request, reverse("follow_channel", args=[token])) if token else None
    return {
        "address": url and channels.with_placeholders(channel, url),
        "example": url and channels.as_it_arrives(channel, url),
        "webhook": public_address(request, reverse("hear", args=[channel.pk])),
        "completions": channels.completions(channel),
    }


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def channel_new(request: SignedIn, pk: int, source: str) -> HttpResponse:
    study = study_for(request.user, pk)
    if not study.is_launched:
        messages.error(request, _("Launch the study first: a channel to a draft leads nowhere."))
        return redirect("study", pk)
    form = ChannelForm(request.POST or None, source=source)
    if request.method == "POST" and form.is_valid():
        channels.add_channel(study, by=request.user, source=source, **form.cleaned_data)
        return redirect(reverse("study", args=[pk]) + "#channels")
    context = {"form": form, "study": study, "marketplace": Channel.Source(source).label}
    return render(request, "judging/channel_form.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def channel_edit(request: SignedIn, pk: int, channel_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    channel = get_object_or_404(Channel, pk=channel_pk, study=study)
    form = ChannelForm(request.POST or None, instance=channel, source=channel.source)
    if request.method == "POST" and form.is_valid():
        channels.change_channel(channel, by=request.user, **form.cleaned_data)
        return redirect(reverse("study", args=[pk]) + "#channels")
    context = {"form": form, "study": study, "marketplace": channel.get_source_display(), "channel": channel}
    return render(request, "judging/channel_form.html", context)


@login_required
@require_POST
def channel_revoke(request: SignedIn, pk: int, channel_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    invites.revoke(get_object_or_404(Channel, pk=channel_pk, study=study), by=request.user)
    messages.success(request, _("Nobody new comes in by that channel. Workers who came by it go on."))
    return redirect("study", pk)


@login_required
@require_safe
def study_arrivals(request: SignedIn, pk: int) -> HttpResponse:
    """Who came from a marketplace, and what became of them. Their ids stand in the file only."""
    study = study_for(request.user, pk)
    of_study = [(channel.pk, str(channel)) for channel in study.channels.order_by("created", "pk")]
    listed = ARRIVALS.page(arrivals.arrivals_of(study), request.GET, channel=of_study if len(of_study) > 1 else [])
    context = {"study": study, "listed": listed, "rows": [(arrival, minutes(arrival)) for arrival in listed]}
    return render(request, "judging/study_arrivals.html", context)


@login_required
@require_safe
def arrivals_file(request: SignedIn, pk: int) -> HttpResponse:
    """The file to settle with the marketplace; only for members, since it says who people are there."""
    study = study_for(request.user, pk)
    refuse_participants(request.user, study)
    note(Deed.EXPORTED, "participants with their ids, as csv", request.user, study)
    response = HttpResponse(payouts(study), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{slugify(study.name) or study.pk}-participants.csv"'
    return response


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def arrival_erase(request: SignedIn, pk: int, arrival_pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    arrival = get_object_or_404(Arrival.objects.select_related("worker", "channel"), pk=arrival_pk, channel__study=study)
    if request.method != "POST":
        return render(request, "judging/arrival_erase.html", {"study": study, "arrival": arrival})
    arrivals.erase(arrival, by=request.user)
    messages.success(request, _("Erased: nothing here leads to that person any more. Their judgements are kept."))
    return redirect("study_arrivals", pk)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def arrival_readmit(request: SignedIn, pk: int, arrival_pk: int) -> HttpResponse:
    """A link for a participant who cannot go back to the browser where they began. It is shown this once."""
    study = study_for(request.user, pk)
    begun = Arrival.objects.select_related("worker", "channel__study").filter(worker__isnull=False, erased__isnull=True)
    arrival = get_object_or_404(begun, pk=arrival_pk, channel__study=study)
    address = None
    if request.method == "POST":
        token = arrivals.make_readmission(arrival, by=request.user)
        address = public_address(request, reverse("readmit", args=[token]))
    return render(request, "judging/arrival_readmit.html", {"study": study, "arrival": arrival, "address": address})


@login_required
@require_POST
def open_call_set(request: SignedIn, pk: int) -> HttpResponse:
    study = study_for(request.user, pk)
    form = OpenCallForm(request.POST, instance=study)
    if form.is_valid():
        invites.call(study, by=request.user, **form.cleaned_data)
    else:
        messages.error(request, _("Nothing was changed. %(why)s") % {"why": next(iter(form.errors.values()))[0]})
    return redirect("study", pk)

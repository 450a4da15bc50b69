"""The page of news: where a researcher has it sent, and what became of it."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from judging.access import refuse_all_but_researchers, subscription_for
from judging.forms.news import SubscriptionForm
from judging.forms.refusals import refusals_in
from judging.models import Message, Subscription
from judging.news import delivery, events, subscriptions
from judging.news.webhooks import secret_of
from judging.requests import SignedIn

SHOWN = 5  # messages of each


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def news(request: SignedIn) -> HttpResponse:
    refuse_all_but_researchers(request.user)
    by_mail = request.user.email if settings.SENDS_MAIL else ""
    form = SubscriptionForm(request.POST if request.method == "POST" else None, by_mail=by_mail)
    if request.method == "POST" and form.is_valid():
        with refusals_in(form):
            subscriptions.subscribe(request.user, **form.cleaned_data)
            messages.success(request, _("From now on news goes there. Send a test to see that it arrives."))
            return redirect("news")
    context = {"form": form, "rows": list(map(row, request.user.subscriptions.all())), "sends_mail": settings.SENDS_MAIL}
    return render(request, "judging/news.html", context, status=422 if form.errors else 200)


def row(subscription: Subscription) -> tuple[Subscription, str, QuerySet[Message], int]:
    """A subscription with its secret, its newest messages, and how many are parked."""
    sent = subscription.messages.all()
    return subscription, secret_of(subscription), sent[:SHOWN], sent.filter(parked=True).count()


@login_required
@require_POST
def news_test(request: SignedIn, pk: int) -> HttpResponse:
    events.test(subscription_for(request.user, pk))
    messages.success(request, _("A test is on its way: look again in a moment."))
    return redirect("news")


@login_required
@require_POST
def news_again(request: SignedIn, pk: int) -> HttpResponse:
    delivery.try_again(subscription_for(request.user, pk), by=request.user)
    messages.success(request, _("They are tried again."))
    return redirect("news")


@login_required
@require_POST
def news_end(request: SignedIn, pk: int) -> HttpResponse:
    subscriptions.end(subscription_for(request.user, pk), by=request.user)
    messages.success(request, _("No news goes there any more."))
    return redirect("news")

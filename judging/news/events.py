"""What happened, noted for everybody who wants to hear of it, in the transaction in which it happened."""

import secrets
from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.utils import translation
from django.utils.translation import gettext as _

from judging.access import researchers, runners
from judging.models import Experiment, Hypothesis, Message, Outbox, Site, Study, Subscription, User
from judging.models.subscription import Event

LONGEST = 300


def subscribed(event: Event, people: Iterable[User | None]) -> list[Subscription]:
    """The subscriptions to an event of those people who can still sign in. JSON lists are looked into here, as SQLite cannot."""
    told = researchers().filter(pk__in=[person.pk for person in people if person])
    every = Subscription.objects.filter(user__in=told.order_by())
    return [subscription for subscription in every if event in subscription.events]


@transaction.atomic
def tell(event: Event, *, key: str, text: Callable[[], str], path: Callable[[], str], people: Iterable[User | None]) -> None:
    """Leave a message for each subscription, in its language, once whatever is told twice.

    `text` and `path` are asked for where somebody hears of it: a process of Celery takes half a second to load all addresses.
    """
    for subscription in subscribed(event, people):
        post(subscription, event, key=key, text=text, path=path)


def post(subscription: Subscription, event: Event, *, key: str, text: Callable[[], str], path: Callable[[], str]) -> None:
    about = {"text": lambda: text()[:LONGEST], "path": path}
    with translation.override(subscription.language):
        message, new = Message.objects.get_or_create(subscription=subscription, event=event, key=key, defaults=about)
    if new:
        Outbox.objects.post("judging.tasks.deliver_message", message=message.pk, tries=0)


@transaction.atomic
def test(subscription: Subscription) -> None:
    key, text = secrets.token_hex(8), lambda: _("This is a test: messages arrive.")
    post(subscription, Event.TEST, key=key, text=text, path=lambda: "/account/news/")


def watchers(subject: Any) -> list[User]:
    """Whoever runs what a report is on, and hears of it besides who asked for it."""
    if isinstance(subject, Experiment):
        return watchers(subject.site)
    if isinstance(subject, Study | Site):
        return list(runners(subject))
    return [subject.owner] if isinstance(subject, Hypothesis) else []

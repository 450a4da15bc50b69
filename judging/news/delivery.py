"""The delivery of messages: tried at once, then less and less often, and parked with the reason after the last try."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from judging.accounts.mail import send as send_mail
from judging.models import Message, Outbox, Subscription, User
from judging.news import webhooks
from judging.news.webhooks import NotSent

# How long after each try the next one comes; after the last, none.
PAUSES = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 600, 1440)]
# Whatever is due later than that was put off by a clock that was ahead. Those of hosts differ by less than a minute.
LATEST = PAUSES[-1] + timedelta(minutes=1)
KEPT = timedelta(days=30)


def deliver(message_pk: int, tries: int) -> None:
    """Make a try, unless it was made: of two who have the same message, one makes it.

    It is counted before, so that one whose process is killed counts, too.
    """
    now, pause = timezone.now(), PAUSES[min(tries, len(PAUSES) - 1)]
    mine = Message.objects.filter(pk=message_pk, tries=tries, delivered=None, parked=False)
    if not mine.update(tries=tries + 1, due=now + pause):
        return
    message = Message.objects.select_related("subscription__user").get(pk=message_pk)
    try:
        with translation.override(message.subscription.language):  # of the page on which the reason is read
            send(message)
    except NotSent as reason:
        last = tries + 1 >= len(PAUSES)
        Message.objects.filter(pk=message_pk, delivered=None).update(error=str(reason)[:300], parked=last)
    else:
        Message.objects.filter(pk=message_pk).update(delivered=timezone.now(), error="", parked=False)


def send(message: Message) -> None:
    subscription = message.subscription
    if message.tries > len(PAUSES):  # the last try has left no reason
        raise NotSent(_("It took so long that it was stopped."))
    if not subscription.user.may_research:
        raise NotSent(_("Its account may not run anything any more."))
    if subscription.kind == Subscription.Kind.WEBHOOK:
        webhooks.send(message)
    elif not settings.SENDS_MAIL or not subscription.user.email:
        raise NotSent(_("This server sends no mail, or the account has no address."))
    else:
        try:
            send_mail(subscription.user.email, subject_of(message), f"{message.text}\n\n{webhooks.address_of(message)}\n")
        except (OSError, ValueError) as error:  # all of smtplib's errors are the one; what can be no mail is the other
            raise NotSent(_("The mail server refused it: %(error)s") % {"error": error}) from None


def subject_of(message: Message) -> str:
    """One line, whatever the names in it hold."""
    return " ".join(message.text.split())[:100]


def sweep() -> None:
    """Send again what is due, and forget what is old."""
    now = timezone.now()
    due = Q(due__lt=now) | Q(due__gt=now + LATEST)
    for message in Message.objects.filter(due, delivered=None, parked=False)[:200]:
        Outbox.objects.post("judging.tasks.deliver_message", message=message.pk, tries=message.tries)
    Message.objects.filter(created__lt=now - KEPT).delete()


@transaction.atomic
def try_again(messages_of: Subscription, *, by: User) -> int:
    """Take up again what is parked."""
    parked = list(messages_of.messages.filter(parked=True, subscription__user=by).select_for_update())
    for message in parked:
        Message.objects.filter(pk=message.pk).update(parked=False, tries=0, due=timezone.now())
        Outbox.objects.post("judging.tasks.deliver_message", message=message.pk, tries=0)
    return len(parked)

"""Links that show a report to people without an account: made and revoked."""

from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from judging.accounts.link_tokens import fresh_token
from judging.audit import Deed, note, quoted
from judging.models import Hypothesis, User, scope_fields
from metrics.models import Report, SharedLink


@transaction.atomic
def share(subject: Hypothesis | Report, *, days: int, by: User) -> SharedLink:
    """Make a link to the newest verdict on a hypothesis, or to a report on runs."""
    about = {"hypothesis" if isinstance(subject, Hypothesis) else "report": subject}
    expires = timezone.now() + timedelta(days=days)
    link = SharedLink.objects.create(created_by=by, expires=expires, **about, **fresh_token())
    keep_note(Deed.INVITED, link, f"{called(link)} until {expires:%Y-%m-%d}", by)
    return link


@transaction.atomic
def revoke(link: SharedLink, *, by: User) -> None:
    if SharedLink.objects.filter(pk=link.pk, revoked__isnull=True).update(revoked=timezone.now()):
        keep_note(Deed.REVOKED, link, called(link), by)


def called(link: SharedLink) -> str:
    return f"link {link.pk} that shows {quoted(link.subject)} to whoever has it"


def keep_note(deed: Deed, link: SharedLink, about: str, by: User) -> None:
    """Note a deed beside the collection or the site that the link tells of."""
    scope = link.hypothesis.scope if link.hypothesis else link.subject.collection
    note(deed, about, by, **scope_fields(scope))

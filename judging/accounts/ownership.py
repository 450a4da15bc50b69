"""Ownership: what somebody has to hand over before their account is closed, since nobody else could see to it."""

from django.utils.translation import gettext as _

from judging.models import Collection, Hypothesis, Site, Study, User


def owned_by(user: User) -> list[str]:
    """What the user owns, in words."""
    return [
        *(_("the collection “%(name)s”") % {"name": collection} for collection in Collection.objects.filter(owner=user)),
        *(_("the site “%(name)s”") % {"name": site} for site in Site.objects.filter(owner=user)),
        *(_("the study “%(name)s”") % {"name": study} for study in Study.objects.filter(owner=user)),
        *(_("the verdict “%(name)s”") % {"name": asked.name} for asked in Hypothesis.objects.filter(owner=user)),
    ]


def why_kept(user: User) -> str:
    """Why the account stays open; nothing if it may be closed."""
    if not (owned := owned_by(user)):
        return ""
    return _(
        "Hand over first what nobody else could see to: %(owned)s. Each has a page “People” for that. "
        "To lock somebody out at once, set another password."
    ) % {"owned": ", ".join(owned)}

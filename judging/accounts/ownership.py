"""Ownership: what somebody has to hand over before their account is closed, since nobody else could see to it."""

from judging.audit import quoted
from judging.models import Collection, Site, Study, User


def owned_by(user: User) -> list[str]:
    """What the user owns, in words."""
    return [
        *(f"the collection {quoted(collection)}" for collection in Collection.objects.filter(owner=user)),
        *(f"the site {quoted(site)}" for site in Site.objects.filter(owner=user)),
        *(f"the study {quoted(study)}" for study in Study.objects.filter(owner=user)),
    ]


def why_kept(user: User) -> str:
    """Why the account stays open; nothing if it may be closed."""
    if not (owned := owned_by(user)):
        return ""
    return (
        f"Hand over first what nobody else could see to: {', '.join(owned)}. Each has a page “People” for that. "
        "To lock somebody out at once, set another password."
    )

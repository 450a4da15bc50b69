"""Search sites: made, and their settings changed."""

from typing import Any

from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from judging.access import may_publish
from judging.audit import Deed, note, quoted, value_text
from judging.collections.storage import NameTaken
from judging.errors import BadFields
from judging.logs import keys
from judging.models import Collection, Site, User

LONGEST_SLUG = 60
FIRST_KEY = "first"
OF_ACCESS = {"readers", "has_page", "collection"}


def make(*, by: User, name: str, slug: str = "", readers: list[User] | None = None, **settings: Any) -> Site:
    """A site with a first write key, so that it can be sent to at once."""
    try:
        with transaction.atomic():
            site = Site.objects.create(owner=by, name=name, slug=slug or free_slug(name), **settings)
            site.readers.set(readers or [])
            keys.make(site, by=by, label=FIRST_KEY)
    except IntegrityError:
        raise NameTaken(taken(name)) from None
    return site


def free_slug(name: str) -> str:
    """The name as it can stand in an address, with a number where somebody has that."""
    start = slugify(name)[: LONGEST_SLUG - 8].strip("-_") or "site"
    others = set(Site.objects.filter(slug__startswith=start).values_list("slug", flat=True))
    return next(slug for number in range(1, len(others) + 2) if (slug := numbered_slug(start, number)) not in others)


def numbered_slug(start: str, number: int) -> str:
    return start if number == 1 else f"{start}-{number}"


def taken(name: str) -> str:
    return _("There already is a site “%(name)s”, or one with this short name. Choose another one.") % {"name": name}


def refuse_page(owner: User, collection: Collection | None) -> None:
    """Refuse a search page over the collection where a site of this owner may have none."""
    if collection is None:
        raise BadFields(has_page=_("Choose a collection first: the page searches it."))
    if not may_publish(owner, collection):
        others = _(
            "Only who owns a collection can let anybody search it, and %(owner)s owns “%(collection)s”. "
            "Without a page the site still logs."
        )
        raise BadFields(has_page=others % {"owner": collection.owner, "collection": collection})


def unpublish(site: Site, *, by: User) -> None:
    """End its search page; its log goes on."""
    change(site, {"has_page": False}, by=by)


def change(site: Site, wanted: dict[str, Any], *, by: User) -> None:
    """Change settings of a site, and say which of them are others now."""
    try:
        with transaction.atomic():
            locked = Site.objects.select_for_update(no_key=True).get(pk=site.pk)
            before = settings_of(locked, wanted)
            fields = {name: value for name, value in wanted.items() if name != "readers"}
            if fields:
                Site.objects.filter(pk=site.pk).update(**fields)
            if "readers" in wanted:
                locked.readers.set(wanted["readers"])
            changed = Site.objects.select_related("collection").get(pk=site.pk)
            note_changes(changed, before, settings_of(changed, wanted), by=by)
    except IntegrityError:
        raise NameTaken(taken(wanted.get("name", site.name))) from None


def settings_of(site: Site, names: dict[str, Any]) -> dict[str, Any]:
    """What they are, people by their names."""
    return {name: sorted(map(str, site.readers.all())) if name == "readers" else getattr(site, name) for name in names}


def note_changes(site: Site, before: dict[str, Any], after: dict[str, Any], *, by: User) -> None:
    """Who may read what is written down apart: it is what somebody will look for."""
    for deed, names in ((Deed.CHANGED, set(before) - OF_ACCESS), (Deed.ACCESS, OF_ACCESS)):
        changed = [
            f"{name.replace('_', ' ')}: {setting_text(before[name])} → {setting_text(after[name])}"
            for name in before
            if name in names and before[name] != after[name]
        ]
        if changed:
            note(deed, f"site {quoted(site.name)}, {'; '.join(changed)}", by, collection=site.collection, site=site)


def setting_text(value: Any) -> str:
    return value_text(value.split() if isinstance(value, str) and "\n" in value else value)

from typing import NamedTuple

from django import template
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as _

from ireval_site.lists import Words
from judging.access import sees_records
from judging.models import Site, User

register = template.Library()

# The names of the pages, what they are called, and whether they are for who sees single records.
TABS = [
    ("site", _("Overview"), False),
    ("site_records", _("Records"), True),
    ("site_quarantine", _("Quarantine"), True),
    ("site_experiments", _("Experiments"), False),
    ("site_clicks", _("Clicks"), False),
    ("site_bots", _("Bots"), True),
    ("people", _("People"), True),
    ("site_settings", _("Settings"), True),
]


class Tab(NamedTuple):
    name: str
    label: Words
    address: str


@register.simple_tag
def tabs(site: Site, user: User) -> list[Tab]:
    """The pages of a site that the user may open."""
    mine = sees_records(user, site)
    candidates = [Tab(name, label, address_of(name, site)) for name, label, owners in TABS if mine or not owners]
    return [tab for tab in candidates if tab.address]


def address_of(name: str, site: Site) -> str:
    try:
        return reverse(name, args=["sites", site.pk] if name == "people" else [site.pk])
    except NoReverseMatch:
        return ""

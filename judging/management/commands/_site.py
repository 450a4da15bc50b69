"""The site that a command is about, by its number or its short name."""

from django.core.management.base import CommandError

from judging.models import Site


def site_called(name: str) -> Site:
    site = Site.objects.filter(slug=name).first() or (Site.objects.filter(pk=name).first() if name.isdecimal() else None)
    if site is None:
        slugs = ", ".join(Site.objects.values_list("slug", flat=True)[:20]) or "none yet"
        raise CommandError(f"There is no site “{name}”. Sites: {slugs}.")
    return site

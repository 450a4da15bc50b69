"""Where a site's single records are shown, for those who see them."""

from collections.abc import Iterable
from datetime import date

from django.urls import reverse

from judging.models import Site


def addresses_of_days(site: Site, days: Iterable[date | str]) -> list[str]:
    """Where the searches of each day are shown, one by one."""
    page = reverse("site_records", args=[site.pk])
    return [f"{page}?kind=queries&day={day}" for day in days]

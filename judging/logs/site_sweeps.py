"""Sweeps through all sites: what goes wrong at one keeps nothing from the others."""

import logging
from collections.abc import Callable

from judging.models import Site

log = logging.getLogger(__name__)


class SitesFailed(RuntimeError):
    """The sites at which something went wrong, and what."""


def try_each(work: Callable[[Site], object]) -> dict[int, str]:
    """Do it for every site; says of those where it failed what went wrong."""
    failed = {}
    for site in Site.objects.all():
        try:
            work(site)
        except Exception as problem:  # such as a file that is missing: the other sites' records get old all the same
            log.exception("the sweep of the site %s failed", site)
            failed[site.pk] = f"{site}: {type(problem).__name__}: {problem}"
    return failed


def tell(failed: dict[int, str]) -> None:
    if failed:
        raise SitesFailed("; ".join(failed.values()))

"""What changed between two click reports of a site."""

from typing import Any

from django.utils.translation import gettext as _

from judging.models import User
from metrics.kinds.clicks.results import ClickResults
from metrics.kinds.clicks.words import of_time, window
from metrics.models import Report
from metrics.sentences import differ, difference, percent


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with, as far as this reader may see it: `users` is 0 where nothing is shown."""
    results, spec = ClickResults(report, user), report.spec
    shown: dict[str, Any] = {"users": 0, "impressions": 0, "clicked": None}
    if not results.nothing and not results.too_few:
        shown = {**{name: results.result[name] for name in ("users", "impressions")}, "clicked": results.rates["ctr@10"]["value"]}
    period = {name: spec[name] for name in ("days", "since", "until")}
    return {**shown, "window": window(report), "period": period, "bots": spec["bots"]["version"], "qrels": spec["qrels"]}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        time_change(before, after) if differ(before, after, "window") else "",
        difference(before["impressions"], after["impressions"], "impression"),
        difference(before["users"], after["users"], "user"),
        _("another bot filter") if differ(before, after, "bots") else "",
        _("other grades of workers") if differ(before, after, "qrels") else "",
        clicked(before["clicked"], after["clicked"]),
    ]


def time_change(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Which time the report is of; earlier answers of former versions have it in words alone."""
    was, now = (of_time(answer["period"]) if "period" in answer else answer["window"] for answer in (before, after))
    return _("%(after)s (was %(before)s)") % {"after": now, "before": was}


def clicked(before: float | None, after: float | None) -> str:
    """
    >>> clicked(0.31, 0.34), clicked(None, 0.34), clicked(0.31, 0.31)
    ('34 % with a click, was 31 %', '', '')
    """
    if before is None or after is None or percent(before) == percent(after):
        return ""
    return _("%(share)s with a click, was %(before)s") % {"share": percent(after), "before": percent(before)}

"""What changed between two click reports of a site."""

from typing import Any

from judging.models import User
from metrics.kinds.clicks.results import ClickResults
from metrics.kinds.clicks.words import window
from metrics.models import Report
from metrics.sentences import differ, difference, percent


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with, as far as this reader may see it: `users` is 0 where nothing is shown."""
    results, spec = ClickResults(report, user), report.spec
    shown: dict[str, Any] = {"users": 0, "impressions": 0, "clicked": None}
    if not results.nothing and not results.too_few:
        shown = {**{name: results.result[name] for name in ("users", "impressions")}, "clicked": results.rates["ctr@10"]["value"]}
    return {**shown, "window": window(report), "bots": spec["bots"]["version"], "qrels": spec["qrels"]}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        f"{after['window']} (was {before['window']})" if differ(before, after, "window") else "",
        difference(before["impressions"], after["impressions"], "impression"),
        difference(before["users"], after["users"], "user"),
        "another filter of programs" if differ(before, after, "bots") else "",
        "other grades of workers" if differ(before, after, "qrels") else "",
        clicked(before["clicked"], after["clicked"]),
    ]


def clicked(before: float | None, after: float | None) -> str:
    """
    >>> clicked(0.31, 0.34), clicked(None, 0.34), clicked(0.31, 0.31)
    ('34 % with a click, was 31 %', '', '')
    """
    if before is None or after is None or percent(before) == percent(after):
        return ""
    return f"{percent(after)} with a click, was {percent(before)}"

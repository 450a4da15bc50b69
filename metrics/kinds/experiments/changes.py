"""What changed between two reports of an experiment: who came. What was found, each answer says as far as it may be read."""

from typing import Any

from django.utils.translation import gettext as _

from judging.models import User
from judging.text.counts import count
from metrics.kinds.ab.effects import ABResults
from metrics.kinds.experiments.files import results_for
from metrics.models import Report
from metrics.sentences import differ, difference


def facts(report: Report, user: User) -> dict[str, Any]:
    """What a later answer is compared with, as far as this reader may see it: `users` is 0 where nothing is shown."""
    results, users = results_for(report, user, {}), 0
    if not results.nothing and not results.too_few:
        users = results.n if isinstance(results, ABResults) else results.users
    return {"users": users, "bots": report.spec["bots"]["version"]}


def changes(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    return [
        difference(before["users"], after["users"], "user") or _("still %(users)s") % {"users": count(after["users"], "user")},
        _("another bot filter") if differ(before, after, "bots") else "",
    ]

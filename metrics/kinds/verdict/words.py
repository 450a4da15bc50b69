"""A verdict in words."""

from judging.models import User
from metrics.models import Report


def sentence(report: Report, user: User) -> str:
    """The verdict in one sentence."""
    return (report.result or {}).get("sentence", "")

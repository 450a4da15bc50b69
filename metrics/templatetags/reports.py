from django import template

from judging.models import User
from metrics.access import reports_for

register = template.Library()


@register.inclusion_tag("metrics/_recent_reports.html")
def recent_reports(user: User, collection: int | None = None) -> dict:
    """The latest reports that the user may see, of one collection or of all."""
    reports = reports_for(user).with_progress().select_related("collection")
    return {"reports": (reports.filter(collection=collection) if collection else reports)[:5]}

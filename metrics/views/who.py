from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from judging.models import User


class SignedIn(HttpRequest):
    """A request as the views here get it, for the type checker: somebody is signed in, and htmx may have asked."""

    user: User
    htmx: HtmxDetails

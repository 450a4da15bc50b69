"""The request as views see it that open with `login_required`."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from judging.models import User


class SignedIn(HttpRequest):
    """A type for requests: somebody is signed in, and the htmx middleware has looked at it."""

    user: User
    htmx: HtmxDetails

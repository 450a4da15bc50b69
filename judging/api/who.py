"""Who asks, and what they may choose from."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.serializers import PrimaryKeyRelatedField
from rest_framework.views import APIView

from judging.models import User


def person(request: Request) -> User:
    """The user behind an authenticated request."""
    assert isinstance(request.user, User)
    return request.user


class OnlyResearchersCreate(BasePermission):
    """Everybody else reads what is theirs, which access.py decides; they have nowhere to put anything new."""

    message = "Only researchers may create this. Ask an admin to make your account a researcher's."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return getattr(view, "action", None) != "create" or person(request).may_research


@extend_schema_field(int)
class Accessible(PrimaryKeyRelatedField):
    """One of the objects that `access` gives to whoever asks; anything else does not exist."""

    def __init__(self, access: Callable[[User], QuerySet], **options: Any):
        self.access = access
        super().__init__(**options)

    def get_queryset(self) -> QuerySet:
        return self.access(person(self.context["request"]))

"""The person behind a request, and related objects that they may choose from."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.relations import MANY_RELATION_KWARGS
from rest_framework.request import Request
from rest_framework.serializers import ManyRelatedField, PrimaryKeyRelatedField, RelatedField
from rest_framework.views import APIView

from judging.access import owns
from judging.models import Collection, Site, Study, User

MOST_ID = 2**63  # what any database's big integers hold


def person(request: Request) -> User:
    """The user behind an authenticated request."""
    assert isinstance(request.user, User)
    return request.user


def refuse_others(user: User, subject: Collection | Site | Study, says: str) -> None:
    """Refuse whoever does not own the subject, naming the one who does and what that person `says`."""
    if not owns(user, subject):
        raise PermissionDenied(f"{subject.owner} owns this {subject._meta.model_name} and says {says}.")


class OnlyResearchersCreate(BasePermission):
    """Everybody else reads what is theirs, which access.py decides; they have nowhere to put anything new."""

    message = "Only researchers may create this. Ask an admin to make your account a researcher's."

    def has_permission(self, request: Request, view: APIView) -> bool:
        return getattr(view, "action", None) != "create" or person(request).may_research


class RelatedRows(ManyRelatedField):
    """Objects, each once, found by one query where they can be."""

    default_error_messages = {"too_many": "These are {count:,}; at most {most:,} are accepted at a time."}

    def to_internal_value(self, data: Any) -> list[Any]:
        if not isinstance(data, list) or not data:
            return list(super().to_internal_value(data))
        child: Any = self.child_relation
        if len(data) > child.most:
            self.fail("too_many", count=len(data), most=child.most)
        rows = child.at_once([key for key in data if type(key) is int and 0 <= key < MOST_ID])
        chosen = [rows.get(key) if type(key) is int else None for key in data]
        return list(dict.fromkeys(row or child.to_internal_value(key) for row, key in zip(chosen, data, strict=True)))


class RelatedRow(RelatedField):
    """A field of which `many=True` makes `RelatedRows`."""

    most: int

    @classmethod
    def many_init(cls, *args: Any, **options: Any) -> RelatedRows:
        about = {name: option for name, option in options.items() if name in MANY_RELATION_KWARGS}
        return RelatedRows(child_relation=cls(*args, **options), **about)

    def at_once(self, keys: list[int]) -> dict[int, Any]:
        """What one query finds of them."""
        return {}


@extend_schema_field(int)
class Accessible(RelatedRow, PrimaryKeyRelatedField):
    """One of the objects that `access` gives to whoever asks; anything else does not exist."""

    most = 1000

    def __init__(self, access: Callable[[User], QuerySet], **options: Any):
        self.access = access
        super().__init__(**options)

    def get_queryset(self) -> QuerySet:
        return self.access(person(self.context["request"]))

    def at_once(self, keys: list[int]) -> dict[int, Any]:
        return self.get_queryset().in_bulk(set(keys))

"""Systems of a collection, as the API tells and takes them."""

from collections.abc import Iterable
from typing import Any

from rest_framework import serializers

from judging.collections import systems
from judging.collections.systems import LONGEST, Proposal, visible_to
from judging.models import Collection, User


class SystemRowSerializer(serializers.Serializer):
    """A run, or an arm of an experiment, with the system and the version that it is of or that its name proposes."""

    key = serializers.CharField(max_length=40, help_text="run-3 or arm-7.")
    name = serializers.CharField(source="thing.name", read_only=True)
    experiment = serializers.SerializerMethodField(help_text="Of an arm, else null.")
    system = serializers.CharField(max_length=LONGEST, allow_blank=True, help_text="Empty: of none.")
    version = serializers.CharField(max_length=LONGEST, allow_blank=True, default="", help_text="Default: 1.")
    confirmed = serializers.BooleanField(source="is_confirmed", read_only=True, help_text="Else it is proposed by the name.")

    def get_experiment(self, row: Proposal) -> int | None:
        return getattr(row.thing, "experiment_id", None)


class SystemRowsSerializer(serializers.Serializer):
    rows = SystemRowSerializer(many=True)


def rows_of(collection: Collection, user: User) -> list[Proposal]:
    return visible_to(user, systems.proposals(collection))


def confirm(collection: Collection, sent: Iterable[dict[str, Any]], *, by: User) -> None:
    things = {row.key: row.thing for row in rows_of(collection, by)}
    sent = list(sent)
    if strange := [row["key"] for row in sent if row["key"] not in things]:
        raise serializers.ValidationError({"rows": [f"There is no {strange[0]} in this collection."]})
    systems.confirm(collection, [(things[row["key"]], row["system"], row["version"]) for row in sent], by=by)

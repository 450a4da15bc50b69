"""The topics and the budget of a graded study's pool."""

from typing import Any

from rest_framework import serializers

from judging.forms.growth import MOST
from judging.models import Collection, Study

OF_A_POOL = ("topic_tags", "topic_numbers", "topic_count", "judgement_budget", "money_budget")


class TextsField(serializers.ListField):
    """Short texts, each once."""

    child = serializers.CharField(max_length=200)

    def __init__(self, **options: Any):
        super().__init__(max_length=MOST, **options)

    def to_internal_value(self, data: Any) -> list[str]:
        return list(dict.fromkeys(super().to_internal_value(data)))


def check_pool(data: dict, study: Study | None, collection: Collection) -> None:
    """The topics are the collection's, and a budget of money is spent on pay."""
    if wanted := data.get("topic_numbers"):
        known = set(collection.topics.values_list("number", flat=True))
        if unknown := [number for number in wanted if number not in known]:
            raise serializers.ValidationError({"topic_numbers": [f"Topic “{unknown[0]}” is not in this collection."]})
    is_paid = any(data.get(name, getattr(study, name, 0)) for name in ("pay_an_hour", "pay_a_judgement"))
    if data.get("money_budget", getattr(study, "money_budget", None)) is not None and not is_paid:
        raise serializers.ValidationError({"money_budget": ["Say what workers are paid, or give the budget in judgements."]})


def refuse_pool_of_lists(data: dict) -> None:
    for name in OF_A_POOL:
        if data.get(name):
            raise serializers.ValidationError({name: ["Only a graded study chooses the topics and the budget of a pool."]})

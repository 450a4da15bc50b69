"""Items of a study chosen by topic and document: which are judged first, and which by more workers than all."""

from typing import Any

from rest_framework import serializers

from judging.forms.priority import MOST, PriorityForm
from judging.studies.wanted_votes import MOST_VOTES


class ChosenItemsSerializer(serializers.Serializer):
    """Topics, or documents of a topic."""

    items = serializers.ListField(
        child=serializers.CharField(max_length=400),
        max_length=MOST,
        help_text="“51” for all of topic 51, “51 FT911-3” for one document.",
    )

    def validate_items(self, lines: list[str]) -> Any:
        form = PriorityForm({"lines": "\n".join(line.replace("\n", " ") for line in lines)}, study=self.context["study"])
        if not form.is_valid():
            raise serializers.ValidationError([str(error) for error in form.errors["lines"]])
        return form.cleaned_data["lines"]


class PrioritySerializer(ChosenItemsSerializer):
    urgent = serializers.BooleanField(default=True)


class VotesSerializer(ChosenItemsSerializer):
    votes = serializers.IntegerField(
        min_value=1, max_value=MOST_VOTES, help_text="How many workers judge each: at least the study's overlap."
    )


class ChangedItemsSerializer(serializers.Serializer):
    changed = serializers.IntegerField(help_text="For how many documents that was news.")


class ChangedVotesSerializer(ChangedItemsSerializer):
    more = serializers.IntegerField(help_text="How many judgements more are asked for.")
    fewer = serializers.IntegerField(help_text="How many open places for a judgement were taken away.")

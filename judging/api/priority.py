"""Priority: the documents of a study that are judged first."""

from typing import Any

from rest_framework import serializers

from judging.forms.priority import MOST, PriorityForm


class PrioritySerializer(serializers.Serializer):
    """Topics, or documents of a topic."""

    items = serializers.ListField(
        child=serializers.CharField(max_length=400),
        max_length=MOST,
        help_text="“51” for all of topic 51, “51 FT911-3” for one document.",
    )
    urgent = serializers.BooleanField(default=True)

    def validate_items(self, lines: list[str]) -> Any:
        form = PriorityForm({"lines": "\n".join(line.replace("\n", " ") for line in lines)}, study=self.context["study"])
        if not form.is_valid():
            raise serializers.ValidationError([str(error) for error in form.errors["lines"]])
        return form.cleaned_data["lines"]


class PrioritisedSerializer(serializers.Serializer):
    changed = serializers.IntegerField(help_text="For how many documents that was news.")

from rest_framework import serializers

from judging.models.study import HIGHEST_GRADE

MOST_STEPS = HIGHEST_GRADE + 1


class StepSerializer(serializers.Serializer):
    """A grade, what it is called, when to give it, and an example."""

    grade = serializers.IntegerField(min_value=0, max_value=HIGHEST_GRADE)
    label = serializers.CharField(max_length=60)  # type: ignore[assignment]
    help = serializers.CharField(max_length=300, allow_blank=True, default="")
    example = serializers.CharField(max_length=300, required=False)


class ScaleField(serializers.ListField):
    child = StepSerializer()

    def __init__(self, **options):
        super().__init__(min_length=2, max_length=MOST_STEPS, validators=[each_once_and_ascending], **options)

    def run_child_validation(self, data: list) -> list:
        """Each step by itself, once they are counted: as a part of a PATCH one would be accepted with fields missing."""
        if len(data) > MOST_STEPS:
            self.fail("max_length", max_length=MOST_STEPS)
        steps = StepSerializer(data=data, many=True)
        steps.is_valid(raise_exception=True)
        return steps.validated_data


def each_once_and_ascending(steps: list[dict]) -> None:
    grades = [step["grade"] for step in steps]
    if sorted(set(grades)) != grades:
        raise serializers.ValidationError("List each grade once, the lowest first.")

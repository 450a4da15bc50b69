"""Numbers of requests."""

import math
from typing import Any

from rest_framework import serializers


class FiniteField(serializers.FloatField):
    """A number that is finite: the text "nan" is above no limit and below none, and no database keeps it as JSON."""

    def to_internal_value(self, data: Any) -> float:
        number = super().to_internal_value(data)
        if not math.isfinite(number):
            self.fail("invalid")
        return number

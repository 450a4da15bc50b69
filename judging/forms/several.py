"""Fields for several values: rows that a form offers, or short texts."""

from collections.abc import Iterable
from typing import Any

from django import forms

from judging.database.numbers import number_in


class RowsField(forms.ModelMultipleChoiceField):
    """Rows by their keys. A number that no key can be is not offered, and no database is asked for it."""

    def clean(self, value: Any) -> Any:
        keys = value if isinstance(value, Iterable) else []
        odd = next((key for key in keys if number_in(str(key)) is None), None)
        if odd is not None:
            raise forms.ValidationError(self.error_messages["invalid_pk_value"], "invalid_pk_value", {"pk": str(odd)[:40]})
        return super().clean(value)


class LinesField(forms.Field):
    """Short texts, one per line, each once."""

    widget = forms.Textarea(attrs={"rows": 5})

    def __init__(self, *, most: int, longest: int, noun: str, **options: Any):
        super().__init__(**options)
        self.most, self.longest, self.noun = most, longest, noun

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        lines = [line.strip().replace("\0", "") for line in (value or "").splitlines()]
        return list(dict.fromkeys(filter(None, lines)))

    def validate(self, value: Any) -> None:
        super().validate(value)
        if len(value) > self.most:
            raise forms.ValidationError(f"At most {self.most} {self.noun}s: nobody reads more.")
        if any(len(line) > self.longest for line in value):
            raise forms.ValidationError(f"A {self.noun} has at most {self.longest} characters.")

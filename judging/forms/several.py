"""A field for several of the rows that a form offers."""

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

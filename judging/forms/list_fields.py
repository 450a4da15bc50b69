"""Fields for several values: rows that a form offers, or short texts."""

from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from judging.database.numbers import number_in


class RowsField(forms.ModelMultipleChoiceField):
    """Rows by their keys. A number that no key can be is not offered, and no database is asked for it."""

    def clean(self, value: Any) -> Any:
        keys = value if isinstance(value, Iterable) else []
        odd = next((key for key in keys if number_in(str(key)) is None), None)
        if odd is not None:
            raise forms.ValidationError(self.error_messages["invalid_pk_value"], "invalid_pk_value", {"pk": str(odd)[:40]})
        return super().clean(value)


# By what the lines are: that they are too many, and that one is too long.
REFUSALS = {
    "answer": (_("At most %(most)s answers: nobody reads more."), _("An answer has at most %(most)s characters.")),
    "reason": (_("At most %(most)s reasons: nobody reads more."), _("A reason has at most %(most)s characters.")),
    "user name": (_("At most %(most)s user names: nobody reads more."), _("A user name has at most %(most)s characters.")),
}


class LinesField(forms.Field):
    """Short texts, one per line, each once."""

    widget = forms.Textarea(attrs={"rows": 5})

    def __init__(self, *, most: int, longest: int, noun: str, **options: Any):
        super().__init__(**options)
        self.most, self.longest = most, longest
        self.too_many, self.too_long = REFUSALS[noun]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value

    def to_python(self, value: Any) -> list[str]:
        lines = [line.strip().replace("\0", "") for line in (value or "").splitlines()]
        return list(dict.fromkeys(filter(None, lines)))

    def validate(self, value: Any) -> None:
        super().validate(value)
        if len(value) > self.most:
            raise forms.ValidationError(self.too_many % {"most": self.most})
        if any(len(line) > self.longest for line in value):
            raise forms.ValidationError(self.too_long % {"most": self.longest})

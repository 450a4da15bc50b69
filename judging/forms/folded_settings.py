"""Settings that a form folds away, since few change them."""

from collections.abc import Mapping
from typing import Any

from django.forms import BaseForm, BoundField


def are_open(form: BaseForm, usual: Mapping[str, Any]) -> bool:
    """Whether they must be in sight: one of them has an error, or is not as usual."""
    return any(form[name].errors or is_unusual(form[name], value) for name, value in usual.items() if name in form.fields)


def is_unusual(field: BoundField, usual: Any) -> bool:
    """Whether the field shows something else. Programs need not send every field."""
    shown = field.value()
    return shown is not None and str(shown or "").split() != str(field.field.prepare_value(usual) or "").split()

"""Refusals of verbs, as forms say them."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.forms import BaseForm

from judging.errors import BadFields, Refusal


@contextmanager
def refusals_in(form: BaseForm, field: str | None = None) -> Iterator[None]:
    """Say in the form why a verb refused: at the fields that it is about, else at `field`, else above all of them."""
    try:
        yield
    except Refusal as refusal:
        errors = refusal.message_dict if isinstance(refusal, BadFields) else {refusal.field: [str(refusal)]}
        for name, messages in errors.items():
            form.add_error(name if name in form.fields else field, messages)

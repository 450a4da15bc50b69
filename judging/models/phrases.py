"""Fields whose phrases stay phrases: the database has their templates and values, so that pages word them for whoever reads."""

import contextlib
import json
from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from ireval.translatable import Phrase, restored, stored

PHRASE = '{"template": '  # what a stored phrase begins with


class JSONWithPhrases(models.JSONField):
    """JSON in which texts may be phrases."""

    def deconstruct(self) -> Any:
        """To the database it is the plain field."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.JSONField", args, kwargs

    def get_db_prep_value(self, value: Any, connection: BaseDatabaseWrapper, prepared: bool = False) -> Any:
        return super().get_db_prep_value(stored(value), connection, prepared)

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        return restored(super().from_db_value(value, expression, connection))


class PhraseField(models.TextField):
    """A text that may be a phrase. A text that only looks like a stored one is kept as the value of a phrase."""

    def deconstruct(self) -> Any:
        """To the database it is the plain field."""
        name, _, args, kwargs = super().deconstruct()
        return name, "django.db.models.TextField", args, kwargs

    def get_prep_value(self, value: Any) -> Any:
        if isinstance(value, str) and not isinstance(value, Phrase) and value.startswith(PHRASE):
            value = Phrase("%(text)s", text=value)
        return json.dumps(stored(value)) if isinstance(value, Phrase) else super().get_prep_value(value)

    def from_db_value(self, value: str | None, expression: Any, connection: BaseDatabaseWrapper) -> str | None:
        if value and value.startswith(PHRASE):
            with contextlib.suppress(ValueError):  # a text from before there were phrases
                return restored(json.loads(value))
        return value

"""Lists in JSON columns, asked in the way of the database at hand: Django's `contains` is PostgreSQL's alone."""

from typing import Any

from django.db.models import BooleanField, Func


class ListHolds(Func):
    """Whether a column's list of texts holds a text: `rows.filter(ListHolds(F("tags"), Value("hard")))`."""

    output_field = BooleanField()
    template = "(%(expressions)s)"
    arg_joiner = " ? "

    def as_sqlite(self, compiler: Any, connection: Any, **context: Any) -> Any:
        template = "EXISTS (SELECT 1 FROM JSON_EACH(%(expressions)s)"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") WHERE value = ", **context)

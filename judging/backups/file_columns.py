"""The columns in which rows name stored files."""

from django.apps import apps
from django.db.models import FileField


def name_queries() -> list[str]:
    """A query for each column that names files."""
    fields = [(model._meta.db_table, field) for model in apps.get_models() for field in model._meta.local_fields]
    files = [(table, field.column) for table, field in fields if isinstance(field, FileField)]
    return [f"""SELECT "{column}" FROM "{table}" WHERE "{column}" <> ''""" for table, column in files]  # noqa: S608  names of ours

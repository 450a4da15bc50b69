"""What some numbers of reports are called: from now on by the field's nouns."""

from django.db import migrations

# By kind: which objects they are in, by another key of these, and each name with the new one.
RENAMED = {
    "interleaving": ("always_holm", {"found": "analysis"}),
    "clicks": ("rule", {"said": "impressions", "said_right": "impressions_right"}),
}


def renamed(value, mark, names):
    if isinstance(value, list):
        return [renamed(item, mark, names) for item in value]
    if not isinstance(value, dict):
        return value
    here = names if mark in value else {}
    return {here.get(key, key): renamed(item, mark, names) for key, item in value.items()}


def rename(apps, turned):
    for kind, (mark, names) in RENAMED.items():
        names = {new: old for old, new in names.items()} if turned else names
        reports = apps.get_model("metrics", "Report").objects.filter(kind=kind)
        parts = apps.get_model("metrics", "Part").objects.filter(report__kind=kind)
        for rows in (reports, parts):
            for row in rows.filter(result__isnull=False).iterator(chunk_size=20):
                type(row).objects.filter(pk=row.pk).update(result=renamed(row.result, mark, names))


def forwards(apps, schema_editor):
    rename(apps, turned=False)


def backwards(apps, schema_editor):
    rename(apps, turned=True)


class Migration(migrations.Migration):
    dependencies = [("metrics", "0011_people")]

    operations = [migrations.RunPython(forwards, backwards, elidable=True)]

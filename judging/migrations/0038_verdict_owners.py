import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import F


def give_verdicts_owners(apps, schema_editor):
    """Whoever asked owns the question."""
    apps.get_model("judging", "Hypothesis").objects.update(owner=F("created_by"))


OWNER = {
    "on_delete": django.db.models.deletion.PROTECT,
    "related_name": "hypotheses_owned",
    "to": settings.AUTH_USER_MODEL,
    "help_text": "Who says who sees the verdict. Its evidence is what they may read.",
}


class Migration(migrations.Migration):
    dependencies = [
        ("judging", "0037_loaded"),
    ]

    operations = [
        migrations.AddField("hypothesis", "owner", models.ForeignKey(null=True, **OWNER)),
        migrations.RunPython(give_verdicts_owners, migrations.RunPython.noop),
        migrations.AlterField("hypothesis", "owner", models.ForeignKey(**OWNER)),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_upload_progress")]

    operations = [
        migrations.RenameField("worker", "cursor", "start"),
        migrations.AlterField(
            "worker",
            "start",
            models.PositiveIntegerField(default=0, help_text="The position at which the worker was let in."),
        ),
    ]

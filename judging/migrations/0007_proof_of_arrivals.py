from django.db import migrations, models


def sign_nothing_elsewhere(apps, editor) -> None:
    """Such a channel let nobody in: there are no signatures to check."""
    apps.get_model("judging", "Channel").objects.exclude(source="prolific").update(signed_links=False)


class Migration(migrations.Migration):
    dependencies = [("judging", "0006_guessed_passwords")]

    operations = [
        migrations.AddField(
            model_name="arrival",
            name="readmission",
            field=models.CharField(
                blank=True,
                default="",
                help_text="Hash of the unused link that lets them in again; empty: there is none.",
                max_length=64,
            ),
            preserve_default=False,
        ),
        migrations.AlterField(
            model_name="channel",
            name="signed_links",
            field=models.BooleanField(
                default=True, help_text="Let in only those who come by a link that the marketplace has signed; Prolific alone can."
            ),
        ),
        migrations.AddField(
            model_name="preference",
            name="seen",
            field=models.JSONField(
                blank=True,
                help_text="[[milliseconds, results], …]: how long each list was on the screen, and how many of its results. "
                "Empty: not measured.",
                null=True,
            ),
        ),
        migrations.RunPython(sign_nothing_elsewhere, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="channel",
            constraint=models.CheckConstraint(
                condition=models.Q(signed_links=False) | models.Q(source="prolific"), name="prolific_signs_alone"
            ),
        ),
    ]

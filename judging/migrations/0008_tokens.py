from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judging", "0007_proof_of_arrivals")]

    operations = [
        migrations.AddField(
            model_name="token",
            name="read_only",
            field=models.BooleanField(default=False, help_text="It reads what its owner may read, and changes nothing."),
        ),
    ]

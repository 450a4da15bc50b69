from django.db import migrations, models

REASONS = [
    ("unreadable", "The document is empty, broken or unreadable"),
    ("language", "I don't understand its language"),
    ("unclear", "I don't understand what is asked"),
    ("difficult", "It is too difficult for me"),
    ("other", "Something else"),
]


class Migration(migrations.Migration):

    dependencies = [
        ("judging", "0017_additions"),
    ]

    operations = [
        migrations.AlterField(
            model_name="judgement",
            name="cannot_judge",
            field=models.CharField(blank=True, choices=REASONS, max_length=12),
        ),
    ]

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0035_completed_submissions'),
    ]

    operations = [
        migrations.AddField(
            model_name='site',
            name='sealed_key',
            field=models.TextField(blank=True, db_default='', default='', editable=False, help_text="What the secret gave by a server's key that is gone."),
        ),
    ]

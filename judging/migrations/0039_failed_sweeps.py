from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0038_verdict_owners'),
    ]

    operations = [
        migrations.AddField(
            model_name='taskend',
            name='failure',
            field=models.TextField(blank=True, db_default='', default='', help_text='Why it failed last, where it has not ended well since.'),
        ),
    ]

import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='upload',
            name='attempts',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often checking has begun; again if a process died.'),
        ),
        migrations.AddField(
            model_name='upload',
            name='touched',
            field=models.DateTimeField(default=django.utils.timezone.now, help_text='When something last came or was read of it.'),
        ),
    ]


from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0026_topics_and_budgets'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='tour',
            field=models.PositiveSmallIntegerField(blank=True, editable=False, help_text='The step of the tour at which they are; 0: ended; empty: not begun.', null=True),
        ),
    ]

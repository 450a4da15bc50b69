import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judging', '0016_chosen_documents'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='slot',
            index=models.Index(condition=models.Q(('judged_at__isnull', False), ('number__isnull', False)), fields=['study', 'position'], name='judged_slots'),
        ),
        migrations.CreateModel(
            name='Addition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('by', models.ForeignKey(blank=True, help_text='Empty: the command line.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('study', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='additions', to='judging.study')),
            ],
            options={
                'ordering': ['-id'],
            },
        ),
        migrations.AddField(
            model_name='item',
            name='addition',
            field=models.ForeignKey(blank=True, db_index=False, help_text='With which others it came. Empty: at the launch.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='items', to='judging.addition'),
        ),
        migrations.AddIndex(
            model_name='item',
            index=models.Index(condition=models.Q(('addition__isnull', False)), fields=['addition'], name='items_of_an_addition'),
        ),
    ]

"""All tables as they are after the first eleven migrations, at once."""

import django.db.models.deletion
import django.utils.timezone
import metrics.models
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    replaces = [
        ('metrics', '0001_initial'),
        ('metrics', '0002_log_reports'),
        ('metrics', '0003_one_report'),
        ('metrics', '0004_numbers_of_runs'),
        ('metrics', '0005_one_report_constraints'),
        ('metrics', '0006_hypotheses'),
        ('metrics', '0007_shared_links'),
        ('metrics', '0008_earlier_answers'),
        ('metrics', '0009_looks'),
        ('metrics', '0010_answers_of_every_kind'),
        ('metrics', '0011_people'),
    ]

    initial = True

    dependencies = [
        ('judging', '0015_hypotheses'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('runs', 'Runs'), ('quality', 'Quality of grades'), ('preferences', 'Preferences'), ('ab', 'A/B test'), ('interleaving', 'Interleaving'), ('clicks', 'Clicks'), ('verdict', 'Verdict')], max_length=12)),
                ('title', models.CharField(blank=True, help_text='Of reports on runs.', max_length=200)),
                ('spec', models.JSONField(help_text='The question: whatever its numbers depend on besides the evidence.')),
                ('digest', models.CharField(blank=True, help_text='Of spec, evidence and engine version; empty where nothing is known of the evidence.', max_length=64)),
                ('evidence', models.JSONField(default=dict, help_text='The fingerprint of what was read, where that goes on changing.')),
                ('as_of', models.DateTimeField(blank=True, help_text='When computing began: what came later does not count.', null=True)),
                ('engine_version', models.CharField(max_length=20)),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('running', 'Computing'), ('done', 'Ready'), ('failed', 'Failed')], default='waiting', max_length=10)),
                ('active', models.DateTimeField(default=django.utils.timezone.now, help_text='The last sign of life while it is unfinished.')),
                ('looked', models.DateTimeField(default=django.utils.timezone.now, help_text='When somebody last asked or, to the day, looked.')),
                ('resent', models.PositiveSmallIntegerField(default=0, help_text='How often it was sent again since its last sign of life.')),
                ('error', models.TextField(blank=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('finished', models.DateTimeField(blank=True, null=True)),
                ('result', models.JSONField(blank=True, help_text='What came out, put together from the parts.', null=True)),
                ('collection', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='judging.collection')),
                ('created_by', models.ForeignKey(blank=True, help_text='Who asked; nobody where whoever looks first asks.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('experiment', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='judging.experiment')),
                ('hypothesis', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='judging.hypothesis')),
                ('readers', models.ManyToManyField(blank=True, help_text='Who else may see a report on runs.', related_name='reports_read', to=settings.AUTH_USER_MODEL)),
                ('site', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='judging.site')),
                ('study', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='judging.study')),
            ],
            options={
                'ordering': ['-id'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('collection__isnull', False), ('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'runs'), ('site__isnull', True), ('study__isnull', True)), models.Q(('collection__isnull', True), ('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'quality'), ('site__isnull', True), ('study__isnull', False)), models.Q(('collection__isnull', True), ('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'preferences'), ('site__isnull', True), ('study__isnull', False)), models.Q(('collection__isnull', True), ('experiment__isnull', False), ('hypothesis__isnull', True), ('kind', 'ab'), ('site__isnull', True), ('study__isnull', True)), models.Q(('collection__isnull', True), ('experiment__isnull', False), ('hypothesis__isnull', True), ('kind', 'interleaving'), ('site__isnull', True), ('study__isnull', True)), models.Q(('collection__isnull', True), ('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'clicks'), ('site__isnull', False), ('study__isnull', True)), models.Q(('collection__isnull', True), ('experiment__isnull', True), ('hypothesis__isnull', False), ('kind', 'verdict'), ('site__isnull', True), ('study__isnull', True)), _connector='OR'), name='a_report_is_about_what_its_kind_says'), models.UniqueConstraint(condition=models.Q(('digest', ''), _negated=True), fields=('digest',), name='one_report_a_digest'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('kind', 'experiment'), name='one_unfinished_report_by_experiment'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('kind', 'hypothesis'), name='one_unfinished_report_by_hypothesis'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('kind', 'site'), name='one_unfinished_report_by_site'), models.UniqueConstraint(condition=models.Q(('state__in', ['waiting', 'running'])), fields=('kind', 'study'), name='one_unfinished_report_by_study')],
            },
        ),
        migrations.CreateModel(
            name='Part',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text="A run's key, a step, or the remainder of the hashes of those it counts.", max_length=20)),
                ('result', models.JSONField(help_text='What it comes to; more is in its tables.', null=True)),
                ('qrels', models.ForeignKey(null=True, on_delete=metrics.models.with_the_report, related_name='+', to='judging.qrels')),
                ('run', models.ForeignKey(null=True, on_delete=metrics.models.with_the_report, related_name='+', to='judging.run')),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='parts', to='metrics.report')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('qrels', None)), fields=('report', 'name'), name='one_part_a_report_and_name'), models.UniqueConstraint(fields=('report', 'run', 'qrels'), name='one_part_a_run_and_qrels')],
            },
        ),
        migrations.CreateModel(
            name='SharedLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('nonce', models.CharField(max_length=43, unique=True)),
                ('token_hash', models.CharField(max_length=64, unique=True)),
                ('created', models.DateTimeField(auto_now_add=True)),
                ('revoked', models.DateTimeField(blank=True, null=True)),
                ('expires', models.DateTimeField()),
                ('created_by', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('hypothesis', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='shared_links', to='judging.hypothesis')),
                ('report', models.ForeignKey(help_text='On runs.', null=True, on_delete=django.db.models.deletion.CASCADE, related_name='shared_links', to='metrics.report')),
            ],
            options={
                'ordering': ['-created'],
                'abstract': False,
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('hypothesis', None), ('report__isnull', False)), models.Q(('hypothesis__isnull', False), ('report', None)), _connector='OR'), name='a_shared_link_shows_one_thing')],
            },
        ),
        migrations.CreateModel(
            name='Table',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=20)),
                ('content', models.BinaryField()),
                ('part', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='metrics.part')),
                ('report', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tables', to='metrics.report')),
            ],
            options={
                'ordering': ['id'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('part', None)), fields=('report', 'name'), name='one_table_a_report_and_name'), models.UniqueConstraint(fields=('part', 'name'), name='one_table_a_part_and_name')],
            },
        ),
        migrations.CreateModel(
            name='EarlierAnswer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('runs', 'Runs'), ('quality', 'Quality of grades'), ('preferences', 'Preferences'), ('ab', 'A/B test'), ('interleaving', 'Interleaving'), ('clicks', 'Clicks'), ('verdict', 'Verdict')], max_length=12)),
                ('computed', models.DateTimeField()),
                ('sentence', models.TextField()),
                ('evidence', models.JSONField(help_text='What it rested on: whatever is named when the next answer differs in it.')),
                ('for_readers', models.JSONField(help_text="Sentence and evidence as a site's readers may see them, where its owner sees more.", null=True)),
                ('engine_version', models.CharField(max_length=20)),
                ('experiment', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='earlier_answers', to='judging.experiment')),
                ('hypothesis', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='earlier_answers', to='judging.hypothesis')),
                ('site', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='earlier_answers', to='judging.site')),
                ('study', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='earlier_answers', to='judging.study')),
            ],
            options={
                'ordering': ['-computed'],
                'constraints': [models.CheckConstraint(condition=models.Q(models.Q(('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'quality'), ('site__isnull', True), ('study__isnull', False)), models.Q(('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'preferences'), ('site__isnull', True), ('study__isnull', False)), models.Q(('experiment__isnull', False), ('hypothesis__isnull', True), ('kind', 'ab'), ('site__isnull', True), ('study__isnull', True)), models.Q(('experiment__isnull', False), ('hypothesis__isnull', True), ('kind', 'interleaving'), ('site__isnull', True), ('study__isnull', True)), models.Q(('experiment__isnull', True), ('hypothesis__isnull', True), ('kind', 'clicks'), ('site__isnull', False), ('study__isnull', True)), models.Q(('experiment__isnull', True), ('hypothesis__isnull', False), ('kind', 'verdict'), ('site__isnull', True), ('study__isnull', True)), _connector='OR'), name='an_answer_is_about_what_its_kind_says'), models.UniqueConstraint(fields=('experiment', 'computed'), name='one_answer_a_moment_by_experiment'), models.UniqueConstraint(fields=('hypothesis', 'computed'), name='one_answer_a_moment_by_hypothesis'), models.UniqueConstraint(fields=('site', 'computed'), name='one_answer_a_moment_by_site'), models.UniqueConstraint(fields=('study', 'computed'), name='one_answer_a_moment_by_study')],
            },
        ),
    ]

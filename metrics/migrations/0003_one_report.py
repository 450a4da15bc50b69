"""One Report, Part and Table for every kind. Reports on studies and logs are computed again when somebody opens their page."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import metrics.models

CASCADE = django.db.models.deletion.CASCADE


def about(model):
    return models.ForeignKey(blank=True, null=True, on_delete=CASCADE, related_name="reports", to=f"judging.{model}")


class Migration(migrations.Migration):
    dependencies = [("metrics", "0002_log_reports"), ("judging", "0004_executions")]

    operations = [
        migrations.DeleteModel("LogReportPart"),
        migrations.DeleteModel("LogReport"),
        migrations.DeleteModel("StudyReportPart"),
        migrations.DeleteModel("StudyReport"),
        migrations.AlterModelOptions("report", {"ordering": ["-id"]}),
        migrations.AddField(
            "report",
            "kind",
            models.CharField(
                max_length=12,
                choices=[
                    ("runs", "Runs"),
                    ("quality", "Quality of grades"),
                    ("preferences", "Preferences"),
                    ("ab", "A/B test"),
                    ("interleaving", "Interleaving"),
                    ("clicks", "Clicks"),
                ],
                default="runs",
            ),
            preserve_default=False,
        ),
        migrations.AlterField("report", "collection", about("collection")),
        migrations.AddField("report", "study", about("study")),
        migrations.AddField("report", "site", about("site")),
        migrations.AddField("report", "experiment", about("experiment")),
        migrations.AddField(
            "report",
            "evidence",
            models.JSONField(default=dict, help_text="The fingerprint of what was read, where that goes on changing."),
        ),
        migrations.AddField(
            "report",
            "as_of",
            models.DateTimeField(null=True, blank=True, help_text="When computing began: what came later does not count."),
        ),
        migrations.AlterField(
            "report", "title", models.CharField(max_length=200, blank=True, help_text="Of reports on runs.")
        ),
        migrations.AlterField(
            "report",
            "spec",
            models.JSONField(help_text="The question: whatever its numbers depend on besides the evidence."),
        ),
        migrations.AlterField(
            "report",
            "digest",
            models.CharField(
                max_length=64,
                blank=True,
                help_text="Of spec, evidence and engine version; empty where nothing is known of the evidence.",
            ),
        ),
        migrations.AlterField(
            "report",
            "result",
            models.JSONField(null=True, blank=True, help_text="What came out, put together from the parts."),
        ),
        migrations.AlterField(
            "report",
            "created_by",
            models.ForeignKey(
                null=True,
                blank=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
                help_text="Who asked; nobody where whoever looks first asks.",
            ),
        ),
        migrations.RenameModel("ReportPart", "Part"),
        migrations.AddField(
            "part",
            "name",
            models.CharField(
                max_length=20,
                help_text="A run's key, a step, or the remainder of the hashes of those it counts.",
                default="",
            ),
            preserve_default=False,
        ),
        migrations.AddField("part", "result", models.JSONField(null=True, help_text="What it comes to; more is in its tables.")),
        migrations.AlterField(
            "part",
            "run",
            models.ForeignKey(null=True, on_delete=metrics.models.with_the_report, related_name="+", to="judging.run"),
        ),
        migrations.AlterField(
            "part",
            "qrels",
            models.ForeignKey(null=True, on_delete=metrics.models.with_the_report, related_name="+", to="judging.qrels"),
        ),
        migrations.CreateModel(
            "Table",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=20)),
                ("content", models.BinaryField()),
                ("report", models.ForeignKey(on_delete=CASCADE, related_name="tables", to="metrics.report")),
                ("part", models.ForeignKey(null=True, on_delete=CASCADE, related_name="tables", to="metrics.part")),
            ],
            options={"ordering": ["id"]},
        ),
    ]

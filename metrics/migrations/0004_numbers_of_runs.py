"""Finished reports on runs keep their numbers; unfinished ones begin again, and messages of tasks that are gone go."""

from django.db import migrations
from django.db.models import CharField, F
from django.db.models.functions import Cast

GONE = [f"metrics.tasks.compute_{what}" for what in ("report", "run", "study_report", "study_step", "log_report", "log_part")]
KEEP = """
    INSERT INTO metrics_table (report_id, part_id, name, content)
    SELECT metrics_report.id, {part}, '{name}', {source}."{name}" FROM {rows}
    WHERE metrics_report.state = 'done' AND {source}."{name}" IS NOT NULL
"""
PARTS = "metrics_part JOIN metrics_report ON metrics_report.id = metrics_part.report_id"


def keep_numbers(apps, schema_editor):
    report, part = apps.get_model("metrics", "Report"), apps.get_model("metrics", "Part")
    part.objects.update(name=Cast("run_id", CharField()))
    part.objects.filter(report__state="done").update(result={})
    report.objects.filter(state="done").update(as_of=F("created"))
    for name in ("values", "curves"):
        schema_editor.execute(KEEP.format(part="metrics_part.id", name=name, source="metrics_part", rows=PARTS))
    schema_editor.execute(KEEP.format(part="NULL", name="differences", source="metrics_report", rows="metrics_report"))


def forget_messages(apps, schema_editor):
    for name in ("Outbox", "ParkedTask", "Execution", "TaskEnd"):
        apps.get_model("judging", name).objects.filter(task__in=GONE).delete()


def forget_reports(apps, schema_editor):
    """Whoever goes back to the tables of before computes all reports again."""
    for name in ("Table", "Part", "Report"):
        apps.get_model("metrics", name).objects.all().delete()


class Migration(migrations.Migration):
    dependencies = [("metrics", "0003_one_report")]

    operations = [
        migrations.RunPython(keep_numbers, forget_reports),
        migrations.RunPython(forget_messages, migrations.RunPython.noop),
    ]

from django.db import migrations, models
from django.db.models import Q

FIELDS = ["collection", "experiment", "site", "study"]
SUBJECTS = {
    "runs": "collection",
    "quality": "study",
    "preferences": "study",
    "ab": "experiment",
    "interleaving": "experiment",
    "clicks": "site",
}
ABOUT = [Q(kind=kind, **{f"{field}__isnull": field != subject for field in FIELDS}) for kind, subject in SUBJECTS.items()]
UNFINISHED = ["waiting", "running"]


def one_unfinished(field):
    return models.UniqueConstraint(
        fields=["kind", field], condition=Q(state__in=UNFINISHED), name=f"one_unfinished_report_by_{field}"
    )


class Migration(migrations.Migration):
    dependencies = [("metrics", "0004_numbers_of_runs")]

    operations = [
        migrations.RemoveField("report", "steps"),
        migrations.RemoveField("report", "differences"),
        migrations.RemoveField("part", "values"),
        migrations.RemoveField("part", "curves"),
        migrations.AddConstraint(
            "report",
            models.CheckConstraint(condition=Q(*ABOUT, _connector=Q.OR), name="a_report_is_about_what_its_kind_says"),
        ),
        migrations.AddConstraint(
            "report", models.UniqueConstraint(fields=["digest"], condition=~Q(digest=""), name="one_report_a_digest")
        ),
        *(migrations.AddConstraint("report", one_unfinished(field)) for field in ("study", "site", "experiment")),
        migrations.AddConstraint(
            "part",
            models.UniqueConstraint(fields=["report", "name"], condition=Q(qrels=None), name="one_part_a_report_and_name"),
        ),
        migrations.AddConstraint(
            "table",
            models.UniqueConstraint(fields=["report", "name"], condition=Q(part=None), name="one_table_a_report_and_name"),
        ),
        migrations.AddConstraint("table", models.UniqueConstraint(fields=["part", "name"], name="one_table_a_part_and_name")),
    ]

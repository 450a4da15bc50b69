"""Earlier answers of every kind of report; until now verdicts alone had them."""

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models
from django.db.models import Q

FIELDS = ["experiment", "hypothesis", "site", "study"]
SUBJECTS = {
    "quality": "study",
    "preferences": "study",
    "ab": "experiment",
    "interleaving": "experiment",
    "clicks": "site",
    "verdict": "hypothesis",
}
ABOUT = [Q(kind=kind, **{f"{field}__isnull": field != subject for field in FIELDS}) for kind, subject in SUBJECTS.items()]
KINDS = [
    ("runs", "Runs"),
    ("quality", "Quality of grades"),
    ("preferences", "Preferences"),
    ("ab", "A/B test"),
    ("interleaving", "Interleaving"),
    ("clicks", "Clicks"),
    ("verdict", "Verdict"),
]


def keep_outcomes(apps, schema_editor):
    """Keep each verdict's outcome with what else it is compared by."""
    answers = apps.get_model("metrics", "EarlierAnswer").objects
    for answer in answers.iterator():
        answers.filter(pk=answer.pk).update(evidence={"outcome": answer.outcome, "sources": answer.evidence})


def about(model):
    key = models.ForeignKey(
        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="earlier_answers", to=f"judging.{model}"
    )
    return migrations.AddField("earlieranswer", model, key)


def one_a_moment(field):
    return models.UniqueConstraint(fields=[field, "computed"], name=f"one_answer_a_moment_by_{field}")


class Migration(migrations.Migration):
    dependencies = [("metrics", "0009_looks")]

    operations = [
        migrations.AddField(
            "earlieranswer", "kind", models.CharField(choices=KINDS, max_length=12, default="verdict"), preserve_default=False
        ),
        about("study"),
        about("site"),
        about("experiment"),
        migrations.AlterField(
            "earlieranswer",
            "hypothesis",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="earlier_answers",
                to="judging.hypothesis",
            ),
        ),
        migrations.AlterField(
            "earlieranswer",
            "evidence",
            models.JSONField(help_text="What it rested on: whatever is named when the next answer differs in it."),
        ),
        migrations.RunPython(keep_outcomes, migrations.RunPython.noop),
        migrations.RemoveField("earlieranswer", "outcome"),
        migrations.AddField(
            "earlieranswer",
            "for_readers",
            models.JSONField(
                null=True, help_text="Sentence and evidence as a site's readers may see them, where its owner sees more."
            ),
        ),
        migrations.RemoveConstraint("earlieranswer", "one_answer_a_moment"),
        migrations.AddConstraint(
            "earlieranswer",
            models.CheckConstraint(condition=Q(*ABOUT, _connector=Q.OR), name="an_answer_is_about_what_its_kind_says"),
        ),
        *(migrations.AddConstraint("earlieranswer", one_a_moment(field)) for field in FIELDS),
        migrations.AlterField(
            "report",
            "looked",
            models.DateTimeField(default=django.utils.timezone.now, help_text="When somebody last asked or, to the day, looked."),
        ),
    ]

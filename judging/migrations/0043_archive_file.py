from django.db import migrations


class Migration(migrations.Migration):
    """A model's name alone: the table keeps its own, so that the version before works with it."""

    dependencies = [
        ("judging", "0042_words"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Archived", "ArchiveFile"),
                migrations.AlterModelTable("archivefile", "judging_archived"),
                migrations.AlterModelOptions("archivefile", {"ordering": ["first", "id"]}),
            ]
        ),
    ]

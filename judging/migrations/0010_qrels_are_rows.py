from django.db import migrations


def read_files(apps, editor) -> None:
    """Read the file of each qrels version into rows. One that is missing or damaged is named, and never fails an upgrade."""
    from judging.collections.qrels_migration import read_all

    for problem in read_all(apps.get_model("judging", "Qrels")):
        print(f"\n  Grades that could not be read: {problem}. Put the file back and run manage.py read_qrels.")


class Migration(migrations.Migration):
    dependencies = [("judging", "0009_grades")]
    operations = [migrations.RunPython(read_files, migrations.RunPython.noop)]

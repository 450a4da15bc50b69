"""To the tables of before, and back: one migration after another, also those that newer databases were made without."""

from django.core.management import call_command

from judging.backups.versions import one_by_one


def migrate_back(to, *beside):
    """Bring the database to a migration, and give the models as they were then, and with these migrations of other apps."""
    executor = one_by_one()
    executor.migrate([to])
    return executor.loader.project_state([to, *beside]).apps


def migrate_on():
    call_command("migrate", interactive=False, verbosity=0)

from django.db import migrations

COLUMNS = "deed, about, by_id, created"  # study and collection become empty when those are deleted
POSTGRESQL = f"""
CREATE FUNCTION audit_is_kept() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'entries of the audit are never changed'; END $$;
CREATE TRIGGER audit_is_kept BEFORE DELETE OR UPDATE OF {COLUMNS} ON judging_auditentry
FOR EACH ROW EXECUTE FUNCTION audit_is_kept();"""
SQLITE = f"""
CREATE TRIGGER audit_is_kept BEFORE UPDATE OF {COLUMNS} ON judging_auditentry
BEGIN SELECT RAISE(ABORT, 'entries of the audit are never changed'); END;"""


def keep(apps, editor) -> None:
    """Not even a slip in SQL changes what was written down. (SQLite must let rows go: Django empties tables by deleting.)"""
    editor.execute(POSTGRESQL if editor.connection.vendor == "postgresql" else SQLITE, params=None)


def let_go(apps, editor) -> None:
    on = " ON judging_auditentry" if editor.connection.vendor == "postgresql" else ""
    editor.execute(f"DROP TRIGGER audit_is_kept{on}")
    if on:
        editor.execute("DROP FUNCTION audit_is_kept")


class Migration(migrations.Migration):
    dependencies = [("judging", "0001_initial")]
    operations = [migrations.RunPython(keep, let_go)]

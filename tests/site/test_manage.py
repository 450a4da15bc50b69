"""manage.py where the application was never started: it says so, and what to run."""

import pytest

from tests.judging.backups.places import Place


@pytest.mark.parametrize("command", [("create_user", "ada", "--researcher"), ("import_log", "shop", "queries.jsonl")])
def test_a_database_without_tables_is_said_in_words(tmp_path, command):
    done = Place(tmp_path, "empty").manage(*command, stdin="a long enough password\n")
    assert done.returncode == 1
    assert done.stderr.startswith("There are no tables in ")
    assert "make serve" in done.stderr and "Traceback" not in done.stderr

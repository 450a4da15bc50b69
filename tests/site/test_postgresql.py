"""Whether a connection to PostgreSQL still works: it is asked after a pause, and looked at in between."""

import pytest
from django.db import DatabaseError, connection

from ireval_site.postgresql.base import FRESH_SECONDS

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "postgresql", reason="PostgreSQL's own backend"),
]


@pytest.fixture
def other():
    """A connection beside the test's, as a thread of the web server has one."""
    other = connection.copy()
    run(other, "SELECT 'as a request'")
    yield other
    other.close()


def run(wrapper, statement, *values):
    with wrapper.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()[0]


def last_statement(wrapper):
    run(connection, "SELECT pg_stat_clear_snapshot()")  # else a transaction sees what it saw first
    pid = wrapper.connection.info.backend_pid
    return run(connection, "SELECT query FROM pg_stat_activity WHERE pid = %s", pid)


def test_a_connection_is_asked_first_and_after_a_pause_and_looked_at_in_between(other):
    assert other.is_usable()
    assert last_statement(other) == "SELECT 1"
    run(other, "SELECT 'as a request'")
    assert other.is_usable()
    assert "as a request" in last_statement(other)
    other.asked -= FRESH_SECONDS
    assert other.is_usable()
    assert last_statement(other) == "SELECT 1"


def test_after_an_error_it_is_asked(other):
    assert other.is_usable()
    run(other, "SELECT 'as a request'")
    assert other.is_usable()
    assert last_statement(other) != "SELECT 1"
    with pytest.raises(DatabaseError):
        run(other, "SELECT nothing_of_the_kind")
    other.errors_occurred = True  # as Django's wrapper of errors notes it
    assert other.is_usable()
    assert last_statement(other) == "SELECT 1"


def test_what_the_server_closed_is_found_at_once_and_the_next_request_goes_through(other):
    assert other.is_usable()
    run(connection, "SELECT pg_terminate_backend(%s, 5000)", other.connection.info.backend_pid)
    assert not other.is_usable()
    other.close()
    assert run(other, "SELECT 'again'") == "again"
    assert other.is_usable()

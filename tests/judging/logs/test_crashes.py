"""Redis is killed, then PostgreSQL, while events come in: nothing that was acknowledged is lost, and nothing is there twice.

`python -m benchmarks.crashes` does the same for longer.
"""

import pytest
from django.db import connection

pytestmark = [pytest.mark.database, pytest.mark.skipif(connection.vendor != "postgresql", reason="kills a PostgreSQL of its own")]


def test_nothing_acknowledged_is_lost():
    from benchmarks.crashes import survive

    outcome = survive(3)
    assert outcome["acknowledged"] > 0
    assert outcome["missing"] == 0

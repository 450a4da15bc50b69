"""What takes long to make, made once for all tests of a module. Each works in a savepoint above it and finds it as it was.

    db = sharing.db
    researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))
    pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("collection")]

All that a shared fixture asks for must be shared, too. `usefixtures` makes every test find it, whichever runs first.
"""

import copy
import functools
import inspect
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model
from django.test import override_settings

from tests.conftest import QUICK_HASHERS, draw_the_same_lots

rows: list[tuple[Model, dict[str, Any]]] = []  # which fixtures gave, and what was in them


@pytest.fixture(scope="module")
def db(request, django_db_setup, django_db_blocker, tmp_path_factory):
    """Open a transaction for the module, with a folder for stored files; give the folder."""
    folder = tmp_path_factory.mktemp("shared")
    settings = override_settings(MEDIA_ROOT=folder, PASSWORD_HASHERS=QUICK_HASHERS)
    block = transaction.atomic()
    block._from_testcase = True  # within it may stand what insists on committing by itself
    with django_db_blocker.unblock(), settings, pytest.MonkeyPatch.context() as monkeypatch, block:
        draw_the_same_lots(monkeypatch, request.node.nodeid)
        yield folder
        transaction.set_rollback(True)
    rows.clear()


def once(fixture: Callable) -> Any:
    """Make a fixture like this one, whose value all tests of the module share."""
    build = inspect.unwrap(fixture)

    @functools.wraps(build)
    def built(*arguments, **named):
        value = build(*arguments, **named)
        rows.extend(
            (row, copy.deepcopy(vars(row))) for row in (value if isinstance(value, list) else [value]) if isinstance(row, Model)
        )
        return value

    return pytest.fixture(scope="module")(built)


def restore() -> None:
    """Undo what a test did to shared rows in memory; its savepoint undid what it did to them in the database."""
    for row, state in rows:
        vars(row).clear()
        vars(row).update(copy.deepcopy(state))

"""What takes long to make, made once for all tests of a module. Each works in a savepoint above it and finds it as it was.

    db = sharing.db
    researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))
    pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("collection")]

All that a shared fixture asks for must be shared, too. `usefixtures` makes every test find it, whichever runs first. Who does
not ask for what is shared `on_request`, as reports are, does not find it.
"""

import copy
import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

import pytest
from django.db import transaction
from django.db.models import Model
from django.test import override_settings

from judging.models import Outbox
from tests.conftest import QUICK_HASHERS, draw_the_same_lots

rows: list[tuple[Model, dict[str, Any]]] = []  # which fixtures gave, and what was in them
requested: dict[str, Model] = {}  # those of them that are for tests which ask for them, by the fixture's name


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
    requested.clear()


def on_request(fixture: Callable) -> Any:
    """Make a fixture like this one, whose row those tests of the module share that ask for it; others do not find it."""
    return once(fixture, for_all=False)


def once(fixture: Callable, *, for_all: bool = True) -> Any:
    """Make a fixture like this one, whose value all tests of the module share."""
    build = inspect.unwrap(fixture)

    @functools.wraps(build)
    def built(*arguments, **named):
        value = build(*arguments, **named)
        rows.extend(
            (row, copy.deepcopy(vars(row))) for row in (value if isinstance(value, list) else [value]) if isinstance(row, Model)
        )
        if not for_all:
            requested[build.__name__] = value
            Outbox.objects.all().delete()  # what it sent has been taken
        return value

    return pytest.fixture(scope="module")(built)


def hide(names: Collection[str]) -> None:
    """Delete in its savepoint what a test does not ask for, which asks for the fixtures of these names."""
    for name, row in requested.items():
        if name not in names:
            type(row).objects.filter(pk=row.pk).delete()


def restore() -> None:
    """Undo what a test did to shared rows in memory; its savepoint undid what it did to them in the database."""
    for row, state in rows:
        vars(row).clear()
        vars(row).update(copy.deepcopy(state))

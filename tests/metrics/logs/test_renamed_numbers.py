"""Reports that were computed while some numbers had other names become those that are computed today."""

import json
from importlib import import_module

import pytest
from django.apps import apps

from metrics.models import Part, Report
from tests.metrics.logs.clicked_log import computed
from tests.metrics.logs.test_clicks_as_grades import collection, log, searched, workers  # noqa: F401
from tests.metrics.logs.test_interleaving_parts import clicks, experiment  # noqa: F401

pytestmark = pytest.mark.django_db
migration = import_module("metrics.migrations.0012_names_of_numbers")


def stored():
    return [list(model.objects.order_by("pk").values_list("pk", "result")) for model in (Report, Part)]


def before_and_after():
    """What is stored today, what the older version stored, and what that becomes."""
    today = stored()
    migration.backwards(apps, None)
    older = stored()
    migration.forwards(apps, None)
    return today, json.dumps(older), stored()


@pytest.mark.parametrize("experiment", ["team_draft"], indirect=True)
def test_of_interleaving(experiment, clicks, compute):  # noqa: F811
    compute(experiment)
    today, older, migrated = before_and_after()
    assert '"found": {' in older and '"analysis"' not in older
    assert migrated == today


def test_of_clicks(site, searched, workers):  # noqa: F811
    computed(site)
    today, older, migrated = before_and_after()
    assert '"said": ' in older and '"said_right": {' in older and '"impressions_right"' not in older
    assert migrated == today

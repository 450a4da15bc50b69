"""The admin's pages on studies' reports: to look at, without the megabytes that they keep."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from metrics.models import Hypothesis, Report

pytestmark = pytest.mark.django_db


def test_they_are_listed_and_can_be_deleted_but_not_written(client, admin, report):
    client.force_login(admin)
    assert "Bird study" in client.get(reverse("admin:metrics_report_changelist")).content.decode()
    shown = client.get(reverse("admin:metrics_report_change", args=[report.pk])).content.decode()
    assert report.digest in shown
    assert "Delete" in shown
    assert 'name="_save"' not in shown
    assert client.get(reverse("admin:metrics_report_add")).status_code == 403


def test_the_list_asks_as_often_for_many_verdicts_as_for_one(client, admin, collection):
    client.force_login(admin)
    address = reverse("admin:metrics_report_changelist")

    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert client.get(address).status_code == 200
        return len(captured)

    counts = []
    for number in range(3):
        systems = [collection.systems.create(name=f"{name} {number}", created_by=admin) for name in ("old", "new")]
        about = Hypothesis.objects.create(a=systems[0], b=systems[1], created_by=admin, expectations={})
        Report.objects.create(kind="verdict", hypothesis=about, spec={}, digest=f"{number:064}", created_by=admin)
        counts.append(queries())
    assert counts[1] == counts[2]

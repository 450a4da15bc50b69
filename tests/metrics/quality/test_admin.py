"""The admin's pages on studies' reports: to look at, without the megabytes that they keep."""

import pytest
from django.urls import reverse

pytestmark = pytest.mark.django_db


def test_they_are_listed_and_can_be_deleted_but_not_written(client, admin, report):
    client.force_login(admin)
    assert "Bird study" in client.get(reverse("admin:metrics_report_changelist")).content.decode()
    shown = client.get(reverse("admin:metrics_report_change", args=[report.pk])).content.decode()
    assert report.digest in shown
    assert "Delete" in shown
    assert 'name="_save"' not in shown
    assert client.get(reverse("admin:metrics_report_add")).status_code == 403

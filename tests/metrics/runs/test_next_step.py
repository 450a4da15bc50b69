"""A collection whose newest qrels have a report shows what it says, and leads on to a verdict."""

import pytest
from django.urls import reverse
from django.utils.html import escape

from judging.collections.storage import qrels_frame, store_qrels
from metrics.kinds.overview import sentence

pytestmark = pytest.mark.django_db


def test_a_report_on_the_newest_qrels_stands_there_until_there_are_newer_ones(
    rita, client, report, researcher, stranger, collection
):
    address = reverse("collection", args=[collection.pk])
    page = rita.get(address).content.decode()
    assert report.get_absolute_url() in page and escape(sentence(report, researcher)) in page
    assert f'href="{reverse("verdict_new")}?collection={collection.pk}"' in page
    assert "Make the report" not in page
    graded = qrels_frame(collection.qrels.order_by("pk").last()).select("topic", "docno", "grade")
    store_qrels(graded.head(1), collection=collection, name="newer", by=researcher)
    page = rita.get(address).content.decode()
    assert "Make the report" in page and escape(sentence(report, researcher)) not in page

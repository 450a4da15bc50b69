import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judging.models import Collection
from metrics import tasks
from metrics.pipeline import fail

pytestmark = pytest.mark.django_db


def listed(rita, query: str = "") -> str:
    return rita.get(f"/reports/{query}").content.decode()


def test_it_lists_every_report_with_its_state_the_newest_first(rita, ask, report, runs):
    running = ask(measures="AP", title="The running one")
    tasks.begin_report(running.pk)
    tasks.compute_part(running.pk, str(runs[0].pk))
    html = listed(rita)
    assert html.index("The running one") < html.index(report.title)
    assert "1 of 2" in html
    assert "Ready" in html


@pytest.mark.parametrize(
    ("query", "titles"),
    [("?state=failed", ["Failed one"]), ("?state=done", ["2 runs under"]), ("?state=nonsense", ["Failed one", "2 runs under"])],
)
def test_it_is_filtered_by_state(rita, ask, report, query, titles):
    fail(ask(measures="AP", title="Failed one").pk, "no luck")
    table = listed(rita, query).split("<tbody>")[1]
    assert [title for title in ("Failed one", "2 runs under") if title in table] == titles


def test_it_is_filtered_by_collection(rita, report, collection):
    fish = Collection.objects.create(name="Fish", owner=collection.owner)
    assert report.title in listed(rita, f"?collection={collection.pk}")
    assert "No reports like this" in listed(rita, f"?collection={fish.pk}")


def test_it_is_searched_by_title_and_by_what_reports_are_about(rita, report, collection):
    assert report.title in listed(rita, "?q=2 RUNS under") and report.title in listed(rita, "?q=birds")
    assert "No reports like this" in listed(rita, "?q=fish")


def test_an_empty_list_says_what_to_do(client, rita, stranger, collection):
    assert "/reports/new/" in listed(rita)
    client.force_login(stranger)
    html = client.get("/reports/").content.decode()
    assert "First, a collection" in html
    assert "New report" not in html


def test_asking_for_it_costs_the_same_however_many_there_are(rita, ask):
    counts = []
    for number in range(1, 7, 5):
        for step in range(number):
            ask(measures=f"P@{number * 10 + step}")
        with CaptureQueriesContext(connection) as queries:
            listed(rita)
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("address", ["/reports/", "/admin/metrics/report/", "/api/v1/reports/", "/api/v1/reports/all/"])
def test_lists_leave_tables_where_they_are(client, admin, report, address, django_assert_max_num_queries):
    """They may be megabytes for each report."""
    client.force_login(admin)
    with django_assert_max_num_queries(50) as queries:
        assert client.get(address).status_code == 200
    assert any('"metrics_report"."title"' in query["sql"] for query in queries)
    assert not any('"metrics_table"' in query["sql"] for query in queries)

"""Somebody deleted all files from the storage: every place that reads a run's says which, and what to do; grades are rows."""

import pytest
from django.core.files.storage import default_storage
from django.test import Client

from tests import conftest, sharing
from tests import world as worlds
from tests.routes import LINES, content_type, undone

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("gone")]

db = sharing.db
researcher, collection, runs, study = map(sharing.once, (conftest.researcher, conftest.collection, conftest.runs, conftest.study))
wim, compared, world = map(sharing.once, (worlds.wim, worlds.compared, worlds.world))
experiments, logged, clicked = map(sharing.once, (worlds.experiments, worlds.logged, worlds.clicked))


@sharing.once
def gone(world):
    """The world without a single stored file."""
    from django.core.cache import cache

    from judging.collections.storage import files_of
    from judging.models import Qrels, Run
    from judging.search import ranking
    from judging.studies import power

    for name in [name for kept in [*Run.objects.all(), *Qrels.objects.all()] for name in files_of(kept)]:
        default_storage.delete(name)
    cache.clear()
    power.deviations_of.cache_clear()
    ranking.ranking_of.cache_clear()
    return world


@pytest.fixture
def client(gone, researcher):
    client = Client(raise_request_exception=False)
    client.force_login(researcher)
    return client


def attempt(client, method, address, body=None):
    cookies = dict(client.cookies)
    with undone():
        response = client.generic(method, address, body or b"", content_type=content_type(method, address))
        text = b"".join(response.streaming_content) if response.streaming else response.content
    client.cookies.clear()
    client.cookies.update(cookies)
    return response.status_code, text.decode(errors="replace")


READERS = [
    ("GET", "/collections/topics/{topic}/"),
    ("GET", "/collections/runs/{run}/"),
    ("GET", "/collections/runs/{run}/ranking/?topic=1"),
    ("GET", "/reports/{report}/topic/?topic=1"),
    ("GET", "/studies/{draft}/"),
    ("GET", "/studies/{draft}/preview/"),
    ("GET", "/studies/{draft}/launch/"),
    ("POST", "/studies/{draft}/launch/"),
    ("GET", "/api/v1/runs/{run}/download/"),
    ("GET", "/api/v1/runs/{run}/download/?format=parquet"),
    ("GET", "/api/v1/studies/{draft}/plan/"),
    ("POST", "/api/v1/studies/{draft}/launch/"),
]


OF_GRADES = [
    "/collections/qrels/{qrels}/",
    "/collections/qrels/{qrels}/grades.csv",
    "/api/v1/qrels/{qrels}/download/",
    "/api/v1/qrels/{qrels}/download/?format=parquet",
    "/sites/{clicked}/clicks/grades/",
]


@pytest.mark.parametrize("address", OF_GRADES)
def test_grades_need_no_file(client, gone, address):
    assert attempt(client, "GET", address.format(**gone))[0] == 200


@pytest.mark.parametrize(("method", "address"), READERS)
def test_whoever_reads_a_missing_file_says_which_and_what_to_do(client, gone, method, address):
    status, text = attempt(client, method, address.format(**gone))
    assert status == 409
    assert "is missing from the storage" in text
    assert "Put it back from a backup" in text
    assert ".parquet)" in text


@pytest.mark.slow
def test_no_address_answers_with_a_server_error(client, gone):
    asked = [(method, path) for method, path, *answers in LINES if "503" not in answers]
    failed = [(method, path) for method, path in asked if attempt(client, method, path.format(**gone))[0] >= 500]
    assert failed == []


def test_nothing_of_a_launch_remains(client, gone):
    from judging.models import Item, Study

    attempt(client, "POST", f"/api/v1/studies/{gone['draft']}/launch/")
    assert Study.objects.get(pk=gone["draft"]).state == "draft"
    assert not Item.objects.filter(study=gone["draft"]).exists()


def test_a_visitor_reads_no_names_of_runs(gone, runs, researcher):
    from judging.experiments import drafts, lifecycle
    from judging.models import Arm, Site

    site = Site.objects.get(slug=gone["search"])
    arms = [Arm(name="control", is_control=True, run=runs[0]), Arm(name="new", run=runs[1])]
    lifecycle.start(drafts.create(site, by=researcher, name="of runs", arms=arms), by=researcher)
    status, text = attempt(Client(raise_request_exception=False), "GET", "/search/birds/?q=diet+of+owls")
    assert status == 409
    assert "A file is missing" in text
    assert "alpha" not in text
    assert "beta" not in text


def test_a_report_fails_with_the_reason(gone, runs, researcher):
    from judging.models import Qrels
    from metrics.kinds.runs.question import request_report
    from metrics.tasks import begin_report, compute_part

    report = request_report(
        by=researcher, collection=runs[0].collection, runs=[runs[1]], qrels=[Qrels.objects.get(pk=gone["qrels"])]
    )
    begin_report(report.pk)
    compute_part(report.pk, str(runs[1].pk))
    report.refresh_from_db()
    assert report.state == "failed"
    assert "beta” is missing" in report.error
    assert runs[1].file.name not in report.error, "its readers may not be those of the storage"


def test_a_report_of_clicks_needs_no_file(gone):
    from judging.models import Site
    from metrics import tasks
    from metrics.kinds.clicks.freshness import request_click_report

    report = request_click_report(Site.objects.get(pk=gone["clicked"]), days=None)
    tasks.begin_report(report.pk)
    for number in report.parts.values_list("name", flat=True):
        tasks.compute_part(report.pk, number)
    report.refresh_from_db()
    assert (report.state, report.error) == ("done", "")


def test_documents_are_refused_with_the_reason(gone, researcher):
    from django.core.files.base import ContentFile

    from judging.collections.uploads import receive_whole
    from judging.models import Collection
    from judging.tasks import check_upload

    file = ContentFile(b"docno,text\nd7,Terns fly far.\n", name="more.csv")
    upload = receive_whole(file, collection=Collection.objects.get(pk=gone["collection"]), kind="documents", by=researcher)
    check_upload(upload=str(upload.pk))
    upload.refresh_from_db()
    assert upload.state == "failed"
    assert "alpha” is missing from the storage" in upload.problems[0]["message"]

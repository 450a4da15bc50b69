"""Reports are for those who may read the collection and all the qrels; for everybody else they do not exist."""

import pytest

from judging.models import Collection, User
from metrics.access import own_reports_for, run_reports_for
from metrics.models import Report

pytestmark = pytest.mark.django_db

PAGES = ["", "delete/", "download/means.csv", "download/report.json"]


@pytest.fixture
def worker():
    return User.objects.create_user("wim", password="a long enough password")


def statuses(client, user, report) -> list[int]:
    client.force_login(user)
    part = report.parts.first()
    paths = [f"/reports/{report.pk}/{page}" for page in [*PAGES, f"trec/{part.qrels_id}/{part.run_id}"]]
    return [client.get(path).status_code for path in paths] + [client.post(f"/reports/{report.pk}/retry/").status_code]


def test_strangers_and_workers_find_nothing(client, report, stranger, worker):
    for user in (stranger, worker):
        assert statuses(client, user, report) == [404] * 6
        assert not run_reports_for(user).exists()
        assert client.post(f"/reports/{report.pk}/delete/").status_code == 404
    assert Report.objects.exists()


def test_the_researcher_and_admins_find_it(client, report, researcher, admin):
    for user in (researcher, admin):
        assert statuses(client, user, report) == [200] * 5 + [302]


def test_without_an_account_one_is_asked_to_sign_in(client, report):
    for path in ("/reports/", "/reports/new/", f"/reports/{report.pk}/", f"/reports/{report.pk}/download/means.csv"):
        response = client.get(path)
        assert (response.status_code, response["Location"].split("?")[0]) == (302, "/login/")


def test_readers_of_a_shared_collection_see_its_reports_and_delete_none(client, report, collection, stranger):
    collection.shared = True
    collection.save()
    assert statuses(client, stranger, report) == [200, 404, 200, 200, 200, 302]
    assert not own_reports_for(stranger).exists()


def test_a_report_on_a_studys_qrels_is_for_its_members_only(ask, settled, qrels, stranger, researcher):
    """Also when only one of several qrels is the study's."""
    Collection.objects.update(shared=True)
    both = ask(qrels=[qrels, settled])
    assert not run_reports_for(stranger).exists()
    settled.study.members.add(stranger)
    assert list(run_reports_for(stranger)) == [both]
    settled.study.members.remove(researcher)
    assert list(run_reports_for(researcher)) == [both]  # who settled the qrels


def test_who_may_ask_may_also_see_the_answer_to_the_same_question(ask, collection, stranger, researcher):
    collection.shared = True
    collection.save()
    first, second = ask(by=stranger), ask(by=researcher)
    assert first == second
    assert list(run_reports_for(stranger)) == list(run_reports_for(researcher)) == [first]
    assert list(own_reports_for(researcher)) == [first]  # it stands on the researcher's collection


def test_the_list_shows_only_what_one_may_open(client, report, stranger):
    client.force_login(stranger)
    assert report.title not in client.get("/reports/").content.decode()

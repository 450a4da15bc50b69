"""The list of all reports: of every kind, for whoever may see it, each with what it found in one sentence."""

from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils.html import escape
from rest_framework.test import APIClient

from judging.models import AuditEntry, Collection, Site, Study, User
from metrics.access import reports_for
from metrics.kinds.glances import FIGURES
from metrics.kinds.overview import sentence, with_sentences
from metrics.kinds.registry import KINDS
from metrics.kinds.report_kinds import REPORT_KINDS
from metrics.models import PAGES, SUBJECTS, SUPERSEDING, Report
from tests.world import asked_about

pytestmark = pytest.mark.django_db

DONE = {"state": "done", "engine_version": "1"}


def made(kind, subject, **facts) -> Report:
    about = {
        "runs": "collection",
        "ab": "experiment",
        "interleaving": "experiment",
        "clicks": "site",
        "verdict": "hypothesis",
    }.get(kind, "study")
    return Report.objects.create(kind=kind, **{about: subject}, **{"spec": {}, "engine_version": "1"} | facts)


@pytest.fixture
def world(collection, study, researcher, ask):
    """A waiting report of every kind; all are the researcher's."""
    from judging.models import Experiment, Site

    compared = Study.objects.create(collection=collection, name="Sides", kind="side_by_side", created_by=researcher)
    compared.members.add(researcher)
    site = Site.objects.create(name="Bird search", slug="birds", owner=researcher)
    ab = Experiment.objects.create(site=site, name="ranking", created_by=researcher)
    merged = Experiment.objects.create(site=site, name="merged", kind="interleaving", created_by=researcher)
    subjects = {"quality": study, "preferences": compared, "ab": ab, "interleaving": merged, "clicks": site}
    subjects["verdict"] = asked_about(collection, researcher)
    return {"runs": ask(), **{kind: made(kind, subject) for kind, subject in subjects.items()}}


def kinds_for(user) -> set[str]:
    return set(reports_for(user).values_list("kind", flat=True))


def a_reader(world) -> User:
    reader = User.objects.create_user("rosa", is_researcher=True)
    world["clicks"].site.readers.add(reader)
    return reader


def a_member(world) -> User:
    member = User.objects.create_user("mia", is_researcher=True)
    world["quality"].study.members.add(member)
    return member


def a_reader_of_the_collection(world) -> User:
    Collection.objects.update(shared=True)
    return User.objects.create_user("carl", is_researcher=True)


EVERY = set(Report.Kind.values)
PEOPLE = [
    (lambda world: User.objects.get(username="rita"), EVERY),
    (lambda world: User.objects.create_superuser("ada"), EVERY),
    (a_reader, {"ab", "interleaving", "clicks"}),
    (a_member, {"runs", "quality"}),  # who runs a study may read its collection
    (a_reader_of_the_collection, {"runs"}),
    (lambda world: User.objects.create_user("sam", is_researcher=True), set()),
    (lambda world: User.objects.create_user("wim"), set()),
]


@pytest.mark.parametrize(("person", "sees"), PEOPLE)
def test_each_kind_is_for_whom_its_page_is_for(client, world, person, sees):
    user = person(world)
    assert kinds_for(user) == sees
    client.force_login(user)
    html = client.get("/reports/").content.decode()
    api = APIClient()
    api.force_authenticate(user)
    listed = api.get("/api/v1/reports/all/").json()["results"]
    assert {row["kind"] for row in listed} == sees
    for kind, report in world.items():
        address = report.get_absolute_url()
        assert (f'href="{address}"' in html) == (kind in sees)
        assert client.get(address).status_code == (200 if kind in sees else 404)


def test_the_dashboard_lists_the_latest_of_every_kind(client, world):
    client.force_login(a_reader(world))
    latest = client.get("/").content.decode().partition("What is known")[2].partition("</section>")[0]
    assert {kind for kind, report in world.items() if f'href="{report.get_absolute_url()}"' in latest} == {
        "ab",
        "interleaving",
        "clicks",
    }


def test_a_run_report_on_qrels_of_a_study_stays_with_its_members(world, ask, settled):
    reader = a_reader_of_the_collection(world)
    hidden = ask(qrels=[settled])
    assert hidden not in reports_for(reader)
    assert world["runs"] in reports_for(reader)


def test_filters_choose_a_kind_a_collection_and_a_state(rita, world, collection):
    def listed(query) -> set[str]:
        table = rita.get(f"/reports/{query}").content.decode()
        return {kind for kind, report in world.items() if f'href="{report.get_absolute_url()}"' in table}

    assert listed("?kind=ab") == {"ab"}
    assert listed("?kind=nonsense&state=nonsense") == EVERY
    assert listed(f"?collection={collection.pk}") == {"runs", "quality", "preferences", "verdict"}
    Site.objects.update(collection=collection)
    assert listed(f"?collection={collection.pk}") == EVERY
    assert listed(f"?collection={collection.pk + 1}") == EVERY, "of an unknown one as if none were chosen"
    assert listed("?state=done") == set()
    assert 'value="ab" selected' in rita.get("/reports/?kind=ab").content.decode()


def test_the_api_gives_kind_subject_state_and_page(world, researcher):
    api = APIClient()
    api.force_authenticate(researcher)
    answer = api.get("/api/v1/reports/all/?kind=quality").json()
    study = world["quality"].study
    (report,) = answer["results"]
    assert report["subject"] == {"type": "study", "id": study.pk, "name": study.name}
    assert (report["kind"], report["state"], report["sentence"]) == ("quality", "waiting", "")
    assert report["url"] == f"/studies/{study.pk}/quality/"
    of_the_collection = api.get(f"/api/v1/reports/all/?collection={study.collection_id}").json()["results"]
    assert {report["kind"] for report in of_the_collection} == {"runs", "quality", "preferences", "verdict"}
    assert api.get("/api/v1/reports/").json()["count"] == 1  # those on runs, as ever


def test_asking_for_it_costs_the_same_however_many_there_are(rita, world, report, researcher):
    counts = []
    for number in (0, 5):
        for _ in range(number):
            study = Study.objects.create(collection=report.collection, name=str(uuid4()), created_by=researcher)
            study.members.add(researcher)
            made("quality", study, **DONE).parts.create(name="agreement", result=NO_VOTES)
            made("clicks", site_of(world, researcher), **DONE, result={"impressions": 0, "users": 0})
        with CaptureQueriesContext(connection) as queries:
            assert rita.get("/reports/").status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


NO_VOTES = {"coefficients": [], "votes": 0, "items": 0, "workers": 0, "simulated": 0}


def site_of(world, owner):
    from judging.models import Site

    name = str(uuid4())
    return Site.objects.create(name=name, slug=name, owner=owner)


def test_a_report_is_about_what_its_kind_says(world, study):
    with pytest.raises(IntegrityError, match="a_report_is_about_what_its_kind_says"):
        made("quality", study, collection=study.collection, state="done")


@pytest.mark.parametrize("kind", sorted(EVERY - {"runs"}))
def test_one_unfinished_report_is_about_something(world, kind):
    with pytest.raises(IntegrityError), transaction.atomic():
        made(kind, world[kind].subject)
    made(kind, world[kind].subject, state="done")


def test_every_kind_can_be_computed_shown_and_told():
    assert set(KINDS) == set(REPORT_KINDS) == set(FIGURES) == set(SUBJECTS) == set(PAGES) == EVERY
    assert {name for name, entry in REPORT_KINDS.items() if entry.comparison} == set(SUPERSEDING) == EVERY - {"runs"}


def test_who_takes_a_file_of_a_report_on_runs_away_is_noted(rita, report):
    addresses = [f"/reports/{report.pk}/download/means.csv", f"/api/v1/reports/{report.pk}/download/?file=topics.csv"]
    assert [rita.get(address).status_code for address in addresses] == [200, 200]
    assert rita.get(f"/reports/{report.pk}/download/nothing.csv").status_code == 404
    taken = AuditEntry.objects.filter(deed=AuditEntry.Deed.EXPORTED, collection_id=report.collection_id).order_by("pk")
    assert [entry.about for entry in taken] == [f"report “{report}”, means.csv", f"report “{report}”, topics.csv"]


def sentence_of(report, user) -> str:
    return sentence(with_sentences(Report.objects.all()).get(pk=report.pk), user)


def test_runs_say_which_is_best(report, researcher):
    assert "has the highest nDCG@10" in sentence_of(report, researcher)


def test_a_failed_one_says_why_and_an_unfinished_one_nothing(world, researcher):
    assert sentence_of(world["ab"], researcher) == ""
    Report.objects.filter(pk=world["ab"].pk).update(state="failed", error="The disk is full.")
    assert sentence_of(world["ab"], researcher) == "The disk is full."


def test_the_admin_shows_reports_sites_and_experiments_and_changes_none(client, world, admin):
    client.force_login(admin)
    everything = client.get("/admin/metrics/report/").content.decode()
    shown = [*world.values(), world["ab"].experiment]
    for instance in shown:
        assert instance not in world.values() or escape(str(instance)) in everything
        page = client.get(reverse(f"admin:{instance._meta.app_label}_{instance._meta.model_name}_change", args=[instance.pk]))
        assert page.status_code == 200
        assert 'name="_save"' not in page.content.decode()
    assert client.get("/admin/judging/site/").content.decode().count("Bird search") == 1
    assert "ranking" in client.get("/admin/judging/experiment/").content.decode()

"""The first page and the header above every page: what each person is offered, and how much the dashboard asks."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.models import Collection, Experiment, Site, Study, System, User
from metrics.models import Report

pytestmark = pytest.mark.django_db
RESEARCH = ["verdicts", "studies", "collections", "reports", "sites"]


def navigation(client, address="home"):
    """The addresses in the header, in their order."""
    page = client.get(reverse(address)).content.decode()
    return re.findall(r'href="([^"]+)"', page.partition("site-nav")[2].partition("</nav>")[0])


@pytest.mark.parametrize("address", ["home", "studies", "verdicts", "verdict_new"])
def test_every_researcher_finds_verdicts_at_the_same_place(rita, address):
    assert navigation(rita, address) == [reverse(name) for name in RESEARCH]


def test_workers_see_their_own_work_in_the_header(client):
    client.force_login(User.objects.create_user("wim"))
    assert navigation(client) == [reverse("home"), reverse("open_call")]


@pytest.mark.parametrize("address", ["reports", "studies", "collections", "verdicts", "verdict_new"])
def test_workers_are_led_back_to_their_work_and_to_no_collection(client, address):
    client.force_login(User.objects.create_user("wim"))
    page = client.get(reverse(address)).content.decode()
    assert "are for researchers" in page
    assert reverse("collection_new") not in page
    assert re.findall(r'<a class="button[^>]*>([^<]+)</a>', page) == ["Your studies"]


def test_visitors_read_of_verdicts_on_the_first_page(client):
    assert "one verdict" in client.get(reverse("home")).content.decode()


def test_a_question_that_nobody_looked_at_is_there_too(rita, researcher, collection):
    from judging.collections.hypotheses import ask
    from judging.models.hypothesis import USUAL

    a, b = (System.objects.create(collection=collection, name=name, created_by=researcher) for name in ("lexical", "dense"))
    asked = ask(a, b, by=researcher, expectations=USUAL)
    page = rita.get(reverse("home")).content.decode()
    assert f'<a href="{reverse("verdict", args=[asked.pk])}">dense against lexical</a>' in page
    assert "Nobody has looked yet." in page


def test_running_studies_are_shown_before_newer_ones_that_are_not(rita, running, researcher, collection):
    for number in range(15):
        closed = Study.objects.create(collection=collection, name=f"s{number}", state="closed", created_by=researcher)
        closed.members.add(researcher)
    page = rita.get(reverse("home")).content.decode()
    assert running.name in page
    assert all(f'href="{reverse(name)}"' in page for name in ("verdicts", "studies", "reports", "experiments"))


def test_admins_see_everybodys(client, admin, running, researcher):
    site = Site.objects.create(name="Aviary", owner=researcher)
    Experiment.objects.create(site=site, name="colours", created_by=researcher)
    client.force_login(admin)
    page = client.get(reverse("home")).content.decode()
    assert running.name in page
    assert "colours" in page


def test_many_reports_cost_the_dashboard_no_more_queries_than_one(rita, researcher):
    def queries():
        with CaptureQueriesContext(connection) as captured:
            rita.get(reverse("home"))
        return len(captured)

    collections = [Collection.objects.create(name=f"c{number}", owner=researcher) for number in range(30)]
    before = queries()
    for collection in collections:
        Report.objects.create(kind="runs", collection=collection, spec={"runs": []}, engine_version="1", state="waiting")
    assert queries() <= before + 2

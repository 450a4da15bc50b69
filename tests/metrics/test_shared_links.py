"""Reports shared by a link: what whoever has it sees, for how long, and who made it."""

import html
import re
from datetime import timedelta
from xml.etree import ElementTree

import pytest
import time_machine
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judging.models import AuditEntry, Collection, User
from judging.recruiting.invites import token_of
from metrics.kinds.verdict.results import VerdictResults
from metrics.models import SharedLink
from metrics.shared_links import revoke, share
from tests import conftest, sharing
from tests.metrics.quality import conftest as quality
from tests.metrics.verdict import conftest as verdicts

pytestmark = [pytest.mark.django_db, pytest.mark.one_database, pytest.mark.usefixtures("answered")]
db = sharing.db
researcher, collection, make_worker = map(sharing.once, (conftest.researcher, conftest.collection, conftest.make_worker))
birds, systems, hypothesis, voted = map(sharing.once, (verdicts.birds, verdicts.systems, verdicts.hypothesis, verdicts.voted))
compute, computed = map(sharing.once, (quality.compute, verdicts.computed))


def address_of(link):
    return reverse("shared", args=[token_of(link)])


def opened(link):
    return Client().get(address_of(link))


@sharing.once
def answered(hypothesis, voted, computed):
    return computed(hypothesis)


def test_a_verdict_is_read_without_an_account(answered, researcher):
    response = opened(share(answered.subject, days=30, by=researcher))
    page = response.content.decode()
    assert VerdictResults(answered).sentence in page
    assert page.count('<svg class="forest"') == 2
    assert "Side-by-side votes" in page
    assert '<meta name="robots" content="noindex, nofollow">' in page
    assert response["Referrer-Policy"] == "no-referrer"
    assert "no-store" in response["Cache-Control"]


def test_a_report_on_runs_is_read_without_an_account(report, researcher):
    page = opened(share(report, days=30, by=researcher)).content.decode()
    assert "beta has the highest" in page or "alpha has the highest" in page
    assert 'data-figure="bars-figure"' in page
    tables = re.findall(r"<table.*?</table>", page, re.DOTALL)
    answer, *means = tables
    assert '<svg class="forest"' in answer
    assert len(means) == 2
    assert "nDCG@10" in page


def test_it_names_nobody_and_leads_nowhere(answered, report, researcher):
    for subject in (answered.subject, report):
        page = opened(share(subject, days=30, by=researcher)).content.decode()
        assert "rita" not in page.lower()
        assert "<form" not in page
        links = [link for link in re.findall(r'(?:href|action|hx-get)="([^"]*)"', page) if not link.startswith("/static/")]
        assert links == ["#main"]
        without_nonces = re.sub(r'nonce="[^"]*"', "", page)  # chance: one may begin with a slash
        assert not re.search(r'"/(?!static/)\w', without_nonces)


def test_it_shows_the_newest_verdict(answered, computed, collection, researcher):
    from judging.collections.storage import store_qrels
    from tests.metrics.verdict.conftest import frame

    link = share(answered.subject, days=30, by=researcher)
    grades = frame([("100", "b0", 2), ("101", "b1", 2)], ["topic", "docno", "grade"])
    store_qrels(grades, collection=collection, name="experts again", by=researcher)
    topics = r'(\d+) <span class="muted small">topics'
    assert re.findall(topics, opened(link).content.decode()) == ["24"]
    computed(answered.subject)
    assert re.findall(topics, opened(link).content.decode()) == ["2"]


def test_unknown_revoked_and_expired_links_are_the_same_404(report, researcher):
    revoked, expired = (share(report, days=days, by=researcher) for days in (7, 30))
    revoke(revoked, by=researcher)
    SharedLink.objects.filter(pk=expired.pk).update(expires=timezone.now())
    answers = [Client().get(path) for path in ("/shared/nothing/", address_of(revoked), address_of(expired))]
    assert {answer.status_code for answer in answers} == {404}
    own = rb'(?:name="csrfmiddlewaretoken" |name="next"\s*)value="[^"]*"'  # of the form that changes the language
    assert len({re.sub(own, b"", answer.content) for answer in answers}) == 1
    assert {answer["Referrer-Policy"] for answer in answers} == {"no-referrer"}


def test_it_works_for_as_long_as_was_chosen(report, researcher):
    link = share(report, days=7, by=researcher)
    for days, status in ((6.9, 200), (7.1, 404)):
        with time_machine.travel(timezone.now() + timedelta(days=days)):
            assert opened(link).status_code == status


def test_it_stops_when_whoever_made_it_loses_access(report, stranger):
    Collection.objects.update(shared=True)
    link = share(report, days=30, by=stranger)
    assert opened(link).status_code == 200
    Collection.objects.update(shared=False)
    assert opened(link).status_code == 404


@pytest.mark.parametrize("loss", ["is_active", "is_researcher"])
def test_it_stops_when_the_asker_of_a_verdict_may_no_longer_research(answered, researcher, loss):
    link = share(answered.subject, days=30, by=researcher)
    User.objects.filter(pk=researcher.pk).update(**{loss: False})
    assert opened(link).status_code == 404


def test_a_report_that_is_computed_anew_is_not_shown_meanwhile(report, researcher):
    from metrics.pipeline import compute_anew

    link = share(report, days=30, by=researcher)
    compute_anew(report)
    assert opened(link).status_code == 404


def test_the_table_holds_no_secret(report, researcher):
    link = share(report, days=30, by=researcher)
    kept = "".join(map(str, SharedLink.objects.values_list(*[field.name for field in SharedLink._meta.fields])))
    assert token_of(link) not in kept
    assert token_of(link) not in "".join(AuditEntry.objects.values_list("about", flat=True))


def test_a_link_shows_one_thing(report, hypothesis, researcher):
    with pytest.raises(IntegrityError):
        SharedLink.objects.create(
            report=report, hypothesis=hypothesis, nonce="n", token_hash="h", created_by=researcher, expires=timezone.now()
        )


def test_links_are_made_and_revoked_on_the_page(rita, answered, report):
    for subject, page, made in ((answered.subject, "verdict", "verdict_share"), (report, "report", "report_share")):
        rita.post(reverse(made, args=[subject.pk]), {"days": "90"})
        link = SharedLink.objects.get(revoked=None)
        assert timedelta(days=89) < link.expires - timezone.now() <= timedelta(days=90)
        shown = f"http://testserver{address_of(link)}"
        assert shown in rita.get(reverse(page, args=[subject.pk])).content.decode()
        rita.post(reverse("shared_link_revoke", args=[link.pk]))
        assert shown not in rita.get(reverse(page, args=[subject.pk])).content.decode()
        assert Client().get(address_of(link)).status_code == 404
    notes = AuditEntry.objects.filter(collection=report.collection, about__startswith="link")
    assert list(notes.values_list("deed", flat=True)) == ["revoked", "invited"] * 2


def test_how_long_it_works_is_chosen_from_what_there_is(rita, report):
    page = rita.post(reverse("report_share", args=[report.pk]), {"days": "4000"}, follow=True).content.decode()
    assert "No link was made" in page
    assert not SharedLink.objects.exists()


def test_whoever_reads_a_report_on_runs_sees_own_links_and_its_owner_all(client, rita, report, stranger, researcher):
    """Sid may read the collection: he shares it, does not see Rita's link, and cannot revoke it."""
    Collection.objects.update(shared=True)
    hers = share(report, days=30, by=researcher)
    client.force_login(stranger)
    client.post(reverse("report_share", args=[report.pk]), {"days": "7"})
    page = client.get(reverse("report", args=[report.pk])).content.decode()
    his = SharedLink.objects.get(created_by=stranger)
    assert (address_of(his) in page, address_of(hers) in page) == (True, False)
    assert client.post(reverse("shared_link_revoke", args=[hers.pk])).status_code == 404
    client.force_login(researcher)
    page = client.get(reverse("report", args=[report.pk])).content.decode()
    assert (address_of(his) in page, address_of(hers) in page) == (True, True)


def test_the_figure_stands_in_other_pages_and_goes_with_its_link(answered, report, researcher):
    for subject, says in ((answered.subject, VerdictResults(answered).sentence), (report, "has the highest")):
        link = share(subject, days=30, by=researcher)
        response = Client().get(address_of(link) + "figure.svg")
        assert (response.status_code, response["Content-Type"]) == (200, "image/svg+xml")
        drawn = ElementTree.fromstring(response.content)
        assert says.split(" (")[0] in drawn.attrib["aria-label"]
        assert drawn.find(".//{http://www.w3.org/2000/svg}circle") is not None
        assert not re.search(rb"(href|style|script|rita)", response.content)
        revoke(link, by=researcher)
        assert Client().get(address_of(link) + "figure.svg").status_code == 404


def test_the_menu_has_the_figure_for_other_pages(rita, report, researcher):
    link = share(report, days=30, by=researcher)
    menu = html.unescape(html.unescape(rita.get(reverse("report", args=[report.pk])).content.decode()))
    assert f'<img src="http://testserver{address_of(link)}figure.svg" alt="{report.title}">' in menu


def test_a_program_makes_shows_and_revokes_links(rita, answered, report):
    for address in (f"/api/v1/verdicts/{answered.subject.pk}/links/", f"/api/v1/reports/{report.pk}/links/"):
        made = rita.post(address, {"days": 7}, "application/json")
        assert made.status_code == 201
        link = made.json()
        assert rita.get(address).json() == [link]
        assert Client().get(link["page"]).status_code == Client().get(link["figure"]).status_code == 200
        assert rita.delete(f"/api/v1/links/{link['id']}/").status_code == 204
        assert Client().get(link["page"]).status_code == 404
        assert rita.get(address).json() == []
        assert rita.post(address, {"days": 8}, "application/json").json()["days"]

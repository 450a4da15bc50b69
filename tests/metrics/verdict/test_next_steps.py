"""What to do next about a question: what is missing where nothing is known, what would settle it, where systems come from."""

from html import unescape

import pytest
from django.urls import reverse

from judging.models import Arm, Collection, Experiment, Run, Site, Study
from metrics.kinds.verdict.next_steps import missing
from metrics.models import Report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def gaps(hypothesis):
    return {gap.kind: (gap.lacks, [address for _, address in gap.links]) for gap in missing(hypothesis)}


def test_what_is_missing_leads_to_where_it_is_collected(rita, hypothesis, collection, computed):
    collection.qrels.all().delete()
    steps = gaps(hypothesis)
    assert {kind: lacks for kind, (lacks, _) in steps.items()} == {
        "Grades": "no qrels",
        "Side-by-side votes": "no study compares the two",
        "What users do": "no experiment has an arm of each",
    }
    computed(hypothesis)
    page = unescape(rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode())
    addresses = [address for _, links in steps.values() for address in links]
    assert all(f'href="{address}"' in page and rita.get(address).status_code == 200 for address in addresses)
    assert 'id="missing"' in page
    assert f"{reverse('verdict', args=[hypothesis.pk])}#missing" in rita.get(reverse("verdicts")).content.decode()


def test_without_runs_of_both_systems_it_says_whose_are_missing(hypothesis, collection):
    hypothesis.b.versions.first().runs.update(version=None)
    assert gaps(hypothesis)["Grades and votes"] == (
        "no run of dense",
        [reverse("collection_systems", args=[collection.pk]), reverse("upload_new", args=[collection.pk])],
    )


def test_a_comparison_without_votes_and_an_experiment_that_waits_are_named(hypothesis, collection, birds, systems, researcher):
    collection.qrels.all().delete()
    study = Study.objects.create(collection=collection, name="Sides", kind="side_by_side", created_by=researcher)
    study.runs.set(birds.values())
    study.members.add(researcher)
    site = Site.objects.create(name="Aviary", owner=researcher, collection=collection)
    experiment = Experiment.objects.create(site=site, name="colours", created_by=researcher)
    for system in systems.values():
        Arm.objects.create(experiment=experiment, name=system.name, version=system.versions.first())
    steps = gaps(hypothesis)
    assert steps["Side-by-side votes"] == ("nobody has voted in “Sides”", [reverse("study", args=[study.pk])])
    assert steps["What users do"] == ("“colours” has not started", [reverse("experiment", args=[experiment.pk])])


def test_with_any_evidence_nothing_is_missing(hypothesis):
    assert missing(hypothesis) == []


def test_what_is_not_settled_leads_on_from_the_list(rita, hypothesis, voted, computed):
    report, leads_on = computed(hypothesis), f"{reverse('verdict', args=[hypothesis.pk])}#settle"
    assert leads_on not in rita.get(reverse("verdicts")).content.decode()
    Report.objects.filter(pk=report.pk).update(result=report.result | {"outcome": "unknown"})
    assert leads_on in rita.get(reverse("verdicts")).content.decode()
    assert leads_on in rita.get(reverse("home")).content.decode()


def test_reports_say_who_asked_for_a_verdict(rita, hypothesis, voted, computed, researcher):
    computed(hypothesis)
    row = rita.get(reverse("reports")).content.decode().partition("<tbody>")[2]
    assert f">{researcher}</td>" in row


def test_whoever_has_no_systems_is_led_to_where_they_come_from(client, stranger, collection, birds):
    def leads_to():
        pages = [client.get(reverse(name)).content.decode() for name in ("verdict_new", "verdicts")]
        assert all("It takes two systems" in page for page in pages)
        assert len({page.partition('class="empty')[2].partition("</div>")[0] for page in pages}) == 1
        return unescape(pages[0])

    client.force_login(stranger)
    assert f'href="{reverse("collection_new")}"' in leads_to()
    Collection.objects.filter(pk=collection.pk).update(shared=True)
    assert reverse("collection_systems", args=[collection.pk]) not in leads_to()  # it is not theirs
    own = Collection.objects.create(name="Fish", owner=stranger)
    assert f'href="{reverse("upload_new", args=[own.pk])}"' in leads_to()
    Run.objects.filter(pk=birds["dense-v2"].pk).update(collection=own)
    page = leads_to()
    assert f'href="{reverse("collection_systems", args=[own.pk])}"' in page
    assert "Name the systems of Fish" in page


def test_whoever_has_arms_alone_is_led_to_their_sites_systems(client, stranger):
    client.force_login(stranger)
    site = Site.objects.create(name="Aviary", owner=stranger)
    Experiment.objects.create(site=site, name="colours", created_by=stranger)
    assert f'href="{reverse("site_systems", args=[site.pk])}"' in client.get(reverse("verdict_new")).content.decode()

"""The demo's search site and its simulated visitors: marked as such, each in one experiment, and served by its lists."""

from collections import defaultdict
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from judging.demo import visitors
from judging.demo.visitors import send, visits, world_of
from judging.experiments import arms
from judging.experiments.arms import arms_of
from judging.experiments.lifecycle import stop
from judging.logs import keys
from judging.models import Event, Experiment, Quarantined, Query, Site
from metrics.demo import request_log_reports
from metrics.kinds.clicks.freshness import request_click_report
from metrics.kinds.experiment_reports import request_experiment_report
from metrics.models import Report
from metrics.tasks import begin_report, compute_part

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.one_database]


@pytest.fixture
def site():
    arms.remembered.clear()
    call_command("load_demo")
    return Site.objects.select_related("collection").get()


def test_the_site_has_a_page_a_key_and_two_experiments_that_began_two_weeks_ago(site, client, settings):
    settings.DEMO = True
    assert 'href="/search/"' in client.get("/").content.decode()
    page = client.get("/search/", follow=True)
    assert page.context["site"] == site
    assert "simulated visitors" in page.content.decode()
    settings.DEMO = False
    assert "simulated visitors" not in client.get("/search/demo/").content.decode()
    assert keys.site_of(keys.key_text(site.keys.get())) == site
    running = Experiment.objects.filter(site=site, state="running")
    assert sorted(running.values_list("kind", flat=True)) == ["ab", "interleaving"]
    for experiment in running:
        assert timedelta(days=14) <= timezone.now() - experiment.started < timedelta(days=14, minutes=5)
        assert "simulated" in experiment.hypothesis
        assert experiment.salt in {"letters", "mixed"} and experiment.group.salt == "ranking", "every demo draws the same lots"


def test_what_they_do_is_marked_and_counts_once(site, monkeypatch):
    monkeypatch.setattr(visitors, "VISITORS", 80)
    monkeypatch.setattr(visitors, "PROGRAMS", 1)
    monkeypatch.setattr(visitors, "SENT_TWICE", 0.3)
    for _ in range(2):
        send(site)
        queries, events = list(Query.objects.all()), list(Event.objects.all())
        assert len(queries) == len({query.query for query in queries}) > 130
        assert len(events) == len({(event.query, event.action, event.object) for event in events}) > 130
    assert {record.raw["application"] for record in queries + events} == {"simulated"}
    assert all(len(query.arms) == 1 and query.hits and query.agent for query in queries)
    assert all(record.received >= record.time for record in queries + events)
    assert max(query.time for query in queries) - min(query.time for query in queries) > timedelta(days=10)
    assert not Quarantined.objects.exists()


def test_they_get_what_the_site_gives_them_and_click_the_better_list_more(site):
    searches, clicked, seen = defaultdict(set), set(), defaultdict(list)
    for sent in visits(world_of(site)):
        record = sent.record
        if "program" in record["client_id"]:
            continue
        if "user_query" in record:
            named = record["query_attributes"]["experiments"]
            assert named == (arms_of(site, {"client": record["client_id"]}) or {"four-letters-mixed": "interleaved"})
            searches[str(named)].add(record["query_id"])
        elif record["action_name"] == "click":
            clicked.add(record["query_id"])
            seen[record["event_attributes"]["position"]["ordinal"]].append(record)
    rates = {arm: len(ids & clicked) / len(ids) for arm, ids in searches.items()}
    assert rates["{'four-letters': 'four-letters'}"] > rates["{'four-letters': 'words'}"] + 0.03
    assert len(seen[1]) > len(seen[3]) > len(seen[6]) > len(seen[10])


def test_they_do_not_come_to_an_experiment_that_was_stopped(site):
    stop(Experiment.objects.first(), by=None)
    send(site)
    assert not Query.objects.exists()


def test_their_records_stay_and_the_click_report_reads_them_all(site):
    request_log_reports(site)
    assert Report.objects.get(kind=Report.Kind.CLICKS).spec["days"] is None
    assert (site.keep_days, site.rotate_days) == (3660, 732)
    site.full_clean()


def compute(report):
    begin_report(report.pk)
    for part in report.parts.values_list("name", flat=True):
        compute_part(report.pk, part)
    report.refresh_from_db()
    return report


@pytest.mark.slow
def test_reports_that_somebody_opened_before_they_came_are_asked_for_anew(site, monkeypatch):
    monkeypatch.setattr(visitors, "VISITORS", 20)
    monkeypatch.setattr(visitors, "PROGRAMS", 0)
    early = [compute(request_click_report(site)), *(compute(request_experiment_report(each)) for each in site.experiments.all())]
    assert {report.state for report in early} == {"done"}
    send(site)
    for _ in range(2):
        request_log_reports(site)
        asked = Report.objects.unfinished().exclude(kind=Report.Kind.VERDICT)  # which follows an experiment's
        assert sorted(asked.values_list("kind", flat=True)) == ["ab", "clicks", "interleaving"]
    for report in list(asked):
        compute(report)
    request_log_reports(site)
    assert not asked.all().exists()

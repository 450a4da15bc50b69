"""The dashboard: what is known, a line each, and what asks for attention."""

from datetime import timedelta

import polars as pl
import pytest
from django.urls import reverse
from django.utils import timezone

from judging.labels.settlement import settle_as_qrels
from judging.labels.study_progress import overviews
from judging.models import Exclusion, Judgement, Rule, Slot, Study
from metrics import tasks
from metrics.kinds.attention import study_concerns
from metrics.kinds.overview import newest_of_each
from metrics.models import Report
from tests.metrics.quality.conftest import answer, compute, crowd, report  # noqa: F401
from tests.metrics.verdict.conftest import birds, computed, hypothesis, systems, voted  # noqa: F401

pytestmark = pytest.mark.django_db


def texts(study):
    return [concern.text for concern in study_concerns(overviews([Study.objects.get(pk=study.pk)]))]


@pytest.fixture
def begun(running, make_worker):
    """A running study with one judgement."""
    answer(make_worker(running), running.items.first(), 1)
    return running


def test_a_study_at_work_is_no_concern(begun):
    assert texts(begun) == []


def test_the_next_step_is_to_settle_the_grades_until_they_are(report, rita, researcher):  # noqa: F811
    study = report.study
    settle = f'href="{reverse("study_results", args=[study.pk])}">Settle the grades</a>'
    assert settle in rita.get(reverse("home")).content.decode()
    settle_as_qrels(study, by=researcher)
    assert settle not in rita.get(reverse("home")).content.decode()
    Slot.objects.filter(study=study, judged_at__isnull=False).update(judged_at=timezone.now())
    assert settle in rita.get(reverse("home")).content.decode()


def test_a_running_study_that_nobody_has_judged_is_named_at_once_with_where_to_invite(running):
    (concern,) = study_concerns(overviews([running]))
    assert (concern.text, concern.url) == ("Nobody has judged yet.", f"{reverse('study', args=[running.pk])}#invite")


def test_a_study_that_nobody_judges_any_more_is_named_after_three_days(begun):
    Slot.objects.filter(judged_at__isnull=False).update(judged_at=timezone.now() - timedelta(days=2, hours=23))
    assert texts(begun) == []
    Slot.objects.filter(judged_at__isnull=False).update(judged_at=timezone.now() - timedelta(days=5))
    missing = Slot.objects.filter(number__isnull=False, judged_at=None).count()
    assert texts(begun) == [f"{missing} judgements are missing, and nobody has judged for 5 days."]
    Study.objects.update(state=Study.State.PAUSED)
    assert texts(begun) == []


def test_a_complete_study_leads_to_its_results(voted):  # noqa: F811
    (concern,) = study_concerns(overviews([voted]))
    assert concern.text == f"All {Judgement.objects.count()} judgements are there: read them and close the study."
    assert concern.url == reverse("study_results", args=[voted.pk])


def test_workers_whom_a_rule_stopped_this_week_are_counted_once(begun, make_worker, researcher):
    running = begun
    rule, other = (
        Rule.objects.create(study=running, signal=signal, threshold=0.6, least=1, action="blocked", created_by=researcher)
        for signal in ("gold", "agreement")
    )
    worker, hers = make_worker(running), make_worker(running)
    for cause in (rule, other):
        Exclusion.objects.create(worker=worker, standing="blocked", reason="x", rule=cause)
    Exclusion.objects.create(worker=hers, standing="blocked", reason="x", by=researcher)
    assert texts(running) == ["1 worker was stopped by a rule this week: look at their work."]
    Exclusion.objects.update(created=timezone.now() - timedelta(days=8))
    assert texts(running) == []


def test_workers_who_are_too_quick_to_have_read_are_named(rita, voted):  # noqa: F811
    Judgement.objects.update(milliseconds=8000)
    quick, slow = voted.workers.order_by("pk")[:2]
    Judgement.objects.filter(worker=quick).update(milliseconds=1200)
    Judgement.objects.filter(worker=slow, pk__gt=slow.judgements.order_by("pk")[11].pk).update(milliseconds=1200)
    _, concern = study_concerns(overviews([voted]))
    assert concern.text == "1 worker answers mostly within 2 s, too quick to have read: look at their work."
    assert rita.get(concern.url, follow=True).status_code == 200
    Judgement.objects.filter(worker=quick).update(milliseconds=0)  # nothing measured it
    assert len(texts(voted)) == 1


def test_workers_of_two_lists_are_shown_on_their_own_page(rita, voted, researcher):  # noqa: F811
    rule = Rule.objects.create(study=voted, signal="seconds", threshold=2, least=1, action="blocked", created_by=researcher)
    Exclusion.objects.create(worker=voted.workers.first(), standing="blocked", reason="x", rule=rule)
    _, concern = study_concerns(overviews([voted]))
    assert "stopped by a rule" in concern.text
    assert rita.get(concern.url, follow=True).status_code == 200


def test_the_dashboard_says_first_what_is_known(rita, hypothesis, voted, computed):  # noqa: F811
    computed(hypothesis)
    page = rita.get(reverse("home")).content.decode()
    known = page.partition("What is known")[2].partition("</section>")[0]
    assert "dense is better than lexical, by grades of experts and side-by-side votes." in known
    assert f'href="{reverse("verdict", args=[hypothesis.pk])}"' in known
    assert "Sides" in page.partition("Needs attention")[2].partition("</section>")[0]


def test_a_failed_report_asks_for_attention_until_another_one_is_asked_for(rita, hypothesis, collection, computed):  # noqa: F811
    collection.qrels.all().delete()
    computed(hypothesis)
    page = rita.get(reverse("home")).content.decode()
    assert page.partition("Needs attention")[2].count("no evidence on both systems") == 1
    assert page.count("dense against lexical") == 1
    assert f"{reverse('verdict', args=[hypothesis.pk])}#missing" in page
    Report.objects.create(kind="verdict", hypothesis=hypothesis, spec={}, engine_version="1")
    assert "Needs attention" not in rita.get(reverse("home")).content.decode()


def test_of_each_subject_the_newest_finished_report_is_shown(hypothesis, collection):  # noqa: F811
    done, failed = (
        Report.objects.create(kind="verdict", hypothesis=hypothesis, spec={}, engine_version="1", state=state)
        for state in ("done", "failed")
    )
    runs = Report.objects.create(kind="runs", collection=collection, spec={}, engine_version="1")
    assert newest_of_each([runs, failed, done]) == [done, runs]
    assert newest_of_each([failed]) == [failed]


def line_of(page: str, name: str) -> str:
    """The dashboard's line of a thing."""
    (line,) = [part for part in page.split("<li>") if f">{name}</a>" in part]
    return line.partition("</li>")[0]


def test_a_study_without_a_report_says_how_far_it_is_and_what_to_do_next(rita, running):
    line = line_of(rita.get(reverse("home")).content.decode(), running.name)
    assert "0 of 12 judged by 0 workers." in line and "Send its link" in line


def test_only_workers_who_judged_are_counted(rita, begun, make_worker):
    make_worker(begun)
    assert "1 of 12 judged by 1 worker." in line_of(rita.get(reverse("home")).content.decode(), begun.name)


def test_a_report_whose_evidence_has_changed_says_so(rita, report):  # noqa: F811
    answer(report.study.workers.first(), report.study.items.first(), 2)
    Study.objects.update(state=Study.State.CLOSED)
    assert "Evidence has changed since: compute it again." in line_of(
        rita.get(reverse("home")).content.decode(), report.study.name
    )


def test_a_report_on_a_study_at_work_is_old_after_a_day(rita, report):  # noqa: F811
    worker, item = report.study.workers.first(), report.study.items.first()
    answer(worker, item, 2)
    assert "Evidence has changed" not in rita.get(reverse("home")).content.decode()
    Report.objects.update(finished=timezone.now() - timedelta(days=2))
    assert "Evidence has changed" in rita.get(reverse("home")).content.decode()


def test_a_report_on_older_qrels_says_so(rita, researcher, collection, birds):  # noqa: F811
    from judging.collections.storage import store_qrels
    from metrics.kinds.runs.question import request_report

    qrels = collection.qrels.get()
    asked = request_report(collection=collection, runs=list(birds.values()), qrels=[qrels], by=researcher)
    tasks.begin_report(asked.pk)
    for run in asked.spec["runs"]:
        tasks.compute_part(asked.pk, str(run["id"]))
    assert "newer qrels" not in rita.get(reverse("home")).content.decode()
    newer = pl.DataFrame([("100", "b0", 1)], schema=["topic", "docno", "grade"], orient="row")
    store_qrels(newer, collection=collection, name=qrels.name, by=researcher)
    assert "There are newer qrels: ask again of them." in rita.get(reverse("home")).content.decode()


def test_a_verdict_whose_evidence_has_changed_says_so(rita, hypothesis, voted, computed):  # noqa: F811
    computed(hypothesis)
    voted.workers.update(standing="excluded")
    page = rita.get(reverse("home")).content.decode().partition("Needs attention")[2]
    assert "Evidence has changed since: decide again." in page.partition("What is known")[0]


def test_an_experiment_that_nobody_looked_at_is_there_too(rita, researcher):
    from judging.models import Experiment, Site

    site = Site.objects.create(name="Birds", owner=researcher)
    Experiment.objects.create(site=site, name="colours", created_by=researcher)
    line = line_of(rita.get(reverse("home")).content.decode(), "colours")
    assert "A/B test, draft" in line and "Start it" in line

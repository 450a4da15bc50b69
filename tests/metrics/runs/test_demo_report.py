"""The demo's report: queued by a command, once, on what everybody may see."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.http import QueryDict

from judging.models import Collection, Qrels, Run, Study
from metrics.access import run_reports_for
from metrics.kinds.runs import tags
from metrics.kinds.runs.choice import Choice
from metrics.kinds.runs.results import outcomes
from metrics.models import Report

pytestmark = pytest.mark.django_db


def test_it_compares_the_four_rankings_under_the_mappings(compute, stranger):
    call_command("load_demo", stdout=io.StringIO())
    for _ in range(2):
        call_command("queue_demo_report", stdout=io.StringIO())
    report = compute(Report.objects.get(kind="runs"))
    assert list(run_reports_for(stranger)) == [report]
    assert len(outcomes(report)) == 4
    assert {outcome.topics for outcome in outcomes(report)} == {50}
    assert all(0 < outcome.means["nDCG@10"].mean < 1 for outcome in outcomes(report))
    by_tag = tags.means(Choice.read(QueryDict(), report), tags.topics_by_tag(report))
    assert [(line.tag, line.n) for line in by_tag] == [("vulnerability", 40)] * 4 + [("category", 10)] * 4


def queue() -> str:
    output = io.StringIO()
    call_command("queue_demo_report", stdout=output)
    return output.getvalue()


def test_it_is_asked_for_whatever_people_do_with_the_demo(researcher):
    call_command("load_demo", stdout=io.StringIO())
    weaknesses = Collection.objects.get(name__startswith="Demo: software weaknesses")
    Study.objects.create(collection=weaknesses, name="A draft", scale=[], created_by=researcher)
    Collection.objects.filter(pk=weaknesses.pk).update(shared=False)
    assert "is waiting" in queue()
    assert not queue(), "it has a report"
    Report.objects.get(kind="runs").delete()
    Qrels.objects.filter(collection=weaknesses).delete()
    assert not queue(), "nothing grades its runs"
    Run.objects.filter(collection=weaknesses).first().delete()
    assert not queue(), "the title speaks of four"
    Collection.objects.filter(pk=weaknesses.pk).update(name="Weaknesses")
    assert not queue(), "the demo's other collection is not taken for it"
    assert not Report.objects.exists()


def test_without_the_demo_it_says_what_to_do():
    with pytest.raises(CommandError, match="load_demo"):
        call_command("queue_demo_report")

"""From three kinds of tables to one: finished reports on runs keep their numbers and addresses, the rest is computed again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judging.models import Execution, Outbox
from metrics import tasks
from metrics.kinds.runs.results import CURVES, VALUES, contents
from metrics.models import Part, Report, Table
from metrics.pipeline import PATIENCE
from tests.migrating import migrate_back, migrate_on

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, pytest.mark.soak]

BEFORE = (("metrics", "0002_log_reports"), ("judging", "0008_tokens"))


@pytest.fixture
def earlier():
    """The models of before; whatever happens, today's tables are there afterwards."""
    yield lambda: migrate_back(*BEFORE)
    migrate_on()


@pytest.fixture
def world(ask, compute, runs, qrels, study, researcher, earlier, settings):
    """A finished report and a waiting one of before, a study's, and messages; gives what the finished one must say."""
    settings.REDIS_URL = ""  # without a broker the messages stay, to be seen
    report = compute(ask(title="Owls"))
    kept = {name: contents(report, qrels=qrels.pk, runs=[run.pk for run in runs], table=name) for name in (VALUES, CURVES)}
    kept["differences"] = bytes(report.tables.get(part=None).content)
    Report.objects.all().delete()
    Outbox.objects.all().delete()
    old = earlier()
    facts = {
        "collection_id": qrels.collection_id, "title": "Owls", "spec": report.spec, "steps": 2,
        "engine_version": report.engine_version, "created_by_id": researcher.pk,
    }  # fmt: skip
    done = {"state": "done", "digest": report.digest, "result": report.result, "differences": kept["differences"]}
    old.get_model("metrics", "Report").objects.create(pk=77, **facts, **done)
    old.get_model("metrics", "Report").objects.create(pk=78, **facts | {"spec": {**report.spec, "depth": 1}}, digest="1" * 64)
    part = old.get_model("metrics", "ReportPart").objects
    for run in runs:
        part.create(report_id=77, run_id=run.pk, qrels_id=qrels.pk, values=kept[VALUES][run.pk], curves=kept[CURVES][run.pk])
        part.create(report_id=78, run_id=run.pk, qrels_id=qrels.pk)
    old.get_model("metrics", "StudyReport").objects.create(study_id=study.pk, spec={}, engine_version="1")
    Outbox.objects.post("metrics.tasks.compute_run", report=78, run=runs[0].pk)
    Outbox.objects.post("metrics.tasks.forget_users", site=1)
    Execution.objects.create(task="metrics.tasks.compute_log_part", arguments={"report": 1, "number": 0}, digest="x", message="m")
    migrate_on()
    return report, kept


def test_finished_reports_keep_their_numbers_and_the_others_begin_again(world, runs, qrels, rita, compute, subtests):
    """One upgrade, which takes long, for all that is to be seen after it."""
    with subtests.test("what is of studies and logs goes with the messages of tasks that are gone"):
        of_before_is_gone()
    with subtests.test("a finished report on runs keeps its address and every number"):
        kept_its_numbers(*world, runs, qrels, rita)
    with subtests.test("an unfinished one begins again by itself"):
        begins_again(compute)


def kept_its_numbers(before, kept, runs, qrels, rita):
    report = Report.objects.get(pk=77)
    assert (report.kind, report.title, report.is_done, report.result) == ("runs", "Owls", True, before.result)
    for name in (VALUES, CURVES):
        assert contents(report, qrels=qrels.pk, runs=[run.pk for run in runs], table=name) == kept[name]
    assert bytes(report.tables.get(part=None).content) == kept["differences"]
    for tab in ("", "curves/", "differences/", "agreement/", "download/topics.csv"):
        assert rita.get(f"/reports/77/{tab}").status_code == 200
    assert "is missing" not in rita.get("/reports/77/curves/").content.decode()


def begins_again(compute):
    assert not Part.objects.filter(report=78, result__isnull=False).exists()
    Report.objects.filter(pk=78).update(active=timezone.now() - PATIENCE - timedelta(seconds=1))
    assert tasks.resume_reports() == 1
    assert compute(Report.objects.get(pk=78)).is_done


def of_before_is_gone():
    assert set(Report.objects.values_list("pk", flat=True)) == {77, 78}
    assert not Table.objects.exclude(report=77).exists()
    assert list(Outbox.objects.values_list("task", flat=True)) == ["metrics.tasks.forget_users"]
    assert not Execution.objects.exists()

"""What an experiment's report said before, as its owner and its readers may know it, and no sooner than it may be read."""

from datetime import timedelta

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from judging.logs.erasure import erase
from judging.models import Experiment
from metrics import tasks
from metrics.kinds.answers import earlier_answers
from metrics.models import EarlierAnswer
from tests.metrics.experiments.worlds import impressions, searches, send, started

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def running(site, researcher, compute):
    """An experiment, and a report after each lot of users who come: so many to each arm."""

    def running(*lots, **settings):
        experiment, first = started(site, researcher, metrics=["ctr"], **{"planned": 400} | settings), 0
        for number in lots:
            send(site, searches(experiment, {"control": number, "new": number}, first=first))
            report, first = compute(experiment), first + 2 * number
        return report

    return running


def sentences(report, user):
    return [past.answer.sentence for past in earlier_answers(report, user)]


def test_an_earlier_answer_is_no_look_before_the_time(running, researcher):
    report = running(30, 20)
    (past,) = earlier_answers(report, researcher)
    assert (past.answer.sentence, past.change) == ("Not yet: 60 of 400 users have come.", "40 users more (was 60).")


def test_nor_is_it_worded_anew_once_the_experiment_has_ended(running, site, researcher, read, compute):
    report = running(30, 20)
    experiment = report.experiment
    Experiment.objects.filter(pk=experiment.pk).update(state="stopped", stopped=timezone.now())
    experiment.refresh_from_db()
    ended = compute(experiment)
    assert sentences(ended, researcher) == ["Not yet: 100 of 400 users have come.", "Not yet: 60 of 400 users have come."]
    page = read(experiment, researcher).partition("Earlier answers")[2]
    assert "Not yet: 60 of 400" in page and "Still 100 users." in page and "new is better" not in page


def test_what_may_be_read_at_any_time_is_told_of_each(running, researcher):
    report = running(60, 30, looks="always_valid")
    (told,) = sentences(report, researcher)
    assert told.startswith("new is better than control: ctr is higher. Difference +29.44 points (95 % interval ")


def test_readers_are_told_what_readers_were_told(running, site, researcher, reader, read):
    report = running(5, 30)  # five users an arm are too few for readers
    assert sentences(report, researcher) == ["Not yet: 10 of 400 users have come."]
    assert "10 of 400" not in str(EarlierAnswer.objects.get().for_readers)
    assert sentences(report, reader) == ["Too few users to show: readers see what 10 users or more did."]
    assert "10 of 400" in read(report.experiment, researcher)
    assert "10 of 400" not in read(report.experiment, reader)


def test_the_api_tells_each_what_the_page_tells_them(running, researcher, reader):
    report = running(5, 30)
    told = []
    for user in (researcher, reader):
        api = APIClient()
        api.force_authenticate(user)
        (row,) = api.get(f"/api/v1/experiments/{report.experiment_id}/report/").json()["earlier"]
        told.append((row["sentence"][:7], row["change"]))
    assert told == [("Not yet", "60 users more (was 10)."), ("Too few", "70 users more (was 0).")]


def test_an_arm_of_few_is_in_no_answer_to_readers(site, researcher, reader, compute, read):
    arms = ("control", "new", "rare")
    experiment = started(site, researcher, arms=arms, metrics=["ctr"], planned=400)
    chances = dict.fromkeys(arms, 0.5)
    send(site, searches(experiment, {"control": 60, "new": 60, "rare": 4}, chances=chances))
    compute(experiment)
    send(site, searches(experiment, {"control": 40, "new": 40, "rare": 2}, chances=chances, first=500))
    report = compute(experiment)
    (mine,), (theirs,) = (earlier_answers(report, user) for user in (researcher, reader))
    assert "rare" in mine.answer.sentence and "rare" not in theirs.answer.sentence
    assert (mine.change, theirs.change) == ("82 users more (was 124).", "80 users more (was 120).")
    assert "rare" not in read(experiment, reader)


def test_readers_see_none_that_fewer_than_ten_users_lie_between(running, researcher, reader):
    """The owner may have it computed after every user; the difference of two would tell readers what one did."""
    report = running(30, 2, 2, 20)
    assert len(sentences(report, researcher)) == 3
    told = earlier_answers(report, reader)
    assert [past.change for past in told] == ["40 users more (was 68)."]


def test_interleaving_has_them_too(site, researcher, compute):
    experiment = started(site, researcher, kind="interleaving", planned=400)
    send(site, impressions(experiment, 20))
    (pair,) = compute(experiment).result["whole"]["pairs"]
    users = pair["analysis"]["users"]
    Experiment.objects.filter(pk=experiment.pk).update(state="stopped", stopped=timezone.now())
    experiment.refresh_from_db()
    (past,) = earlier_answers(compute(experiment), researcher)
    assert (past.answer.sentence, past.change) == (
        f"Not yet: {users} of 400 users have come and clicked.",
        f"Still {users} users.",
    )


def test_what_was_only_computed_again_is_not_listed(running, compute, researcher):
    report = running(30, 20)
    again = compute(report.experiment)
    assert sentences(again, researcher) == ["Not yet: 60 of 400 users have come."]


def test_an_erasure_leaves_what_readers_may_see(running, site, researcher):
    report = running(5, 30)
    erase(site, client="u1", by=researcher)
    tasks.forget_users(site=site.pk)
    assert sentences(report, researcher) == ["Too few users to show: readers see what 10 users or more did."]


def test_so_does_time(running, site, researcher):
    report = running(5, 30)
    tasks.sweep_log_reports()
    assert sentences(report, researcher) == ["Not yet: 10 of 400 users have come."]
    EarlierAnswer.objects.update(computed=timezone.now() - timedelta(days=site.keep_days + 1))
    tasks.sweep_log_reports()
    assert sentences(report, researcher) == ["Too few users to show: readers see what 10 users or more did."]

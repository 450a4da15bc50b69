"""The way out of a study for a marketplace's participants: with a code that says how it ended."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.models import Arrival, Item, Judgement, Slot, Worker
from judging.studies import launch
from judging.work import assignment, checks, departure
from tests.judging.recruiting.participants import COMPLETE, agree, arrive, hidden, judge, signed, text

pytestmark = pytest.mark.django_db


def test_all_done_leads_back_with_the_code(client, channel):
    agree(client, channel)
    judge(Worker.objects.get(), all_of_it=True)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "All done" in page
    assert f'<a class="button primary" href="{COMPLETE}CDONE1"' in page and "CDONE1</code>" in page
    assert "http-equiv" not in page, "nothing sends them on before they have read it"
    arrival = Arrival.objects.get()
    assert arrival.outcome == "completed" and arrival.ended
    ended = arrival.ended
    client.get(reverse("judge", args=[channel.study_id]))
    assert Arrival.objects.get().ended == ended


def test_connect_takes_people_back_by_its_own_address(client, connect):
    agree(client, connect)
    worker = Worker.objects.get()
    judge(worker, all_of_it=True)
    page = text(client.get(reverse("judge", args=[connect.study_id])))
    assert 'href="https://connect.cloudresearch.com/participant/project/41B26CAA44/complete"' in page
    assert "Back to CloudResearch Connect" in page and "enter this code" not in page


def test_connect_with_a_code_alone_shows_it_to_be_entered_there(client, connect):
    agree(client, connect)
    departure.leave(Worker.objects.get(), "screened_out")
    page = text(client.get(reverse("judge", args=[connect.study_id])))
    assert "Enter this code there" in page and "SCR</code>" in page and "Go back to CloudResearch" not in page


def test_without_a_code_people_are_asked_to_return_their_submission(client, connect):
    arrive(client, connect)
    assert "return your submission there" in text(client.post("/arrive/", {"decline": "1"}))


def test_a_worker_who_came_by_a_link_sees_nothing_of_marketplaces(client, running, make_worker):
    worker = make_worker(running)
    judge(worker, all_of_it=True)
    assert departure.leave(worker, "completed") is None
    client.cookies[f"worker-{running.pk}"] = signed(worker)
    page = text(client.get(reverse("judge", args=[running.pk])))
    assert "All done" in page and "way-back" not in page


def leave(client, channel):
    return client.post(reverse("leave", args=[channel.study_id]), follow=True)


def test_leaving_gives_back_and_leads_back(client, channel):
    agree(client, channel)
    worker = Worker.objects.get()
    judge(worker)
    client.get(reverse("judge", args=[channel.study_id]))
    page = text(leave(client, channel))
    assert f"{COMPLETE}CDONE1" in page and "Go on judging after all" in page
    assert not Slot.objects.filter(worker=worker, judged_at__isnull=True).exists()
    assert Arrival.objects.get().outcome == "completed"


def test_leaving_before_the_judgements_that_are_asked_for_completes_nothing(client, channel):
    channel.study.most_judgements = 2
    channel.study.save()
    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    client.get(reverse("judge", args=[channel.study_id]))
    page = text(leave(client, channel))
    assert "not complete yet" in page and "CDONE1" not in page
    assert Arrival.objects.get().outcome == "working"
    client.get(reverse("judge", args=[channel.study_id]))
    judge(worker)
    assert "CDONE1" in text(client.get(reverse("judge", args=[channel.study_id])))


def test_leaving_twice_before_them_completes_nothing_either(client, channel):
    channel.study.most_judgements = 2
    channel.study.save()
    agree(client, channel)
    judge(Worker.objects.select_related("study").get())
    for _ in range(2):
        assert "CDONE1" not in text(leave(client, channel))
    assert Arrival.objects.get().outcome == "working"


@pytest.mark.parametrize("most", [None, 2])
def test_training_is_no_work_that_completes_a_submission(client, channel, most):
    study = channel.study
    study.most_judgements = most
    study.save()
    checks.designate(list(study.items.all()[:2]), Item.Role.TRAINING, right=[1])
    agree(client, channel)
    for _ in range(2):
        judge(Worker.objects.select_related("study").get())
    assert "not complete yet" in text(leave(client, channel))
    for _ in range(most or 1):
        judge(Worker.objects.select_related("study").get())
    assert "CDONE1" in text(leave(client, channel))


def test_who_has_only_trained_may_stop_where_others_hold_the_work(client, channel, make_worker):
    study = channel.study
    checks.designate(list(study.items.all()[:1]), Item.Role.TRAINING, right=[1])
    agree(client, channel)
    judge(Worker.objects.select_related("study").get())
    Slot.objects.filter(study=study, number__gt=1).delete()
    Slot.objects.filter(study=study, number=1).update(
        worker=make_worker(study), leased_until=timezone.now() + timedelta(minutes=9)
    )
    assert "CDONE1" in text(leave(client, channel))


def test_leaving_without_a_judgement_completes_nothing(client, channel):
    agree(client, channel)
    assert "CDONE1" not in text(leave(client, channel))


def test_who_waits_for_others_may_stop(client, channel, make_worker):
    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    other = make_worker(channel.study)
    waiting = assignment.next_slots(other)[0].item
    Slot.objects.filter(item=waiting, worker=None).delete()
    judge(worker, all_of_it=True)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "Others are finishing" in page and "Stop here and go back" in page and "CDONE1" not in page
    assert "CDONE1" in text(leave(client, channel))


def test_a_paused_study_keeps_the_submission_open_until_the_worker_stops(client, channel):
    agree(client, channel)
    judge(Worker.objects.select_related("study").get())
    assignment.give_back(Worker.objects.get())
    launch.pause(channel.study)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "takes a break" in page and "Stop here and go back" in page and "CDONE1" not in page
    assert Arrival.objects.get().outcome == "working"
    assert "CDONE1" in text(leave(client, channel))


@pytest.mark.parametrize(("outcome", "code"), [("screened_out", "CSCREEN"), ("failed_check", "CFAILED")])
def test_who_may_not_go_on_gets_nothing_more_and_the_code_for_that(client, channel, outcome, code):
    agree(client, channel)
    client.get(reverse("judge", args=[channel.study_id]))
    arrival = departure.leave(Worker.objects.get(), outcome)
    assert arrival.outcome == outcome
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert f"{COMPLETE}{code}" in page and 'name="grade"' not in page
    ahead = client.get(reverse("judge_ahead", args=[channel.study_id]))
    assert 'name="grade"' not in text(ahead)
    assert not Slot.objects.filter(worker__isnull=False).exists()
    assert departure.leave(Worker.objects.get(), "completed").outcome == outcome, "the first outcome stands"


def test_an_answer_that_was_under_way_is_kept_but_brings_no_more_work(client, channel):
    agree(client, channel)
    page = client.get(reverse("judge", args=[channel.study_id]))
    fields = {name: hidden(text(page), name) for name in ("key", "offer")}
    departure.leave(Worker.objects.get(), "screened_out")
    client.post(reverse("judge", args=[channel.study_id]), {**fields, "grade": "1"})
    assert Judgement.objects.count() == 1
    assert not Slot.objects.filter(worker__isnull=False, judged_at__isnull=True).exists()


def test_who_is_set_aside_for_their_answers_goes_back_with_the_code_for_that(client, channel):
    from judging.work.exclusions import exclude

    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    exclude(worker, reason="Answers at random.", standing=Worker.Standing.BLOCKED)
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "Your part ends here" in page and f"{COMPLETE}CFAILED" in page and "All done" not in page
    assert Arrival.objects.get().outcome == "failed_check"


def test_who_is_set_aside_afterwards_keeps_what_they_have_completed(client, channel):
    from judging.work.exclusions import exclude

    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    leave(client, channel)
    exclude(worker, reason="Answers at random.")
    page = text(client.get(reverse("judge", args=[channel.study_id])))
    assert "CDONE1" in page and "CFAILED" not in page


def test_who_was_sent_back_by_mistake_is_paid_like_others_and_let_in_again(client, channel, researcher):
    from judging.work.exclusions import exclude, lift

    agree(client, channel)
    worker = Worker.objects.select_related("study").get()
    judge(worker)
    exclusion = exclude(worker, reason="Answers at random.")
    judging = reverse("judge", args=[channel.study_id])
    client.get(judging)
    lift(exclusion, by=researcher)
    assert Arrival.objects.get().outcome == "completed"
    page = text(client.get(judging))
    assert "CFAILED" not in page and "form" in page

"""The pages on what workers prefer: what they show, and what they say where there is nothing to show."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from judging.models import Comparison, Outbox, Study
from judging.studies.launch import launch
from judging.work import assignment, exclusions
from metrics.kinds.preferences.parts import PREFERENCES
from metrics.kinds.preferences.results import PreferenceResults
from metrics.kinds.preferences.words import headline, numbers
from metrics.kinds.studies import request_study_report
from metrics.models import Report
from tests.pages import as_shown
from tests.visible_words import expect_the_answer_first

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("judged"), pytest.mark.one_database]


def page(browser, study, name="study_preferences", query="", more=(), **headers):
    response = browser.get(reverse(name, args=[study.pk, *more]) + query, **headers)
    assert response.status_code == 200
    return response.content.decode()


def between(study, first, second):
    keys = dict(study.runs.values_list("name", "pk"))
    return f"?first={keys[first]}&second={keys[second]}"


def test_the_answer_comes_first_in_a_sentence(rita, judged, report):
    shown = page(rita, judged)
    assert "beta leads the 3 systems" in shown
    assert "of 3 pairs can be told apart" in shown
    duel = PreferenceResults.of(report).first_to_show()
    assert headline(duel) in shown and numbers(duel) in shown
    assert "n = 48 votes on 12 topics by 4 workers" in shown


def test_a_pair_is_chosen_by_its_address_and_seen_from_either_side(rita, judged, report):
    shown = page(rita, judged, query=between(judged, "gamma", "alpha"))
    assert headline(PreferenceResults.of(report).duel("gamma", "alpha")) in shown
    assert "gamma gets " in shown
    assert "2 topics, on which both show the same, are not counted." in as_shown(shown)
    assert "alpha gets " in page(rita, judged, query=between(judged, "alpha", "gamma"))
    assert "Choose two different systems" in page(rita, judged, query=between(judged, "alpha", "alpha"))


def test_the_first_is_asked_for_by_whoever_opens_the_page(rita, judged, compute):
    shown = page(rita, judged)
    assert 'id="report-progress"' in shown
    assert f'hx-get="{reverse("study_preferences", args=[judged.pk])}"' in shown
    page(rita, judged)
    assert Report.objects.count() == Outbox.objects.filter(task="metrics.tasks.begin_report").count() == 1
    waiting = {"HTTP_HX_REQUEST": "true", "HTTP_HX_TARGET": "report-progress"}
    assert "Waiting to be computed" in page(rita, judged, **waiting)
    compute(Report.objects.get())
    assert rita.get(reverse("study_preferences", args=[judged.pk]), **waiting)["HX-Refresh"] == "true"


def test_nobody_has_answered(rita, comparing):
    assert "No answers yet" in page(rita, comparing)
    assert not Report.objects.exists()


def test_what_has_come_since_is_said_and_computed_when_asked(rita, comparing, make_worker, prefer, compute):
    worker = make_worker(comparing)
    prefer(worker, assignment.next_slots(worker)[0])
    compute(request_study_report(PREFERENCES, comparing))
    assert "nothing has changed since" in page(rita, comparing)
    prefer(worker, assignment.next_slots(worker)[0])
    assert "1 answer since" in page(rita, comparing)
    again = rita.post(reverse("study_preferences_again", args=[comparing.pk]), follow=True).content.decode()
    assert 'id="report-progress"' in again
    compute(request_study_report(PREFERENCES, comparing))
    assert "nothing has changed since" in page(rita, comparing)


def test_an_exclusion_makes_it_out_of_date(rita, judged, report):
    exclusions.exclude(judged.workers.first(), reason="x")
    assert "who is excluded, or how many answers are wanted, has changed since" in page(rita, judged)


def test_a_failed_one_says_why_and_can_be_tried_again(rita, judged):
    request_study_report(PREFERENCES, judged)
    Report.objects.update(state="failed", error="The disk is full.")
    assert "The disk is full." in page(rita, judged)
    rita.post(reverse("study_preferences_again", args=[judged.pk]))
    assert 'id="report-progress"' in page(rita, judged)


def test_topics_say_where_each_wins_and_why(rita, judged, report):
    query = between(judged, "beta", "alpha")
    shown = page(rita, judged, "study_preferences_topics", query)
    assert "Topic by topic: beta against alpha" in shown
    assert "More complete" in shown
    assert shown.count('<th scope="row"') == 12
    order = re.compile(r'preferences/topics/\d+/[^"]*">(\d+)</a>')
    assert order.findall(page(rita, judged, "study_preferences_topics", f"{query}&sort=topic"))[:3] == ["1", "2", "3"]
    assert set(order.findall(page(rita, judged, "study_preferences_topics", f"{query}&sort=score"))[:2]) == {"6", "12"}
    assert order.findall(page(rita, judged, "study_preferences_topics", f"{query}&sort=nonsense;--"))


def test_topics_on_which_both_show_the_same_are_named(rita, judged, report):
    shown = page(rita, judged, "study_preferences_topics", between(judged, "alpha", "gamma"))
    assert "On 2 more topics both show the same" in shown
    topic = judged.collection.topics.get(number="12")
    shown = page(rita, judged, "study_preferences_topic", between(judged, "alpha", "gamma"), [topic.pk])
    assert "Both show the same for this topic" in shown
    assert "both, there 3" in shown


def test_a_topic_shows_both_lists_and_every_answer(rita, judged, report):
    topic = judged.collection.topics.get(number="3")
    shown = page(rita, judged, "study_preferences_topic", between(judged, "beta", "alpha"), [topic.pk])
    assert "birds of month 3" in shown
    assert "2 results in both" in shown
    assert "both, there 2" in shown
    mirrored = shown.count(">repeated<")
    assert shown.count('href="/studies/') - shown.count("preferences/") >= 4
    assert shown.count("<strong>beta</strong>") >= 3 + mirrored - 1
    around = {number: judged.collection.topics.get(number=number).pk for number in ("2", "4")}
    assert f'rel="prev" href="{reverse("study_preferences_topic", args=[judged.pk, around["2"]])}' in shown
    assert f'rel="next" href="{reverse("study_preferences_topic", args=[judged.pk, around["4"]])}' in shown


def test_a_topic_of_another_collection_is_not_there(rita, judged, report, researcher):
    from judging.models import Collection, Topic

    elsewhere = Topic.objects.create(collection=Collection.objects.create(name="Other", owner=researcher), number="1", title="x")
    assert rita.get(reverse("study_preferences_topic", args=[judged.pk, elsewhere.pk])).status_code == 404


def test_marks_stand_beside_the_results(rita, comparing, make_worker, judge_everything, compute):
    comparing.comparison.marks_results = True
    comparing.comparison.save()
    judge_everything(make_worker(comparing), beside=lambda topic, step: {"marks": [[0, 0, 1], [1, 0, 0]]})
    compute(request_study_report(PREFERENCES, comparing))
    topic = comparing.collection.topics.get(number="3")
    shown = page(rita, comparing, "study_preferences_topic", between(comparing, "beta", "alpha"), [topic.pk])
    assert "✓ relevant" in shown
    assert "✗ bad" in shown


def test_the_page_on_workers_says_how_far_to_trust_them(rita, judged, report):
    shown = page(rita, judged, "study_preferences_workers")
    assert "decided votes chose the left list" in shown
    assert "asked for again with the sides swapped" in shown
    assert "Krippendorff" in shown
    for worker in judged.workers.all():
        assert reverse("study_worker", args=[judged.pk, worker.pk]) in shown
    exclusions.exclude(judged.workers.first(), reason="x")
    assert "excluded" in page(rita, judged, "study_preferences_workers", "?sort=-side")


def test_simulated_votes_are_told(rita, judged, compute):
    judged.workers.update(simulated=True)
    compute(request_study_report(PREFERENCES, judged))
    assert "128 of 128 votes are simulated" in page(rita, judged)
    assert "128 of 128 votes are simulated" in page(rita, judged, "study_preferences_workers")
    assert "128 of 128 votes are simulated" in page(rita, judged, "study_preferences_measure")


def test_what_was_opened(rita, judged, report):
    shown = page(rita, judged, "study_preferences_interactions")
    assert "In 32 of 128 votes workers opened a result or scrolled a list" in shown
    assert "The list that was opened more often is the preferred one in" in shown


def test_one_worker_and_all_ties(rita, comparing, make_worker, judge_everything, compute):
    judge_everything(make_worker(comparing), lambda topic, left, right: 0)
    compute(request_study_report(PREFERENCES, comparing))
    shown = page(rita, comparing)
    assert "All votes are one worker’s" in shown
    assert "Nothing can be told of alpha and beta: there is a single worker." in shown
    assert "None of 3 pairs can be told apart" in shown
    for name in ("topics", "workers", "measure", "interactions"):
        page(rita, comparing, f"study_preferences_{name}")


def test_a_single_answer(rita, comparing, make_worker, prefer, compute):
    worker = make_worker(comparing)
    prefer(worker, assignment.next_slots(worker)[0])
    compute(request_study_report(PREFERENCES, comparing))
    shown = page(rita, comparing)
    assert "All votes are on one topic" in shown
    assert "there is a single topic" in shown and "It takes votes that differ" in shown
    for name in ("topics", "workers", "measure", "interactions"):
        page(rita, comparing, f"study_preferences_{name}")


def test_only_answers_that_say_nothing(rita, comparing, make_worker, judge_everything, compute):
    worker = make_worker(comparing)
    judge_everything(worker, lambda topic, left, right: None)
    compute(request_study_report(PREFERENCES, comparing))
    assert "No answer counts" in page(rita, comparing)
    for name in ("topics", "workers", "measure", "interactions"):
        page(rita, comparing, f"study_preferences_{name}")


def test_queries_do_not_grow_with_the_answers(rita, comparing, make_worker, judge_everything, compute):
    topic = comparing.collection.topics.get(number="3")
    addresses = [
        reverse(f"study_preferences{name}", args=[comparing.pk])
        for name in ("", "_topics", "_workers", "_measure", "_interactions")
    ]
    addresses.append(reverse("study_preferences_topic", args=[comparing.pk, topic.pk]) + between(comparing, "alpha", "beta"))
    for _ in range(2):  # so that there is an earlier answer either time
        judge_everything(make_worker(comparing))
        compute(request_study_report(PREFERENCES, comparing))
    before = [queries(rita, address) for address in addresses]
    judge_everything(make_worker(comparing))
    compute(request_study_report(PREFERENCES, comparing))
    assert [queries(rita, address) for address in addresses] == before
    assert max(before) < 40


def queries(browser, address):
    with CaptureQueriesContext(connection) as capture:
        assert browser.get(address).status_code == 200
    return len(capture)


@pytest.mark.parametrize("name", ["", "_topics", "_measure", "_workers", "_interactions"])
def test_strangers_find_nothing(client, judged, report, stranger, name):
    client.force_login(stranger)
    assert client.get(reverse(f"study_preferences{name}", args=[judged.pk])).status_code == 404
    assert client.post(reverse("study_preferences_again", args=[judged.pk])).status_code == 404
    assert client.post(reverse("study_marks_settle", args=[judged.pk])).status_code == 404
    assert client.get(reverse("study_preferences_download", args=[judged.pk, "votes.csv"])).status_code == 404


def test_without_a_report_other_pages_lead_to_the_first(rita, comparing):
    first = reverse("study_preferences", args=[comparing.pk])
    assert rita.get(reverse("study_preferences_topics", args=[comparing.pk])).url == first
    assert rita.get(reverse("study_preferences_download", args=[comparing.pk, "votes.csv"])).status_code == 404


def test_topics_that_were_chosen_for_their_differences_are_warned_of(rita, judged, report):
    warning = "The topics are those on which the systems differ most"
    assert warning not in page(rita, judged)
    Comparison.objects.update(topics="different", topic_count=12)
    assert warning in page(rita, judged)


def test_systems_that_were_compared_with_a_baseline_only(rita, draft, make_worker, judge_everything, compute):
    keys = dict(draft.runs.values_list("name", "pk"))
    Comparison.objects.filter(study=draft).update(pairing="baseline", baseline=keys["alpha"])
    study = Study.objects.get(pk=draft.pk)
    launch(study, seed=1)
    judge_everything(make_worker(study))
    judge_everything(make_worker(study))
    compute(request_study_report(PREFERENCES, study))
    shown = page(rita, study, query=between(study, "beta", "gamma"))
    assert "Nobody has compared beta with gamma directly" in shown
    assert "of 2 pairs can be told apart" in shown
    assert "Nobody has compared these two directly" in page(
        rita, study, "study_preferences_topics", between(study, "beta", "gamma")
    )
    topic = study.collection.topics.get(number="3")
    assert "Nobody was asked to compare these two" in page(
        rita, study, "study_preferences_topic", between(study, "beta", "gamma"), [topic.pk]
    )


def test_the_page_opens_with_the_answer(rita, judged, report):
    expect_the_answer_first(page(rita, judged))

"""Rules: whom they catch, what they would do and do, and that nobody is caught twice by one."""

from datetime import timedelta
from uuid import uuid4

import polars as pl
import pytest
import time_machine
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from judging import tasks
from judging.errors import BadFields
from judging.labels import results
from judging.models import AuditEntry, Exclusion, Outbox, Rule, Slot, Study, Worker
from judging.recruiting import arrivals, channels, identity
from judging.rules import enforcement
from judging.rules.signals import COLUMNS
from judging.studies import launch
from judging.work import assignment, exclusions
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db
Signal, Standing = Rule.Signal, Worker.Standing


@pytest.fixture(autouse=True)
def nothing_seen(monkeypatch):
    monkeypatch.setattr(enforcement, "seen", {})


def rule(study, signal="commonest", threshold=1.0, least=5, action="excluded"):
    return Rule(study=study, signal=signal, threshold=threshold, least=least, action=action)


def made(study, **fields):
    return enforcement.make(rule(study, **fields), by=study.created_by)


def judge_all(worker, grades=(1,), seconds=10):
    while slots := assignment.next_slots(worker):
        grade = grades[assignment.done(worker) % len(grades)]
        answer = Answer(key=uuid4(), grade=grade, milliseconds=1000 * seconds)
        record_judgement(worker=worker, item=slots[0].item, answer=answer, ahead=1)
    worker.refresh_from_db()
    return worker


@pytest.fixture
def good(running, make_worker):
    return judge_all(make_worker(running), (0, 1, 2, 3))


@pytest.fixture
def spammer(running, make_worker, good):
    return judge_all(make_worker(running), (3,))


def row(**values):
    base = dict.fromkeys(COLUMNS, 0) | {"worker": 7}
    return pl.DataFrame([base | values], schema=COLUMNS, orient="row")


CASES = [
    ("gold", 0.6, 5, {"gold": 0.59, "gold_answered": 5}, {"gold": 0.6}, "59 % of 5 gold items right; 60 % are asked for"),
    ("attention", 2, 2, {"attention": 2, "attention_answered": 3}, {"attention": 1}, "2 of 3 attention checks failed"),
    ("agreement", 0.4, 20, {"agreement": 0.3, "compared": 20}, {"agreement": 0.4}, "30 % of 20 grades are what most others say"),
    ("seconds", 3, 20, {"seconds": 1.25, "answered": 21}, {"seconds": 3}, "A median of 1.25 seconds over 21 answers"),
    ("hasty", 0.5, 20, {"hasty": 0.5, "answered": 20}, {"hasty": 0.4}, "50 % of 20 answers came within 2 seconds"),
    ("run", 25, 25, {"run": 26, "answered": 30}, {"run": 24}, "26 answers in a row of the same grade, of 30"),
    ("commonest", 0.9, 20, {"commonest": 0.95, "answered": 20}, {"commonest": 0.8}, "95 % of 20 answers of the same grade"),
    ("cannot", 0.5, 20, {"cannot": 0.5, "answered": 20}, {"cannot": 0.1}, "50 % of 20 answers were “can’t judge”"),
    (
        "twin",
        0.6,
        20,
        {"twin": 0.7, "twin_common": 20, "twin_worker": 12, "twin_same": 19},
        {"twin": 0.5},
        "The same as w12 on 19 of 20 items: 70 % beyond chance",
    ),
]


@pytest.mark.parametrize(("signal", "threshold", "least", "bad", "better", "why"), CASES, ids=[case[0] for case in CASES])
def test_a_rule_catches_from_its_threshold_and_its_least_on_and_says_why(running, signal, threshold, least, bad, better, why):
    new_rule = rule(running, signal, threshold, least)
    enforcement.check(new_rule)
    (caught,) = enforcement.violations_of(new_rule, row(**bad))
    assert (caught.worker, caught.value) == (7, bad[signal])
    assert caught.why.startswith(why)
    with translation.override("de"):
        (in_german,) = enforcement.violations_of(new_rule, row(**bad))
        assert enforcement.reason_of(Exclusion(rule=new_rule, reason=caught.why)) == in_german.why != caught.why
        assert enforcement.reason_of(Exclusion(rule=new_rule, reason="as it was said of old")) == "as it was said of old"
    assert enforcement.violations_of(new_rule, row(**bad | better)) == []
    assert enforcement.violations_of(rule(running, signal, threshold, caught.of + 1), row(**bad)) == []
    assert enforcement.violations_of(new_rule, row(**bad).with_columns(pl.lit(None).alias(signal))) == []
    assert enforcement.rule_sentence(new_rule).startswith("When ")
    assert enforcement.rule_sentence(new_rule).endswith(": exclude")


def test_how_many_there_are_to_count_among_is_said_where_it_matters(running):
    assert (
        enforcement.rule_sentence(rule(running, "attention", 2, 2, "blocked"))
        == "When at least 2 attention checks are failed: block"
    )
    assert (
        enforcement.rule_sentence(rule(running, "run", 9, 30, "warned"))
        == "When at least 9 answers in a row of 30 or more have the same grade: warn"
    )


def test_every_signal_has_its_words_and_every_suggestion_makes_sense(running):
    assert set(enforcement.WORDINGS) == set(Signal) == {case[0] for case in CASES}
    for suggestion in enforcement.SUGGESTED:
        new_rule = Rule(study=running, **suggestion)
        enforcement.check(new_rule)
        new_rule.created_by = running.created_by
        new_rule.full_clean()


@pytest.mark.parametrize(
    ("signal", "threshold", "least"),
    [
        ("gold", 0, 5),
        ("gold", 60, 5),
        ("twin", 0.5, 9),
        ("seconds", 0, 5),
        ("attention", 1.5, 2),
        ("run", 0, 5),
        ("hasty", 1.1, 5),
    ],
)
def test_a_rule_that_makes_no_sense_is_not_made(running, signal, threshold, least):
    with pytest.raises(BadFields):
        made(running, signal=signal, threshold=threshold, least=least)
    assert not Rule.objects.exists()


def test_a_preview_says_who_and_how_much_and_changes_nothing(running, good, spammer):
    running.pay_a_judgement = 2
    running.save()
    preview = enforcement.preview(running, rule(running))
    assert [violation.worker for violation in preview.caught] == [spammer.pk]
    assert (preview.votes, preview.items, preview.ordered, preview.cost, preview.workers) == (6, 6, 6, 12, 2)
    assert enforcement.preview(running, rule(running, action="blocked")).ordered == 0
    assert not Exclusion.objects.exists()
    assert not Rule.objects.exists()
    enforcement.make(rule(running), by=running.created_by)
    enforcement.apply(running)
    assert Slot.objects.filter(study=running, judged_at=None).count() == preview.ordered
    again = enforcement.preview(running, rule(running, action="blocked"))
    assert again.caught == []
    assert [(violation.worker, standing) for violation, standing in again.already] == [(spammer.pk, Standing.EXCLUDED)]


def test_what_is_open_already_is_not_ordered_twice(running, make_worker):
    judge_all(make_worker(running), (3,))
    preview = enforcement.preview(running, rule(running))
    assert (preview.votes, preview.ordered) == (6, 6)  # each item has one open slot, and lacks the vote besides
    Slot.objects.filter(study=running, judged_at=None).delete()
    assert enforcement.preview(running, rule(running)).ordered == 12


def test_from_the_rule_to_the_labels_and_back(running, good, spammer, make_worker):
    before = results.labels(running)
    made(running)
    (exclusion,) = enforcement.apply(running)
    assert (exclusion.worker_id, exclusion.by, exclusion.standing) == (spammer.pk, None, Standing.EXCLUDED)
    assert exclusion.reason == "100 % of 6 answers of the same grade"
    assert all(len(label.votes) == 1 for label in results.labels(running))
    assert enforcement.apply(running) == []
    exclusions.lift(exclusion, by=running.created_by)
    assert results.labels(running) == before
    assert enforcement.apply(running) == []  # who was let in again stays in
    spammer.refresh_from_db()
    assert spammer.standing == Standing.GOOD
    judge_all(make_worker(running), (2,))
    assert AuditEntry.objects.filter(deed="excluded", by=None, study=running).count() == 1


def test_a_warning_lets_the_worker_go_on_with_what_they_hold_and_something_harder_may_follow(running, good, make_worker):
    worker = make_worker(running)
    held = assignment.next_slots(worker, count=2)
    record_judgement(worker=worker, item=held[0].item, answer=Answer(key=uuid4(), grade=3, milliseconds=500))
    made(running, signal="seconds", threshold=3, least=1, action="warned")
    (warning,) = enforcement.apply(running)
    assert (warning.worker_id, warning.standing) == (worker.pk, Standing.WARNED)
    assert Slot.objects.filter(worker=worker, judged_at=None).exists()
    made(running, signal="hasty", threshold=1, least=1, action="excluded")
    assert [act.standing for act in enforcement.apply(running)] == [Standing.EXCLUDED]
    made(running, signal="hasty", threshold=0.9, least=1, action="blocked")
    assert enforcement.apply(running) == []  # milder than what stands


def test_of_two_rules_at_once_the_hardest_acts(running, good, spammer):
    for action in ("warned", "excluded", "blocked"):
        made(running, action=action)
    assert [act.standing for act in enforcement.apply(running)] == [Standing.EXCLUDED]


def test_an_ended_rule_catches_nobody_and_what_it_did_stays(running, good, spammer, make_worker):
    new_rule = made(running)
    enforcement.apply(running)
    for _ in range(2):
        enforcement.end(new_rule, by=running.created_by)
    judge_all(make_worker(running), (3,))
    assert enforcement.apply(running) == []
    assert Exclusion.objects.filter(lifted=None).count() == 1
    assert [entry.about.split(":")[0] for entry in AuditEntry.objects.filter(deed="ruled")] == ["ended", "made"]


def test_a_rule_that_is_ended_while_it_is_applied_does_nothing_more(running, good, spammer):
    new_rule = made(running)
    (caught,) = enforcement.violations_of(new_rule, enforcement.signals(running))
    enforcement.end(new_rule, by=running.created_by)
    assert enforcement.act(new_rule, caught) is None


def test_the_same_rule_twice_is_one(running):
    assert made(running) == made(running)
    assert Rule.objects.count() == 1


def test_rules_are_copied_without_those_that_hold_already_or_have_ended(running, collection, researcher):
    other = Study.objects.create(collection=collection, name="Other", instructions="x", created_by=researcher)
    made(running)
    made(running, signal="run", threshold=25, action="warned")
    enforcement.end(made(running, signal="hasty", threshold=0.5), by=researcher)
    made(other)
    assert enforcement.copy(running, other, by=researcher) == 1
    assert sorted(enforcement.active(other).values_list("signal", flat=True)) == ["commonest", "run"]
    assert enforcement.copy(running, other, by=researcher) == 0


def test_machines_and_simulated_workers_are_caught_like_all(running, make_worker):
    machine = judge_all(make_worker(running, machine="Oracle 3"), (1,))
    simulated = judge_all(make_worker(running, simulated=True), (1,))
    made(running)
    assert {act.worker_id for act in enforcement.apply(running)} == {machine.pk, simulated.pk}


def test_who_came_from_a_marketplace_is_sent_back_with_the_code_for_it(client, running, researcher, good):
    channel = channels.add_channel(running, by=researcher, source="prolific", failed_check_code="FAILED")
    arrival = arrivals.consent(channel, arrivals.Claim("p1", "s1"))
    worker = judge_all(Worker.objects.select_related("study").get(pk=arrival.worker_id), (3,))
    made(running)
    enforcement.apply(running)
    response = HttpResponse()
    identity.remember_worker(HttpRequest(), response, worker)
    client.cookies = response.cookies
    page = client.get(f"/judge/{running.pk}/").content.decode()
    arrival.refresh_from_db()
    assert arrival.outcome == "failed_check"
    assert "FAILED" in page


def test_the_sweep_looks_at_running_studies_with_rules_once_after_something_new(running, good, spammer, monkeypatch):
    looked = []
    monkeypatch.setattr(enforcement, "apply", lambda study: looked.append(study.pk))
    tasks.sweep_rules()
    assert looked == []
    made(running)
    for _ in range(2):
        tasks.sweep_rules()
    assert looked == [running.pk]
    made(running, signal="run", threshold=25)
    tasks.sweep_rules()
    assert looked == [running.pk] * 2
    launch.pause(running)
    enforcement.seen.clear()
    tasks.sweep_rules()
    assert looked == [running.pk] * 2


@pytest.mark.parametrize("put_back", [timedelta(0), timedelta(hours=1)], ids=["right clock", "clock put back"])
def test_new_judgements_are_looked_at(running, make_worker, good, put_back):
    made(running)
    tasks.sweep_rules()
    assert not Exclusion.objects.exists()
    with time_machine.travel(timezone.now() - put_back):
        worker = judge_all(make_worker(running), (3,))
        tasks.sweep_rules()
    assert Exclusion.objects.get().worker == worker


def test_a_worker_without_answers_hides_nobody_elses(running, make_worker, good):
    made(running)
    tasks.sweep_rules()
    worker = judge_all(make_worker(running), (3,))
    make_worker(running)
    tasks.sweep_rules()
    assert Exclusion.objects.get().worker == worker


@pytest.mark.parametrize("stop", [launch.pause, launch.close, launch.archive])
def test_rules_act_on_what_was_judged_just_before_the_study_stops(running, good, spammer, stop):
    made(running)
    Outbox.objects.all().delete()
    stop(running)
    message = Outbox.objects.get()
    assert message.task == tasks.apply_rules.name
    tasks.apply_rules(**message.arguments)
    assert Exclusion.objects.get().worker == spammer


def test_a_study_that_stops_asks_for_nothing_where_no_rule_holds_or_nothing_stops(running, good):
    rule = made(running)
    Outbox.objects.all().delete()
    launch.resume(running)
    enforcement.end(rule, by=running.created_by)
    launch.pause(running)
    assert not Outbox.objects.exists()


def test_what_has_not_changed_costs_one_query(running, good, django_assert_num_queries):
    made(running)
    tasks.sweep_rules()
    with django_assert_num_queries(1):
        tasks.sweep_rules()


def test_a_study_whose_rules_fail_is_tried_again_and_holds_up_no_other(running, good, spammer, monkeypatch):
    other = Study.objects.create(
        collection=running.collection, name="Other", instructions="x", created_by=running.created_by, state=Study.State.RUNNING
    )
    for study in (running, other):
        made(study)
    looked = []

    def fail_in_the_first(study):
        looked.append(study.pk)
        assert study != running

    monkeypatch.setattr(enforcement, "apply", fail_in_the_first)
    for _ in range(2):
        tasks.sweep_rules()
    assert sorted(looked) == [running.pk, running.pk, other.pk]

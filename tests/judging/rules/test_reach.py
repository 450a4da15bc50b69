"""Whether a rule can ever act: what it waits for, against what one worker meets."""

from uuid import uuid4

import pytest
from django.urls import reverse

from judging.labels import gold_choice
from judging.models import Comparison, Document, Item, Rule, Study
from judging.rules.reach import Met, met_by_one, why_out_of_reach
from judging.studies import launch
from judging.work import assignment
from judging.work.answers import Answer, record_judgement

pytestmark = pytest.mark.django_db
Role = Item.Role
MET = Met(training=3, test=4, work=20, gold=4.26, attention=1.5, most={"gold": 6, "attention": 2}, with_others=True)


def why(signal, threshold, least, met=MET):
    return why_out_of_reach(Rule(signal=signal, threshold=threshold, least=least, action="excluded"), met)


def test_a_rule_waits_for_answers_that_nobody_gives_or_hardly_anybody():
    assert why("gold", 0.4, 4) == ""
    assert why("gold", 0.4, 5) == (
        "It will hardly catch anybody: it waits for 5 gold items, and who does all the work meets about 4.2."
    )
    assert why("gold", 0.4, 7) == "It will catch nobody: it waits for 7 gold items, and a worker meets 6 at most."
    assert "a worker meets none" in why("gold", 0.4, 1, Met(0, 0, 20, 0, 0, {"gold": 0, "attention": 0}, with_others=True))


def test_each_signal_counts_answers_of_its_own():
    assert why("attention", 2, 1) != "" == why("attention", 1, 1)  # so many must be failed
    assert "3 attention checks" in why("attention", 1, 3)
    assert why("seconds", 3, 29) == "" != why("seconds", 3, 30)  # the test counts, and 5.76 checks on average
    assert why("run", 40, 10) != "" == why("run", 20, 10)
    assert why("twin", 0.65, 25) == "" != why("twin", 0.65, 26)
    alone = Met(**{**vars(MET), "with_others": False})
    assert why("agreement", 0.3, 20) == ""
    assert "20 items that others judge, too, and a worker meets 8 at most" in why("agreement", 0.3, 20, alone)


def many_gold(study, each):
    """Gold outside of the pool, so many for each topic."""
    topics = list(study.collection.topics.all())
    documents = Document.objects.bulk_create(
        Document(collection=study.collection, docno=f"g{number}", text="Words.") for number in range(each * len(topics))
    )
    for number, document in enumerate(documents):
        gold_choice.add(study, topic=topics[number % len(topics)], document=document, role=Role.GOLD, right=[number % 2])


def test_a_draft_is_met_as_the_study_that_is_launched_from_it(study):
    many_gold(study, 2)
    gold_choice.attention(study, count=2, seed=1)
    Study.objects.filter(pk=study.pk).update(gold_every=3)
    draft = Study.objects.get(pk=study.pk)
    before = met_by_one(draft)
    launch.launch(draft, seed=1)
    assert met_by_one(Study.objects.get(pk=study.pk)) == before
    assert (before.work, before.most["gold"]) == (6, 4)
    assert before.gold == pytest.approx(2)  # half as many checks as work, of which two in three are gold
    assert before.attention == pytest.approx(1)


@pytest.mark.django_db(transaction=True, reset_sequences=True)  # lots are drawn by keys: the same each time
def test_nobody_meets_more_than_is_said_and_on_average_as_many(study, make_worker):
    many_gold(study, 3)
    Study.objects.filter(pk=study.pk).update(gold_every=3, overlap=12)
    study.refresh_from_db()
    launch.launch(study, seed=1)
    study.refresh_from_db()
    met = met_by_one(study)
    counts = []
    for _ in range(12):
        worker = make_worker(study)
        while slots := assignment.next_slots(worker):
            record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=1))
        counts.append(worker.judgements.filter(item__role=Role.GOLD).count())
    assert max(counts) <= met.most["gold"] < 6
    assert sum(counts) / 12 == pytest.approx(met.gold, abs=0.6)


def test_a_cap_on_work_is_a_cap_on_checks(study):
    many_gold(study, 2)
    Study.objects.filter(pk=study.pk).update(gold_every=1, most_judgements=1)
    met = met_by_one(Study.objects.get(pk=study.pk))
    assert (met.work, met.most["gold"]) == (1, 2)


def test_the_plan_and_the_page_of_rules_say_what_is_out_of_reach(rita, study):
    many_gold(study, 1)
    Study.objects.filter(pk=study.pk).update(gold_every=3)
    rules = reverse("study_rules", args=[study.pk])
    rita.post(rules, {"signal": "gold", "threshold": "0.4", "least": "5", "action": "excluded"})
    never = "It will catch nobody: it waits for 5 gold items, and a worker meets 2 at most."
    assert never in rita.get(reverse("study", args=[study.pk])).content.decode()
    assert never in rita.get(reverse("study_launch", args=[study.pk])).content.decode()
    page = rita.get(rules).content.decode()
    assert never in page
    assert "it waits for 2 attention checks, and a worker meets none" in page  # a usual rule
    previewed = rita.get(rules, {"signal": "gold", "threshold": "0.4", "least": "1", "action": "excluded"}).content.decode()
    assert previewed.count("gold item") > 0 == previewed.count("it waits for 1 gold item")


def test_lists_have_no_gold(rita, study):
    Study.objects.filter(pk=study.pk).update(kind=Study.Kind.SIDE_BY_SIDE)
    Comparison.objects.create(study=study)
    met = met_by_one(Study.objects.get(pk=study.pk))
    assert (met.gold, met.most["gold"], met.work) == (0, 0, 2)
    assert rita.get(reverse("study", args=[study.pk])).status_code == 200

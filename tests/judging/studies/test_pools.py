"""The topics that a draft chooses, and the pool that fits a budget."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from judging.models import Document, Study, Topic
from judging.studies import launch
from judging.studies.pool_plan import plan
from tests.judging.studies.test_study_pages import form

pytestmark = pytest.mark.django_db


def numbers(study):
    topics = {topic for topic, _ in plan(study).items}
    return sorted(Topic.objects.filter(pk__in=topics).values_list("number", flat=True))


def depths(study, **budget):
    for name, value in budget.items():
        setattr(study, name, value)
    planned = plan(study)
    return planned.depth, len(planned.items)


@pytest.fixture
def many_topics(study, researcher):
    """Topics 1 to 40, each with one document; the even ones are easy, those that 3 divides hard."""
    import polars as pl

    from judging.collections.storage import store_run

    Topic.objects.all().delete()
    Topic.objects.bulk_create(
        Topic(
            collection=study.collection,
            number=str(number),
            title=f"topic {number}",
            tags=["easy"] * (number % 2 == 0) + ["hard"] * (number % 3 == 0),
        )
        for number in range(1, 41)
    )
    rows = [(str(number), "d1", 1.0) for number in range(1, 41)]
    frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
    study.runs.set([store_run(frame, collection=study.collection, name="wide", by=researcher)])
    return study


def test_topics_are_chosen_by_a_tag_or_by_a_list(many_topics):
    assert len(numbers(many_topics)) == 40
    many_topics.topic_tags = ["hard"]
    assert numbers(many_topics) == sorted(str(number) for number in range(3, 41, 3))
    many_topics.topic_tags = ["easy", "hard"]
    assert len(numbers(many_topics)) == 20 + 13 - 6
    many_topics.topic_numbers = ["6", "7", "8"]
    assert numbers(many_topics) == ["6", "8"]  # 7 has neither tag
    many_topics.topic_tags = []
    assert numbers(many_topics) == ["6", "7", "8"]


def test_a_seed_draws_the_same_topics_whenever_it_is_asked(many_topics):
    many_topics.topic_count, many_topics.topic_seed = 10, 3
    drawn = numbers(many_topics)
    assert len(drawn) == 10
    assert numbers(Study(pk=many_topics.pk, collection=many_topics.collection, topic_count=10, topic_seed=3)) == drawn
    many_topics.topic_seed = 4
    assert numbers(many_topics) != drawn
    many_topics.topic_seed, many_topics.topic_tags = 3, ["easy"]
    assert {number for number in drawn if int(number) % 2 == 0} <= set(numbers(many_topics))  # who was drawn stays
    many_topics.topic_tags, many_topics.topic_count = [], 50
    assert len(numbers(many_topics)) == 40


def test_a_draw_takes_topics_for_which_the_runs_found_something(many_topics):
    Topic.objects.create(collection=many_topics.collection, number="99", title="in no run")
    many_topics.topic_count = 40
    assert "99" not in numbers(many_topics)
    assert len(numbers(many_topics)) == 40


def test_what_is_launched_is_what_was_planned(many_topics):
    Study.objects.filter(pk=many_topics.pk).update(topic_count=5, topic_seed=8, depth=1)
    many_topics.refresh_from_db()
    drawn = numbers(many_topics)
    launch.launch(many_topics, seed=1)
    assert sorted(many_topics.items.values_list("topic__number", flat=True)) == drawn


# alpha has d1 d2 d4 and d3 d5 d6, beta d2 d6 d1 and d4 d3 d5: pools of 4, 6 and 8 documents, two workers each
def test_the_pool_is_the_deepest_that_fits_the_budget(study):
    assert depths(study, judgement_budget=16) == (3, 8)
    assert depths(study, judgement_budget=1000) == (3, 8)
    assert depths(study, judgement_budget=15) == (2, 6)
    assert depths(study, judgement_budget=8) == (1, 4)
    assert depths(study, judgement_budget=8, most_overlap=3) == (1, 0)
    assert plan(study).over_budget == 12
    assert depths(study, judgement_budget=16, most_overlap=None, gold_every=5) == (2, 6)  # 15 answers with 3 of gold
    assert depths(study, judgement_budget=16, most_overlap=None, gold_every=0, topic_numbers=["1"]) == (3, 4)


def test_a_budget_of_money_is_spent_on_pay(study):
    study.pay_a_judgement = Decimal("0.10")
    assert depths(study, money_budget=Decimal("1.59")) == (2, 6)
    assert depths(study, money_budget=Decimal("1.60")) == (3, 8)
    assert depths(study, judgement_budget=9) == (1, 4)  # both are kept to
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(money_budget=1)


def test_a_budget_reaches_as_deep_as_the_runs_do(study, researcher):
    import polars as pl

    from judging.collections.storage import store_run

    docnos = [f"deep{place}" for place in range(130)]
    Document.objects.bulk_create(Document(collection=study.collection, docno=docno, text="Owls.") for docno in docnos[::2])
    rows = [("1", docno, float(-place)) for place, docno in enumerate(docnos)]
    frame = pl.DataFrame(rows, schema=["topic", "docno", "score"], orient="row")
    study.runs.set([store_run(frame, collection=study.collection, name="deep", by=researcher)])
    study.overlap = 1
    assert depths(study, judgement_budget=5) == (9, 5)
    assert depths(study, judgement_budget=60) == (119, 60)
    assert depths(study, judgement_budget=500) == (129, 65)  # the last one has no text here
    study.save()
    launch.launch(study, seed=1)
    assert Study.objects.get(pk=study.pk).depth == 129


def test_a_budget_that_is_too_small_says_what_it_takes(rita, study):
    Study.objects.filter(pk=study.pk).update(judgement_budget=7)
    page = rita.get(reverse("study", args=[study.pk])).content.decode()
    assert "the first results of the runs alone take 8 judgements" in page
    assert "no pool fits the budget" in page
    study.refresh_from_db()
    with pytest.raises(launch.CannotLaunch, match="The budget is too small"):
        launch.launch(study)


def test_the_form_chooses_topics_and_a_budget_and_the_draft_shows_what_it_comes_to(rita, study):
    study.collection.topics.filter(number="1").update(tags=["food"])
    chosen = {"topic_tags": ["food"], "topic_count": 1, "topic_seed": 5, "judgement_budget": 9}
    rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **chosen, depth=1, overlap=2))
    draft = Study.objects.get(name="Second study")
    assert (draft.topic_tags, draft.topic_count, draft.topic_seed, draft.judgement_budget) == (["food"], 1, 5, 9)
    page = rita.get(reverse("study", args=[draft.pk])).content.decode()
    assert "tagged food" in page
    assert "drawn at random, seed 5" in page
    assert "top 3 of 2 runs" in page
    assert "within the budget of 9 judgements" in page
    edit = rita.get(reverse("study_edit", args=[draft.pk])).content.decode()
    assert "food (1)" in edit
    rita.post(reverse("study_edit", args=[draft.pk]), form(study, name="Second study", topic_numbers="2, 1"))
    draft.refresh_from_db()
    assert (draft.topic_tags, draft.topic_numbers, draft.topic_count, draft.topic_seed) == ([], ["2", "1"], None, 5)
    assert rita.get(reverse("study_launch", args=[draft.pk]) + "?judgement_budget=4").content.count(b"top 1 of 2 runs") == 1


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"topic_numbers": "1\n77, 78"}, "Topic “77” and 1 more: not in this collection"),
        ({"topic_tags": ["nowhere"]}, "Select a valid choice"),
        ({"topic_count": 0}, "greater than or equal to 1"),
        ({"judgement_budget": "-5"}, "greater than or equal to"),
        ({"money_budget": "20"}, "Say what workers are paid, or give the budget in judgements"),
        ({"money_budget": "0", "pay_an_hour": "10"}, "greater than or equal to 0.01"),
    ],
)
def test_topics_and_budgets_that_cannot_be_say_why(rita, study, change, why):
    page = rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **change)).content.decode()
    assert why in page
    assert not Study.objects.filter(name="Second study").exists()


def test_only_a_graded_study_has_a_pool(study):
    with pytest.raises(IntegrityError), transaction.atomic():
        Study.objects.filter(pk=study.pk).update(kind=Study.Kind.SIDE_BY_SIDE, topic_count=3)

"""Which lists are compared: all pairs, a baseline or a budget; all topics, some, or the most different ones."""

from collections import Counter

import pytest

from judging.models import Comparison, Item, Listing, Slot
from judging.studies import launch, pair_plan
from judging.studies.launch import CannotLaunch

pytestmark = pytest.mark.django_db
Pairing, Topics = Comparison.Pairing, Comparison.Topics


def planned(draft, **settings):
    Comparison.objects.filter(study=draft).update(**settings)
    draft.refresh_from_db()
    return pair_plan.plan(draft)


def names(plan, pairs):
    runs = {run.pk: run.name for run in plan.study.runs.all()}
    return Counter((runs[pair.first], runs[pair.second]) for pair in pairs)


def test_every_two_runs_on_every_topic_that_both_have(draft):
    plan = planned(draft)
    assert names(plan, plan.items) == {("alpha", "beta"): 12, ("alpha", "gamma"): 9, ("beta", "gamma"): 11}
    assert names(plan, plan.same) == {("alpha", "gamma"): 2}
    assert (plan.topics, plan.systems, plan.judgements, plan.repeats) == (12, 3, 32 * 4, 32)


def test_a_baseline_meets_each_other_run(draft, systems):
    plan = planned(draft, pairing=Pairing.BASELINE, baseline=systems[1])
    assert names(plan, plan.items) == {("beta", "alpha"): 12, ("beta", "gamma"): 11}


@pytest.mark.parametrize("budget", [48, 100, 151, 10_000])
def test_a_budget_is_kept_and_evenly_spread(draft, budget):
    plan = planned(draft, pairing=Pairing.BUDGET, budget=budget)
    assert plan.answers <= budget
    assert len(plan.items) == min(int(budget * 0.8) // 4, 32)
    assert len(plan.items) + plan.over_budget == 32
    used = names(plan, plan.items).values()
    if plan.over_budget > 5:
        assert max(used) - min(used) <= 1
        assert max(Counter(pair.topic for pair in plan.items).values()) - (len(plan.items) // 12) <= 1
    assert plan.items == pair_plan.plan(draft).items  # what is launched is what was shown


def test_a_sample_of_topics_stays_the_same(draft):
    plan = planned(draft, topics=Topics.SAMPLE, topic_count=5)
    assert plan.topics == 5
    assert plan.items == pair_plan.plan(draft).items


def test_the_topics_on_which_runs_differ_most(draft, systems):
    """On even topics alpha and beta have nothing in common, on odd ones two documents."""
    draft.runs.set(systems[:2])
    plan = planned(draft, topics=Topics.DIFFERENT, topic_count=6)
    numbers = dict(draft.collection.topics.values_list("pk", "number"))
    assert {int(numbers[pair.topic]) % 2 for pair in plan.items} == {0}
    assert len(plan.items) == 6


def test_launching_keeps_the_lists_and_counterbalances_every_item(draft):
    launch.launch(draft, seed=1)
    work = draft.items.filter(role=Item.Role.WORK)
    assert work.count() == 32
    for item in work:
        assert Counter(item.slots.values_list("swapped", flat=True)) == {True: 2, False: 2}
    same = draft.items.get(role=Item.Role.SAME, topic__number="12")
    assert not same.slots.exists()
    assert same.first.results == same.second.results
    assert {(item.first.run_id < item.second.run_id) for item in work} == {True, False}  # which is first tells nothing
    listing = Listing.objects.get(study=draft, topic__number="1", run__name="beta")
    assert [row["docno"] for row in listing.results] == ["d2", "d6", "d1"]
    assert draft.pool_counts["items"] == 32
    assert draft.pool_counts["same"] == 2
    starts = Counter(Slot.objects.filter(study=draft, number=1).values_list("swapped", flat=True))
    assert len(starts) == 2


def test_results_that_nobody_could_read_are_left_out_and_counted(draft):
    draft.collection.documents.filter(docno="d1").delete()
    plan = planned(draft)
    assert plan.without_document == 12 + 6 + 2
    assert all(row["docno"] != "d1" for rows in plan.lists.values() for row in rows)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [({"pairing": Pairing.BUDGET, "budget": 3}, "budget is too small"), ({}, "at least two runs")],
)
def test_what_cannot_be_launched_says_why(draft, systems, changes, reason):
    if not changes:
        draft.runs.set(systems[:1])
    Comparison.objects.filter(study=draft).update(**changes)
    draft.refresh_from_db()
    with pytest.raises(CannotLaunch, match=reason):
        launch.launch(draft)
    assert not Listing.objects.exists()


def test_runs_that_show_the_same_everywhere_have_nothing_to_compare(draft, systems):
    draft.runs.set([systems[0], systems[2]])
    draft.collection.topics.exclude(number__in=["11", "12"]).delete()
    with pytest.raises(CannotLaunch, match="show the same on every topic"):
        launch.launch(draft)


def test_uploaded_lists_are_compared_as_their_sites_show_them(draft, researcher, systems):
    """Their documents are nobody's here; two that show the same are a tie, whatever they call their results."""
    import polars as pl

    from judging.collections.storage import store_run

    def site(name, titles):
        rows = [(topic, f"{name}-{place}", -float(place), title) for topic in "12" for place, title in enumerate(titles)]
        frame = pl.DataFrame(rows, schema=["topic", "docno", "score", "title"], orient="row")
        shown = frame.select("topic", "docno", "title", url=pl.lit(""), snippet=pl.lit("Words of it."))
        ranking = frame.select("topic", "docno", "score")
        return store_run(ranking, collection=draft.collection, name=name, by=researcher, shown=shown)

    draft.runs.set([site("seek", ["Owls", "Ducks"]), site("find", ["Ducks", "Owls"]), site("copy", ["Owls", "Ducks"])])
    plan = planned(draft)
    assert names(plan, plan.items) == {("copy", "find"): 2, ("find", "seek"): 2}
    assert names(plan, plan.same) == {("copy", "seek"): 2}
    assert plan.without_document == 0
    launch.launch(draft, seed=1)
    listing = Listing.objects.get(study=draft, topic__number="1", run__name="find")
    first = {"docno": "find-0", "document": None, "title": "Ducks", "url": "", "snippet": "Words of it."}
    assert listing.results[0] == first


def test_a_study_that_nobody_judged_in_goes_with_its_lists(comparing, researcher):
    from judging.collections.deletion import delete_study

    delete_study(comparing, by=researcher)
    assert not Listing.objects.exists()
    assert not Item.objects.exists()
    assert not Comparison.objects.exists()


def test_a_run_that_is_compared_is_not_deleted(comparing, systems, researcher):
    from judging.collections.deletion import InUse, delete_run

    with pytest.raises(InUse):
        delete_run(systems[0], by=researcher)

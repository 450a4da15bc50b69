"""Items that more workers judge than all: asked for on their list or by the API, and taken back without losing a vote."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from judging.labels.aggregation import default_method, several_judge
from judging.models import AuditEntry, Item, Slot, Study
from judging.studies import growth, launch, wanted_votes
from judging.studies.growth import CannotGrow
from judging.studies.wanted_votes import MOST_VOTES, NOTHING, Change, set_votes, with_more
from judging.work import assignment, exclusions
from judging.work.priority import has_urgent, prioritise
from metrics.kinds.studies import judgement_facts
from tests.judging.work.test_priority import fresh, order_for

pytestmark = pytest.mark.django_db
ITALIAN = {"Accept-Language": "it"}


@pytest.fixture
def judged(running, make_worker):
    """All items are judged as often as the study wants."""
    for _ in range(running.overlap):
        order_for(fresh(make_worker(running)))
    return running


def chosen(study, count=2):
    return list(study.items.order_by("position").values_list("pk", flat=True)[:count])


def open_slots(study):
    return Slot.objects.filter(study=study, judged_at__isnull=True, number__isnull=False)


def test_who_comes_next_judges_them_alone_and_their_vote_counts(judged, make_worker):
    keys, more = chosen(judged), judged.overlap + 1
    assert set_votes(judged, keys, more) == Change(2, more=2)
    assert set_votes(judged, keys, more) == NOTHING
    assert set(order_for(fresh(make_worker(judged)))) == set(keys)
    for item in Item.objects.filter(pk__in=keys):
        assert item.wanted == item.judgements.deciding().count() == more


def test_who_had_judged_them_gets_none_twice(running, make_worker):
    worker = make_worker(running)
    seen = order_for(fresh(worker))
    set_votes(running, seen, running.overlap + 2)
    assert order_for(fresh(worker)) == []


def test_new_places_lie_among_those_of_their_topic(judged):
    blocks = growth.blocks_of(judged, set(judged.items.values_list("topic", flat=True)))
    set_votes(judged, judged.items.values_list("pk", flat=True), judged.overlap + 1)
    assert {slot.item.topic_id: slot.position // growth.SPAN for slot in open_slots(judged).select_related("item")} == blocks


def test_it_is_taken_back_and_what_was_judged_stays(judged):
    keys = chosen(judged)
    set_votes(judged, keys, judged.overlap + 2)
    before = set(Slot.objects.filter(study=judged, judged_at__isnull=False).values_list("pk", flat=True))
    assert set_votes(judged, chosen(judged, 5), judged.overlap) == Change(2, fewer=4)
    assert set(Slot.objects.filter(study=judged).values_list("pk", flat=True)) == before
    assert set(judged.items.values_list("wanted", flat=True)) == {judged.overlap}


def test_what_somebody_judges_or_has_judged_keeps_its_vote(judged, make_worker):
    keys = chosen(judged)
    set_votes(judged, keys, judged.overlap + 2)
    order_for(fresh(make_worker(judged)))
    worker = fresh(make_worker(judged))
    held = assignment.next_slots(worker)[0].item_id
    assert set_votes(judged, keys, judged.overlap) == Change(1, fewer=1)
    assert order_for(fresh(worker)) == [held]
    counts = {item.pk: item.judgements.deciding().count() for item in Item.objects.filter(pk__in=keys)}
    assert counts == {key: judged.overlap + 1 + (key == held) for key in keys}


def test_what_somebody_held_and_gave_back_can_be_taken_back(judged, make_worker):
    (key,) = chosen(judged, 1)
    set_votes(judged, [key], judged.overlap + 1)
    worker = fresh(make_worker(judged))
    assert assignment.next_slots(worker)[0].item_id == key
    assert set_votes(judged, [key], judged.overlap) == NOTHING
    assignment.give_back(worker)
    assert set_votes(judged, [key], judged.overlap) == Change(1, fewer=1)
    set_votes(judged, [key], judged.overlap + 1)
    assignment.next_slots(worker)
    Slot.objects.filter(item=key, judged_at__isnull=True).update(leased_until=timezone.now())
    assert set_votes(judged, [key], judged.overlap) == Change(1, fewer=1)


def test_a_vote_that_came_instead_of_one_that_counts_again_is_known_to_reports(judged, make_worker):
    """Then another number of votes decides without a new judgement."""
    (key,) = chosen(judged, 1)
    exclusion = exclusions.exclude(fresh(judged.workers.first()), reason="all the same")
    order_for(fresh(make_worker(judged)))
    exclusions.lift(exclusion, by=judged.created_by)
    item, before = Item.objects.get(pk=key), judgement_facts(judged)
    assert item.judgements.deciding().count() == judged.overlap
    assert set_votes(judged, [key], judged.overlap + 1) == Change(1)
    assert item.judgements.deciding().count() == judged.overlap + 1
    assert judgement_facts(judged) != before


def test_what_comes_first_still_does(judged):
    keys = chosen(judged, 1)
    prioritise(judged, keys)
    judged.refresh_from_db()
    assert not has_urgent(judged)
    set_votes(judged, keys, judged.overlap + 1)
    judged.refresh_from_db()
    assert has_urgent(judged)


def test_drafts_checks_and_studies_that_ask_for_more_themselves_are_left_alone(study):
    with pytest.raises(CannotGrow, match="draft"):
        set_votes(study, [], 5)
    launch.launch(study, seed=1)
    (key,) = chosen(study, 1)
    Item.objects.filter(pk=key).update(role=Item.Role.GOLD, right=[1])
    assert set_votes(study, [key], study.overlap + 1) == NOTHING
    Study.objects.filter(pk=study.pk).update(most_overlap=study.overlap + 1)
    with pytest.raises(CannotGrow, match="by itself where workers disagree"):
        set_votes(study, chosen(study), study.overlap + 1)


def test_too_many_are_refused_and_nothing_is_changed(running, monkeypatch):
    monkeypatch.setattr(growth, "MOST_JUDGEMENTS", Slot.objects.filter(study=running).count())
    with pytest.raises(CannotGrow, match="one study may ask for"):
        set_votes(running, chosen(running, 1), running.overlap + 1)
    for votes in (running.overlap - 1, MOST_VOTES + 1):
        with pytest.raises(CannotGrow, match=f"from {running.overlap}, .* to 50"):
            set_votes(running, chosen(running, 1), votes)
    assert set(running.items.values_list("wanted", flat=True)) == {running.overlap}


def test_many_items_take_no_more_statements_than_one(judged):
    def statements(count, votes):
        with CaptureQueriesContext(connection) as asked:
            assert set_votes(judged, chosen(judged, count), votes).items == count
        return len(asked)

    more, fewer = judged.overlap + 1, judged.overlap
    set_votes(judged, chosen(judged, 1), more + 1)  # the first time something is found out
    set_votes(judged, chosen(judged, 1), fewer)
    once = [statements(1, more), statements(1, fewer)]
    several = [statements(6, more), statements(6, fewer)]
    assert several[0] <= once[0] + 1  # where much came on top, PostgreSQL's statistics are made anew
    assert several[1] <= once[1]


def test_a_replacement_that_nobody_needs_any_more_is_all_that_goes(judged, make_worker):
    """Its worker held it while the votes came back, and then did not answer."""
    (key,) = chosen(judged, 1)
    set_votes(judged, [key], judged.overlap + 1)
    order_for(fresh(make_worker(judged)))
    exclusion = exclusions.exclude(fresh(judged.workers.first()), reason="all the same")
    assert assignment.next_slots(fresh(make_worker(judged)))
    exclusions.lift(exclusion, by=judged.created_by)
    Slot.objects.filter(study=judged, judged_at__isnull=True).update(leased_until=timezone.now())
    assert set_votes(judged, [key], judged.overlap).fewer <= 1
    item = Item.objects.get(pk=key)
    assert item.judgements.deciding().count() == item.wanted == judged.overlap + 1


def test_more_than_one_statement_can_name_are_taken_away(judged, monkeypatch):
    monkeypatch.setattr(wanted_votes, "AT_ONCE", 2)
    set_votes(judged, chosen(judged, 6), judged.overlap + 3)
    assert set_votes(judged, chosen(judged, 6), judged.overlap) == Change(6, fewer=18)
    monkeypatch.setattr(wanted_votes, "MOST_ITEMS", 5)
    with pytest.raises(CannotGrow, match="5 are taken at a time"):
        set_votes(judged, chosen(judged, 6), judged.overlap + 1)


def test_of_one_worker_an_item_some_may_be_judged_by_several(study):
    study.overlap = 1
    study.save()
    launch.launch(study, seed=1)
    assert not several_judge(study)
    set_votes(study, chosen(study), 3)
    assert several_judge(study)
    assert default_method(study) == "ordinal"


def test_the_list_of_items_does_it_and_the_history_says_so(rita, judged):
    act, keys = reverse("items_act", args=[judged.pk]), ",".join(map(str, chosen(judged)))
    more, confirmed = judged.overlap + 1, {"action": "votes", "keys": keys, "confirmed": "1"}
    assert "Judged by more…" in rita.get(reverse("study_items", args=[judged.pk])).content.decode()
    page = rita.post(act, {"action": "votes", "row": chosen(judged)}).content.decode()
    assert "2 items" in page and f'value="{more}"' in page
    assert rita.post(act, confirmed | {"votes": judged.overlap - 1}).status_code == 422
    said = rita.post(act, confirmed | {"votes": more}, follow=True).content.decode()
    assert "2 judgements more are asked for." in said
    assert f"{more} workers for 2 items" in AuditEntry.objects.filter(study=judged).latest("pk").about
    again = rita.post(act, confirmed | {"votes": more}, follow=True, headers=ITALIAN).content.decode()
    assert "Si chiedono tanti giudizi quanti prima" in again
    assert open_slots(judged).count() == 2
    assert with_more(judged) == 2
    assert "2 items by more" in " ".join(rita.get(reverse("study", args=[judged.pk])).content.decode().split())
    said = rita.post(act, confirmed | {"votes": judged.overlap}, follow=True).content.decode()
    assert "2 judgements fewer are asked for." in said
    Study.objects.filter(pk=judged.pk).update(archived=timezone.now())
    assert "Judged by more…" not in rita.get(reverse("study_items", args=[judged.pk])).content.decode()


def test_the_api_does_the_same(rita, judged):
    url, topic = f"/api/v1/studies/{judged.pk}/votes/", judged.items.first().topic.number
    count = judged.items.filter(topic__number=topic).count()
    asked = {"items": [topic], "votes": judged.overlap + 1}
    assert rita.post(url, asked, "application/json").json() == {"changed": count, "more": count, "fewer": 0}
    assert rita.post(url, asked, "application/json").json() == {"changed": 0, "more": 0, "fewer": 0}
    assert rita.post(url, asked | {"votes": 51}, "application/json").status_code == 400
    assert rita.post(url, asked | {"votes": judged.overlap - 1}, "application/json").status_code == 409
    assert rita.post(url, asked | {"votes": judged.overlap}, "application/json").json()["fewer"] == count
    assert not open_slots(judged).exists()

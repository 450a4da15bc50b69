"""Drafting, planning and launching a side-by-side study on the pages."""

import pytest
from django.urls import reverse

from judging.models import Comparison, Study

pytestmark = pytest.mark.django_db


def filled(systems, **changes):
    form = {
        "name": "Which is better", "runs": [run.pk for run in systems], "question": "Which would you use?", "points": "5",
        "both_bad": "on", "reasons": "More relevant\nFaster to read\n\nMore relevant", "mirrored": "10", "pairing": "all",
        "topics": "all", "depth": "10", "overlap": "4", "instructions": "Compare.", "lease_minutes": "30",
        "seconds_a_judgement": "60", "least_seconds": "5", "paid": "no", "currency": "EUR",
    }  # fmt: skip
    return {name: value for name, value in (form | changes).items() if value is not None}


def new(rita, collection, form):
    address = f"{reverse('study_new')}?collection={collection.pk}&kind=side_by_side"
    return rita.post(address, form)


def text(response):
    return response.content.decode()


def test_the_kind_is_chosen_with_the_collection(rita, collection, systems):
    page = text(rita.get(reverse("study_new")))
    assert "Side by side" in page
    page = text(rita.get(f"{reverse('study_new')}?collection={collection.pk}&kind=side_by_side"))
    assert "Which list of results is better?" in page
    assert "Pool depth" not in page


def test_a_draft_is_saved_changed_planned_and_launched(rita, collection, systems):
    made = new(rita, collection, filled(systems))
    study = Study.objects.get()
    assert made.url == reverse("study", args=[study.pk])
    comparison = study.comparison
    assert (comparison.question, comparison.points, comparison.mirrored) == ("Which would you use?", 5, 0.1)
    assert comparison.reasons == ["More relevant", "Faster to read"]
    assert comparison.both_bad
    assert not comparison.marks_results
    page = text(rita.get(reverse("study", args=[study.pk])))
    assert "Pairs to compare" in page
    assert "Which would you use?" in page
    assert "2</span> pairs show the same on both sides" in page
    edit = reverse("study_edit", args=[study.pk])
    assert "More relevant\nFaster to read" in text(rita.get(edit))
    changed = filled(systems, pairing="baseline", baseline=systems[0].pk, mirrored="0", both_bad=None, reasons="")
    assert rita.post(edit, changed).status_code == 302
    comparison.refresh_from_db()
    assert (comparison.baseline, comparison.mirrored, comparison.both_bad, comparison.reasons) == (systems[0], 0, False, [])
    launch = reverse("study_launch", args=[study.pk])
    page = text(rita.get(launch))
    assert "What it could find out" in page
    assert "Launch: order 84 judgements" in page
    assert rita.post(launch, follow=True).status_code == 200
    study.refresh_from_db()
    assert study.state == "running"
    assert study.slots.count() == 84
    page = text(rita.get(reverse("study", args=[study.pk])))
    assert "A side-by-side study" in page
    assert "every pair as often one way round as the other" in page


def test_what_few_change_is_folded_away_until_it_is_changed(rita, collection, systems):
    folded = '<details class="group">'
    assert folded in text(rita.get(f"{reverse('study_new')}?collection={collection.pk}&kind=side_by_side"))
    assert folded not in text(new(rita, collection, filled(systems, mirrored="80"))), "where the mistake is"
    new(rita, collection, filled(systems))
    edit = reverse("study_edit", args=[Study.objects.get().pk])
    assert folded in text(rita.get(edit))
    for change in ({"mirrored": "0"}, {"most_judgements": "20"}):
        rita.post(edit, filled(systems, **change))
        assert folded not in text(rita.get(edit)), change


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"pairing": "baseline"}, "Choose the baseline"),
        ({"pairing": "budget"}, "Say how many judgements the budget is"),
        ({"topics": "sample"}, "Say how many topics to take"),
        ({"mirrored": "80"}, "less than or equal to 50"),
        ({"reasons": "x" * 61}, "at most 60 characters"),
        ({"reasons": "\n".join("abcdefghij")}, "At most 9 reasons"),
        ({"points": "1"}, "not one of the available choices"),
        ({"question": ""}, "This field is required"),
        ({"depth": "51"}, "At most 50 results per list"),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_nothing_is_saved(rita, collection, systems, changes, message):
    response = new(rita, collection, filled(systems, **changes))
    assert response.status_code == 200
    assert message in text(response)
    assert not Study.objects.exists()
    assert not Comparison.objects.exists()


def test_one_run_is_too_few_and_a_baseline_is_one_of_them(rita, collection, systems):
    assert "at least two runs" in text(new(rita, collection, filled(systems[:1])))
    other = filled(systems[:2], pairing="baseline", baseline=systems[2].pk)
    assert "one of the runs that are compared" in text(new(rita, collection, other))
    assert not Study.objects.exists()


def test_other_numbers_can_be_tried(rita, draft):
    page = text(rita.get(reverse("study_launch", args=[draft.pk]), {"overlap": "2"}))
    assert "Other settings than the draft" in page
    assert "64</span> 2 workers each" in page


def test_what_is_about_grades_is_not_there(rita, comparing):
    for name in ("study_quality", "study_machines", "study_items"):
        assert rita.get(reverse(name, args=[comparing.pk])).status_code == 404
    for name in ("study_training", "checks_promote", "checks_attention"):
        assert rita.post(reverse(name, args=[comparing.pk]), {"count": "1"}).status_code == 404


def test_judgements_are_listed_with_their_sides(rita, comparing, make_worker, prefer):
    from judging.work.assignment import next_slots

    worker = make_worker(comparing)
    slot = next_slots(worker)[0]
    prefer(worker, slot, -2, reasons=["More complete"])
    page = text(rita.get(reverse("study_judgements", args=[comparing.pk])))
    left = slot.item.second if slot.swapped else slot.item.first
    assert "Left is much better" in page
    assert "More complete" in page
    assert page.index(str(left.run)) < page.index("Left is much better")
    assert text(rita.get(reverse("study_worker", args=[comparing.pk, worker.pk]))).count("w") > 0
    assert rita.get(reverse("study_pay", args=[comparing.pk])).status_code == 200
    assert rita.get(reverse("study_rules", args=[comparing.pk])).status_code == 200
    assert rita.get(reverse("study_results", args=[comparing.pk])).url == reverse("study_preferences", args=[comparing.pk])

"""Drafting a study that asks more workers where they disagree, and a limit for each."""

import pytest
from django.urls import reverse

from judging.models import Study
from tests.judging.studies.test_study_pages import form

pytestmark = pytest.mark.django_db


def saved(rita, study, **changes):
    answer = rita.post(reverse("study_new") + f"?collection={study.collection_id}", form(study, **changes), follow=True)
    return Study.objects.filter(name="Second study").first(), answer.content.decode()


def test_the_plan_says_what_it_comes_to_at_least_and_at_most(rita, study):
    draft, page = saved(rita, study, overlap=2, most_overlap=5, certainty=0.95, most_judgements=40, pay_an_hour="12")
    assert (draft.most_overlap, draft.certainty, draft.most_judgements) == (5, 0.95, 40)
    assert "2 workers each, up to 30 where they disagree" in page
    assert "0.80 EUR</span> up to 2.00" in page


def test_left_empty_it_is_as_ever(rita, study):
    draft, page = saved(rita, study)
    assert (draft.most_overlap, draft.certainty, draft.most_judgements) == (None, 0.9, None)
    assert "where they disagree" not in page


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"overlap": 3, "most_overlap": 2}, "are no fewer than the workers of every item"),
        ({"most_overlap": 51}, "less than or equal to 50"),
        ({"certainty": 1}, "less than or equal to 0.999"),
        ({"certainty": "nan"}, "Enter a number"),
        ({"most_judgements": 0}, "greater than or equal to 1"),
    ],
)
def test_what_makes_no_sense_is_said(rita, study, changes, complaint):
    draft, page = saved(rita, study, **changes)
    assert draft is None
    assert complaint in page
    assert '<details class="field" open>' in page


def test_the_api_drafts_one_too(rita, study):
    address = f"/api/v1/studies/{study.pk}/"
    assert rita.patch(address, {"most_overlap": 4, "most_judgements": 9}, content_type="application/json").status_code == 200
    study.refresh_from_db()
    assert (study.most_overlap, study.most_judgements) == (4, 9)
    refused = rita.patch(address, {"most_overlap": 1}, content_type="application/json")
    assert refused.status_code == 400
    assert "most_overlap" in refused.json()

"""Addresses and forms filled with what no page of ours writes: an answer each, and never a server error."""

import pytest
from django.forms import BaseForm, ModelMultipleChoiceField

from judging.errors import Impossible, Unacceptable
from judging.forms.list_fields import RowsField
from judging.models import Invite, Site
from judging.recruiting import invites

TOO_LARGE = 10**19
EVEN_LARGER = "9" * 5000  # more digits than Python makes a number of


@pytest.fixture
def rita(client, researcher):
    client.force_login(researcher)
    client.raise_request_exception = False
    return client


@pytest.mark.parametrize("number", ["²", TOO_LARGE, EVEN_LARGER, "-1", "\0"])
@pytest.mark.parametrize("address", ["/studies/{}/judgements/?worker=", "/studies/new/?collection="])
def test_odd_numbers_after_a_question_mark_are_none(rita, running, address, number):
    known = rita.get(address.format(running.pk))
    assert rita.get(address.format(running.pk), {address.partition("?")[2][:-1]: str(number)}).status_code == 200
    assert known.status_code == 200


@pytest.mark.parametrize("number", [TOO_LARGE, EVEN_LARGER, "٣"])
@pytest.mark.parametrize(
    "address",
    [
        *("/judge/{}/", "/judge/{}/back/", "/judge/1/answers/{}/", "/studies/{}/", "/collections/{}/", "/collections/runs/{}/"),
        *("/reports/{}/", "/reports/{}/download/means.csv", "/reports/1/trec/{}/1"),
    ],
)
def test_odd_numbers_in_an_address_are_not_there(rita, address, number):
    assert rita.get(address.format(number)).status_code == 404


def test_an_answer_with_a_too_large_number_is_not_there(rita, running, researcher):
    invites.join(running, user=researcher)
    assert rita.get(f"/judge/{running.pk}/answers/{TOO_LARGE}/").status_code == 404


def test_an_odd_digit_in_a_scale_is_a_complaint(rita, study):
    page = rita.post(f"/studies/{study.pk}/edit/", {"scale": "0 No\n² Yes"})
    assert "Line 2: expected a grade from 0 to 10" in page.content.decode()


@pytest.mark.parametrize("search", ["\0", "a" * 60_000, "a" * 300 + "\0"])
@pytest.mark.parametrize("what", ["documents", "topics"])
def test_odd_searches_are_cut_to_what_can_be_looked_for(rita, collection, what, search):
    answer = rita.get(f"/collections/{collection.pk}/{what}/", {"q": search})
    assert answer.status_code == 200
    assert answer.context["listed"].words == search.replace("\0", "")[:200]


@pytest.mark.parametrize(("label", "why"), [("a\0b", "Null characters are not allowed"), ("a" * 121, "at most 120 characters")])
def test_a_link_with_an_odd_label_is_refused_with_the_reason(rita, running, label, why):
    page = rita.post(f"/studies/{running.pk}/invites/", {"label": label}, follow=True).content.decode()
    assert why in page
    assert not Invite.objects.exists()


@pytest.mark.parametrize("number", [TOO_LARGE, EVEN_LARGER, "²", "-1", "\0", ""])
def test_boxes_of_rows_that_cannot_be_are_refused(rita, study, number):
    """Databases take no number so large, not even to find nothing."""
    site = Site.objects.create(name="Owls", slug="owls", owner=study.created_by)
    forms = [
        (f"/studies/{study.pk}/edit/", {"runs": [number]}),
        (f"/sites/{site.pk}/settings/", {"readers": [number]}),
        (f"/studies/{study.pk}/pay/bonuses/", {"workers": [number], "amount": 1, "reason": "x"}),
        (f"/reports/new/?collection={study.collection_id}", {"runs": [number], "qrels": [number]}),
    ]
    assert [rita.post(address, sent).status_code in {200, 422} for address, sent in forms] == [True] * 4


def test_every_field_for_several_rows_refuses_them():
    fields = {
        (form.__qualname__, name): type(field)
        for form in subclasses(BaseForm) if form.__module__.startswith(("judging.forms", "metrics.forms"))
        for name, field in getattr(form, "base_fields", {}).items() if isinstance(field, ModelMultipleChoiceField)
    }  # fmt: skip
    assert len(fields) > 4
    assert [where for where, field in fields.items() if not issubclass(field, RowsField)] == []


def subclasses(kind):
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


@pytest.mark.parametrize("keys", ["9" * 5000, "[" * 5000, '{"keys": ["\\ud800"]}', '{"keys": [' + "9" * 5000 + "]}"])
def test_odd_keys_are_a_complaint(rita, running, keys):
    page = rita.post(f"/studies/{running.pk}/channels/new/prolific/", {"label": "x", "keys": keys})
    assert page.status_code in {200, 422}
    assert "Enter a valid JSON" in page.content.decode()


@pytest.mark.parametrize("address", ["/studies/1/pause/", "/account/tokens/", "/logout/", "/demo/enter/"])
def test_an_address_that_only_a_button_calls_says_so(rita, address):
    answer = rita.get(address)
    assert (answer.status_code, answer["Allow"].split(", ")[0]) == (405, "POST")
    assert "This address is not a page" in answer.content.decode()


@pytest.mark.parametrize(("refusal", "status"), [(Impossible, 409), (Unacceptable, 400)])
def test_a_refusal_that_no_page_expects_is_said_by_a_page(rita, monkeypatch, refusal, status):
    def refuse(*_):
        raise refusal("Its study is closed.")

    monkeypatch.setattr("judging.views.collections.collections_for", refuse)
    answer = rita.get("/collections/")
    assert answer.status_code == status
    assert "Its study is closed." in answer.content.decode()


def test_the_api_explains_a_wrong_method_in_its_own_way(rita):
    answer = rita.put("/api/v1/studies/", {}, content_type="application/json")
    assert answer.status_code == 405
    assert "not allowed" in answer.json()["detail"]


@pytest.mark.parametrize("part", [True, False])
def test_caches_keep_the_part_of_a_page_apart_from_the_page(rita, running, part):
    answer = rita.get(f"/studies/{running.pk}/", headers={"HX-Request": "true"} if part else {})
    assert "HX-Request" in answer["Vary"]


def test_a_part_of_a_page_for_who_is_signed_out_has_the_whole_page_loaded(client, running):
    """Else the page to sign in would stand in place of the part."""
    address = f"/studies/{running.pk}/"
    part = client.get(address, headers={"HX-Request": "true"})
    assert (part.status_code, part["HX-Refresh"]) == (204, "true")
    assert client.get(address).url == f"/login/?next={address}"

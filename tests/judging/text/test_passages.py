"""Passages of a document that speak for a grade: from the form to the files, each as characters of the text."""

import itertools
import json

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from judging.models import Document, Judgement
from judging.recruiting import invites
from judging.text import passages
from judging.text.passages import MOST, NotPassages, merged_passages, read
from tests.judging.work.test_judge_page import form_of, judge_url

PAIRS = st.lists(st.tuples(st.integers(0, 300), st.integers(1, 30)).map(lambda pair: [pair[0], sum(pair)]), max_size=MOST)


def covered(spans):
    return {place for start, end in spans for place in range(start, end)}


@given(PAIRS)
def test_merged_passages_cover_the_same_text_without_touching(pairs):
    merged = merged_passages(pairs)
    assert covered(merged) == covered(pairs)
    assert all(passage[1] < other[0] for passage, other in itertools.pairwise(merged))
    assert merged_passages(merged) == merged == read(json.dumps(pairs))


@pytest.mark.parametrize(
    "text",
    [
        "[[5, 5]]", "[[6, 5]]", "[[-1, 5]]", "[[0, 10000001]]", "[[0, 1.5]]", "[[0, true]]", '[["0", "1"]]', "[[0]]",
        "[[0, 1, 2]]", "[0, 1]", '{"0": 1}', "null", "7", "[[0, 1]", "[" * 1900, "x", "[[0, 1e400]]", "[[0, NaN]]",
        "[[0,1]]" + " " * 3000, json.dumps([[3 * number, 3 * number + 1] for number in range(MOST + 1)]),
    ],
)  # fmt: skip
def test_what_is_no_list_of_passages_is_refused(text):
    with pytest.raises(NotPassages):
        read(text)


def test_twenty_are_not_too_many_and_overlapping_ones_count_once():
    assert len(read(json.dumps([[3 * number, 3 * number + 1] for number in range(MOST)]))) == MOST
    assert read(json.dumps([[number, number + 2] for number in range(MOST + 5)])) == [[0, MOST + 6]]
    assert read("") == read("  ") == read("[]") == []


def test_a_passage_beyond_the_end_has_no_words():
    assert passages.passage_words([[0, 3], [90, 95]], "Owls eat") == ["Owl"]


# From the page to the files


@pytest.fixture
def joined(client, link):
    Document.objects.update(text="Owls 🦉 eat voles, mice and birds.")
    client.get(reverse("follow_invite", args=[invites.token_of(link)]))
    client.post(reverse("join"), {"agree": "1"})
    return client


def answer(client, link, marked, **more):
    form = {**form_of(client.get(judge_url(link))), "grade": "2", "passages": marked, **more}
    return client.post(judge_url(link), form)


@pytest.mark.django_db
def test_passages_are_stored_with_the_answer_and_come_back_with_it(joined, link):
    assert answer(joined, link, "[[11, 16], [0, 6], [3, 7]]").status_code == 302
    assert Judgement.objects.get().passages == [[0, 7], [11, 16]]
    page = joined.get(reverse("judge_back", args=[link.study_id]), follow=True).content.decode()
    assert 'name="passages" value="[[0, 7], [11, 16]]"' in page


@pytest.mark.django_db
@pytest.mark.parametrize("script", [True, False])
def test_passages_that_cannot_be_are_refused_and_nothing_is_stored(joined, link, script):
    form = {**form_of(joined.get(judge_url(link))), "grade": "2", "passages": "[[3, 1]]"}
    response = joined.post(judge_url(link), form, headers={"X-Requested-With": "fetch"} if script else {})
    assert response.status_code == 400
    assert "The passages that are marked cannot be read." in response.content.decode()
    assert not Judgement.objects.exists()


@pytest.mark.django_db
def test_other_passages_under_the_same_key_are_a_changed_mind(joined, link):
    form = {**form_of(joined.get(judge_url(link))), "grade": "2"}
    for marked in ("", "[[0, 4]]", "[[0, 4]]"):
        joined.post(judge_url(link), {**form, "passages": marked})
    assert list(Judgement.objects.order_by("id").values_list("passages", flat=True)) == [[], [[0, 4]]]


@pytest.mark.django_db
def test_researchers_read_them_quoted(joined, link, researcher):
    answer(joined, link, "[[0, 6], [11, 16]]")
    answer(joined, link, "")
    joined.force_login(researcher)
    page = joined.get(reverse("study_judgements", args=[link.study_id])).content.decode()
    assert "<q>Owls 🦉</q> <q>voles</q>" in page
    quoted = [{"start": 0, "end": 6, "text": "Owls 🦉"}, {"start": 11, "end": 16, "text": "voles"}]
    listed = joined.get(f"/api/v1/studies/{link.study_id}/judgements/").json()["results"]
    assert [row["passages"] for row in listed] == [quoted, []]


@pytest.mark.django_db
def test_files_carry_them_quoted(joined, link, researcher):
    import csv
    import io

    import polars as pl

    from judging.labels import exports

    answer(joined, link, "[[0, 6]]")
    answer(joined, link, "")
    quoted = {"start": 0, "end": 6, "text": "Owls 🦉"}
    lines = exports.export(link.study, "judgements", "jsonl").getvalue().decode().splitlines()
    assert [json.loads(line)["passages"] for line in lines] == [[quoted], []]
    rows = list(csv.DictReader(io.StringIO(exports.export(link.study, "judgements", "csv").getvalue().decode())))
    assert [json.loads(row["passages"] or "[]") for row in rows] == [[quoted], []]
    table = pl.read_parquet(io.BytesIO(exports.export(link.study, "judgements", "parquet").getvalue()))
    assert table["passages"].to_list() == [[quoted], []]


@pytest.mark.django_db
def test_programs_send_them_too(joined, link, running):
    from uuid import uuid4

    from judging.models import User

    user = User.objects.create_user("wim")
    worker = invites.join(running, link=link, user=user)
    joined.force_login(user)
    address = f"/api/v1/work/{running.pk}/"
    offer = joined.post(f"{address}next/").json()[0]["offer"]

    def send(marked):
        form = {"offer": offer, "key": str(uuid4()), "grade": 1, "passages": marked}
        return joined.post(f"{address}answer/", form, content_type="application/json")

    for nonsense in ([[3, 1]], [[1]], "x", [[0, 1.5]], [[0, 10**8]]):
        assert send(nonsense).status_code == 400
    assert send([[3, 7], [0, 4]]).json()["judgement"]["passages"] == [[0, 7]]
    assert worker.judgements.get().passages == [[0, 7]]

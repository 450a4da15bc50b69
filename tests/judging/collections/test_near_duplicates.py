"""Near-duplicates of a collection are asked for by its owner, found once in the background, and listed."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from judging.collections.duplicate_search import found_in, give_up, groups_frame, groups_of, search_near_duplicates
from judging.errors import Impossible
from judging.models import Collection, Document, NearDuplicates, Outbox
from judging.tasks import find_near_duplicates

pytestmark = pytest.mark.django_db
OWLS = "The barn owl is a white, silent hunter that nests in church towers and in old barns."


@pytest.fixture
def page(collection):
    return f"/collections/{collection.pk}/near-duplicates/"


@pytest.fixture
def copied(collection):
    """The birds with three copies of a text, one of them under a title, and two of another."""
    texts = {"o1": OWLS, "o2": f"{OWLS}!", "s1": "Swifts sleep.", "o3": OWLS.upper(), "s2": "swifts sleep"}
    Document.objects.bulk_create(Document(collection=collection, docno=docno, text=text) for docno, text in texts.items())
    return collection


@pytest.fixture
def searched(copied, researcher):
    search = search_near_duplicates(collection=copied, by=researcher)
    find_near_duplicates(search.pk)
    search.refresh_from_db()
    return search


def sent() -> list[dict]:
    return list(Outbox.objects.filter(task="judging.tasks.find_near_duplicates").values_list("arguments", flat=True))


def test_it_is_asked_for_once_and_found_in_the_background(copied, researcher):
    search, again = (search_near_duplicates(collection=copied, by=researcher) for _ in range(2))
    assert search == again and sent() == [{"search": search.pk}]
    assert found_in(copied) is None
    find_near_duplicates(search.pk)
    search.refresh_from_db()
    assert (search.state, search.documents, search.members, search.groups) == ("done", 11, 5, 2)
    assert groups_of(search) == [["o1", "o2", "o3"], ["s1", "s2"]]
    assert found_in(copied) == search


def test_a_search_that_ran_twice_counts_once(searched, copied):
    before = searched.finished
    Document.objects.create(collection=copied, docno="o4", text=OWLS)
    find_near_duplicates(searched.pk)
    searched.refresh_from_db()
    assert (searched.finished, searched.documents) == (before, 11)


def test_what_was_found_stays_when_it_is_searched_again(searched, copied, researcher):
    Document.objects.create(collection=copied, docno="o4", text=OWLS)
    newer = search_near_duplicates(collection=copied, by=researcher)
    find_near_duplicates(newer.pk)
    assert newer != searched and found_in(copied) == newer
    assert len(groups_frame(searched)) == 5 and len(groups_frame(found_in(copied))) == 6


def test_the_same_documents_give_the_same_hash(searched, copied, researcher):
    again = search_near_duplicates(collection=copied, by=researcher)
    find_near_duplicates(again.pk)
    assert found_in(copied).pk == again.pk and found_in(copied).sha256 == searched.sha256


def test_the_texts_of_other_collections_are_not_looked_at(searched, researcher):
    other = Collection.objects.create(name="Other", owner=researcher)
    Document.objects.create(collection=other, docno="x1", text=OWLS)
    search = search_near_duplicates(collection=other, by=researcher)
    find_near_duplicates(search.pk)
    assert (found_in(other).documents, groups_of(found_in(other))) == (1, [])


def test_a_lost_message_is_sent_again_when_somebody_asks(copied, researcher):
    search = search_near_duplicates(collection=copied, by=researcher)
    NearDuplicates.objects.update(asked=timezone.now() - timedelta(hours=1))
    for _ in range(2):
        assert search_near_duplicates(collection=copied, by=researcher) == search
    assert sent() == [{"search": search.pk}] * 2


def test_two_searches_of_a_collection_cannot_wait(copied, researcher):
    search_near_duplicates(collection=copied, by=researcher)
    with pytest.raises(IntegrityError), transaction.atomic():
        NearDuplicates.objects.create(collection=copied, threshold=0.8, words=5, created_by=researcher)


def test_a_search_that_never_ends_well_says_why_and_can_be_asked_for_again(copied, researcher, page, client):
    search = search_near_duplicates(collection=copied, by=researcher)
    give_up("the disk was full", search=search.pk)
    client.force_login(researcher)
    html = client.get(page).content.decode()
    assert "the disk was full" in html and "Find near-duplicates" in html
    assert search_near_duplicates(collection=copied, by=researcher) != search


def test_without_documents_there_is_nothing_to_compare(researcher, client):
    empty = Collection.objects.create(name="Empty", owner=researcher)
    with pytest.raises(Impossible, match="no documents"):
        search_near_duplicates(collection=empty, by=researcher)
    client.force_login(researcher)
    answer = client.post(f"/collections/{empty.pk}/near-duplicates/", follow=True)
    assert "The collection has no documents" in answer.content.decode()
    assert not NearDuplicates.objects.exists()


def test_the_page_asks_waits_and_lists(copied, researcher, page, client):
    client.force_login(researcher)
    assert "Nobody has looked for them yet" in client.get(page).content.decode()
    assert client.post(page).url == page
    waiting = client.get(page).content.decode()
    assert "Comparing documents" in waiting and 'hx-trigger="every 2s"' in waiting
    find_near_duplicates(NearDuplicates.objects.get().pk)
    html = " ".join(client.get(page).content.decode().split())
    assert "5 of 11 documents in 2 groups" in html and "hx-trigger" not in html
    for docno in ("o1", "o2", "o3", "s1", "s2"):
        assert f">{docno}</a>" in html
    Document.objects.create(collection=copied, docno="new", text="Terns")
    assert "12 documents now: find them again" in client.get(page).content.decode()


def test_a_large_group_is_cut_short(collection, researcher, page, client):
    Document.objects.bulk_create(Document(collection=collection, docno=f"o{n}", text=OWLS) for n in range(25))
    find_near_duplicates(search_near_duplicates(collection=collection, by=researcher).pk)
    client.force_login(researcher)
    html = client.get(page).content.decode()
    assert "and 5 more" in html and ">o19</a>" in html and ">o20</a>" not in html


def test_who_only_reads_the_collection_sees_groups_and_asks_for_none(searched, copied, stranger, page, client):
    Collection.objects.filter(pk=copied.pk).update(shared=True)
    client.force_login(stranger)
    html = client.get(page).content.decode()
    assert "in 2\n" in html or "in 2 " in html
    assert "Find near-duplicates" not in html
    assert client.post(page).status_code == 404


def test_the_api_asks_and_gives_the_groups(copied, rita):
    address = f"/api/v1/collections/{copied.pk}/near-duplicates/"
    asked = rita.post(address)
    assert (asked.status_code, asked.json()["state"]) == (201, "waiting")
    search = f"{address}{asked.json()['id']}/"
    assert rita.get(search).json()["docnos"] is None
    find_near_duplicates(asked.json()["id"])
    answer = rita.get(search).json()
    assert answer["docnos"] == [["o1", "o2", "o3"], ["s1", "s2"]]
    assert (answer["state"], answer["threshold"], answer["words"], answer["documents"]) == ("done", 0.8, 5, 11)
    (listed,) = rita.get(address).json()["results"]
    assert listed == {name: value for name, value in answer.items() if name != "docnos"}

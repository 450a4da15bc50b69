import pytest

from judging.models import AuditEntry, Collection

ADDRESS = "/api/v1/collections/"


def test_a_collection_from_birth_to_end(rita):
    made = rita.post(ADDRESS, {"name": "Bees", "description": "*Apis*", "shared": False})
    assert made.status_code == 201
    assert (made.json()["owner"], made.json()["description"]) == ("rita", "*Apis*")
    address = f"{ADDRESS}{made.json()['id']}/"
    assert rita.patch(address, {"shared": True}).json()["shared"] is True
    assert rita.get(address).json()["name"] == "Bees"
    assert rita.delete(address).status_code == 204
    assert rita.get(address).status_code == 404


def test_a_name_that_is_taken_is_a_conflict_and_changes_nothing(rita, collection):
    refused = rita.post(ADDRESS, {"name": "Birds"})
    assert refused.status_code == 409
    assert "Birds" in refused.json()["detail"]
    other = rita.post(ADDRESS, {"name": "Bees"}).json()["id"]
    assert rita.patch(f"{ADDRESS}{other}/", {"name": "Birds"}).status_code == 409
    assert Collection.objects.filter(name="Birds").count() == 1


def test_who_does_not_research_makes_none(wim):
    refused = wim.post(ADDRESS, {"name": "Bees"})
    assert refused.status_code == 403
    assert "researcher" in refused.json()["detail"]
    assert not Collection.objects.exists()


def test_a_strangers_collection_does_not_exist_until_it_is_shared_and_is_never_changed(sid, collection):
    address = f"{ADDRESS}{collection.pk}/"
    assert sid.get(address).status_code == 404
    assert sid.get(ADDRESS).json()["count"] == 0
    Collection.objects.update(shared=True)
    assert sid.get(address).status_code == 200
    assert sid.get(f"{address}topics/").json()["count"] == 2
    assert sid.patch(address, {"name": "Mine"}).status_code == 404
    assert sid.delete(address).status_code == 404


def test_only_the_owner_shares_it_and_the_history_says_so(sid, rita, collection, stranger):
    collection.members.add(stranger)
    address = f"{ADDRESS}{collection.pk}/"
    refused = sid.patch(address, {"shared": True})
    assert (refused.status_code, "rita owns" in refused.json()["detail"]) == (403, True)
    assert sid.patch(address, {"shared": False, "description": "Owls"}).status_code == 200, "that is as it was"
    assert not AuditEntry.objects.exists()
    for shared in (True, True, False):
        assert rita.patch(address, {"shared": shared}).status_code == 200
    assert list(AuditEntry.objects.order_by("id").values_list("deed", "about", "by__username", "collection")) == [
        ("access", "collection “Birds”, shared with every researcher", "rita", collection.pk),
        ("access", "collection “Birds”, shared with every researcher no longer", "rita", collection.pk),
    ]
    assert Collection.objects.get().description == "Owls"


def test_a_collection_with_studies_stays(rita, study):
    refused = rita.delete(f"{ADDRESS}{study.collection_id}/")
    assert refused.status_code == 409
    assert "Studies" in refused.json()["detail"]


def test_deleting_takes_the_files_along(rita, runs, collection, settings, django_capture_on_commit_callbacks):
    from pathlib import Path

    kept = Path(settings.MEDIA_ROOT)
    assert len(list(kept.rglob("*.parquet"))) == 2
    with django_capture_on_commit_callbacks(execute=True):
        assert rita.delete(f"{ADDRESS}{collection.pk}/").status_code == 204
    assert list(kept.rglob("*.parquet")) == []


def test_filters(rita, collection, stranger):
    Collection.objects.create(name="Bees", owner=stranger, shared=True)

    def names(query):
        return [row["name"] for row in rita.get(ADDRESS + query).json()["results"]]

    assert names("") == ["Bees", "Birds"]
    assert names("?name=bIr") == ["Birds"]
    assert names("?mine=true") == ["Birds"]
    assert names("?mine=false") == ["Bees"]
    assert names("?shared=true") == ["Bees"]


def test_documents_are_found_by_docno_and_by_words(rita, collection):
    documents = f"{ADDRESS}{collection.pk}/documents/"

    def docnos(query):
        return [document["docno"] for document in rita.get(documents + query).json()["results"]]

    assert docnos("") == ["d1", "d2", "d3", "d4", "d5", "d6"]
    assert docnos("?docno=d3") == ["d3"]
    assert docnos("?search=barn owl") == ["d2"]
    assert docnos("?search=SWALLOWS") == ["d3", "d5"]
    assert docnos("?search=%25") == [], "a percent sign is a percent sign"
    document = rita.get(documents).json()["results"][0]
    assert rita.get(f"{documents}{document['id']}/").json()["text"] == "Owls eat voles, mice and sometimes other birds."


def test_a_document_is_not_found_under_another_collection(rita, researcher, collection):
    other = Collection.objects.create(name="Bees", owner=researcher)
    document = collection.documents.first()
    assert rita.get(f"{ADDRESS}{other.pk}/documents/{document.pk}/").status_code == 404


def test_topics(rita, collection):
    topics = f"{ADDRESS}{collection.pk}/topics/"
    assert [topic["number"] for topic in rita.get(topics).json()["results"]] == ["1", "2"]
    assert rita.get(topics + "?title=MIGRATION").json()["results"][0]["narrative"] == "Routes and dates count."
    assert rita.get(topics + "?number=2").json()["count"] == 1


@pytest.mark.parametrize(("page_size", "page", "docnos"), [(2, 1, ["d1", "d2"]), (2, 3, ["d5", "d6"]), (4, 2, ["d5", "d6"])])
def test_pages(rita, collection, page_size, page, docnos):
    response = rita.get(f"{ADDRESS}{collection.pk}/documents/", {"page": page, "page_size": page_size}).json()
    assert [document["docno"] for document in response["results"]] == docnos
    assert response["count"] == 6
    assert (response["next"] is None) == (page * page_size >= 6)


def test_pages_that_do_not_exist(rita, collection):
    documents = f"{ADDRESS}{collection.pk}/documents/"
    for page in ("0", "9", "-1", "x", "\0", "1" * 50):
        assert rita.get(documents, {"page": page}).status_code == 404, page
    assert rita.get(documents, {"page_size": "x"}).status_code == 200


def test_tags_of_topics(rita, sid, collection):
    topics = f"{ADDRESS}{collection.pk}/topics/"
    owls, swallows = (f"{topics}{topic.pk}/" for topic in collection.topics.order_by("number"))
    assert rita.patch(owls, {"tags": ["hard, nav", "hard", ""]}).json()["tags"] == ["hard", "nav"]
    rita.patch(swallows, {"tags": ["nav"]})
    assert [topic["tags"] for topic in rita.get(topics).json()["results"]] == [["hard", "nav"], ["nav"]]
    assert [topic["number"] for topic in rita.get(topics + "?tag=hard").json()["results"]] == ["1"]
    assert rita.get(topics + "?tag=har").json()["count"] == 0
    unchanged = rita.patch(owls, {"title": "mine", "number": "7"}).json()
    assert (unchanged["title"], unchanged["number"], unchanged["tags"]) == ("diet of owls", "1", ["hard", "nav"])
    Collection.objects.update(shared=True)
    assert sid.get(owls).json()["tags"] == ["hard", "nav"]
    assert sid.patch(owls, {"tags": []}).status_code == 404
    assert rita.put(owls, {"tags": []}).status_code == 405
    assert rita.patch(owls, {"tags": []}).json()["tags"] == []


@pytest.mark.parametrize(
    "tags", ["hard", [["a"]], [{"a": 1}], [None], ["a" * 61], ["a\u200bb"], [str(n) for n in range(21)], None]
)
def test_tags_that_cannot_be_kept(rita, collection, tags):
    topic = collection.topics.first()
    refused = rita.patch(f"{ADDRESS}{collection.pk}/topics/{topic.pk}/", {"tags": tags})
    assert refused.status_code == 400
    assert list(refused.json()) == ["tags"]
    topic.refresh_from_db()
    assert topic.tags == []

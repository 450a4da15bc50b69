"""The pages of collections and what is in them: what they show, and to whom."""

import re

import polars as pl
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from ireval.io.qrels import read_qrels
from judging.collections.imports import import_qrels
from judging.collections.storage import store_qrels
from judging.models import AuditEntry, Collection, Document, Qrels, Run, Study, Topic
from metrics.models import Part, Report
from tests.judging.stored import everything_stored


@pytest.fixture
def qrels(collection, researcher):
    grades = {"topic": ["1", "1", "2"], "docno": ["d1", "d4", "d3"], "grade": [2, 0, 1]}
    return store_qrels(pl.DataFrame(grades), collection=collection, name="gold", by=researcher, source_name="gold.txt")


@pytest.fixture
def own(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def report(collection, runs, qrels, researcher):
    report = Report.objects.create(
        kind="runs", collection=collection, title="Owls", spec={}, digest="0" * 64, engine_version="1", created_by=researcher
    )
    Part.objects.create(report=report, name=str(runs[0].pk), run=runs[0], qrels=qrels)
    return report


def pages(collection, runs, qrels) -> list[str]:
    """Every page that shows something of the collection."""
    topic, document = collection.topics.first(), collection.documents.first()
    return [
        *(reverse(name, args=[collection.pk]) for name in ("collection", "topics", "documents")),
        reverse("topic", args=[topic.pk]),
        reverse("document", args=[document.pk]),
        reverse("run", args=[runs[0].pk]),
        reverse("ranking", args=[runs[0].pk]),
        reverse("qrels", args=[qrels.pk]),
        *(reverse("qrels_download", args=[qrels.pk, form]) for form in ("trec", "csv", "jsonl", "parquet")),
    ]


def owners_pages(collection, runs, qrels) -> list[str]:
    """Every page that changes something of it."""
    return [
        *(reverse(name, args=[collection.pk]) for name in ("collection_edit", "collection_delete", "upload_new")),
        reverse("run_delete", args=[runs[0].pk]),
        reverse("qrels_delete", args=[qrels.pk]),
    ]


def test_its_owner_sees_every_page(own, collection, runs, qrels):
    for url in [*pages(collection, runs, qrels), *owners_pages(collection, runs, qrels)]:
        assert own.get(url).status_code == 200, url


def test_a_stranger_meets_a_404_on_every_page(client, stranger, collection, runs, qrels):
    client.force_login(stranger)
    for url in [*pages(collection, runs, qrels), *owners_pages(collection, runs, qrels)]:
        assert client.get(url).status_code == 404, url
    for url in owners_pages(collection, runs, qrels):
        assert client.post(url).status_code == 404, url
    assert collection.name not in client.get(reverse("collections")).content.decode()


def test_a_shared_collection_is_read_by_all_researchers_and_changed_by_its_owner(client, stranger, collection, runs, qrels):
    Collection.objects.update(shared=True)
    client.force_login(stranger)
    for url in pages(collection, runs, qrels):
        assert client.get(url).status_code == 200, url
    for url in owners_pages(collection, runs, qrels):
        assert client.post(url).status_code == 404, url
    page = client.get(reverse("collection", args=[collection.pk])).content.decode()
    assert "Add files" not in page


def test_an_admin_changes_any(client, admin, collection, runs, qrels):
    client.force_login(admin)
    for url in owners_pages(collection, runs, qrels):
        assert client.get(url).status_code == 200, url


def test_nobody_reads_without_signing_in(client, collection, runs, qrels):
    for url in [*pages(collection, runs, qrels), *owners_pages(collection, runs, qrels), reverse("collections")]:
        assert client.get(url).url.startswith(reverse("account_login")), url


def test_who_only_works_makes_no_collection(client, db):
    from judging.models import User

    client.force_login(User.objects.create_user("will"))
    assert client.get(reverse("collection_new")).status_code == 404
    assert client.post(reverse("collection_new"), {"name": "Mine"}).status_code == 404
    assert client.get(reverse("collections")).status_code == 200


def test_making_and_editing_a_collection(own, researcher):
    reply = own.post(reverse("collection_new"), {"name": "Fish", "description": "Of the **sea**.", "notice": "© the sea"})
    fish = Collection.objects.get()
    assert (reply.url, fish.owner, fish.shared) == (reverse("upload_new", args=[fish.pk]), researcher, False)
    page = own.get(reverse("collection", args=[fish.pk])).content.decode()
    assert "<strong>sea</strong>" in page
    assert "© the sea" in page
    own.post(reverse("collection_edit", args=[fish.pk]), {"name": "Fishes", "shared": "on"})
    fish.refresh_from_db()
    assert (fish.name, fish.shared) == ("Fishes", True)


def test_a_name_that_is_taken_is_said(own, collection):
    reply = own.post(reverse("collection_new"), {"name": collection.name})
    assert reply.status_code == 422
    assert "There already is a collection of this name" in reply.content.decode()


def test_a_list_counts_what_is_in_each(own, collection, runs, qrels):
    row = own.get(reverse("collections")).context["listed"].page.object_list[0]
    assert (row.document_count, row.topic_count, row.run_count, row.qrels_count) == (6, 2, 2, 1)


@pytest.mark.parametrize(("search", "docnos"), [("vole", ["d1", "d2"]), ("d6", ["d6"]), ("penguin", []), ("", None)])
def test_documents_are_searched_by_id_and_words(own, collection, search, docnos):
    page = own.get(reverse("documents", args=[collection.pk]), {"q": search}).context["listed"].page
    assert [document.docno for document in page] == (docnos if docnos is not None else ["d1", "d2", "d3", "d4", "d5", "d6"])


def test_documents_are_narrowed_down_to_those_of_qrels_and_of_a_study(own, collection, qrels, running, client, stranger):
    def shown(client, **query):
        return [document.docno for document in client.get(address, query).context["listed"]]

    address, of_study = reverse("documents", args=[collection.pk]), running.items.values("document")
    assert shown(own, qrels=qrels.pk) == list(qrels.grades.order_by("docno").values_list("docno", flat=True).distinct())
    assert shown(own, study=running.pk) == [document.docno for document in collection.documents.filter(pk__in=of_study)]
    assert shown(own, study=running.pk, q="ducks") == ["d6"]
    Collection.objects.filter(pk=collection.pk).update(shared=True)
    client.force_login(stranger)
    assert shown(client, study=running.pk) == ["d1", "d2", "d3", "d4", "d5", "d6"]  # of a study that they do not see


def test_a_list_of_documents_reads_the_beginnings_of_their_texts(own, collection, monkeypatch):
    Document.objects.create(collection=collection, docno="x", text="Gulls " * 40 + "at last")
    with CaptureQueriesContext(connection) as captured:
        page = own.get(reverse("documents", args=[collection.pk])).content.decode()
    assert "Gulls G…" in page and "Owls eat voles, mice and sometimes other birds.<" in page
    assert not any(re.search(r'(?<!\()"judging_document"."text"', query["sql"]) for query in captured)
    assert 'href="?sort=title"' in page and "sorted by their ids" not in page
    monkeypatch.setattr("judging.views.collections.MOST_SEARCHED", 6)
    page = own.get(reverse("documents", args=[collection.pk])).content.decode()
    assert 'href="?sort=title"' not in page and "sorted by their ids" in page


@pytest.mark.parametrize(("search", "numbers"), [("owl", ["1"]), ("2", ["2"]), ("penguin", [])])
def test_topics_are_searched_by_number_and_words(own, collection, search, numbers):
    page = own.get(reverse("topics", args=[collection.pk]), {"q": search}).context["listed"].page
    assert [topic.number for topic in page] == numbers


def test_long_lists_come_in_pages(own, collection):
    Document.objects.bulk_create(Document(collection=collection, docno=f"x{n}", text="Gulls") for n in range(100))
    url = reverse("documents", args=[collection.pk])
    assert len(own.get(url).context["listed"].page.object_list) == 50
    assert [d.docno for d in own.get(url, {"page": 3}).context["listed"].page] == [f"x{n}" for n in range(94, 100)]
    assert own.get(url, {"page": "last?"}).status_code == 200


def test_a_document_is_shown_as_text(own, collection):
    document = Document.objects.create(
        collection=collection, docno="x", title="<b>Gulls</b>", text="The <script>alert(1)</script> of"
    )
    page = own.get(reverse("document", args=[document.pk]), headers={"Accept-Language": "de"}).content.decode()
    assert '<h1 lang="en">&lt;b&gt;Gulls&lt;/b&gt;' in page
    assert "<script>alert" not in page


def test_the_ranking_of_a_topic_with_titles_and_grades(own, collection, runs, qrels):
    page = own.get(reverse("ranking", args=[runs[0].pk]), {"topic": "1"})
    shown = [(result.rank, result.docno, result.document.title, result.grade) for result in page.context["results"]]
    assert shown == [(1, "d1", "Owls", 2), (2, "d2", "Barn owl", None), (3, "d4", "Sparrows", 0)]
    assert (page.context["judged"], page.context["relevant"]) == (2, 1)
    plain = own.get(reverse("ranking", args=[runs[0].pk]), {"topic": "1", "qrels": "none"})
    assert {result.grade for result in plain.context["results"]} == {None}


def test_a_document_that_the_collection_lacks_is_named_in_a_ranking(own, collection, runs):
    collection.documents.filter(docno="d2").delete()
    page = own.get(reverse("ranking", args=[runs[0].pk]), {"topic": "1"}).content.decode()
    assert "not in the collection" in page


def test_a_topic_that_the_run_lacks_is_a_404(own, runs):
    assert own.get(reverse("ranking", args=[runs[0].pk]), {"topic": "77"}).status_code == 404


def test_many_runs_are_searched_sorted_and_paged(own, collection, runs):
    """The page holds more than the runs: what narrows them down leads back to them."""
    assert 'role="search"' not in own.get(reverse("collection", args=[collection.pk])).content.decode()
    facts = {"collection": collection, "created_by": collection.owner, "topic_count": 1, "depth": 1}
    Run.objects.bulk_create(Run(name=f"many{n:03}", rows=n + 1, sha256=f"{n}", file=f"{n}.parquet", **facts) for n in range(60))

    def names(query=""):
        page = own.get(reverse("collection", args=[collection.pk]) + query).content.decode()
        assert 'action="#runs"' in page
        return re.findall(r'<th scope="row"><a href="/collections/runs/\d+/">([^<]+)</a>', page)

    assert len(names()) == 50 and len(names("?page=2")) == 10 + len(runs)
    assert names("?q=many05&sort=-results") == [f"many{n:03}" for n in range(59, 49, -1)]
    assert names("?q=nothing") == []


def test_a_run_says_how_much_it_has_for_each_topic(own, runs):
    page = own.get(reverse("run", args=[runs[0].pk]))
    assert list(page.context["page"]) == [("1", "diet of owls", 3), ("2", "swallow migration", 3)]


def test_a_run_leads_to_its_studies_whoever_owns_them(own, collection, runs, researcher):
    """Also to one that was handed over, of whose owner nobody made a member."""
    study = Study.objects.create(collection=collection, name="Handed over", created_by=researcher, instructions="x")
    study.runs.set(runs[:1])
    shown = [own.get(reverse("run", args=[run.pk])).context["studies"] for run in runs]
    assert [list(studies) for studies in shown] == [[study], []]


def test_a_topic_gathers_runs_and_qrels(own, collection, runs, qrels):
    page = own.get(reverse("topic", args=[Topic.objects.get(number="1").pk]))
    assert [(run.name, results) for run, results in page.context["runs"]] == [("alpha", 3), ("beta", 3)]
    assert [(source.name, grades) for source, grades in page.context["qrels"]] == [("gold", [(2, 1), (0, 1)])]


def test_qrels_say_what_they_are(own, collection, researcher):
    marked = store_qrels(
        pl.DataFrame({"topic": ["1"], "docno": ["d1"], "grade": [1]}), collection=collection, name="clicks", by=researcher,
        sparse=True, simulated_judgements=7, recipe={"method": "the last click"},
    )  # fmt: skip
    page = own.get(reverse("qrels", args=[marked.pk])).content.decode()
    for phrase in ("sparse", "binary", "includes simulated judgements", "the last click", "7 of the judgements"):
        assert phrase in page


@pytest.mark.parametrize("form", ["trec", "csv", "jsonl", "parquet"])
def test_a_download_is_read_back_as_the_same_grades(own, qrels, form, tmp_path):
    reply = own.get(reverse("qrels_download", args=[qrels.pk, form]))
    assert "attachment" in reply["Content-Disposition"]
    path = tmp_path / "download"
    path.write_bytes(reply.content)
    assert sorted(read_qrels(path).rows()) == [("1", "d1", 2), ("1", "d4", 0), ("2", "d3", 1)]


def test_a_format_that_is_none(own, qrels):
    assert own.get(reverse("qrels_download", args=[qrels.pk, "docx"])).status_code == 404


def test_deleting_takes_the_file_along(own, runs, qrels, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        own.post(reverse("run_delete", args=[runs[0].pk]))
        own.post(reverse("qrels_delete", args=[qrels.pk]))
    assert list(Run.objects.values_list("name", flat=True)) == ["beta"]
    assert not Qrels.objects.exists()
    assert len(everything_stored()[1]) == 1


def test_deleting_a_collection_takes_everything_along(own, collection, runs, qrels, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        own.post(reverse("collection_delete", args=[collection.pk]))
    assert everything_stored() == ([[], [], [], [], []], [])


def test_what_a_launched_study_rests_on_stays(own, collection, running):
    run = running.runs.first()
    before = everything_stored()
    for url in (reverse("run_delete", args=[run.pk]), reverse("collection_delete", args=[collection.pk])):
        page = own.post(url, follow=True).content.decode()
        assert "so it stays" in page
    assert everything_stored() == before


def test_what_a_report_rests_on_stays(own, collection, report, runs, qrels):
    before = everything_stored()
    urls = [
        reverse("run_delete", args=[runs[0].pk]),
        reverse("qrels_delete", args=[qrels.pk]),
        reverse("collection_delete", args=[collection.pk]),
    ]
    for url in urls:
        assert "1 report would go with this" in own.post(url, follow=True).content.decode()
    assert everything_stored() == before
    report.delete()
    own.post(urls[0])
    assert list(Run.objects.values_list("name", flat=True)) == ["beta"]


def test_asking_first_deletes_nothing(own, collection, runs, qrels):
    before = everything_stored()
    for url in owners_pages(collection, runs, qrels):
        own.get(url)
    assert everything_stored() == before


def test_the_version_of_a_qrels_leads_to_the_others(own, collection, researcher, tmp_path, qrels):
    path = tmp_path / "more.txt"
    path.write_text("1 0 d1 1\n")
    newer = import_qrels(collection, path, by=researcher, name="gold").kept
    page = own.get(reverse("qrels", args=[newer.pk]))
    assert list(page.context["versions"]) == [qrels]


def test_only_the_owner_is_asked_whether_to_share_and_the_history_says_what_they_did(client, collection, researcher, stranger):
    collection.members.add(stranger)
    address = reverse("collection_edit", args=[collection.pk])
    client.force_login(stranger)
    assert 'name="shared"' not in client.get(address).content.decode()
    client.post(address, {"name": "Many birds", "shared": "on"})
    collection.refresh_from_db()
    assert (collection.name, collection.shared) == ("Many birds", False)
    client.force_login(researcher)
    for _ in range(2):
        client.post(address, {"name": "Birds", "shared": "on"})
    entry = AuditEntry.objects.get()
    assert (entry.deed, entry.about, entry.by) == ("access", "collection “Birds”, shared with every researcher", researcher)

"""Runs made here of a collection's documents and topics: once each, named for what they are, on its page and by the API."""

import pytest
from django.urls import reverse

from judging import tasks
from judging.collections.storage import run_frame
from judging.errors import Impossible
from judging.models import Collection, Document, Outbox, OwnRun, Topic
from judging.search import own_runs
from judging.search.own_runs import request_own_runs


@pytest.fixture
def titled(collection):
    """Documents of which each topic's title finds some."""
    collection.documents.all().delete()
    collection.topics.all().delete()
    titles = ["owls at night", "ducks on ponds", "geese and owls", "an unrelated thing"]
    Document.objects.bulk_create(
        Document(collection=collection, docno=f"n{n}", title=title, text=f"{title} {'owls ' * n}")
        for n, title in enumerate(titles)
    )
    Topic.objects.bulk_create(
        Topic(collection=collection, number=number, title=title)
        for number, title in [("7", "owls"), ("8", "ducks"), ("9", "xyz")]
    )
    return collection


@pytest.fixture
def own(client, researcher):
    client.force_login(researcher)
    return client


def make_all():
    for message in Outbox.objects.filter(task="judging.tasks.make_own_run"):
        tasks.make_own_run(**message.arguments)


def test_each_ranker_makes_a_run_that_says_how(titled, researcher):
    asked = request_own_runs(collection=titled, by=researcher)
    make_all()
    assert {own.ranker for own in asked} == set(titled.runs.values_list("name", flat=True)) == set(own_runs.OFFERED)
    assert set(OwnRun.objects.values_list("state", "topics")) == {("done", 3)}
    run = titled.runs.get(name="bm25-words")
    assert run.description.startswith("BM25 as in Lucene")
    assert "4 documents, for the titles of its 3 topics, at most 1,000" in run.description
    assert (run.unknown_documents, run.created_by) == (0, researcher)
    rows = run_frame(run).select("topic", "docno").rows()
    assert rows[-1] == ("8", "n1")
    assert {docno for topic, docno in rows if topic == "7"} == {"n0", "n1", "n2", "n3"}


def test_a_title_ranker_reads_titles_alone_and_is_not_offered_without_any(titled, researcher):
    request_own_runs(collection=titled, by=researcher)
    make_all()
    frame = run_frame(titled.runs.get(name="bm25-title"), topic="7")
    assert set(frame["docno"]) == {"n0", "n2"}
    titled.documents.update(title="")
    assert [ranker.name for ranker in own_runs.offered_for(titled)] == ["bm25-words", "tfidf-words"]


def test_asked_twice_they_are_made_once(titled, researcher):
    first, second = (request_own_runs(collection=titled, by=researcher) for _ in range(2))
    assert first == second
    assert Outbox.objects.filter(task="judging.tasks.make_own_run").count() == 3
    make_all()
    make_all()  # a task may be started twice
    assert titled.runs.count() == 3


def test_made_again_of_the_same_documents_there_is_nothing_new_and_of_others_the_next_version(titled, researcher):
    for documents in (0, 0, 2):
        Document.objects.bulk_create(
            Document(collection=titled, docno=f"more{n}", title="owls and ducks", text="") for n in range(documents)
        )
        request_own_runs(collection=titled, by=researcher)
        make_all()
    assert set(titled.runs.values_list("name", flat=True)) == {*own_runs.OFFERED, *(f"{name}-v2" for name in own_runs.OFFERED)}
    newest = OwnRun.objects.filter(ranker="bm25-words").last()
    assert newest.run.name == "bm25-words-v2"


def test_a_name_that_somebody_elses_run_has_stays_theirs(titled, researcher, tmp_path):
    from judging.collections.imports import import_run

    path = tmp_path / "bm25-words.run"
    path.write_text("7 Q0 n1 1 2 x\n")
    theirs = import_run(titled, path, by=researcher).kept
    request_own_runs(collection=titled, by=researcher)
    make_all()
    assert titled.runs.get(name="bm25-words") == theirs
    assert titled.runs.filter(name="bm25-words-v2").exists()


def test_no_word_in_common_is_said(titled, researcher, client):
    titled.topics.exclude(number="9").delete()
    request_own_runs(collection=titled, by=researcher)
    make_all()
    assert set(OwnRun.objects.values_list("state", "error")) == {("failed", "No document has a word of any topic’s title.")}
    assert not titled.runs.exists()
    client.force_login(researcher)
    page = client.get(reverse("collection", args=[titled.pk]), headers={"Accept-Language": "it"}).content.decode()
    assert "Nessun documento ha una parola del titolo di un argomento." in page


@pytest.mark.parametrize(("lacking", "says"), [("documents", "no documents:"), ("topics", "no topics:")])
def test_without_documents_or_topics_there_is_nothing_to_rank(titled, researcher, lacking, says):
    getattr(titled, lacking).all().delete()
    with pytest.raises(Impossible, match=says):
        request_own_runs(collection=titled, by=researcher)
    assert not OwnRun.objects.exists()


def test_a_task_that_was_given_up_says_why_on_the_page(own, titled, researcher):
    for asked in request_own_runs(collection=titled, by=researcher):
        own_runs.give_up("it was interrupted three times", own=asked.pk)
    page = own.get(reverse("collection", args=[titled.pk])).content.decode()
    assert page.count("it was interrupted three times") == 3
    assert "Make runs here" in page
    request_own_runs(collection=titled, by=researcher)
    make_all()
    assert "it was interrupted" not in own.get(reverse("collection", args=[titled.pk])).content.decode()


def test_the_page_leads_from_step_to_step(own, titled, researcher, tmp_path):
    from judging.collections.imports import import_qrels

    url = reverse("collection", args=[titled.pk])
    assert "Make runs here" in own.get(url).content.decode()
    assert own.post(reverse("own_runs", args=[titled.pk])).url == url
    page = own.get(url)
    assert "Make runs here" not in page.content.decode()
    assert "HX-Refresh" not in own.get(url, headers={"HX-Request": "true"})
    make_all()
    assert own.get(url, headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "Have people judge" in own.get(url).content.decode()
    qrels = tmp_path / "gold"
    qrels.write_text("7 0 n1 1\n")
    import_qrels(titled, qrels, by=researcher)
    assert "Make the report" in own.get(url).content.decode()
    report = own.post(reverse("report_usual"), {"collection": titled.pk})
    assert report.url == own.post(reverse("report_usual"), {"collection": titled.pk}).url


def test_an_empty_collection_asks_for_files(own, researcher):
    empty = Collection.objects.create(name="Empty", owner=researcher)
    page = own.get(reverse("collection", args=[empty.pk])).content.decode()
    assert "Next: documents and topics" in page
    refused = own.post(reverse("own_runs", args=[empty.pk]), follow=True).content.decode()
    assert "no documents and no topics" in refused


def test_a_report_without_runs_or_qrels_is_answered_by_what_is_missing(own, titled):
    reply = own.post(reverse("report_usual"), {"collection": titled.pk}, follow=True)
    assert "This collection has no run yet" in reply.content.decode()


def test_by_the_api(own, titled):
    address = f"/api/v1/collections/{titled.pk}/own-runs/"
    asked = own.post(address)
    assert (asked.status_code, [row["state"] for row in asked.json()["results"]]) == (201, ["waiting"] * 3)
    make_all()
    rows = own.get(address).json()["results"]
    assert {row["ranker"]: (row["state"], row["run"]) for row in rows} == {
        run.name: ("done", run.pk) for run in titled.runs.all()
    }

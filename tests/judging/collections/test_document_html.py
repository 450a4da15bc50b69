"""Documents that come with HTML: text for judging and searching is plain, the HTML is kept beside it, and what a worker gets of
it is clean."""

import json
from html import unescape

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from ireval.io.files import BadFile
from judging.collections.imports import import_documents
from judging.models import Markup, Study
from judging.recruiting.invites import join
from judging.studies.launch import launch
from tests.world import wim  # noqa: F401

pytestmark = pytest.mark.django_db
PAGE = "<html><head><title>Barn owls</title><style>p {}</style></head><body><p>Owls eat <b>voles</b>.<p>And mice.</body></html>"


@pytest.fixture
def read(collection, researcher, tmp_path):
    def read(name, *records):
        path = tmp_path / name
        path.write_text("\n".join(record if isinstance(record, str) else json.dumps(record) for record in records))
        return import_documents(collection, path, by=researcher)

    return read


def document(collection, docno):
    document = collection.documents.get(docno=docno)
    markup = Markup.objects.filter(document=document).first()
    return document.title, document.text, markup and markup.html


def test_title_and_text_are_made_of_the_html(collection, read):
    result = read("pages.jsonl", {"docno": "h1", "html": PAGE}, {"docno": "h2", "title": "T", "text": "Own.", "html": "<p>x"})
    assert result.counts["with_html"] == 2
    assert document(collection, "h1") == ("Barn owls", "Owls eat voles.\nAnd mice.", PAGE)
    assert document(collection, "h2") == ("T", "Own.", "<p>x")


def test_pages_of_trecs_web_tracks_keep_their_tags(collection, read):
    read("web.trec", f"<DOC>\n<DOCNO>w1</DOCNO>\n<DOCHDR>\nhttp://x.org\n</DOCHDR>\n{PAGE}\n</DOC>",
         "<DOC><DOCNO>w2</DOCNO><TEXT>Plain <P>words.</TEXT></DOC>")  # fmt: skip
    assert document(collection, "w1") == ("Barn owls", "Owls eat voles.\nAnd mice.", PAGE)
    assert document(collection, "w2") == ("", "Plain\nwords.", None)


def test_html_can_come_later_and_is_never_another(collection, read):
    read("a.jsonl", {"docno": "h1", "text": "Owls."})
    read("b.jsonl", {"docno": "h1", "text": "Owls.", "html": "<p>Owls."})
    assert document(collection, "h1")[2] == "<p>Owls."
    assert read("c.jsonl", {"docno": "h1", "text": "Owls.", "html": "<p>Owls."}).counts["already_there"] == 1
    with pytest.raises(BadFile, match="other HTML"):
        read("d.jsonl", {"docno": "h1", "text": "Owls.", "html": "<b>Owls."})


def test_what_cannot_be_shown_is_left_out_with_a_warning(collection, read):
    result = read("deep.jsonl", {"docno": "h1", "text": "Owls.", "html": "<div>" * 1000})
    assert document(collection, "h1") == ("", "Owls.", None)
    assert any("left out" in note for note in result.notes)


@pytest.fixture
def work(collection, runs, researcher, wim):  # noqa: F811
    """Wim works in a study over the documents."""
    study = Study.objects.create(collection=collection, name="S", created_by=researcher, instructions="x", depth=2)
    study.runs.set(runs)
    launch(study, seed=1)
    join(study, user=wim)
    client = Client()
    client.force_login(wim)
    return study, client


def queries_of(client, study):
    client.get(f"/judge/{study.pk}/")  # holds something now
    with CaptureQueriesContext(connection) as captured:
        page = client.get(f"/judge/{study.pk}/ahead/").content.decode()
    return page, len(captured)


def test_a_worker_reads_the_page_and_can_turn_to_plain_text(work, collection):
    study, client = work
    collection.topics.update(title="owls")
    plain, few = queries_of(client, study)
    assert "<iframe" not in plain
    Markup.objects.bulk_create(
        Markup(document=document, html="<p onclick=x()>Owl “pages” <script>1</script>") for document in collection.documents.all()
    )
    page, more = queries_of(client, study)
    frame = page.split('srcdoc="')[1].split('"')[0]
    assert "onclick" not in page
    assert "<script" not in unescape(frame)
    assert "<mark>Owl</mark> “pages”" in unescape(frame)
    assert "default-src &#x27;none&#x27;" in frame
    assert 'sandbox="allow-same-origin"' in page
    assert "Show plain text" in page
    assert 'data-start="0"' in page
    assert more <= few + 3  # its HTML, its images, the topic's attachments

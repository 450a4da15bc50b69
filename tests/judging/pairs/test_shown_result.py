"""One result of a pair, read whole: in the page and at an address of its own."""

import re

import pytest
from django.core.files.base import ContentFile

from judging.collections.attachments import attach
from judging.models import Document, Image, Markup
from judging.work import assignment
from judging.work.tickets import ticket
from tests.images import PNG
from tests.judging.pairs.pair_pages import answer, held, lists_of, show, text, whole

pytestmark = pytest.mark.django_db


def test_a_result_is_read_as_it_stands_on_the_page(joined, judging):
    joined.get(judging)
    slot = held()
    for side, rows in zip(("left", "right"), lists_of(slot), strict=True):
        for place, row in enumerate(rows):
            page = re.sub("</?mark>", "", text(whole(joined, judging, side, place)))
            assert Document.objects.get(docno=row["docno"]).text in page
            assert "<html" not in page
        assert whole(joined, judging, side, len(rows)).status_code == 404


def test_a_result_stays_to_be_read_once_the_pair_is_judged(joined, judging):
    joined.get(judging)
    before = text(whole(joined, judging))
    name = ticket(held().worker, held().item_id)
    answer(joined, judging, grade="1")
    assert text(whole(joined, judging, name=name)) == before


def test_a_result_has_a_plain_page_with_a_way_back(joined, judging):
    joined.get(judging)
    address = re.search(r'class="open" href="([^"]+)"', text(joined.get(judging)))[1]
    page = text(joined.get(address))
    assert "<html" in page
    assert "Back to the lists" in page


def test_the_address_of_a_result_opens_apart_and_says_nothing_of_where_one_came_from(joined, judging):
    show(title="Owls", url="https://www.example.org/owls")
    page = text(joined.get(judging) and whole(joined, judging))
    assert re.search(r'href="https://www.example.org/owls" target="_blank" rel="noopener noreferrer nofollow"', page)


@pytest.mark.parametrize("side", ["middle", "LEFT", "0"])
def test_there_is_no_third_list(joined, judging, side):
    joined.get(judging)
    assert whole(joined, judging, side).status_code == 404


def test_nobody_reads_results_of_pairs_that_they_were_not_given(joined, judging, comparing, make_worker):
    joined.get(judging)
    worker = held().worker
    other = comparing.items.exclude(pk=held().item_id).filter(role="work").first()
    assert whole(joined, judging, name=ticket(worker, other.pk)).status_code == 404
    assert whole(joined, judging, name="nonsense").status_code == 404
    (theirs,) = assignment.next_slots(make_worker(comparing))
    assert whole(joined, judging, name=ticket(theirs.worker, theirs.item_id)).status_code == 404
    assignment.give_back(worker)
    assert whole(joined, judging, name=ticket(worker, theirs.item_id)).status_code == 404


@pytest.fixture
def illustrated(joined, judging, collection, researcher):
    """The document behind the first result on the left: with HTML, an image in it, and one beneath it by its id."""
    joined.get(judging)
    document = Document.objects.get(docno=lists_of(held())[0][0]["docno"])
    Markup.objects.create(document=document, html='<h1>Owls</h1><script>alert(1)</script><img src="in/it.png"><p>voles</p>')
    for name in ("in/it.png", f"{document.docno}.png"):
        image = Image(collection=collection, kind="png", sha256="", size=len(PNG), created_by=researcher)
        image.take_name(name)
        image.file.save("image.png", ContentFile(PNG), save=False)
        image.save()
    return document


def test_a_page_is_read_in_a_frame_with_its_images_beneath_and_its_text_beside(joined, judging, illustrated):
    page = text(whole(joined, judging))
    assert re.search(
        r'<iframe class="extract page" sandbox="allow-same-origin" srcdoc=".*<h1>Owls</h1>.*<p>voles</p>', page, re.S
    )
    assert "alert(1)" not in page
    assert illustrated.text in re.sub("</?mark>", "", page)
    addresses = set(re.findall(r"/study/\d+/image/[0-9a-f-]+/", page)) or set(re.findall(r'src="([^"]*image[^"]*)"', page))
    assert len(addresses) == 2
    images = [joined.get(address) for address in addresses]
    assert [image.status_code for image in images] == [200, 200]
    assert {image["Content-Disposition"] for image in images} == {'inline; filename="image.png"'}, "not the document's id"


def test_a_page_is_the_same_on_both_sides_and_names_no_run(joined, judging, illustrated, collection):
    slot = held()
    shown = {"docno": illustrated.docno, "document": illustrated.pk}
    slot.item.first.__class__.objects.filter(pk__in=[slot.item.first_id, slot.item.second_id]).update(results=[shown])
    left, right = (text(whole(joined, judging, side)) for side in ("left", "right"))
    assert left.replace("Left list", "Right list") == right
    assert "<iframe" in left
    assert not [run for run in collection.runs.all() if run.name in left]


def test_where_a_collection_shows_no_images_none_is_named(joined, judging, illustrated, collection):
    collection.shows_images = False
    collection.save()
    page = text(whole(joined, judging))
    assert "<iframe" in page
    assert "<img" not in page


def test_files_of_the_topic_stand_with_it(joined, judging, researcher):
    joined.get(judging)
    assert 'class="attachments"' not in text(joined.get(judging))
    attach(held().item.topic, filename="what counts.pdf", content=b"%PDF-1.4 counts", by=researcher)
    page = text(joined.get(judging))
    (address,) = re.findall(r'<ul class="attachments".*?href="([^"]+)"', page, re.S)
    assert joined.get(address).status_code == 200

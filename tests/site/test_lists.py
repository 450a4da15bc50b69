"""Lists: what an address asks for, and what of it is ignored."""

import pytest
from django.db import connection
from django.db.models import QuerySet, Value
from django.db.models.functions import NullIf
from django.http import QueryDict
from django.template.loader import render_to_string
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from ireval_site import lists
from ireval_site.lists import Column, Filter, RowList, Search
from judging.models import Document
from tests import conftest, sharing

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("collection")]
db = sharing.db
researcher, collection = map(sharing.once, (conftest.researcher, conftest.collection))


def longer_than(rows: QuerySet, characters: str) -> QuerySet:
    return rows.filter(text__length__gt=int(characters)) if characters.isdecimal() else rows


DOCUMENTS = RowList(
    "documents",
    [Column("Id", "docno"), Column("Title", "name", "title"), Column("Text")],
    order="-docno",
    search=Search("Words", ["docno", "title__icontains"]),
    filters=[
        Filter("title", "Title", "title", [("Owls", "Owls"), ("Ducks", "Ducks")]),
        Filter("has", "Text has", "text__icontains"),
    ],
    a_page=4,
)


def page(query: str = "", rows: QuerySet | None = None) -> lists.ListPage:
    return DOCUMENTS.page(Document.objects.all() if rows is None else rows, QueryDict(query))


def docnos(query: str = "") -> list[str]:
    return [document.docno for document in page(query)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["d6", "d5", "d4", "d3"]),
        ("page=2", ["d2", "d1"]),
        ("page=9", ["d2", "d1"]),
        ("sort=docno", ["d1", "d2", "d3", "d4"]),
        ("sort=name", ["d2", "d6", "d5", "d1"]),
        ("sort=-name", ["d3", "d4", "d1", "d5"]),
        ("q=OWL", ["d2", "d1"]),
        ("q=d5", ["d5"]),
        ("q=%25", []),
        ("title=Ducks", ["d6"]),
        ("has=swallows", ["d5", "d3"]),
        ("has=swallows&q=d3", ["d3"]),
    ],
)
def test_an_address_says_which_rows_in_which_order(query, expected):
    assert docnos(query) == expected


@pytest.mark.parametrize("query", ["sort=text", "sort=-", "sort=--docno", "sort=pk", "title=Storks", "q=%00", "page=x", "more=1"])
def test_what_means_nothing_is_ignored(query):
    listed = page(query)
    assert [document.docno for document in listed] == ["d6", "d5", "d4", "d3"]
    assert not listed.is_narrowed and listed.address == "?"


def test_an_address_can_be_passed_on():
    listed = page("q=owl&has=voles&sort=docno&page=1&title=Storks&x=1")
    assert listed.address == "?has=voles&q=owl&sort=docno"
    assert docnos(listed.address[1:]) == [document.docno for document in listed] == ["d1", "d2"]


def test_rows_that_are_equal_have_an_order_all_the_same(collection):
    Document.objects.bulk_create(Document(collection=collection, docno=f"x{n}", title="Same", text="x") for n in range(9))
    shown = [document.docno for number in (1, 2, 3) for document in page(f"q=same&sort=name&page={number}")]
    assert shown == [f"x{n}" for n in range(9)]


def test_rows_without_a_value_come_last_both_ways(collection):
    """As they do in no database unless it is told so."""
    Document.objects.create(collection=collection, docno="d7", title="Owls", text="x")
    gaps = RowList(
        "documents", [Column("Title", "title", NullIf("title", Value("Owls")), gaps=True), Column("Id", "docno")], order="docno"
    )
    rising, falling = (
        [document.docno for document in gaps.page(Document.objects.all(), QueryDict(f"sort={sort}"))]
        for sort in ("title", "-title")
    )
    assert rising == ["d2", "d6", "d5", "d4", "d3", "d1", "d7"] and falling == ["d3", "d4", "d5", "d6", "d2", "d7", "d1"]


def test_counting_stops(monkeypatch):
    monkeypatch.setattr(lists, "MOST", 5)
    listed = page()
    assert (listed.page.paginator.count, listed.page.paginator.is_capped, listed.page.paginator.num_pages) == (5, True, 2)
    assert len(page("page=2")) == 1  # no row beyond those that are counted
    assert "1–4 of more than 5 documents" in drawn("_pagination.html", listed, page=listed.page, noun=listed.noun)
    assert not page("q=owl").page.paginator.is_capped


def test_a_count_reads_no_columns_and_sorts_nothing(collection):
    with CaptureQueriesContext(connection) as queries:
        assert len(page("q=owl")) == 2
    count, rows = (query["sql"] for query in queries)
    assert "ORDER BY" not in count and '"text"' not in count and "ORDER BY" in rows


def drawn(template: str, listed: lists.ListPage, query: str = "", **context: object) -> str:
    request = RequestFactory().get(f"/{query}")
    return " ".join(render_to_string(template, {"listed": listed, "request": request, **context}, request).split())


def test_headers_sort_and_say_how():
    head = drawn("_list_head.html", page("sort=docno"), "?sort=docno&page=2&q=d")
    assert head.count("aria-sort") == head.count('aria-sort="ascending"') == 1
    assert 'href="?sort=-docno&amp;q=d"' in head and 'href="?sort=name&amp;q=d"' in head
    assert '<th scope="col"> Text </th>' in head


def test_the_form_keeps_the_order_and_can_be_cleared():
    form = drawn("_list_form.html", page("sort=name&title=Owls&has=<b>"))
    assert '<input type="hidden" name="sort" value="name">' in form
    assert '<option value="Owls" selected>' in form and "&lt;b&gt;" in form
    assert ">Clear</a>" in form
    assert ">Clear</a>" not in drawn("_list_form.html", page())


def test_a_filter_without_options_is_not_offered():
    listed = DOCUMENTS.page(Document.objects.all(), QueryDict(), title=[])
    assert "filter-title" not in drawn("_list_form.html", listed)

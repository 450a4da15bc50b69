"""What a run's pages show of a search site's results: as text, whatever stands in it."""

import pytest
from django.urls import reverse

from judging.collections.imports import import_results

HEADER = "topic,rank,title,url,snippet,docno\n"


@pytest.fixture
def page(rita, collection, researcher, tmp_path):
    def page(rows, view="ranking"):
        path = tmp_path / "site.csv"
        path.write_text(HEADER + rows)
        run = import_results(collection, path, by=researcher).kept
        return rita.get(reverse(view, args=[run.pk])).content.decode()

    return page


def test_title_address_and_snippet_of_what_the_collection_lacks(page):
    shown = page("1,1,Barn <b>owl</b>,https://birds.org/barn?a=1&b=2,Mostly voles,\n")
    assert '<a href="https://birds.org/barn?a=1&amp;b=2" rel="noopener noreferrer nofollow" target="_blank">Barn owl' in shown
    assert "Mostly voles" in shown


def test_a_document_of_the_collection_is_shown_as_itself(page, collection):
    shown = page("1,1,Another title,https://birds.org,Another text,d1\n")
    assert reverse("document", args=[collection.documents.get(docno="d1").pk]) in shown
    assert "Another title" not in shown


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "//birds.org", "birds.org", "https:x"])
def test_what_is_no_web_address_is_no_link(page, url):
    shown = page(f'1,1,Owls,"{url}",,\n')
    assert f'href="{url}' not in shown
    assert url in shown


def test_an_address_is_a_link_however_it_is_written(page):
    assert 'href="HTTPS://birds.org"' in page("1,1,Owls,HTTPS://birds.org,,\n")


def test_nothing_in_it_is_trusted(page):
    shown = page('1,1,<script>alert(1)</script>,"https://x.org/""onclick=""alert(1)",&lt;img src=x onerror=alert(1)&gt;,\n')
    assert "<script>alert" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert "<img src=x" not in shown
    assert '"onclick=' not in shown


def test_a_result_without_a_title_goes_by_its_address_or_its_id(page):
    assert ">https://birds.org " in page("1,1,,https://birds.org,,\n")


def test_only_a_snippet(page):
    shown = page("1,1,,,Voles,x9\n")
    assert "x9" in shown
    assert "Voles" in shown


def test_the_runs_page_offers_its_result_lists(page, rita, runs):
    shown = page("1,1,Owls,,,\n", view="run")
    assert "format=csv" in shown
    assert "Its documents are not in the collection" in shown
    other = rita.get(reverse("run", args=[runs[0].pk])).content.decode()
    assert "format=trec" in other
    assert "format=csv" not in other


def test_the_next_page_has_its_own(rita, collection, researcher, tmp_path):
    path = tmp_path / "site.csv"
    path.write_text(HEADER + "".join(f"1,{n},Title {n},,,\n" for n in range(1, 202)))
    run = import_results(collection, path, by=researcher).kept
    last = rita.get(reverse("ranking", args=[run.pk]) + "?page=99").content.decode()
    assert "Title 201" in last
    assert "Title 1<" not in last

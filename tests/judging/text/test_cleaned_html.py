"""HTML of documents: what the cleaner leaves, whatever was written, and how long it takes."""

import re
from html.parser import HTMLParser

import pytest

from judging.text.document_html import ATTRIBUTES, TAGS, cleaned, is_usable, with_images, with_marked_words
from tests.hostile.documents import pages


class Tags(HTMLParser):
    """Every tag and attribute of some HTML."""

    def __init__(self, html):
        super().__init__()
        self.seen = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))


@pytest.mark.parametrize("name", pages())
def test_nothing_is_left_that_runs_leads_away_or_is_fetched(name):
    page = cleaned(pages()[name])
    everywhere = dict.fromkeys(page.sources, "/image/")
    for html in (with_images(page, {}), with_images(page, everywhere)):
        shown = with_marked_words(html, "owls http evil img src alt")
        for tag, attributes in Tags(shown).seen:
            assert tag in TAGS
            assert attributes.keys() <= ATTRIBUTES["*"] | ATTRIBUTES.get(tag, set())
            assert attributes.get("src", "/image/") == "/image/"
        assert f"of {name}" in re.sub("<[^>]*>", "", shown)


def test_structure_tables_and_words_stay():
    html = "<h1>Diet</h1><table><tr><th scope=row>Voles<td colspan=2>60&nbsp;%</table><ul><li>mice</ul>"
    table = '<table><tbody><tr><th scope="row">Voles</th><td colspan="2">60&nbsp;%</td></tr></tbody></table>'
    assert cleaned(html).html == f"<h1>Diet</h1>{table}<ul><li>mice</li></ul>"


def test_words_are_marked_between_tags_and_not_in_them():
    html = cleaned('<p title="owls">AT&amp;T, owls&lt;b&gt; <b lang="en">owlets</b> and the owl&#39;s</p>').html
    marked = with_marked_words(html, "owl of at amp")
    assert marked.count("<mark>") == 2
    assert 'title="owls"' in marked
    assert "AT&amp;T" in marked
    assert "<mark>owls</mark>&lt;b&gt;" in marked


def test_italian_words_are_marked_by_the_language_of_the_whole():
    assert "<mark>gufo</mark>" in with_marked_words("<p>Il <b>gufo</b> della notte è di casa</p>", "gufi")


def test_words_of_images_that_are_not_there_stay_and_cannot_break_out():
    page = cleaned('<img src="http://x.org/a.png" alt="&quot;><script>x</script>"><img src="b.png" alt=" ">')
    assert page.sources == ("http://x.org/a.png", "b.png")
    assert "<script" not in with_images(page, {})
    assert with_images(page, {}).startswith("<i>&quot;&gt;&lt;script")
    assert with_images(page, {"b.png": '/x/"onerror="'}).endswith('<img src="/x/&quot;onerror=&quot;" alt=" ">')


@pytest.mark.parametrize(
    "html",
    ["<div>" * 5000, "<b>" * 300 + "<p>" * 300, "&" * 200_000, "<p " + "a " * 50_000 + ">", "x" * 1_000_001],
    ids=["deep", "formatted", "references", "attributes", "long"],
)
def test_what_would_take_the_cleaner_long_is_not_usable(html):
    assert not is_usable(html)


def test_sloppy_pages_of_old_are_usable():
    assert is_usable("<html><body><table>" + "<tr><td>owl<td>vole<p>one<p>two<br><li>x" * 2000)

"""Markdown that people wrote: its HTML cannot hurt, and whoever follows a link keeps the page."""

import pytest

from judging.text.markdown_html import markdown


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("*Read* the **whole** text.", "<p><em>Read</em> the <strong>whole</strong> text.</p>"),
        ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("![a picture](/secret.png)", "<p></p>"),
    ],
)
def test_texts_are_formatted_and_nothing_else(text, html):
    assert markdown(text).strip() == html


def test_links_open_apart_and_run_nothing():
    html = markdown("[rules](https://example.org/ 'Rules') and [a trap](javascript:alert)")
    assert 'target="_blank"' in html and 'href="https://example.org/"' in html
    assert 'href="javascript' not in html


def test_tables_are_tables():
    assert "<td>owl</td>" in markdown("| bird |\n|---|\n| owl |")

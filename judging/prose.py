"""Markdown that people wrote, as HTML that cannot hurt; texts of documents with the query's words marked."""

import re
from functools import lru_cache
from html import escape

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

from judging.stemming import tongue_of

TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "pre", "strong",
    "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")


@lru_cache(maxsize=256)
def markdown(text: str) -> SafeString:
    """HTML of a Markdown text. Links open apart, so that a worker does not lose the page they judge on."""
    html = nh3.clean(
        MARKDOWN.render(text),
        tags=TAGS,
        attributes={"a": {"href", "title"}},
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    return mark_safe(html)  # noqa: S308  cleaned above


CONTROLS = re.compile("[\x02\x03]")  # stand for <mark> and </mark> until all else is escaped


def marked(text: str, query: str) -> SafeString:
    """The text, escaped, with the query's words in <mark>.

    >>> marked("Voles & owls, owlishly", "the owl")
    'Voles &amp; <mark>owls</mark>, owlishly'
    >>> marked("Il gufo e le migrazioni", "migrazione dei gufi")
    'Il <mark>gufo</mark> e le <mark>migrazioni</mark>'
    """
    tongue = tongue_of(text, query)
    words, wanted, stem = tongue.pattern(query), tongue.stems(query), tongue.stem
    text = CONTROLS.sub("", text)
    if words:
        text = words.sub(lambda found: f"\x02{found[0]}\x03" if stem(found[0]) in wanted else found[0], text)
    return mark_safe(escape(text).replace("\x02", "<mark>").replace("\x03", "</mark>"))  # noqa: S308  escaped, then marked

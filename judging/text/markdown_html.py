"""Markdown that people wrote, as HTML that cannot hurt."""

from functools import lru_cache

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

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

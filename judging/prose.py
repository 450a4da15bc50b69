"""Markdown that people wrote, as HTML that cannot hurt; texts of documents with the query's words marked."""

import re
from functools import lru_cache
from html import escape

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


# Words that every query has and no document is about.
STOP_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "how", "in", "is", "it", "its",
    "of", "on", "or", "that", "the", "their", "this", "to", "was", "were", "what", "when", "where", "which", "who", "why",
    "will", "with",
})  # fmt: skip
WORD = re.compile(r"\w+")
ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "s", "y")


@lru_cache(maxsize=4096)
def stem(word: str) -> str:
    """Folds the commonest English endings, so that “owls” is found by “owl”. Only for marking; it decides nothing.

    >>> stem("Owls"), stem("migrations"), stem("bus"), stem("injected") == stem("injection")
    ('owl', 'migr', 'bus', False)
    """
    word = word.casefold()
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=1024)
def stems(query: str) -> frozenset[str]:
    """Of the words of a query that a document can be about."""
    words = (word for word in WORD.findall(query) if len(word) > 1)
    return frozenset(stem(word) for word in words if word.casefold() not in STOP_WORDS)


@lru_cache(maxsize=1024)
def pattern(query: str) -> re.Pattern[str] | None:
    """What finds the query's words, and words that only differ from them in their endings; None if it has none."""
    if not stems(query):
        return None
    longest_first = sorted(map(re.escape, stems(query)), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\w{{0,6}}\b", re.IGNORECASE)


CONTROLS = re.compile("[\x02\x03]")  # stand for <mark> and </mark> until all else is escaped


def marked(text: str, query: str) -> SafeString:
    """The text, escaped, with the query's words in <mark>.

    >>> marked("Voles & owls, owlishly", "the owl")
    'Voles &amp; <mark>owls</mark>, owlishly'
    """
    words, wanted = pattern(query), stems(query)
    text = CONTROLS.sub("", text)
    if words:
        text = words.sub(lambda found: f"\x02{found[0]}\x03" if stem(found[0]) in wanted else found[0], text)
    return mark_safe(escape(text).replace("\x02", "<mark>").replace("\x03", "</mark>"))  # noqa: S308  escaped, then marked

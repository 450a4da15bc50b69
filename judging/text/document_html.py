"""HTML of documents, cleaned for a frame in which nothing runs and nothing is fetched but images of our own.

What is stored is raw, so that a later cleaner finds all that an earlier one has let through.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from html import escape, unescape
from typing import NamedTuple

import nh3

from judging.text.highlights import UNMARKABLE, hits, with_marks
from judging.text.languages import language_of

LONGEST = 1_000_000  # characters
# The cleaner takes the square of these: open tags within each other, character references, and what parts a tag's attributes.
DEEPEST = 250
MOST_REFERENCES = 100_000
MOST_PARTS = 20_000
MOST_IMAGES = 300

# No links and no forms, since a frame must lead nowhere; no styles, since colours of the day would not be read in the dark.
TAGS = {
    "a", "abbr", "acronym", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center",
    "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "dir", "div", "dl", "dt", "em", "figcaption", "figure",
    "font", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "i", "img", "ins", "kbd", "label", "li",
    "main", "mark", "menu", "nav", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strike",
    "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var",
    "wbr",
}  # fmt: skip
WITH_CONTENT = {
    "applet", "audio", "canvas", "embed", "frameset", "iframe", "math", "noembed", "noframes", "noscript", "object", "script",
    "select", "style", "svg", "template", "textarea", "title", "video", "xmp",
}  # fmt: skip
ATTRIBUTES = {
    "*": {"dir", "lang", "title"},
    "col": {"span"},
    "colgroup": {"span"},
    "details": {"open"},
    "img": {"alt", "height", "src", "width"},
    "li": {"value"},
    "ol": {"reversed", "start", "type"},
    "td": {"align", "colspan", "rowspan", "valign"},
    "th": {"align", "colspan", "rowspan", "scope", "valign"},
}

OPEN_OR_CLOSE = re.compile(r"<(/?)([a-z][a-z0-9]*)[^<>]*>", re.IGNORECASE)
# Nothing stands in them, or they are closed by what follows.
CLOSED_BY_THEMSELVES = {
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "frame", "head", "hr", "html", "img", "input", "li",
    "link", "meta", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr",
}  # fmt: skip
PARTING = re.compile(r"[\s/]")
TAG = re.compile(r'(<(?:[^<>"]|"[^"]*")*>)')
IMAGE = re.compile(r'<img(?: (?:[^<>"]|"[^"]*")*)?>')
SOURCE = re.compile(r' src="image:(\d+)"')
ALT = re.compile(r' alt="([^"]*)"')


class Cleaned(NamedTuple):
    """HTML in which each image says its place among the sources, the addresses that the document has for them."""

    html: str
    sources: tuple[str, ...]


def is_usable(html: str) -> bool:
    """Whether it can be cleaned and shown in no time, however it was meant.

    >>> is_usable("<p>Owls<p>eat <b>voles</b>"), is_usable("<div>" * 300)
    (True, False)
    """
    if len(html) > LONGEST or html.count("&") > MOST_REFERENCES:
        return False
    depth = 0
    for tag in OPEN_OR_CLOSE.finditer(html):
        if len(tag[0]) > MOST_PARTS and len(PARTING.findall(tag[0])) > MOST_PARTS:
            return False
        if tag[2].lower() not in CLOSED_BY_THEMSELVES:
            depth = max(depth - 1, 0) if tag[1] else depth + 1
            if depth > DEEPEST:
                return False
    return True


@lru_cache(maxsize=64)
def cleaned(html: str) -> Cleaned:
    """The HTML without anything that runs, leads elsewhere or is fetched. Several workers read the same document.

    >>> cleaned('<p onclick="x()">Owls <a href="/x">eat</a> <img src="vole.png" alt="a vole"><script>y()</script>')
    Cleaned(html='<p>Owls <a>eat</a> <img src="image:0" alt="a vole"></p>', sources=('vole.png',))
    """
    sources: list[str] = []

    def attribute(tag: str, name: str, value: str) -> str | None:
        if name != "src":
            return value
        if len(sources) == MOST_IMAGES:
            return None
        sources.append(value)
        return f"image:{len(sources) - 1}"

    clean = nh3.clean(
        html,
        tags=TAGS,
        clean_content_tags=WITH_CONTENT,
        attributes=ATTRIBUTES,
        attribute_filter=attribute,
        url_schemes={"http", "https"},
        link_rel=None,
    )
    return Cleaned(clean, tuple(sources))


def with_images(page: Cleaned, addresses: Mapping[str, str]) -> str:
    """The HTML with the images that there is an address for; in place of the others stand their words.

    >>> with_images(cleaned('<img src="owl.png" alt="an owl"> <img src="b.gif">'), {"b.gif": "/images/1/"})
    '<i>an owl</i> <img src="/images/1/">'
    """

    def image(tag: re.Match[str]) -> str:
        source, words = SOURCE.search(tag[0]), ALT.search(tag[0])
        if source and (address := addresses.get(page.sources[int(source[1])])):
            return tag[0].replace(source[0], f' src="{escape(address)}"')
        return f"<i>{escape(unescape(words[1]))}</i>" if words and words[1].strip() else ""

    return IMAGE.sub(image, page.html)


def with_marked_words(html: str, query: str) -> str:
    """Cleaned HTML with the query's words in <mark>.

    >>> with_marked_words('<p title="owls">Voles &amp; <b>owls</b></p>', "owl")
    '<p title="owls">Voles &amp; <b><mark>owls</mark></b></p>'
    """
    pieces = TAG.split(html)
    language = language_of(" ".join(pieces[::2])[:500], query)
    for number in range(0, len(pieces), 2):
        if text := pieces[number]:
            words = UNMARKABLE.sub(" ", unescape(text))
            pieces[number] = with_marks(words, hits(words, query, language))
    return "".join(pieces)

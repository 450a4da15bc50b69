"""The documentation under /docs/: the Markdown files of the folder docs/, shown as they stand, without a build or a script."""

import itertools
import mimetypes
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_safe
from markdown_it import MarkdownIt
from markdown_it.token import Token

FOLDER = settings.BASE_DIR / "docs"
OPENING = '<div class="table-scroll" tabindex="0" role="region" aria-label="Table {}"><table>'


@dataclass(frozen=True)
class Heading:
    level: int
    anchor: str
    words: str


@dataclass(frozen=True)
class Page:
    title: str
    headings: list[Heading]
    html: SafeString


@require_safe
def docs(request: HttpRequest, address: str = "") -> HttpResponseBase:
    """Show a page or a picture of the documentation."""
    file = files().get(address)
    if file is None:
        raise Http404
    if file.suffix != ".md":
        return FileResponse(file.open("rb"), content_type=mimetypes.guess_type(file.name)[0])
    page = page_of(file, file.stat().st_mtime_ns)
    return render(request, "docs.html", {"page": page, "is_index": not address})


def files() -> dict[str, Path]:
    """Every page and picture by its address below /docs/; nothing else can be asked for."""
    pages = sorted([*FOLDER.rglob("*.md"), *FOLDER.rglob("*.png")])
    return {address_of(file.relative_to(FOLDER).as_posix()): file for file in pages}


def address_of(name: str) -> str:
    """
    >>> address_of("index.md"), address_of("how-to/backup.md"), address_of("pictures/verdict.png")
    ('', 'how-to/backup/', 'pictures/verdict.png')
    """
    return "" if name == "index.md" else f"{name[:-3]}/" if name.endswith(".md") else name


@lru_cache(maxsize=128)
def page_of(file: Path, changed: int) -> Page:
    """A file's title, headings and HTML; rendered again once the file has `changed`."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(file.read_text(encoding="utf-8"))
    headings = list(name_headings(tokens))
    for token in tokens:
        for child in token.children or ():
            lead_on(child, file)
    (title,) = [heading.words for heading in headings if heading.level == 1]
    html = parser.renderer.render(tokens[3:], parser.options, {})  # the title is the page's own heading
    return Page(title, [heading for heading in headings if heading.level == 2], mark_safe(reachable(html)))  # noqa: S308  our own files


def name_headings(tokens: list[Token]) -> Iterator[Heading]:
    """Give each heading the anchor that links name."""
    for token, words in pairwise(tokens):
        if token.type == "heading_open":
            text = "".join(child.content for child in words.children or ())
            token.attrSet("id", anchor_of(text))
            yield Heading(int(token.tag[1]), anchor_of(text), text)


def anchor_of(words: str) -> str:
    """
    >>> anchor_of("Which label does an item get?")
    'which-label-does-an-item-get'
    """
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", words.lower()).strip())


def lead_on(token: Token, file: Path) -> None:
    """Turn a link to another file, or a picture's, into an address below /docs/."""
    attribute = {"link_open": "href", "image": "src"}.get(token.type)
    target = str(token.attrGet(attribute) or "") if attribute else ""
    if attribute and target and not re.match(r"[a-z]+:|[#/]", target):
        name, mark, anchor = target.partition("#")
        path = posixpath.normpath((file.parent.relative_to(FOLDER) / name).as_posix())
        token.attrSet(attribute, f"/docs/{address_of(path)}{mark}{anchor}")


def reachable(html: str) -> str:
    """Let a keyboard reach what scrolls sideways, and whoever listens tell tables apart; a corner without words is no heading."""
    number = itertools.count(1)
    html = re.sub("<table>", lambda _: OPENING.format(next(number)), html.replace("<th></th>", "<td></td>"))
    return html.replace("</table>", "</table></div>").replace("<pre>", '<pre tabindex="0">')

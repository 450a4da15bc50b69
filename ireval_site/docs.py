"""The documentation under /docs/: the Markdown files of the folder docs/, shown as they stand, without a build or a script.

The generator of the public site (`make docs`) is a tool of development: it writes 4 MB with scripts that these pages do without.
"""

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

from judging.text.highlights import hits, marked
from judging.text.languages import ENGLISH

FOLDER = settings.BASE_DIR / "docs"
LONGEST_QUERY, MOST_HITS, GLANCE = 200, 30, 200
OPENING = '<div class="table-scroll" tabindex="0" role="region" aria-label="Table {}"><table>'


@dataclass(frozen=True)
class Heading:
    level: int
    anchor: str
    words: str


@dataclass(frozen=True)
class Section:
    """What stands below a heading, and which words without their endings."""

    heading: Heading
    text: str
    stems: frozenset[str]


@dataclass(frozen=True)
class Page:
    title: str
    language: str
    headings: list[Heading]
    html: SafeString
    sections: list[Section]


@dataclass(frozen=True)
class Hit:
    title: str
    heading: str
    address: str
    extract: SafeString


@require_safe
def docs(request: HttpRequest, address: str = "") -> HttpResponseBase:
    """Show a page or a picture of the documentation."""
    file = files().get(address)
    if file is None:
        raise Http404
    if file.suffix != ".md":
        return FileResponse(file.open("rb"), content_type=mimetypes.guess_type(file.name)[0])
    query = request.GET.get("q", "")[:LONGEST_QUERY] if not address else ""
    before, after = beside(address)
    context = {"page": current(file), "is_index": not address, "query": query, "before": before, "after": after}
    if query:
        context["hits"] = search(query)
    return render(request, "docs.html", context)


def current(file: Path) -> Page:
    return page_of(file, file.stat().st_mtime_ns)


def listed() -> list[str]:
    """The addresses of all pages, as the first one lists them."""
    named = re.findall(r"\]\(([\w/-]+\.md)\)", (FOLDER / "index.md").read_text(encoding="utf-8"))
    return list(dict.fromkeys(map(address_of, ["index.md", *named])))


def beside(address: str) -> list[tuple[str, Page] | None]:
    """The pages before and after one, with their addresses; None where there is none."""
    pages, known = listed(), files()
    place = pages.index(address)
    near = (place - 1, place + 1)
    return [(pages[i], current(known[pages[i]])) if 0 <= i < len(pages) else None for i in near]


def search(query: str) -> list[Hit]:
    """The sections with all words of the query, whatever their endings: first those that have them in a title or heading.

    Pages are searched in English; what is translated is found by its original.
    """
    stems, known = ENGLISH.stems(query), files()
    ranked: list[tuple[int, Hit]] = []
    for address in listed():
        page = current(known[address])
        if page.language != "en":
            continue
        for section in page.sections:
            named = ENGLISH.stems(f"{page.title} {section.heading.words}")
            if stems and stems <= section.stems | named:
                anchor = "" if section.heading.level == 1 else f"#{section.heading.anchor}"
                extract = marked(around(section.text, query), query)
                hit = Hit(page.title, section.heading.words, f"/docs/{address}{anchor}", extract)
                ranked.append((-len(stems & named), hit))
    return [hit for _, hit in sorted(ranked, key=lambda pair: pair[0])][:MOST_HITS]


def around(text: str, query: str) -> str:
    """As much of the text as one reads at a glance, with the first of the query's words in it."""
    start = min((hit.start for hit in hits(text, query, ENGLISH)), default=0)
    start = text.rfind(" ", 0, max(0, start - 60)) + 1
    return ("… " if start else "") + text[start : start + GLANCE].strip() + ("…" if len(text) > start + GLANCE else "")


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
    second = [heading for heading in headings if heading.level == 2]
    sections = list(sections_of(tokens, headings))
    return Page(title, language_of_file(file), second, mark_safe(reachable(html)), sections)  # noqa: S308  our own files


def language_of_file(file: Path) -> str:
    """
    >>> language_of_file(Path("how-to/judge-de.md")), language_of_file(Path("how-to/people.md"))
    ('de', 'en')
    """
    ending = file.stem.rpartition("-")[2]
    return ending if ending in dict(settings.LANGUAGES) else "en"


def sections_of(tokens: list[Token], headings: list[Heading]) -> Iterator[Section]:
    starts = [place for place, token in enumerate(tokens) if token.type == "heading_open"]
    for heading, (start, end) in zip(headings, pairwise([*starts, len(tokens)]), strict=True):
        text = " ".join(" ".join(words_of(token) for token in tokens[start + 3 : end]).split())
        yield Section(heading, text, ENGLISH.stems(text))


def words_of(token: Token) -> str:
    if token.children is not None:
        return "".join(" " if child.type in {"softbreak", "hardbreak"} else child.content for child in token.children)
    return token.content


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

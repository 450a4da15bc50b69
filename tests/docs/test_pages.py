"""The documentation: what it links to exists, what the code can say itself is what the code says, and it opens under /docs/."""

import os
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest
from django.test import Client
from markdown_it import MarkdownIt

from ireval_site.docs import FOLDER, anchor_of, files
from tests.docs.reference import DOCS, PAGES

ROOT = FOLDER.parent
ROOT_PAGES = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CODE_OF_CONDUCT.md", "benchmarks/README.md"]
EVERY_PAGE = sorted([*FOLDER.rglob("*.md"), *(ROOT / name for name in ROOT_PAGES)])


@cache
def tokens(page: Path):
    return MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))


def anchors(page: Path) -> list[str]:
    inside = zip(tokens(page), tokens(page)[1:], strict=False)
    return [
        anchor_of("".join(child.content for child in words.children)) for token, words in inside if token.type == "heading_open"
    ]


def links(page: Path) -> list[str]:
    children = [child for token in tokens(page) for child in token.children or ()]
    targets = [child.attrGet("href") or child.attrGet("src") for child in children]
    return [link for link in targets if link and not re.match(r"[a-z]+:", link)]


@pytest.mark.parametrize("page", EVERY_PAGE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_a_page_links_to_exists(page):
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link
        assert FOLDER not in page.parents or FOLDER in target.parents, f"{link} leaves the documentation"
    assert len(anchors(page)) == len(set(anchors(page)))


def test_the_index_names_every_page_and_its_room():
    rows = re.findall(r"^\| \[[^\]]+\]\(([^)]+)\).* \| `([^`]+)` \|$", (FOLDER / "index.md").read_text(), re.MULTILINE)
    pages = {page.relative_to(FOLDER).as_posix() for page in FOLDER.rglob("*.md")}
    assert sorted(name for name, _ in rows) == sorted(pages - {"index.md"})
    assert [room for _, room in rows if not (ROOT / room).exists()] == []


def test_the_site_lists_pages_as_the_index_does():
    index = re.findall(r"^\| \[[^\]]+\]\(([^)]+)\)", (FOLDER / "index.md").read_text(), re.MULTILINE)
    first, *parts = tomllib.loads((ROOT / "zensical.toml").read_text())["project"]["nav"]
    assert first == "index.md"
    assert [page for part in parts for pages in part.values() for page in pages] == index


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_says(name):
    assert (DOCS / name).read_text(encoding="utf-8") == PAGES[name](), "python -m tests.docs.reference writes it again"


def test_settings_are_those_that_the_code_reads():
    told = set(re.findall(r"^\| `(\w+)`", (DOCS / "settings.md").read_text(), re.MULTILINE))
    read = r"""(?:os\.environ(?:\.get\(|\[)|environment\.\w+\(|\bflag\(|^VARIABLE = )\s*"(\w+)\""""
    code = [path for folder in ("ireval_site", "judging", "metrics", "ireval") for path in (ROOT / folder).rglob("*.py")]
    names = {name for path in code for name in re.findall(read, path.read_text(encoding="utf-8"), re.MULTILINE)}
    assert told == names - {"NOTIFY_SOCKET"}  # systemd sets it for those whom it started


def test_the_architectures_questions_have_answers():
    page = (FOLDER / "architecture.md").read_text()
    assert len(page.split()) <= 1500
    answers = re.findall(r"^\| [^|]+\? \| (.+) \|$", page, re.MULTILINE)
    assert len(answers) >= 10
    for answer in answers:
        named = re.findall(r"`([^`]+)`", answer)
        assert named and all((ROOT / name).is_file() for name in named), answer


def test_pictures_are_small_and_shown():
    pictures = sorted((FOLDER / "pictures").glob("*"))
    shown = {(page.parent / link).resolve() for page in EVERY_PAGE for link in links(page)}
    assert pictures and [picture for picture in pictures if picture not in shown] == []
    large = {picture: 160_000 if picture.name.startswith("walk-") else 60_000 for picture in pictures}  # a picture a click
    assert [picture for picture in pictures if os.path.getsize(picture) > large[picture]] == []
    tutorials = (FOLDER / "tutorial").glob("*.md")
    assert [page.name for page in tutorials if not any(link.endswith(".png") for link in links(page))] == []


def test_the_readme_fits_one_reading():
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) <= 90
    assert re.findall(r"!\[(.*?):.*?\]\((.+?)\)", readme) == [("A verdict", "docs/pictures/verdict.png")]
    further = readme.partition("## Read on")[2].partition("\n## ")[0].split("\n\n", 2)[2].strip().splitlines()
    assert len(further) > 10 and all(re.match(r"- \[[^]]+\]\(docs/", line) for line in further)


def test_every_page_and_picture_opens_in_the_application():
    client = Client()
    opened = {f"/docs/{address}": client.get(f"/docs/{address}") for address in files()}
    assert len(opened) > 40
    for address, answer in opened.items():
        assert answer.status_code == 200, address
        if answer["Content-Type"].startswith("text/html"):
            html = answer.content.decode()
            inner = {link.partition("#")[0] for link in re.findall(r'(?:href|src)="(/docs/[^"]*)"', html)}
            assert inner <= opened.keys(), address
            assert html.count("<h1") == 1 and "<script>" not in html and 'style="' not in html
        else:
            assert answer["Content-Type"] == "image/png"


def test_the_documentation_is_searched():
    page = Client().get("/docs/", {"q": "nightly backups"}).content.decode()
    places = re.findall(r'<a href="(/docs/[^"]+)">', page.partition('<ol class="list"')[2])
    assert places[0].startswith("/docs/how-to/backup/#")
    assert "<mark>" in page and len(places) < 30
    extract = Client().get("/docs/", {"q": "ten minutes"}).content.decode()
    assert "your first study: it takes <mark>ten</mark> <mark>minutes</mark>" in extract
    assert "Nothing has all of these words" in Client().get("/docs/", {"q": "xyzzy <b>"}).content.decode()
    assert "Nothing has all of these words" in Client().get("/docs/", {"q": "of the"}).content.decode()


def test_pages_lead_from_one_to_the_next():
    address, seen = "/docs/", []
    while address:
        seen.append(address.removeprefix("/docs/"))
        after = re.search(r'rel="next" href="([^"]+)"', Client().get(address).content.decode())
        address = after and after[1]
    assert set(seen) == {page for page in files() if not page.endswith(".png")}


@pytest.mark.parametrize("address", ["nothing/", "../README.md", "index.md", "how-to", "..%2fmanage.py", "pictures/"])
def test_nothing_else_is_shown(address):
    assert Client().get(f"/docs/{address}").status_code == 404


def test_a_page_leads_within_itself_and_onward():
    page = Client().get("/docs/explanation/savings/").content.decode()
    assert '<h2 id="how-often-stopping-early-is-wrong">' in page and 'href="#how-often-stopping-early-is-wrong"' in page
    assert 'href="/docs/how-to/judging-less/#may-a-study-end"' in page
    assert '<div class="table-scroll" tabindex="0" role="region" aria-label="Table 1"><table>' in page
    assert "Documentation" in page and 'aria-current="page"' in page

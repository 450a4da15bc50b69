"""Reads MITRE's Common Weakness Enumeration (CWE) from an excerpt that comes with the code; nothing is fetched."""

import gzip
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "cwe_4_14"
CATALOGUE, NOTICE, LICENCE = "cwec.xml.gz", "cwe.NOTICE", "cwe-tou.LICENSE"
WITHDRAWN = {"Deprecated", "Obsolete"}
CITATION = re.compile(r"\s*\[REF-\d+\]")  # points into a list of references that the documents do not carry
BLOCKS = {"p", "div", "ul", "ol", "br"}


@dataclass(frozen=True)
class Weakness:
    """One kind of mistake. `observed` pairs what the catalogue cites as an example (mostly CVE ids) with the words it uses."""

    number: int
    name: str
    description: str
    withdrawn: bool
    observed: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Category:
    """A shelf of the catalogue, such as one of OWASP's Top Ten; its members are weaknesses and other categories."""

    name: str
    summary: str
    members: tuple[int, ...]


@dataclass(frozen=True)
class Catalogue:
    """CWE as published: weaknesses, categories, and views (lists of categories), each by its number, in ascending order."""

    version: str
    date: str
    weaknesses: dict[int, Weakness]
    categories: dict[int, Category]
    views: dict[int, tuple[int, ...]]


def read_catalogue() -> Catalogue:
    """Read what the demo needs of the catalogue: 2 MB of XML."""
    entries: dict[str, dict] = {kind: {} for kind in READERS}
    root = ET.fromstring(gzip.decompress((FOLDER / CATALOGUE).read_bytes()))  # noqa: S314 – a file of our own
    for element in root:
        entries[element.tag][int(element.attrib["ID"])] = READERS[element.tag](element)
    weaknesses, categories, views = (dict(sorted(entries[kind].items())) for kind in READERS)
    return Catalogue(root.attrib["Version"], root.attrib["Date"], weaknesses, categories, views)


def read_notice() -> str:
    """MITRE's copyright notice and licence in its own words: the licence asks that every copy reproduce both."""
    return "\n\n".join((FOLDER / name).read_text(encoding="utf-8").strip() for name in (NOTICE, LICENCE))


def read_weakness(element: ET.Element) -> Weakness:
    described = (readable(child) for child in children(element, "Description", "Extended_Description"))
    return Weakness(
        number=int(element.attrib["ID"]),
        name=element.attrib["Name"],
        description="\n\n".join(text for text in described if text),
        withdrawn=element.get("Status") in WITHDRAWN,
        observed=tuple(
            (one_line(reference), one_line(text))
            for examples in children(element, "Observed_Examples")
            for example in examples
            for reference in children(example, "Reference")
            for text in children(example, "Description")
        ),
    )


def read_category(element: ET.Element) -> Category:
    summary = " ".join(one_line(child) for child in children(element, "Summary"))
    return Category(name=element.attrib["Name"], summary=summary, members=read_members(element))


def read_members(element: ET.Element) -> tuple[int, ...]:
    return tuple(sorted(int(part.attrib["CWE_ID"]) for part in element.iter() if part.tag == "Has_Member"))


READERS: dict[str, Callable] = {"Weakness": read_weakness, "Category": read_category, "View": read_members}


def children(element: ET.Element, *names: str) -> list[ET.Element]:
    return [child for child in element if child.tag in names]


def readable(element: ET.Element) -> str:
    """The text of a description as paragraphs with an empty line between them and list items that start with "- ".

    >>> readable(ET.fromstring("<d>One\\n  line.<p>Two [REF-7]:</p><ul><li>a <b>b</b></li><li>c</li></ul></d>"))
    'One line.\\n\\nTwo:\\n\\n- a b\\n- c'
    """
    text = re.sub(r" *\n *", "\n", flatten(element))
    return CITATION.sub("", re.sub(r"\n{3,}", "\n\n", text)).strip()


def flatten(element: ET.Element) -> str:
    kind = element.tag
    if kind == "li":
        return f"\n- {one_line(element)}"
    inside = one_spaced(element.text) + "".join(flatten(child) + one_spaced(child.tail) for child in element)
    return f"\n\n{inside}\n\n" if kind in BLOCKS else inside


def one_line(element: ET.Element) -> str:
    return one_spaced("".join(element.itertext())).strip()


def one_spaced(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")

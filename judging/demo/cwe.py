"""Reads MITRE's Common Weakness Enumeration (CWE) from the files of the installed package `cwe2`; nothing is fetched."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable

FOLDER = "database_v49"
CATALOGUE, NOTICE, LICENCE = "cwec_v4.14.xml", "cwe.NOTICE", "cwe-tou.LICENSE"
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
    """Read the whole catalogue (15 MB of XML, about 0.3 s). Raises FileNotFoundError when `cwe2` is not the pinned release."""
    entries: dict[str, dict] = {kind: {} for kind in READERS}
    with as_file(package_file(CATALOGUE)) as path:
        for _, element in ET.iterparse(path):  # noqa: S314 – a file of an installed, pinned package
            kind = local_name(element)
            if kind in READERS:
                entries[kind][int(element.attrib["ID"])] = READERS[kind](element)
                element.clear()  # the whole tree would take 70 MB instead of 11
    root = element  # the outermost element is the last to end
    weaknesses, categories, views = (dict(sorted(entries[kind].items())) for kind in READERS)
    return Catalogue(root.attrib["Version"], root.attrib["Date"], weaknesses, categories, views)


def read_notice() -> str:
    """MITRE's copyright notice and licence in its own words: the licence asks that every copy reproduce both."""
    return "\n\n".join(package_file(name).read_text(encoding="utf-8").strip() for name in (NOTICE, LICENCE))


def package_file(name: str) -> Traversable:
    """A data file of the installed `cwe2`; FileNotFoundError says which release has it."""
    file = files("cwe2") / FOLDER / name
    if not file.is_file():
        raise FileNotFoundError(f"The installed cwe2 has no {FOLDER}/{name}; install the pinned release, cwe2 3.0.0.")
    return file


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
    return tuple(sorted(int(part.attrib["CWE_ID"]) for part in element.iter() if local_name(part) == "Has_Member"))


READERS: dict[str, Callable] = {"Weakness": read_weakness, "Category": read_category, "View": read_members}


def children(element: ET.Element, *names: str) -> list[ET.Element]:
    return [child for child in element if local_name(child) in names]


def local_name(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def readable(element: ET.Element) -> str:
    """The text of a description as paragraphs with an empty line between them and list items that start with "- ".

    >>> readable(ET.fromstring("<d>One\\n  line.<p>Two [REF-7]:</p><ul><li>a <b>b</b></li><li>c</li></ul></d>"))
    'One line.\\n\\nTwo:\\n\\n- a b\\n- c'
    """
    text = re.sub(r" *\n *", "\n", flatten(element))
    return CITATION.sub("", re.sub(r"\n{3,}", "\n\n", text)).strip()


def flatten(element: ET.Element) -> str:
    kind = local_name(element)
    if kind == "li":
        return f"\n- {one_line(element)}"
    inside = one_spaced(element.text) + "".join(flatten(child) + one_spaced(child.tail) for child in element)
    return f"\n\n{inside}\n\n" if kind in BLOCKS else inside


def one_line(element: ET.Element) -> str:
    return one_spaced("".join(element.itertext())).strip()


def one_spaced(text: str | None) -> str:
    return re.sub(r"\s+", " ", text or "")

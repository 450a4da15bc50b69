"""The demo's topics: OWASP's Top Ten of 2021, and 40 vulnerabilities in the catalogue's own words.

The vulnerabilities are chosen by rule, always the same:

1. The catalogue gives it a CVE id, and at least two documents cite it as an example, all in the same words.
2. The words make a query: 12 to 40 of them, without the name of a weakness that cites it. They are about the vulnerability and
   not about the catalogue: no CWE or CVE ids, no references, no "chain", "composite", "resultant" or "overlap".
3. Those cited by most documents come first, then the newest. One is taken when no document that cites it cites one
   taken before: 40 topics, and no two of them ask for the same document.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from judging.collections.parsers.parsed_records import ParsedTopic
from judging.demo.cwe import Catalogue, Weakness

TOP_TEN_2021 = 1344
TOP_TEN_CATEGORY = re.compile(r"OWASP Top Ten 2021 Category (?P<number>A\d\d):2021 - (?P<title>.+)")
CVE = re.compile(r"CVE-(?P<year>\d{4})-(?P<serial>\d{4,})")
ABOUT_THE_CATALOGUE = re.compile(r"CWE|CVE|CISA|\[|chain|composite|multi-factor|resultant|overlap", re.IGNORECASE)
QUERY_WORDS = range(12, 41)
VULNERABILITIES = 40

CATEGORY_NARRATIVE = (
    "A relevant document describes a weakness that belongs to this category: a product with that weakness would be counted as a "
    "case of it."
)
VULNERABILITY_DESCRIPTION = "Which weaknesses made this vulnerability ({cve}) possible?"
VULNERABILITY_NARRATIVE = (
    "A relevant document describes a weakness behind this vulnerability: the mistake itself, a more general form of it, or a "
    "second mistake that it needed. What kind of product it was found in does not matter."
)


@dataclass(frozen=True)
class MappedTopic:
    """A topic with the numbers of the weaknesses and categories that the catalogue maps to it."""

    topic: ParsedTopic
    mapped: tuple[int, ...]


def top_ten(catalogue: Catalogue) -> list[MappedTopic]:
    """The ten categories of the view "Weaknesses in OWASP Top Ten (2021)", A01 to A10."""
    return [ask_category(catalogue, number) for number in catalogue.views[TOP_TEN_2021]]


def ask_category(catalogue: Catalogue, number: int) -> MappedTopic:
    category = catalogue.categories[number]
    name = TOP_TEN_CATEGORY.fullmatch(category.name)
    assert name, f"CWE-{number} is named {category.name!r}, not as a category of OWASP's Top Ten of 2021"
    return ask(name["number"], name["title"], category.summary, CATEGORY_NARRATIVE, category.members, tag="category")


def vulnerabilities(weaknesses: Iterable[Weakness]) -> list[MappedTopic]:
    """The 40 vulnerabilities that the rule above chooses, in the order of their CVE ids."""
    chosen: list[MappedTopic] = []
    taken: set[int] = set()
    for candidate in sorted(candidates(weaknesses), key=most_cited_then_newest):
        if taken.isdisjoint(candidate.mapped) and len(chosen) < VULNERABILITIES:
            chosen.append(candidate)
            taken.update(candidate.mapped)
    return sorted(chosen, key=lambda candidate: age(candidate.topic.number))


def candidates(weaknesses: Iterable[Weakness]) -> Iterator[MappedTopic]:
    citing: dict[str, dict[int, Weakness]] = defaultdict(dict)
    wordings: dict[str, set[str]] = defaultdict(set)
    for weakness in weaknesses:
        for reference, text in weakness.observed:
            citing[reference][weakness.number] = weakness
            wordings[reference].add(text)
    for cve, by in citing.items():
        if CVE.fullmatch(cve) and len(by) > 1 and len(wordings[cve]) == 1:
            (text,) = wordings[cve]
            if makes_a_query(text, by.values()):
                description = VULNERABILITY_DESCRIPTION.format(cve=cve)
                yield ask(cve, text, description, VULNERABILITY_NARRATIVE, by, tag="vulnerability")


def makes_a_query(text: str, citing: Iterable[Weakness]) -> bool:
    """Whether `text` is long enough, speaks of the vulnerability, and does not simply name its weakness."""
    names_it = any(weakness.name.lower() in text.lower() for weakness in citing)
    return len(text.split()) in QUERY_WORDS and not names_it and not ABOUT_THE_CATALOGUE.search(text)


def ask(number: str, title: str, description: str, narrative: str, mapped: Iterable[int], *, tag: str) -> MappedTopic:
    # derived: no line of a file says it
    topic = ParsedTopic(number, title, description, narrative, subtopics=(), line=0, tags=[tag])
    return MappedTopic(topic, tuple(sorted(mapped)))


def most_cited_then_newest(candidate: MappedTopic) -> tuple[int, int, int]:
    year, serial = age(candidate.topic.number)
    return -len(candidate.mapped), -year, -serial


def age(cve: str) -> tuple[int, int]:
    """A CVE id as the numbers to sort by: year, then serial.

    >>> age("CVE-2021-21272")
    (2021, 21272)
    """
    match = CVE.fullmatch(cve)
    assert match, f"{cve} is no CVE id"
    return int(match["year"]), int(match["serial"])

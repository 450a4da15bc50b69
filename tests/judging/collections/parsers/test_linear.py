"""Hostile files cost time in proportion to their size: eight times as long never takes far more than eight times as long."""

import time
from contextlib import suppress

import pytest

from ireval.io.files import BadFile, ProblemList
from tests.judging.collections.parsers.readers import READERS, Files
from tests.judging.collections.parsers.test_fuzz import VALID

PATTERNS = [
    "<", "</", "<a", "<a ", "a", "<b ", "<p ", "<!--", "<script", "<style>", "<doc", "<doc>", "<TEXT>", "</TEXT>",
    "<num>", "<title>",
    "&", "&#", "&#1", "&#x", "&a", "&amp", "1", "0", "-", "'", '"', '""', ",", ";", "\t", " ", "{", "[", '{"a":', "\\",
    "\\u", "\\ud800",
    "é", "\u0301", "\u2028", "\x1c", "\xa0", "\n", "\n\n", "\r", "\n<", "\n.I\n", "\n.W", "\n.X\n1\t2", "<![CDATA[", "]]>", "<?", "http://",
]  # fmt: skip
NOTHING = 0.3  # seconds
PLACES = ["Owls eat voles", "What do\nowls eat?", "Owls & voles", "Owls &amp; voles", "d1", "184"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    return Files(tmp_path_factory.mktemp("files"))


def seconds(files, kind, content, **options):
    """Of processor time, which is what the work costs whatever else the machine does."""
    path, begun = files.write("long", content.encode()), time.process_time()
    with suppress(BadFile):
        list(READERS[kind](path, problems=ProblemList("long"), **options))
    return time.process_time() - begun


def grows_faster(files, kind, short, long, **options):
    """Whether eight times as much takes more than 24 times as long."""
    took = seconds(files, kind, long, **options)
    return took > NOTHING and took > 24 * seconds(files, kind, short, **options) + NOTHING


@pytest.mark.parametrize(("kind", "format"), list(VALID))
def test_work_grows_with_size(files, kind, format):
    valid, options = VALID[kind, format], {"format": format} if format else {}
    slow = []
    for pattern in PATTERNS:
        for place in [place for place in PLACES if place in valid] or [valid[:3]]:
            for before in ("", "<", "&#"):
                short, long = (valid.replace(place, before + pattern * times) for times in (2_000, 16_000))
                # Others slow a processor down, too, but not five times in a row the one and not the other.
                if all(grows_faster(files, kind, short, long, **options) for _ in range(5)):
                    slow.append((pattern, place, before))
    assert slow == []


@pytest.mark.parametrize(("reference", "text"), [("&#" + "9" * 5000 + ";", "\ufffd"), ("&#" + "0" * 5000 + "65;", "A")])
def test_a_character_of_five_thousand_digits_is_read(files, reference, text):
    content = VALID["documents", "trec"].replace("Owls eat voles", f"Owls {reference} voles").encode()
    (document, *_) = READERS["documents"](files.write("sgml", content), format="trec", problems=ProblemList("sgml"))
    assert f"Owls {text} voles" in document.text

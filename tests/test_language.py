"""What the code says of itself: sentences that can be read once, and files that are named once."""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MOST = 25
CITED = ("Source:", "Sources:")
PACKAGES = ("ireval", "ireval_site", "judging", "metrics")
# What leads to a room is called as the room's module: its page, address, form or command.
FRONTS = {"views", "api", "forms", "urls", "cli", "management", "migrations"}
# Each kind of reports has these, in a folder of its own.
FACES = {"evidence", "parts", "results", "words", "figures", "files", "changes", "freshness"}
# Django calls for a database backend by this name.
BACKENDS = {("sqlite", "base.py"), ("postgresql", "base.py")}


def is_face(path: Path) -> bool:
    return path.parts[0] == "kinds" and path.stem in FACES


def docstrings(text: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield ast.get_docstring(node) or ""


def comments(text: str) -> Iterator[str]:
    """Comments on lines of their own, with what goes on in the next line, and those behind code."""
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type == tokenize.COMMENT]
    alone = [token for token in tokens if token.line.strip().startswith("#")]
    numbered = enumerate(alone)
    for _, block in groupby(numbered, lambda pair: pair[1].start[0] - pair[0]):
        yield "\n".join(token.string.lstrip("# ") for _, token in block)
    yield from (token.string.lstrip("# ") for token in tokens if token not in alone)


def sentences(text: str) -> Iterator[str]:
    """The sentences of each paragraph and item of a list; without examples, tables, citations and what stands in brackets."""
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*(?:- |\d\. |Sources?: ))", text):
        if paragraph.lstrip().startswith((">>>", *CITED)) or re.match(r"\s{4}", paragraph):
            continue
        prose = " ".join(paragraph.split(">>>")[0].split())
        for name in CITED:
            prose = prose.split(name)[0]
        while prose != (prose := re.sub(r"\([^()]*\)", "", prose)):
            pass
        yield from re.split(r"(?<=[.!?])\s+", prose)


def length(sentence: str) -> int:
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def test_the_measure_of_sentences():
    text = "One (not counted) two three. Four!\n\n- five\n  six\n- seven\nSource: nobody, nowhere.\n\n    >>> 1 + 1\n    2"
    assert [length(sentence) for sentence in sentences(text)] == [3, 1, 2, 1]
    assert list(comments("# one\n# two\nx = 1  # three\n# four\n")) == ["one\ntwo", "four", "three"]


@pytest.mark.parametrize("package", PACKAGES)
def test_no_sentence_of_the_code_is_longer_than_25_words(package):
    paths = [path for path in sorted((ROOT / package).rglob("*.py")) if "migrations" not in path.parts]
    assert len(paths) > 40
    spoken = [
        (path.relative_to(ROOT), sentence)
        for path in paths
        for source in (docstrings, comments)
        for text in source(path.read_text(encoding="utf-8"))
        for sentence in sentences(text)
    ]
    assert len(spoken) > 300
    assert [(str(path), length(sentence), sentence) for path, sentence in spoken if length(sentence) > MOST] == []


def test_no_file_of_a_package_is_called_as_another():
    for package in PACKAGES:
        paths = [path.relative_to(ROOT / package) for path in sorted((ROOT / package).rglob("*.py"))]
        rooms = [path for path in paths if not FRONTS.intersection(path.parts)]
        assert len(rooms) > 20
        free = [path for path in rooms if path.parts[-2:] not in BACKENDS and not is_face(path)]
        names = Counter(path.name for path in free if not path.name.startswith("__"))
        assert [name for name, times in names.items() if times > 1] == []

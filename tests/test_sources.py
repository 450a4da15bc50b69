"""docs/reference/sources.md, held to the truth: every function, measure, command, page and test that it names exists."""

import argparse
import functools
import importlib
import re
from pathlib import Path

import pytest
from django.urls import resolve

from ireval import parse_measure
from ireval.cli.main import parser

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "sources.md"
COLUMNS = ["notion", "source", "function or measure", "command", "page", "test of the example"]


def tables() -> list[dict[str, str]]:
    """The rows of all tables of the page."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not line.startswith("|---")]
    assert all(len(row) == len(COLUMNS) for row in rows)
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows if row != COLUMNS]


def named(column: str) -> list[str]:
    return sorted({name for row in tables() for name in re.findall(r"`([^`]+)`", row[column])})


def test_every_notion_has_a_source_a_place_here_and_a_test():
    rows = tables()
    assert len(rows) > 40
    for row in rows:
        assert row["notion"] and re.match(r"(Book|Lesson|Thesis|Slides?|Lecture)\b", row["source"]), row
        assert row["function or measure"] and row["test of the example"] and (row["command"] or row["page"]), row


@pytest.mark.parametrize("name", named("function or measure"))
def test_functions_and_measures_exist(name):
    if not name.startswith("ireval."):
        assert parse_measure(name)
        return
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError:
            continue
        assert callable(functools.reduce(getattr, parts[end:], module))
        return


@pytest.mark.parametrize("command", named("command"))
def test_commands_and_options_exist(command):
    program, name, *words = command.split()
    assert program == "ireval"
    (subcommands,) = (action for action in parser()._actions if isinstance(action, argparse._SubParsersAction))
    subcommand = subcommands.choices[name]
    choices = {choice for action in subcommand._actions if not action.option_strings for choice in action.choices or ()}
    for word in words:
        assert word in subcommand._option_string_actions or word in choices


@pytest.mark.parametrize("address", named("page"))
def test_pages_exist(address):
    assert resolve(address.replace("…", "1"))


@pytest.mark.parametrize("test", named("test of the example"))
def test_tests_exist(test):
    path, _, name = test.partition("::")
    text = (ROOT / "tests" / path).read_text(encoding="utf-8")
    assert "def test_" in text and (not name or f"def {name}(" in text)


def test_files_named_in_the_text_exist():
    names = re.findall(r"`(tests/[\w/]+\.py)`", PAGE.read_text(encoding="utf-8"))
    assert len(names) == 2 and all((ROOT / name).exists() for name in names)

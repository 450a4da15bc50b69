"""docs/tutorial/notebook.md: every line of it is run, in a folder of its own, and prints what is printed there."""

import doctest
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial" / "notebook.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", TUTORIAL, re.MULTILINE | re.DOTALL)


def run_python(blocks: list[str]) -> None:
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/tutorial/notebook.md", None, 0)
    report: list[str] = []
    doctest.DocTestRunner().run(test, out=report.append)
    assert not report, "".join(report)


def python_blocks() -> list[str]:
    return [text for language, text in BLOCKS if language == "python"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.skipif(find_spec("pandas") is None, reason="pandas is not installed, and some lines are about its frames")
def test_every_line_of_python():
    run_python(python_blocks())


def test_every_line_of_python_but_those_of_pandas():
    run_python([text for text in python_blocks() if "import pandas" not in text])


def test_every_line_in_a_shell():
    install, commands = (text for language, text in BLOCKS if language == "sh")
    assert install == "pip install .\n" and "`pip install ireval-engine`" in TUTORIAL, "any other name is another project's"
    run_python([text for text in python_blocks() if "write_text" in text or "qrels = {" in text])
    for example in commands.split("$ ")[1:]:
        command, _, printed = example.partition("\n")
        program, *arguments = command.split()
        assert program == "ireval"
        process = subprocess.run(
            [sys.executable, "-m", "ireval", *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert process.stdout.rstrip() == printed.rstrip()


def test_there_is_nothing_that_nobody_runs():
    assert {language for language, _ in BLOCKS} == {"python", "sh"}
    assert TUTORIAL.count("```") == 2 * len(BLOCKS)
    for text in python_blocks():
        assert text.startswith(">>> ")

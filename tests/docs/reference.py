"""The pages of the reference that the code itself writes: `python -m tests.docs.reference` writes them again.

A test holds them to the code. They are in the repository so that everybody reads them without a build.
"""

import argparse
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import django
from django.core.management import load_command_class

import ireval
from ireval.cli.main import parser
from ireval.measures.registry import MEASURES, Kind, Parameter

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference"
DJANGOS_OWN = {
    "--version",
    "--verbosity",
    "--settings",
    "--pythonpath",
    "--traceback",
    "--no-color",
    "--force-color",
    "--skip-checks",
}
WRITTEN = "`python -m tests.docs.reference` writes this page from the code."
TOLD_ONCE = {"cutoff", "rel"}
MANAGED = {"judging": Path("judging/management/commands"), "metrics": Path("metrics/management/commands")}

EXAMPLES = """
ireval evaluate qrels.txt run.txt.gz -m nDCG@10 -m map -q
ireval curve ndcg qrels.txt runs/*.run --dcg jk                   # and roc, precision-recall, …
ireval contingency qrels.txt run.txt --topic 51                   # what was retrieved, what is relevant
ireval compare runs/*.run --qrels qrels.txt -m AP --test tukey
ireval plan runs/*.run --qrels qrels.txt -m AP --difference 0.05  # topics needed
ireval correlate runs/a.run runs/b.run --method rbo
ireval aggregate labels.csv
ireval agreement labels.csv --level ordinal
ireval preferences votes.csv
ireval experiment ab.csv
ireval experiment-plan --baseline 0.05 --lift 0.1                 # users needed
ireval interleaving credit.csv
ireval clicks log.ndjson.gz
ireval pool runs/*.xz --depth 10
ireval duplicates corpus.jsonl > groups.tsv                       # for evaluate --duplicates groups.tsv
ireval next runs/*.xz --qrels qrels.txt -m nDCG@10                # what to judge next, and whether it matters
ireval measures
""".strip().splitlines()


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ireval_site.settings")
    django.setup()
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")


def cli() -> str:
    """Every subcommand of `ireval` and every command of manage.py, from their argument parsers."""
    lines = [
        "# Command line",
        "",
        "`ireval` works on files, `manage.py` on an installation. In a clone write `.venv/bin/python -m ireval` and",
        "`.venv/bin/python manage.py`; with Docker `docker compose run --rm web python manage.py`.",
        WRITTEN,
        "",
        "## By example",
        "",
        "```sh",
        *EXAMPLES,
        "```",
    ]
    for name, command in sorted(subcommands(parser()).items()):
        lines += ["", f"## ireval {name}", "", sentence(command.description or name), "", *arguments(command)]
    for app, folder in MANAGED.items():
        for file in sorted((DOCS.parents[1] / folder).glob("[a-z]*.py")):
            command = load_command_class(app, file.stem).create_parser("manage.py", file.stem)
            lines += ["", f"## manage.py {file.stem}", "", sentence(command.description or ""), *["", *arguments(command)]]
    return joined(lines)


def subcommands(top: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    (actions,) = (action for action in top._actions if isinstance(action, argparse._SubParsersAction))
    return actions.choices


def arguments(command: argparse.ArgumentParser) -> list[str]:
    """A table of what a command takes, but for what all commands take."""
    rows = [
        f"| {written(action)} | {cell(command._get_formatter()._expand_help(action)) if action.help else ''} |"
        for action in command._actions
        if not (DJANGOS_OWN | {"--help"}) & set(action.option_strings)
    ]
    return ["| argument | |", "|---|---|", *rows] if rows else ["It takes no arguments."]


def written(action: argparse.Action) -> str:
    """
    >>> command = argparse.ArgumentParser()
    >>> written(command.add_argument("-n", "--number", type=int)), written(command.add_argument("--all", action="store_true"))
    ('`-n`, `--number` NUMBER', '`--all`')
    """
    value = action.metavar or ("\\|".join(map(str, action.choices)) if action.choices else action.dest.upper())
    names = ", ".join(f"`{name}`" for name in action.option_strings)
    if not names:
        return f"{value if isinstance(value, str) else ' '.join(value)}{' …' if action.nargs in ('+', '*') else ''}"
    takes = "" if action.nargs == 0 else f" {value if isinstance(value, str) else ' '.join(value)}"
    return names + takes


def engine() -> str:
    """Everything that `import ireval` gives, room by room, with the first words of its docstring."""
    named = [getattr(ireval, name) for name in ireval.__all__]
    things = sorted((each for each in named if inspect.isroutine(each) or inspect.isclass(each)), key=room)
    lines = [
        "# The engine",
        "",
        "What `import ireval` gives, by room of the library. [In a notebook](../tutorial/notebook.md) shows it by example.",
        WRITTEN,
    ]
    for name, members in groupby(things, room):
        lines += ["", f"## ireval.{name}", ""]
        for member in sorted(members, key=attrgetter("__name__")):
            lines += [f"**`{member.__name__}{parameters(member)}`**", "", summary(member), ""]
    return joined(lines)


def room(member: Any) -> str:
    return member.__module__.split(".")[1]


def parameters(member: Callable) -> str:
    """The names and defaults of what a function takes; of a class nothing."""
    if inspect.isclass(member):
        return ""
    taken = inspect.signature(member).parameters.values()
    return str(inspect.Signature([each.replace(annotation=each.empty, default=plain(each.default)) for each in taken]))


class Shown:
    """A default that is not a value to be typed, by its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


def plain(default: Any) -> Any:
    simple = default is inspect.Parameter.empty or isinstance(default, str | int | float | bool | type(None))
    return default if simple else Shown("…")


def summary(member: Any) -> str:
    """The first paragraph of a docstring, on one line; what dataclasses write about themselves is none."""
    text = inspect.getdoc(member) or ""
    first = text.partition("\n\n")[0].partition(">>>")[0]
    return "" if text.startswith(f"{member.__name__}(") else re.sub(r"\s+", " ", first).strip()


def measures() -> str:
    """The catalogue of measures: formula, parameters, what happens at the edges, source."""
    lines = [
        "# Measures",
        "",
        "Every measure with its formula, what it is worth at the edges, and its source. `ireval measures` prints the same;",
        "[trec_eval](trec_eval.md) and [diversity](diversity.md) have the names that others use, and where we differ.",
        WRITTEN,
        "",
        "*i* is a rank from 1, *R* the number of a topic's relevant documents. Over all topics a value is their mean unless it",
        "says otherwise. `@k` looks at the first k documents alone; `rel` is the lowest relevant grade, else the evaluation's.",
    ]
    for kind in sorted(MEASURES.values(), key=lambda kind: kind.name.casefold()):
        lines += ["", f"## {kind.name}", "", *described(kind)]
    return joined(lines)


def described(kind: Kind) -> Iterator[str]:
    names = ", ".join(f"`{name}`" for name in sorted({*kind.aliases, *filter(None, (kind.trec, kind.trec_at))} - {kind.name}))
    yield f"{kind.title}{f' (also {names})' if names else ''}, {kind.looks_at} based, {kind.gains} gains."
    yield ""
    yield f"- Formula: {kind.formula}"
    told = (parameter for parameter in kind.all_parameters if parameter.name not in TOLD_ONCE)
    yield from (f"- `{parameter.name}`: {parameter.meaning}{default(parameter)}" for parameter in told)
    if kind.aggregate != "mean":
        yield f"- Over topics: {kind.aggregate}"
    yield f"- At the edges: {kind.degenerate}"
    yield f"- Source: {kind.citation}"


def default(parameter: Parameter) -> str:
    return "" if parameter.default is None else f" (default {parameter.default})"


def sentence(text: str) -> str:
    text = re.sub(r"\s+", " ", text).strip()
    return text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")


def cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def joined(lines: Iterable[str]) -> str:
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


PAGES = {"cli.md": cli, "engine.md": engine, "measures.md": measures}

if __name__ == "__main__":
    main()

"""The command `ireval`: its subcommands and their arguments; ireval.cli.output has the formats."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from ireval.io.files import BadInput, IgnoredInput

# What the list of commands says of each. Its arguments are added by add_… in its own file, or in the file named below.
COMMANDS = {
    "evaluate": "measures of one or more runs",
    "curve": "a curve of runs, as points",
    "contingency": "retrieved or not by relevant or not",
    "compare": "which system is better, and how sure",
    "plan": "how many topics it takes to find a difference",
    "correlate": "how alike two orderings are",
    "aggregate": "one label of many an item",
    "agreement": "how far workers agree",
    "effect": "what labels do to the order of systems",
    "preferences": "which system people prefer",
    "experiment": "which arm of a test is better",
    "experiment-plan": "how many users it takes",
    "interleaving": "which interleaved system is preferred",
    "clicks": "what people click, and prefer by it",
    "verdict": "one answer from all evidence",
    "reproduce": "a verdict once more, equal or not",
    "pool": "the documents to judge",
    "duplicates": "which documents say the same",
    "next": "the documents to judge next",
    "measures": "what can be measured",
}
FILES = {"agreement": "aggregate", "reproduce": "verdict"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 with the reason on standard error."""
    words = sys.argv[1:] if arguments is None else arguments
    options = parser(next((word for word in words if word in COMMANDS), None)).parse_args(words)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("always", IgnoredInput)
            warnings.showwarning = show_warning
            options.command(options)
            sys.stdout.flush()  # what cannot be written is said here, not by Python at its end
    except BadInput as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, `head` for instance, has seen enough
        discard_output()
    except OSError as error:
        if error.filename is None:  # a full disk, for instance, behind standard output
            discard_output()
        print(": ".join(str(part) for part in (error.filename, error.strerror or error) if part), file=sys.stderr)
        return 2
    return 0


def discard_output() -> None:
    """Print no more; otherwise Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning to standard error as a reader of files expects it, without a line of our code."""
    print(f"warning: {message}", file=sys.stderr)


def parser(wanted: str | None = None) -> argparse.ArgumentParser:
    """The arguments of the wanted command, whose file alone is imported; without one, of all."""
    name = "python -m ireval" if Path(sys.argv[0]).stem == "__main__" else "ireval"
    top = argparse.ArgumentParser(prog=name, description="Evaluate retrieval runs, as trec_eval does and further.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    for title, summary in COMMANDS.items():
        command = commands.add_parser(title, help=summary)
        if wanted in (title, None):
            word = title.replace("-", "_")
            getattr(import_module(f"ireval.cli.{FILES.get(title, word)}"), f"add_{word}")(command)
            command.description = command.get_default("command").__doc__
    return top

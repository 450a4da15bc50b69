"""The command `ireval`: its subcommands and their arguments; ireval.cli.output has the formats."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from ireval import BadInput, pool, read_run
from ireval.cli.aggregate import add_aggregate, add_agreement, aggregate_labels, measure_agreement
from ireval.cli.clicks import add_clicks, show_clicks
from ireval.cli.compare import add_compare, compare_systems
from ireval.cli.contingency import add_contingency, show_contingency
from ireval.cli.correlate import add_correlate, correlate_orderings
from ireval.cli.curve import add_curve, trace_curves
from ireval.cli.duplicates import add_duplicates, find_duplicates
from ireval.cli.effect import add_effect, show_effect
from ireval.cli.evaluate import add_evaluate, evaluate_runs, whole_number
from ireval.cli.experiment import add_experiment, show_experiment
from ireval.cli.experiment_plan import add_experiment_plan, plan_experiment
from ireval.cli.interleaving import add_interleaving, show_interleaving
from ireval.cli.next import add_next, show_next
from ireval.cli.output import catalogue
from ireval.cli.plan import add_plan, plan_topics
from ireval.cli.preferences import add_preferences, show_preferences
from ireval.cli.verdict import add_reproduce, add_verdict, reproduce, show_verdict
from ireval.io.csv_rows import csv_of_frame
from ireval.io.files import IgnoredInput
from ireval.io.rank_order import CUSTOMS


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 with the reason on standard error."""
    options = parser().parse_args(arguments)
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


def parser() -> argparse.ArgumentParser:
    name = "python -m ireval" if Path(sys.argv[0]).stem == "__main__" else "ireval"
    top = argparse.ArgumentParser(prog=name, description="Evaluate retrieval runs, as trec_eval does and further.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    add_evaluate(commands.add_parser("evaluate", help="measures of one or more runs", description=evaluate_runs.__doc__))
    add_curve(commands.add_parser("curve", help="a curve of runs, as points", description=trace_curves.__doc__))
    add_contingency(
        commands.add_parser("contingency", help="retrieved or not by relevant or not", description=show_contingency.__doc__)
    )
    add_compare(commands.add_parser("compare", help="which system is better, and how sure", description=compare_systems.__doc__))
    add_plan(commands.add_parser("plan", help="how many topics it takes to find a difference", description=plan_topics.__doc__))
    add_correlate(commands.add_parser("correlate", help="how alike two orderings are", description=correlate_orderings.__doc__))
    add_aggregate(commands.add_parser("aggregate", help="one label of many an item", description=aggregate_labels.__doc__))
    add_agreement(commands.add_parser("agreement", help="how far workers agree", description=measure_agreement.__doc__))
    add_effect(commands.add_parser("effect", help="what labels do to the order of systems", description=show_effect.__doc__))
    add_preferences(commands.add_parser("preferences", help="which system people prefer", description=show_preferences.__doc__))
    add_experiment(commands.add_parser("experiment", help="which arm of a test is better", description=show_experiment.__doc__))
    add_experiment_plan(
        commands.add_parser("experiment-plan", help="how many users it takes", description=plan_experiment.__doc__)
    )
    add_interleaving(
        commands.add_parser("interleaving", help="which interleaved system is preferred", description=show_interleaving.__doc__)
    )
    add_clicks(commands.add_parser("clicks", help="what people click, and prefer by it", description=show_clicks.__doc__))
    add_verdict(commands.add_parser("verdict", help="one answer from all evidence", description=show_verdict.__doc__))
    add_reproduce(commands.add_parser("reproduce", help="a verdict once more, equal or not", description=reproduce.__doc__))
    add_pool(commands.add_parser("pool", help="the documents to judge", description=pool_runs.__doc__))
    add_duplicates(commands.add_parser("duplicates", help="which documents say the same", description=find_duplicates.__doc__))
    add_next(commands.add_parser("next", help="the documents to judge next", description=show_next.__doc__))
    add_measures(commands.add_parser("measures", help="what can be measured", description=list_measures.__doc__))
    return top


def add_pool(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", metavar="RUN", nargs="+")
    command.add_argument("--depth", metavar="K", type=whole_number(1), required=True, help="how many documents of each ranking")
    customs = "; ".join(f"{custom}: {meaning}" for custom, meaning in CUSTOMS.items())
    command.add_argument("--ties", choices=CUSTOMS, default="trec_eval", help=f"of equal scores (default %(default)s). {customs}")
    command.set_defaults(command=pool_runs)


def add_measures(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("table", "json"), default="table")
    command.set_defaults(command=list_measures)


def pool_runs(options: argparse.Namespace) -> None:
    """Pool runs: their first K documents, each once. Prints tab-separated topic, docno, number of runs and best rank. How ties
    were ordered stands on standard error."""
    pooled = pool((read_run(path, ties=options.ties) for path in options.runs), options.depth)
    print(f"documents of equal score: {CUSTOMS[options.ties]}", file=sys.stderr)
    print(csv_of_frame(pooled, to_the_letter=("topic", "docno"), separator="\t"), end="")


def list_measures(options: argparse.Namespace) -> None:
    """List the catalogue of measures: names, what they take, formula and source."""
    print(catalogue(options.format))

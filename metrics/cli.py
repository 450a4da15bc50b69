"""The command line of the engine: arguments in, text out. What it prints is made in metrics.printing."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import get_args

from metrics.comparing import add_compare, compare_systems
from metrics.correlating import add_correlate, correlate_orderings
from metrics.engine import DEFAULT_PROFILE, PROFILES, BadFile, BadMeasure, Qrels, parse_measures, pool, read_qrels, read_run
from metrics.engine.evaluation import evaluate_file
from metrics.engine.ordering import Ties
from metrics.engine.significance import BadComparison
from metrics.printing import FORMATS, Result, catalogue


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit status: 0, or 2 with the reason on standard error."""
    options = parser().parse_args(arguments)
    try:
        options.command(options)
    except (BadFile, BadMeasure, BadComparison) as error:
        print(error, file=sys.stderr)
        return 2
    except (FileNotFoundError, IsADirectoryError, PermissionError) as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, `head` for instance, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m metrics", description="Evaluate retrieval runs, as trec_eval does and further.")
    commands = top.add_subparsers(required=True, metavar="COMMAND")
    add_evaluate(commands.add_parser("evaluate", help="measures of one or more runs", description=evaluate_runs.__doc__))
    add_compare(commands.add_parser("compare", help="which system is better, and how sure", description=compare_systems.__doc__))
    add_correlate(commands.add_parser("correlate", help="how alike two orderings are", description=correlate_orderings.__doc__))
    add_pool(commands.add_parser("pool", help="the documents to judge", description=pool_runs.__doc__))
    add_measures(commands.add_parser("measures", help="what can be measured", description=list_measures.__doc__))
    return top


def add_evaluate(command: argparse.ArgumentParser) -> None:
    command.add_argument("qrels", metavar="QRELS", help="judgements: TREC, BEIR, CSV, JSON Lines or Parquet")
    command.add_argument("runs", metavar="RUN", nargs="+", help='TREC or Parquet, compressed or not; "-" is standard input')
    command.add_argument(
        "-m",
        dest="measures",
        metavar="MEASURE",
        action="append",
        help='such as nDCG@10, map, P.5,10; "official", "set" and "all_trec" are several',
    )
    command.add_argument("-q", dest="per_topic", action="store_true", help="print each topic, too")
    command.add_argument("-c", dest="all_topics", action="store_true", help="count topics of the qrels that a run lacks, as 0")
    command.add_argument("-l", dest="relevant_from", metavar="N", type=int, default=1, help="lowest relevant grade (default 1)")
    command.add_argument("-M", dest="depth", metavar="N", type=positive, help="look at the first N documents of each topic only")
    command.add_argument("-J", dest="judged_only", action="store_true", help="leave out what is not judged; the rest moves up")
    command.add_argument(
        "--ties",
        choices=get_args(Ties),
        default="profile",
        help="of documents with equal scores the highest grade first (best) or last (worst), for the ends between which a value"
        " depends on their order; default: as the profile orders them",
    )
    command.add_argument("--profile", choices=PROFILES, default=DEFAULT_PROFILE, help="whose conventions (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s; trec is what trec_eval prints")
    command.set_defaults(command=evaluate_runs)


def add_pool(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", metavar="RUN", nargs="+")
    command.add_argument("--depth", metavar="K", type=positive, required=True, help="how many documents of each ranking")
    command.set_defaults(command=pool_runs)


def add_measures(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("table", "json"), default="table")
    command.set_defaults(command=list_measures)


def positive(text: str) -> int:
    if (number := int(text)) < 1:
        raise ValueError
    return number


def evaluate_runs(options: argparse.Namespace) -> None:
    """Evaluate runs against qrels. Without -m these are the measures of trec_eval's official set."""
    asked = options.measures or ["official"]
    with_tag = bool({"official", "set", "all_trec", "runid"}.intersection(asked))
    measures = parse_measures(name for name in asked if name != "runid")
    judged = Qrels(read_qrels(options.qrels, subtopics=any(measure.kind.by_intent for measure in measures)))
    show: Callable[[Result], str] = FORMATS[options.format](options.per_topic, with_tag)
    for path in options.runs:
        evaluation, tag = evaluate_file(
            path,
            judged,
            measures,
            profile=options.profile,
            topics="qrels" if options.all_topics else "both",
            relevant_from=options.relevant_from,
            depth=options.depth,
            judged_only=options.judged_only,
            ties=options.ties,
        )
        print(show(Result(path, tag, evaluation)), flush=True)


def pool_runs(options: argparse.Namespace) -> None:
    """Pool runs: their first K documents, each once. Prints tab-separated topic, docno, number of runs and best rank."""
    pooled = pool((read_run(path) for path in options.runs), options.depth)
    print(pooled.write_csv(separator="\t"), end="")


def list_measures(options: argparse.Namespace) -> None:
    """List the catalogue of measures: names, what they take, formula and source."""
    print(catalogue(options.format))

"""The command evaluate: from runs and qrels to measures. Also the options of every command that evaluates runs."""

import argparse
from collections.abc import Callable, Iterable
from typing import get_args

from ireval import DEFAULT_PROFILE, PROFILES, Measure, Qrels, Rankings, parse_measures, rankings_of, read_qrels
from ireval.cli.output import FORMATS, Result
from ireval.io.rank_order import Ties
from ireval.measures.evaluation import EvaluationRules, evaluate_file


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
    add_rules(command)
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s; trec is what trec_eval prints")
    command.set_defaults(command=evaluate_runs)


def add_rules(command: argparse.ArgumentParser) -> None:
    command.add_argument("-c", dest="all_topics", action="store_true", help="count topics of the qrels that a run lacks, as 0")
    command.add_argument("-l", dest="relevant_from", metavar="N", type=int, default=1, help="lowest relevant grade (default 1)")
    command.add_argument(
        "-M", dest="depth", metavar="N", type=whole_number(1), help="look at the first N documents of each topic only"
    )
    command.add_argument("-J", dest="judged_only", action="store_true", help="leave out what is not judged; the rest moves up")
    command.add_argument(
        "--ties",
        choices=get_args(Ties),
        default="profile",
        help="of documents with equal scores the highest grade first (best) or last (worst), for the ends between which a value"
        " depends on their order; default: as the profile orders them",
    )
    command.add_argument(
        "--duplicates",
        metavar="FILE",
        help="count of each group of near-duplicates only the first that is retrieved; the file is what duplicates prints",
    )
    command.add_argument("--profile", choices=PROFILES, default=DEFAULT_PROFILE, help="whose conventions (default %(default)s)")


USUAL: EvaluationRules = {
    "profile": DEFAULT_PROFILE,
    "topics": "both",
    "relevant_from": 1,
    "depth": None,
    "judged_only": False,
    "ties": "profile",
}


def rules_of(options: argparse.Namespace) -> EvaluationRules:
    return {
        "profile": options.profile,
        "topics": "qrels" if options.all_topics else "both",
        "relevant_from": options.relevant_from,
        "depth": options.depth,
        "judged_only": options.judged_only,
        "ties": options.ties,
    }


def rankings_by(options: argparse.Namespace, run: str, qrels: Qrels) -> Rankings:
    """A run file's rankings by the options; which topics count and what is relevant is left to whoever counts."""
    return rankings_of(
        run, qrels, profile=options.profile, depth=options.depth, judged_only=options.judged_only, ties=options.ties
    )


def whole_number(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if (value := int(text)) < least:
            raise argparse.ArgumentTypeError(f"{text}: expected a whole number from {least}")
        return value

    return number


def qrels_for(measures: Iterable[Measure], options: argparse.Namespace) -> Qrels:
    """The qrels, with subtopics if one of the measures uses them."""
    grades = read_qrels(options.qrels, subtopics=any(measure.kind.by_intent for measure in measures))
    return Qrels(grades, duplicates=options.duplicates)


def evaluate_runs(options: argparse.Namespace) -> None:
    """Evaluate runs against qrels. Without -m these are the measures of trec_eval's official set."""
    names = options.measures or ["official"]
    with_tag = bool({"official", "set", "all_trec", "runid"}.intersection(names))
    measures = parse_measures(name for name in names if name != "runid")
    qrels = qrels_for(measures, options)
    show: Callable[[Result], str] = FORMATS[options.format](options.per_topic, with_tag)
    for path in options.runs:
        evaluation, tag = evaluate_file(path, qrels, measures, **rules_of(options))
        print(show(Result(path, tag, evaluation)), flush=True)

"""The command curve: from runs and qrels to the points of a curve, for one topic or as a mean over topics."""

import argparse
import json
from collections.abc import Callable
from typing import NamedTuple, get_args

import numpy as np
import polars as pl

from ireval import ENGINE_VERSION, BadInput, Qrels, Rankings, read_qrels
from ireval.arrays import Floats
from ireval.cli.evaluate import add_rules, rankings_by, rules_of, whole_number
from ireval.cli.output import aligned, none_if_nan
from ireval.curves import curves
from ireval.curves.curves import Average, GainCurve, Unretrieved, mean_over_topics
from ireval.io.csv_rows import csv_of
from ireval.io.files import name_of
from ireval.measures.evaluation import TopicRule
from ireval.measures.gains import DCG
from ireval.measures.precision import ELEVEN_POINTS

DEPTH = 20


class Settings(NamedTuple):
    """What the options say of a curve, as the functions of ireval.curves take it."""

    cutoff: int | None
    rel: int
    topics: TopicRule
    dcg: str
    base: int
    average: Average
    unretrieved: Unretrieved


class Trace(NamedTuple):
    """The points of one run's curve, one row each.

    `area` is that under it, of a mean ROC curve the mean of the topics' areas; None where it says nothing.
    """

    topics: list[str]
    points: Floats
    area: float | None = None


class Kind(NamedTuple):
    title: str
    heads: tuple[str, ...]
    trace: Callable[[Rankings, Settings], Trace]


def add_curve(command: argparse.ArgumentParser) -> None:
    kinds = "; ".join(f"{name}: {kind.title}" for name, kind in KINDS.items())
    command.add_argument("kind", choices=KINDS, metavar="CURVE", help=kinds)
    command.add_argument("qrels", metavar="QRELS", help="judgements, in any format that evaluate reads")
    command.add_argument("runs", metavar="RUN", nargs="+", help='TREC or Parquet, compressed or not; "-" is standard input')
    command.add_argument("--topic", metavar="ID", help="of this topic alone (default the mean over topics at equal ranks)")
    command.add_argument(
        "-k", dest="cutoff", metavar="K", type=whole_number(1), help=f"how many ranks (default {DEPTH}; of roc all)"
    )
    command.add_argument("--dcg", choices=DCG.choices, default="log2", help=f"{DCG.meaning} (default %(default)s)")
    command.add_argument("--base", metavar="B", type=whole_number(2), default=2, help="of jk's logarithm (default %(default)s)")
    command.add_argument(
        "--average",
        choices=get_args(Average),
        default="macro",
        help="of ncg and ndcg: the mean of the topics' shares (macro) or the ratio of the two means (micro; default %(default)s)",
    )
    command.add_argument(
        "--unretrieved",
        choices=get_args(Unretrieved),
        default="lost",
        help="of roc: judged documents that were not retrieved come last (lost) or in no order (tied; default %(default)s)",
    )
    add_rules(command)
    command.add_argument("--format", choices=SHOWN, default="table", help="default %(default)s")
    command.set_defaults(command=trace_curves)


def trace_curves(options: argparse.Namespace) -> None:
    """Trace a curve of each run: its points by rank or recall, and the area under it."""
    if options.base != 2 and options.dcg != "jk":
        raise BadInput("--base is that of --dcg jk; leave it out, or add --dcg jk")
    settings = Settings(
        cutoff=options.cutoff,
        rel=options.relevant_from,
        topics=rules_of(options)["topics"],
        dcg=options.dcg,
        base=options.base,
        average=options.average,
        unretrieved=options.unretrieved,
    )
    qrels, kind = qrels_of(options), KINDS[options.kind]
    for place, path in enumerate(options.runs):
        trace = kind.trace(rankings_by(options, path, qrels), settings)
        if not trace.topics:
            raise BadInput(f"{name_of(path)} and the qrels share no topic; -c counts those of the qrels as 0")
        print(SHOWN[options.format](path, options, trace, place == 0), flush=True)


def qrels_of(options: argparse.Namespace) -> Qrels:
    """The qrels, of one topic if it is named."""
    frame, topic = read_qrels(options.qrels), options.topic
    grades = frame if topic is None else frame.filter(pl.col("topic") == topic)
    if grades.is_empty():
        raise BadInput(f"{name_of(options.qrels)} has no topic {topic}; expected one of its topics, such as {frame['topic'][0]}")
    return Qrels(grades, duplicates=options.duplicates)


def precision_recall(rankings: Rankings, settings: Settings) -> Trace:
    points = curves.precision_recall(rankings, cutoff=settings.cutoff or DEPTH, rel=settings.rel, topics=settings.topics)
    return Trace(points.topics, by_rank(mean_over_topics(points.recall), mean_over_topics(points.precision)))


def interpolated(rankings: Rankings, settings: Settings) -> Trace:
    counted = curves.precision_recall(rankings, cutoff=1, topics=settings.topics).topics
    precisions = curves.interpolated_precisions(rankings, rel=settings.rel, topics=settings.topics)
    return Trace(counted, np.stack([ELEVEN_POINTS, mean_over_topics(precisions)], axis=1))


def roc(rankings: Rankings, settings: Settings) -> Trace:
    deepest = settings.cutoff or max(1, int(rankings.retrieved.max(initial=1)))
    curve = curves.roc(rankings, cutoff=deepest, rel=settings.rel, unretrieved=settings.unretrieved, topics=settings.topics)
    return Trace(curve.topics, curve.points(*curve.mean()), float(curve.areas().mean()) if curve.topics else None)


def cumulated(rankings: Rankings, settings: Settings) -> GainCurve:
    return curves.cumulated_gain(rankings, cutoff=settings.cutoff or DEPTH, topics=settings.topics)


def discounted(rankings: Rankings, settings: Settings) -> GainCurve:
    return curves.discounted_cumulated_gain(
        rankings, cutoff=settings.cutoff or DEPTH, dcg=settings.dcg, base=settings.base, topics=settings.topics
    )


def reached(gains: Callable[[Rankings, Settings], GainCurve]) -> Callable[[Rankings, Settings], Trace]:
    def trace(rankings: Rankings, settings: Settings) -> Trace:
        curve = gains(rankings, settings)
        return Trace(curve.topics, by_rank(curve.mean(), curve.ideal_mean()))

    return trace


def normalised(gains: Callable[[Rankings, Settings], GainCurve]) -> Callable[[Rankings, Settings], Trace]:
    def trace(rankings: Rankings, settings: Settings) -> Trace:
        curve = gains(rankings, settings)
        return Trace(curve.topics, by_rank(curve.normalised_mean(settings.average)), curve.area(settings.average))

    return trace


def by_rank(*values: Floats) -> Floats:
    return np.stack([np.arange(1, len(values[0]) + 1), *values], axis=1)


KINDS = {
    "precision-recall": Kind("both at each rank", ("rank", "recall", "precision"), precision_recall),
    "interpolated": Kind("precision at the eleven standard recall levels", ("recall", "precision"), interpolated),
    "roc": Kind("shares of the relevant and of the non-relevant found, of what is judged", ("fpr", "tpr"), roc),
    "cg": Kind("cumulated gain and the ideal one", ("rank", "CG", "ideal CG"), reached(cumulated)),
    "ncg": Kind("its share of the ideal", ("rank", "nCG"), normalised(cumulated)),
    "dcg": Kind("discounted cumulated gain and the ideal one", ("rank", "DCG", "ideal DCG"), reached(discounted)),
    "ndcg": Kind("its share of the ideal", ("rank", "nDCG"), normalised(discounted)),
}


def as_table(path: str, options: argparse.Namespace, trace: Trace, with_header: bool) -> str:
    kind = KINDS[options.kind]
    of = f"topic {options.topic}" if options.topic else f"mean over {len(trace.topics)} topics"
    area = "mean area" if options.kind == "roc" and len(trace.topics) > 1 else "area"
    words = [f"{path}: {options.kind}, {of}", *variant(options), *([] if trace.area is None else [f"{area} {trace.area:.4f}"])]
    cells = [[cell(head, value) for head, value in zip(kind.heads, row, strict=True)] for row in trace.points.tolist()]
    return "\n".join([", ".join(words), *aligned([list(kind.heads), *cells]), ""])


def variant(options: argparse.Namespace) -> list[str]:
    """The form of a gain curve, where it has several."""
    discount = [f"dcg={options.dcg}" + (f", base={options.base}" if options.base != 2 else "")]
    return [
        *(discount if options.kind in ("dcg", "ndcg") else []),
        *([options.average] if options.kind in ("ncg", "ndcg") else []),
    ]


def cell(head: str, value: float) -> str:
    return f"{value:.0f}" if head == "rank" else f"{value:.4f}"


def as_json(path: str, options: argparse.Namespace, trace: Trace, with_header: bool) -> str:
    """One JSON object per run, on a line of its own."""
    kind = KINDS[options.kind]
    content = {
        "run": path,
        "curve": options.kind,
        "topic": options.topic,
        "engine": ENGINE_VERSION,
        "n": len(trace.topics),
        "area": None if trace.area is None else none_if_nan(trace.area),
        "points": [dict(zip(kind.heads, row, strict=True)) for row in trace.points.tolist()],
    }
    return json.dumps(content, ensure_ascii=False)


def as_csv(path: str, options: argparse.Namespace, trace: Trace, with_header: bool) -> str:
    """One row per point: run, topic ("all" for the mean), and the curve's columns. Only the first run has the header."""
    head = [["run", "topic", *KINDS[options.kind].heads]] if with_header else []
    return csv_of(*head, *([path, options.topic or "all", *row] for row in trace.points.tolist())).rstrip("\n")


SHOWN: dict[str, Callable[[str, argparse.Namespace, Trace, bool], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

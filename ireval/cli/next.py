"""The command next: which documents to judge next, and whether judging can still change an order of the runs."""

import argparse
import json
import sys
from collections.abc import Iterator
from typing import NamedTuple

import polars as pl

from ireval import DEFAULT_PROFILE, ENGINE_VERSION, PROFILES, Measure, parse_measure, read_qrels, read_run
from ireval.cli.compare import names_of
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned
from ireval.io.csv_rows import csv_of_frame
from ireval.pooling import DifferenceBounds, PooledDocuments, difference_bounds, next_documents, pooled_documents
from ireval.significance import BadComparison

# Certain orders that a line names; JSON has all.
NAMED = 20


class Next(NamedTuple):
    """What to judge next by one measure, and what is certain without it."""

    measure: Measure
    pooled: PooledDocuments
    bounds: DifferenceBounds
    documents: pl.DataFrame


def add_next(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", metavar="RUN", nargs="+", help='two or more, TREC or Parquet; "-" is standard input')
    command.add_argument("--qrels", metavar="QRELS", help="judgements so far, as evaluate reads them; left out, there are none")
    command.add_argument(
        "-m", dest="measure", metavar="MEASURE", required=True, help="P, CG, DCG, RBP, SDCG, nDCG, nCG, R, RelP or AP, as nDCG@10"
    )
    command.add_argument("-n", metavar="N", type=whole_number(1), default=100, help="how many documents (default %(default)s)")
    command.add_argument("--baseline", metavar="RUN", help="compare the others with this one only")
    command.add_argument("--top-grade", metavar="G", type=whole_number(1), help="of the scale (default: the highest so far)")
    command.add_argument("--by-topic", action="store_true", help="put the documents of a topic together")
    command.add_argument("--close-pairs", action="store_true", help="look for what tells runs apart that are close to each other")
    command.add_argument("--new-topics", action="store_true", help="also topics without any grade")
    command.add_argument("-l", dest="relevant_from", metavar="N", type=int, default=1, help="lowest relevant grade (default 1)")
    command.add_argument("--profile", choices=PROFILES, default=DEFAULT_PROFILE, help="whose conventions (default %(default)s)")
    command.add_argument("--format", choices=SHOWN, default="table", help="default %(default)s; csv: topic, docno, change")
    command.set_defaults(command=show_next)


def show_next(options: argparse.Namespace) -> None:
    """Choose the unjudged documents that are expected to change the differences between runs most. The last line says whether any
    judgement can still turn an order of two runs, and which orders are certain. With csv it stands on standard error."""
    print(SHOWN[options.format](chosen(options)))


def chosen(options: argparse.Namespace) -> Next:
    if repeated := next((path for path in options.runs if options.runs.count(path) > 1), None):
        raise BadComparison(f"{repeated} is given twice; expected each run once")
    measure = parse_measure(options.measure)
    names = names_of(options.runs)
    pooled = pooled_documents(
        {names[path]: read_run(path, profile=options.profile) for path in options.runs},
        read_qrels(options.qrels) if options.qrels else {},
        depth=measure.values.get("cutoff"),
        profile=options.profile,
        new_topics=options.new_topics or not options.qrels,
    )
    pairs = pooled.pairs(names.get(options.baseline, options.baseline))
    rules = {"top_grade": options.top_grade, "relevant_from": options.relevant_from, "pairs": pairs}
    documents = next_documents(pooled, measure, options.n, close_pairs=options.close_pairs, by_topic=options.by_topic, **rules)
    return Next(measure, pooled, difference_bounds(pooled, measure, **rules), documents)


def as_table(result: Next) -> str:
    cells = [[topic, docno, f"{change:.6f}"] for topic, docno, change in result.documents.iter_rows()]
    return "\n".join([*heading(result), *aligned([["topic", "docno", "change"], *cells]), last_line(result.bounds)])


def heading(result: Next) -> Iterator[str]:
    pooled, pairs = result.pooled, len(result.bounds.pairs)
    counted = f"{len(pooled.systems)} systems on the same {len(pooled.topics)} topics, {pairs:,} pair{'s' if pairs > 1 else ''}"
    judged = f"{(pooled.judged & pooled.pooled).sum():,} of {pooled.pooled.sum():,} pooled documents judged"
    yield f"{result.measure}: {counted}; {judged}, grades 0 to {result.bounds.top_grade}"
    if pooled.left_out:
        yield f"  topics that some run lacks, or without any grade: {pooled.left_out} (not counted)"


def last_line(bounds: DifferenceBounds) -> str:
    """Whether any remaining judgement can still turn an order, and the orders that are certain."""
    still, names = int(bounds.is_open.sum()), bounds.certain_orders
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    certain = f"certain: {', '.join(names[:NAMED])}{more}" if names else "none is certain"
    if not still:
        return f"no remaining judgement can change an order; {certain}"
    can = "can" if bounds.exact else "may"  # ends that are not exact may be too wide
    return f"remaining judgements {can} still change {still:,} of {len(bounds.pairs):,} orders; {certain}"


def as_csv(result: Next) -> str:
    print(last_line(result.bounds), file=sys.stderr)
    return csv_of_frame(result.documents, to_the_letter=("topic", "docno")).rstrip("\n")


def as_json(result: Next) -> str:
    """One JSON object: the documents, and every pair with the ends of its difference."""
    pooled, bounds = result.pooled, result.bounds
    content = {
        "measure": str(result.measure),
        "engine": ENGINE_VERSION,
        "systems": pooled.systems,
        "n": len(pooled.topics),
        "left_out": pooled.left_out,
        "top_grade": bounds.top_grade,
        "pooled": int(pooled.pooled.sum()),
        "judged": int((pooled.judged & pooled.pooled).sum()),
        "documents": result.documents.to_dicts(),
        "open": int(bounds.is_open.sum()),
        "pairs": bounds.table.to_dicts(),
    }
    return json.dumps(content, ensure_ascii=False)


SHOWN = {"table": as_table, "json": as_json, "csv": as_csv}

"""The commands aggregate and agreement: from labels of many workers to one label per item, or to how far they agree."""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, get_args

import polars as pl
import polars.selectors as cs

from ireval import ENGINE_VERSION
from ireval.aggregation import (
    DEFAULT_TIES,
    METHODS,
    TIES,
    Aggregated,
    aggregate,
    default_method,
)
from ireval.agreement import LEVELS, Agreement, Resampling, agreement_of, item_agreement, worker_table
from ireval.arrays import Ints
from ireval.cli.compare import decimals, share
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned, interval_title, none_if_nan, option_values
from ireval.io.csv_rows import csv_of, csv_of_frame
from ireval.labels import Labels, gold_of, read_gold, read_labels
from ireval.labels.label_files import Repeats

# Items and workers that a table shows; CSV and JSON have all.
SHOWN_ROWS = 20


class LabelRequest(NamedTuple):
    """The labels of a file and the options of the command; `gold` is None where no file of it was named."""

    file: str
    labels: Labels
    gold: Ints | None
    options: argparse.Namespace


def add_labels(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "labels", metavar="LABELS", help='CSV, text or Parquet with item, worker and label; "-" is standard input'
    )
    command.add_argument("--gold", metavar="FILE", help="true labels of some items: item and label")
    command.add_argument(
        "--values", metavar="A,B,…", type=lambda text: text.split(","), help="the labels from the lowest to the highest"
    )
    command.add_argument(
        "--repeats",
        choices=get_args(Repeats),
        default="error",
        help="which label counts of a worker's on one item (default error)",
    )


def add_aggregate(command: argparse.ArgumentParser) -> None:
    add_labels(command)
    command.add_argument(
        "--method", choices=METHODS, help="default ordinal; dawid-skene without order, majority of single labels"
    )
    command.add_argument("--ties", choices=TIES, default=DEFAULT_TIES, help="of equally likely labels (default %(default)s)")
    command.add_argument("--posteriors", action="store_true", help="print how likely each label is, too")
    command.add_argument("--workers", action="store_true", help="print what was learnt of each worker instead")
    command.add_argument("--format", choices=AGGREGATED, default="csv", help="default %(default)s")
    command.set_defaults(command=aggregate_labels)


def add_agreement(command: argparse.ArgumentParser) -> None:
    add_labels(command)
    command.add_argument("--level", choices=LEVELS, default="nominal", help="of measurement (default %(default)s)")
    command.add_argument("--by", choices=("item", "worker"), help="print each item or each worker instead")
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument(
        "--resamples",
        metavar="N",
        type=whole_number(1),
        default=1000,
        help="of topics, or items (default %(default)s)",
    )
    command.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="of the resamples (default %(default)s)")
    command.add_argument("--format", choices=AGREED, default="table", help="default %(default)s")
    command.set_defaults(command=measure_agreement)


def aggregate_labels(options: argparse.Namespace) -> None:
    """Make one label of the many that workers gave to each item. Prints item, label, confidence (how likely the label is by the
    method's estimate) and n (how many labels the item had)."""
    request = request_of(options)
    options.method = options.method or default_method(request.labels)
    aggregated = aggregate(request.labels, options.method, request.gold, ties=options.ties)
    frame = workers_of(aggregated) if options.workers else items_of(aggregated, options.posteriors)
    print(AGGREGATED[options.format](request, frame))


def measure_agreement(options: argparse.Namespace) -> None:
    """Measure how far workers agree: coefficients with bootstrap intervals over topics (over items where the file has no topics),
    or each item's or worker's own figures."""
    request = request_of(options)
    if options.by == "item":
        print(BY_ROW[options.format](request, item_agreement(request.labels)))
    elif options.by == "worker":
        print(BY_ROW[options.format](request, worker_table(request.labels, request.gold, confidence=options.confidence)))
    else:
        resampling = Resampling(confidence=options.confidence, resamples=options.resamples, seed=options.seed)
        print(AGREED[options.format](request, agreement_of(request.labels, options.level, resampling)))


def request_of(options: argparse.Namespace) -> LabelRequest:
    labels = read_labels(options.labels, values=options.values, repeats=options.repeats)
    if options.gold is None:
        return LabelRequest(options.labels, labels, None, options)
    gold = read_gold(options.gold)
    labels = labels.covering(gold["label"].unique())
    return LabelRequest(options.labels, labels, gold_of(gold, labels), options)


def items_of(aggregated: Aggregated, with_posteriors: bool) -> pl.DataFrame:
    frame = aggregated.frame()
    return frame if with_posteriors else frame.select(~cs.starts_with("p("))


def workers_of(aggregated: Aggregated) -> pl.DataFrame:
    """One row per worker: n, how many labels they gave, and what the method estimates of them."""
    labels = aggregated.labels
    columns: dict[str, Any] = {"worker": pl.Series(labels.workers, dtype=pl.String)}
    columns["n"] = pl.Series(labels.worker).value_counts().sort("").get_column("count")
    if aggregated.accuracy is not None:
        columns["accuracy"] = aggregated.accuracy
    columns |= aggregated.parameters
    if aggregated.confusion is not None:
        pairs = ((true, label) for true in range(len(labels.values)) for label in range(len(labels.values)))
        columns |= {f"p({labels.values[b]}|{labels.values[a]})": aggregated.confusion[:, a, b] for a, b in pairs}
    return pl.DataFrame(columns)


def aggregated_table(request: LabelRequest, frame: pl.DataFrame) -> str:
    options = request.options
    title = METHODS[options.method].title
    ties = f"; ties: {TIES[options.ties][0]}" if METHODS[options.method].ties else ""
    return "\n".join([heading(request), f"  {options.method}: {title}{ties}", *rows_to_read(frame), ""])


def heading(request: LabelRequest) -> str:
    labels = request.labels
    head = f"{request.file}: {len(labels):,} labels of {len(labels.items):,} items by {len(labels.workers):,} workers"
    gold = "" if request.gold is None else f", {int((request.gold >= 0).sum()):,} items with gold"
    return f"{head}, values {' '.join(labels.values)}{gold}"


def rows_to_read(frame: pl.DataFrame) -> list[str]:
    table = [frame.columns, *([cell(value) for value in row] for row in frame.head(SHOWN_ROWS).iter_rows())]
    more = len(frame) - SHOWN_ROWS
    return [*aligned(table), *([f"  … and {more:,} more, which --format csv prints"] if more > 0 else [])]


def cell(value: object) -> str:
    if value is None:
        return ""
    return decimals(value) if isinstance(value, float) else str(value)


def rows_as_table(request: LabelRequest, frame: pl.DataFrame) -> str:
    return "\n".join([heading(request), *rows_to_read(frame), ""])


def rows_as_csv(request: LabelRequest, frame: pl.DataFrame) -> str:
    return csv_of_frame(frame.with_columns(cs.float().fill_nan(None)), to_the_letter=("item",)).rstrip("\n")


def rows_as_json(request: LabelRequest, frame: pl.DataFrame) -> str:
    """One JSON object, in which unknown numbers are null."""
    options = vars(request.options)
    named = {name: options[name] for name in ("method", "ties", "level", "by") if options.get(name) is not None}
    content = {**counted(request), **named, "rows": frame.with_columns(cs.float().fill_nan(None)).to_dicts()}
    return json.dumps(content, ensure_ascii=False)


def counted(request: LabelRequest) -> dict[str, Any]:
    labels = request.labels
    gold = None if request.gold is None else int((request.gold >= 0).sum())
    counts = {"labels": len(labels), "items": len(labels.items), "workers": len(labels.workers)}
    return {"file": request.file, "engine": ENGINE_VERSION, **counts, "values": list(labels.values), "gold": gold}


def agreement_table(request: LabelRequest, coefficients: Sequence[Agreement]) -> str:
    options = request.options
    table = [["", "value", interval_title(options), "items", "labels", ""]]
    for coefficient in coefficients:
        ends = "" if math.isnan(coefficient.low) else f"{coefficient.low:.4f} to {coefficient.high:.4f}"
        why = f"undefined because {coefficient.undefined}" if coefficient.undefined else ""
        table.append([coefficient.title, decimals(coefficient.value), ends, str(coefficient.items), str(coefficient.labels), why])
    topics = max(coefficient.topics for coefficient in coefficients)
    drawn = f"{topics:,} topics" if topics else "items"
    intervals = f"  intervals: bootstrap over {drawn}, expanded percentiles, {options.resamples:,} resamples, seed {options.seed}"
    return "\n".join([heading(request), intervals, *cautions(coefficients), *left_out(coefficients), *aligned(table), ""])


def cautions(coefficients: Sequence[Agreement]) -> list[str]:
    return [f"  {reason}" for reason in sorted({coefficient.caution for coefficient in coefficients} - {""})]


def left_out(coefficients: Sequence[Agreement]) -> list[str]:
    return [
        f"  {coefficient.title}: {coefficient.left_out:,} resamples left out, in which it is undefined"
        for coefficient in coefficients
        if coefficient.left_out
    ]


def agreement_json(request: LabelRequest, coefficients: Sequence[Agreement]) -> str:
    """One JSON object, in which NaN is null."""
    options = request.options
    rules = option_values(options, "level", "confidence", "resamples", "seed")
    rows = [
        {name: none_if_nan(value) if isinstance(value, float) else value for name, value in coefficient._asdict().items()}
        for coefficient in coefficients
    ]
    return json.dumps({**counted(request), **rules, "agreement": rows}, ensure_ascii=False)


def agreement_csv(request: LabelRequest, coefficients: Sequence[Agreement]) -> str:
    """One row per coefficient."""
    rows = ([none_if_nan(value) if isinstance(value, float) else value for value in coefficient] for coefficient in coefficients)
    return csv_of(Agreement._fields, *rows).rstrip("\n")


AGGREGATED: dict[str, Callable[[LabelRequest, pl.DataFrame], str]] = {
    "csv": rows_as_csv,
    "json": rows_as_json,
    "table": aggregated_table,
}
BY_ROW: dict[str, Callable[[LabelRequest, pl.DataFrame], str]] = {
    "table": rows_as_table,
    "json": rows_as_json,
    "csv": rows_as_csv,
}
AGREED: dict[str, Callable[[LabelRequest, Sequence[Agreement]], str]] = {
    "table": agreement_table,
    "json": agreement_json,
    "csv": agreement_csv,
}

"""The command effect: from labels of many workers and runs to the uncertainty of the systems' means and their orders."""

import argparse
import json
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from ireval import ENGINE_VERSION, BadLabels, parse_measure, parse_measures, read_run
from ireval.aggregation import METHODS, Aggregated, aggregate
from ireval.agreement import Resampling
from ireval.arrays import Floats
from ireval.cli.aggregate import LabelRequest, add_labels, heading, request_of, rows_to_read
from ireval.cli.compare import share
from ireval.cli.evaluate import whole_number
from ireval.cli.output import aligned, option_values
from ireval.io.csv_rows import csv_of_frame
from ireval.io.plain import plain
from ireval.significance.intervals import Interval, cut_off
from ireval.stability import Orders, Panel, Uncertainty, orders, uncertainty

MEASURES = "nDCG@10 AP P@10 RR bpref"
JUDGED = "Judged@10"
TIES = "median"


class LabelEffect(NamedTuple):
    """What labels do to the systems. `judged` (R,) is the share of each run that has a label.

    `refused` says why a method has no labels, by method.
    """

    means: Uncertainty
    order: Orders
    judged: Floats
    refused: dict[str, str]


def add_effect(command: argparse.ArgumentParser) -> None:
    add_labels(command)
    command.add_argument("runs", metavar="RUN", nargs="+", help="TREC or Parquet, compressed or not")
    command.add_argument("--measures", metavar="M", type=str.split, default=MEASURES.split(), help=f'default "{MEASURES}"')
    command.add_argument(
        "--methods", metavar="A,B,…", type=methods, default=list(METHODS), help="to order the systems under; default all"
    )
    command.add_argument(
        "--method", choices=METHODS, default="majority", help="for workers who are drawn anew (default %(default)s)"
    )
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument(
        "--resamples", metavar="N", type=whole_number(1), default=1000, help="of topics and workers (default 1000)"
    )
    command.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="of the resamples (default %(default)s)")
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s")
    command.set_defaults(command=show_effect)


def methods(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in METHODS:
            raise argparse.ArgumentTypeError(f"there is no method {name}; expected some of {','.join(METHODS)}")
    return names


def show_effect(options: argparse.Namespace) -> None:
    """Show what labels do to the systems that they judge: each mean, with intervals by topics alone and by topics and workers
    together. Also the order of the systems under each method to aggregate. Items are a topic and a document, in columns of their
    own or as "topic docno"; documents without a label are not relevant."""
    request = request_of(options)
    print(FORMATS[options.format](request, effect_of(request)))


def effect_of(request: LabelRequest) -> LabelEffect:
    options, labels = request.options, request.labels
    measures = parse_measures(options.measures)
    panel = Panel(documents_of(request), {path: read_run(path) for path in options.runs})
    items = np.arange(len(labels.items))
    labellings, refused = labellings_of(request)
    chosen = labellings.get(options.method) or aggregated(request, options.method)
    how = Resampling(options.confidence, options.resamples, options.seed)
    means = uncertainty(chosen, panel, items, measures, how, gold=request.gold)
    return LabelEffect(means, orders(labellings, panel, items, measures), panel.judged(parse_measure(JUDGED)), refused)


def documents_of(request: LabelRequest) -> pl.DataFrame:
    """The topic and document of each item."""
    parts = [item.split(" ", 1) for item in request.labels.items]
    if short := next((part[0] for part in parts if len(part) < 2), None):
        raise BadLabels(f"{request.file}: item {short} is no topic and document; expected columns of these names")
    return pl.DataFrame(parts, schema={"topic": pl.String, "docno": pl.String}, orient="row")


def labellings_of(request: LabelRequest) -> tuple[dict[str, Aggregated], dict[str, str]]:
    """The labels by each method, and why some methods have none."""
    labellings, refused = {}, {}
    for method in request.options.methods:
        try:
            labellings[method] = aggregated(request, method)
        except BadLabels as error:
            refused[method] = str(error)
    if not labellings:
        raise BadLabels("; ".join(f"{method}: {why}" for method, why in refused.items()))
    return labellings, refused


def aggregated(request: LabelRequest, method: str) -> Aggregated:
    return aggregate(request.labels, method, request.gold, ties=TIES)


def interval_rows(effect: LabelEffect) -> Iterator[dict[str, Any]]:
    """One row per run and measure; intervals are cut off at the measure's range."""
    means, widening = effect.means, effect.means.widening
    for r, run in enumerate(means.runs):
        for m, measure in enumerate(means.measures):
            mean, limits = means.mean[r, m], parse_measure(measure).kind.range
            topics, both = (cut_off(Interval(mean, *ends[r, m]), limits) for ends in (means.by_topics, means.by_both))
            yield {
                "run": run,
                "measure": measure,
                "mean": mean,
                "low_topics": topics.low,
                "high_topics": topics.high,
                "low_both": both.low,
                "high_both": both.high,
                "widening": widening[r, m],
                "judged": effect.judged[r],
            }


def order_rows(order: Orders) -> Iterator[dict[str, Any]]:
    """One row per method, measure and run."""
    for s, method in enumerate(order.labels):
        for m, measure in enumerate(order.measures):
            for r, run in enumerate(order.runs):
                mean, place = float(order.mean[s, r, m]), int(order.place[s, r, m])
                yield {"method": method, "measure": measure, "run": run, "mean": mean, "place": place}


def tau_rows(order: Orders) -> Iterator[dict[str, Any]]:
    """One row per measure and pair of methods."""
    for m, measure in enumerate(order.measures):
        for i, j in combinations(range(len(order.labels)), 2):
            pair = {"measure": measure, "first": order.labels[i], "second": order.labels[j], "tau": float(order.tau[m, i, j])}
            yield pair | {"drop": int(max(order.drop[m, i, j], order.drop[m, j, i]))}


def as_table(request: LabelRequest, effect: LabelEffect) -> str:
    options, means = request.options, effect.means
    size = f"{means.topics} topics, {means.workers} workers, labels by {options.method}"
    drawn = f"{options.resamples:,} resamples, seed {options.seed}, {100 * options.confidence:g} %"
    lines = [heading(request), f"  {size}; intervals: topics alone, and topics and workers drawn together, {drawn}"]
    lines += [f"  workers add nothing that can be told: {means.undefined}"] if means.undefined else []
    lines += rows_to_read(pl.DataFrame([in_words(row) for row in interval_rows(effect)]))
    lines += ["", *(f"  {method}: left out because {why}" for method, why in effect.refused.items())]
    for measure in effect.order.measures:
        lines += [f"  {measure} under each aggregation, and the place", *aligned(side_by_side(effect.order, measure)), ""]
    lines += ["  Kendall's τ_b between the orders, and how many places a run loses at most", *aligned(order_table(effect.order))]
    return "\n".join([*lines, ""])


def in_words(row: dict[str, Any]) -> dict[str, str]:
    def ends(kind: str) -> str:
        low, high = row[f"low_{kind}"], row[f"high_{kind}"]
        return "" if np.isnan(low) else f"{low:.4f} to {high:.4f}"

    wider = "" if np.isnan(row["widening"]) else f"{100 * row['widening']:+.0f} %"
    shown = {"run": row["run"], "measure": row["measure"], "mean": f"{row['mean']:.4f}", "topics alone": ends("topics")}
    return shown | {"topics and workers": ends("both"), "wider": wider, JUDGED: f"{row['judged']:.2f}"}


def side_by_side(order: Orders, measure: str) -> list[list[str]]:
    m = order.measures.index(measure)
    table = [["run", *order.labels]]
    for r, run in enumerate(order.runs):
        pairs = zip(order.mean[:, r, m], order.place[:, r, m], strict=True)
        table.append([run, *(f"{mean:.4f} ({place})" for mean, place in pairs)])
    return table


def order_table(order: Orders) -> list[list[str]]:
    """One row per pair of methods, one column per measure."""
    table = [["", "", *order.measures]]
    for i, j in combinations(range(len(order.labels)), 2):
        drop = np.maximum(order.drop[:, i, j], order.drop[:, j, i])
        cells = [f"{tau:.4f} ({lost})" for tau, lost in zip(order.tau[:, i, j], drop, strict=True)]
        table.append([order.labels[i], order.labels[j], *cells])
    return table


def as_csv(request: LabelRequest, effect: LabelEffect) -> str:
    """The intervals as CSV; JSON has the orders, too."""
    frame = pl.DataFrame([plain(row) for row in interval_rows(effect)])
    return csv_of_frame(frame).rstrip("\n")


def as_json(request: LabelRequest, effect: LabelEffect) -> str:
    """One JSON object, in which NaN is null."""
    options = request.options
    content = {
        "file": request.file,
        "engine": ENGINE_VERSION,
        **option_values(options, "method", "confidence", "resamples", "seed"),
        "topics": effect.means.topics,
        "workers": effect.means.workers,
        "undefined": effect.means.undefined,
        "intervals": list(interval_rows(effect)),
        "orders": list(order_rows(effect.order)),
        "alike": list(tau_rows(effect.order)),
        "refused": effect.refused,
    }
    return json.dumps(plain(content), ensure_ascii=False)


FORMATS: dict[str, Callable[[LabelRequest, LabelEffect], str]] = {"table": as_table, "csv": as_csv, "json": as_json}

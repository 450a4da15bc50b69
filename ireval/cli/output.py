"""Formats of the command line's output: tables to read, JSON and CSV for programs, and trec_eval's own format."""

import argparse
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ireval import ENGINE_VERSION, MEASURES, Evaluation, Interval, Measure, measure_interval
from ireval.io.csv_rows import csv_of
from ireval.measures.catalogue import entries
from ireval.measures.trec_output import trec_lines
from ireval.significance.intervals import few_topics


@dataclass(frozen=True)
class Result:
    """One run's evaluation, with the path by which the run was named."""

    run: str
    tag: str
    evaluation: Evaluation

    def estimates(self) -> dict[Measure, Interval]:
        """Each measure over all topics; sums and geometric means have no interval."""
        return {measure: measure_interval(self.evaluation.values, measure) for measure in self.evaluation.measures}


def as_table(per_topic: bool, with_tag: bool) -> Callable[[Result], str]:
    def show(result: Result) -> str:
        evaluation = result.evaluation
        rows = [["measure", "topic", "value", "95 % interval"]]
        if per_topic:
            rows += [[name, topic, shown(value), ""] for topic, name, value in single_values(evaluation)]
        rows += [
            [
                str(measure),
                "all",
                shown(interval.mean),
                "" if math.isnan(interval.low) else f"{interval.low:.4f} to {interval.high:.4f}",
            ]
            for measure, interval in result.estimates().items()
        ]
        counted = "topics of the qrels" if evaluation.topic_rule == "qrels" else "topics in run and qrels"
        head = f"{result.run} ({result.tag}): {evaluation.n} {counted}, relevant from grade {evaluation.relevant_from}"
        return "\n".join([", ".join([head, evaluation.profile, *unusual(evaluation)]), *notes(evaluation), *aligned(rows), ""])

    return show


def unusual(evaluation: Evaluation) -> list[str]:
    """The rules of evaluation that differ from the usual ones, in words."""
    depth = [] if evaluation.depth is None else [f"first {evaluation.depth:,} documents"]
    ties = [] if evaluation.ties == "profile" else [f"{evaluation.ties} order of tied documents"]
    once = ["near-duplicates counted once"] if evaluation.duplicates_once else []
    return depth + (["judged documents only"] if evaluation.judged_only else []) + ties + once


def rules(evaluation: Evaluation) -> dict[str, Any]:
    """The rules by which a run was evaluated, for JSON."""
    return {
        "profile": evaluation.profile,
        "topics": evaluation.topic_rule,
        "relevant_from": evaluation.relevant_from,
        "depth": evaluation.depth,
        "judged_only": evaluation.judged_only,
        "ties": evaluation.ties,
        "by_subtopic": evaluation.by_subtopic,
        "duplicates_once": evaluation.duplicates_once,
    }


def notes(evaluation: Evaluation) -> list[str]:
    """Notes about topics that did not match, and about subtopics."""
    lines = []
    if evaluation.missing:
        how = "counted as 0" if evaluation.topic_rule == "qrels" else "not counted; -c counts them as 0"
        lines.append(f"  in the qrels but not in the run: {len(evaluation.missing)} ({how})")
    if evaluation.unjudged:
        lines.append(f"  in the run but not in the qrels: {len(evaluation.unjudged)} (not counted)")
    if caution := few_topics(evaluation.n):
        lines.append(f"  {caution}")
    if evaluation.by_subtopic:
        lines.append("  the qrels grade by subtopic: measures that are not intent-aware see each document's highest grade")
    elif any(measure.kind.by_intent for measure in evaluation.measures):
        lines.append("  the qrels name no subtopics: intent-aware measures see one intent a topic")
    return lines


def aligned(rows: list[list[str]]) -> list[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def places_for(width: float) -> int:
    """Decimal places: four, or more for a narrow interval, since experiments on millions find small differences.

    >>> places_for(0.02), places_for(0.00001), places_for(math.nan)
    (4, 6, 4)
    """
    return max(4, 1 - math.floor(math.log10(width))) if 0 < width < math.inf else 4


def interval_title(options: argparse.Namespace) -> str:
    """The head of a column of intervals.

    >>> interval_title(argparse.Namespace(confidence=0.95))
    '95 % interval'
    """
    return f"{100 * options.confidence:g} % interval"


def option_values(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    """What was chosen, for JSON: the value of each of these options."""
    return {name: getattr(options, name) for name in names}


def between(low: float, high: float) -> str:
    """
    >>> between(-0.5, 0.25), between(-math.inf, math.inf), between(math.nan, math.nan)
    ('-0.5000 to 0.2500', 'too few for an interval', '')
    """
    if math.isinf(high - low):
        return "too few for an interval"
    places = places_for(high - low)
    return "" if math.isnan(low) else f"{low:.{places}f} to {high:.{places}f}"


def shown(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def single_values(evaluation: Evaluation) -> list[tuple[str, str, float]]:
    names = [str(measure) for measure in evaluation.measures if not measure.kind.only_over_all]
    return [(row["topic"], name, row[name]) for row in evaluation.values.iter_rows(named=True) for name in names]


def as_trec(per_topic: bool, with_tag: bool) -> Callable[[Result], str]:
    def show(result: Result) -> str:
        return "\n".join(trec_lines(result.evaluation, result.tag if with_tag else None, per_topic=per_topic))

    return show


def as_json(per_topic: bool, with_tag: bool) -> Callable[[Result], str]:
    """JSON Lines: one object per run, in which NaN is null."""

    def show(result: Result) -> str:
        evaluation = result.evaluation
        content: dict[str, Any] = {
            "run": result.run,
            "tag": result.tag,
            **rules(evaluation),
            "engine": ENGINE_VERSION,
            "n": evaluation.n,
            "missing": evaluation.missing,
            "unjudged": evaluation.unjudged,
            "caution": few_topics(evaluation.n),
            "measures": {
                str(measure): {
                    "value": none_if_nan(interval.mean),
                    "low": none_if_nan(interval.low),
                    "high": none_if_nan(interval.high),
                }
                for measure, interval in result.estimates().items()
            },
        }
        if per_topic:
            content["per_topic"] = evaluation.values.to_dicts()
        return json.dumps(content, ensure_ascii=False)

    return show


def none_if_nan(number: float) -> float | None:
    return None if math.isnan(number) else number


def as_csv(per_topic: bool, with_tag: bool) -> Callable[[Result], str]:
    """One row per value: run, topic ("all" for means), measure, value, low, high, n. Only the first run has the header."""
    rows: list[list[object]] = [["run", "topic", "measure", "value", "low", "high", "n"]]

    def show(result: Result) -> str:
        if per_topic:
            rows.extend([result.run, topic, name, value, "", "", ""] for topic, name, value in single_values(result.evaluation))
        for measure, interval in result.estimates().items():
            rows.append([result.run, "all", str(measure), *map(none_if_nan, interval), result.evaluation.n])
        text = csv_of(*rows)
        rows.clear()
        return text.rstrip("\n")

    return show


# Each takes (per_topic, with_tag) and returns a function from a result to its text.
FORMATS: dict[str, Callable[[bool, bool], Callable[[Result], str]]] = {
    "table": as_table,
    "trec": as_trec,
    "json": as_json,
    "csv": as_csv,
}


def catalogue(kind: str) -> str:
    listed = entries(MEASURES.values())
    if kind == "json":
        return json.dumps(listed, ensure_ascii=False, indent=1)
    return "\n\n".join(described(entry) for entry in listed)


def described(entry: dict[str, Any]) -> str:
    names = ", ".join([*entry["trec_eval"], *entry["also"]])
    lines = [f"{entry['name']}: {entry['title']}" + (f" ({names})" if names else ""), f"  {entry['formula']}"]
    lines += [f"  {name}: {meaning}" for name, meaning in entry["parameters"].items()]
    lines += [f"  {entry['looks_at']} based, {entry['gains']} gains; {entry['degenerate']}", f"  {entry['citation']}"]
    return "\n".join(lines)

"""The command compare: from runs, or a table of values, to every pair of systems."""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ireval import ENGINE_VERSION, Evaluation, Measure, parse_measures
from ireval.cli.evaluate import USUAL, add_rules, qrels_for, rules_of, whole_number
from ireval.cli.output import aligned, none_if_nan, rules, unusual
from ireval.io.csv_rows import csv_of
from ireval.measures.evaluation import evaluate_file
from ireval.significance import CORRECTIONS, TESTS, BadComparison, Comparison, Rules, Scores, compare, read_scores, scores_of

# What the values of a table are called, for whoever reads the output.
VALUES = "values"


class SystemScores(NamedTuple):
    """Scores of systems under one measure. `evaluation` is that of any system, for its rules; None for a table of values."""

    name: str
    scores: Scores
    measure: Measure | None = None
    evaluation: Evaluation | None = None


class PairRow(NamedTuple):
    """One pair of systems; a number that is undefined is NaN."""

    first: str
    second: str
    mean_first: float
    mean_second: float
    difference: float
    low: float
    high: float
    n: int
    d: float
    g: float
    superiority: float
    p: float
    corrected_p: float


def add_compare(command: argparse.ArgumentParser) -> None:
    add_systems(command)
    command.add_argument(
        "--test", choices=TESTS, default="t", help="default %(default)s; docs/explanation/statistics.md says when"
    )
    command.add_argument("--correction", choices=CORRECTIONS, help="for many pairs (default holm; none for Tukey's tests)")
    command.add_argument("--confidence", type=share, default=0.95, help="of the intervals (default %(default)s)")
    command.add_argument(
        "--resamples", metavar="B", type=whole_number(1), default=10_000, help="of random tests (default %(default)s)"
    )
    command.add_argument("--seed", metavar="N", type=whole_number(0), default=0, help="of random tests (default %(default)s)")
    command.add_argument("--format", choices=SHOWN, default="table", help="default %(default)s")
    command.set_defaults(command=compare_systems)


def add_systems(command: argparse.ArgumentParser) -> None:
    command.add_argument("runs", metavar="RUN", nargs="*", help='two or more, TREC or Parquet; "-" is standard input')
    command.add_argument("--qrels", metavar="QRELS", help="judgements, in any format that evaluate reads")
    command.add_argument("-m", dest="measures", metavar="MEASURE", action="append", help="such as nDCG@10; several may be given")
    command.add_argument(
        "--matrix", metavar="FILE", help="instead of runs: CSV or Parquet, one row per topic, one column per system"
    )
    add_rules(command)
    command.add_argument("--baseline", metavar="RUN", help="compare the others with this one only")


def share(text: str) -> float:
    if not 0 < (number := float(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number between 0 and 1, such as 0.95")
    return number


def compare_systems(options: argparse.Namespace) -> None:
    """Compare systems topic by topic: runs under a measure, or the columns of a table. Prints every pair with its difference,
    interval, effect size and p, uncorrected and corrected for the number of pairs."""
    rules = Rules(confidence=options.confidence, resamples=options.resamples, seed=options.seed)
    show = SHOWN[options.format]
    for place, systems in enumerate(scored_systems(options)):
        comparison = compare(systems.scores, options.test, correction=options.correction, baseline=options.baseline, rules=rules)
        print(show(systems, comparison, with_header=place == 0), flush=True)


def scored_systems(options: argparse.Namespace) -> Iterator[SystemScores]:
    if options.matrix is not None:
        if options.runs or options.qrels or options.measures or options.duplicates or rules_of(options) != USUAL:
            raise BadComparison("--matrix holds values already; leave runs, --qrels, -m and how to evaluate them out")
        yield SystemScores(VALUES, read_scores(options.matrix))
        return
    if not options.qrels or not options.measures or len(options.runs) < 2:
        raise BadComparison("expected two or more runs with --qrels and -m, or --matrix with a table of values")
    if repeated := next((path for path in options.runs if options.runs.count(path) > 1), None):
        raise BadComparison(f"{repeated} is given twice; expected each run once")
    measures = parse_measures(options.measures)
    qrels = qrels_for(measures, options)
    names = names_of(options.runs)
    evaluations = {names[path]: evaluate_file(path, qrels, measures, **rules_of(options))[0] for path in options.runs}
    options.baseline = names.get(options.baseline, options.baseline)
    for measure in measures:
        yield SystemScores(str(measure), scores_of(evaluations, measure), measure, next(iter(evaluations.values())))


def names_of(paths: Sequence[str]) -> dict[str, str]:
    """Short names of the files, if these are all different; else their paths."""
    short = {path: Path(path).name for path in paths}
    return short if len(set(short.values())) == len(paths) else {path: path for path in paths}


def rows(comparison: Comparison) -> Iterator[PairRow]:
    return map(PairRow._make, comparison.table.iter_rows())


def as_table(systems: SystemScores, comparison: Comparison, with_header: bool) -> str:
    table = [["first", "second", "mean", "mean", "difference", "interval", "n", "g", "superiority", "p", "corrected p"]]
    for row in rows(comparison):
        means = [decimals(number) for number in (row.mean_first, row.mean_second, row.difference)]
        ends = "" if math.isnan(row.low) else f"{row.low:.4f} to {row.high:.4f}"
        sizes = [str(row.n), decimals(row.g, 2), decimals(row.superiority, 2)]
        table.append([row.first, row.second, *means, ends, *sizes, as_p(row.p), as_p(row.corrected_p)])
    return "\n".join([*heading(systems, comparison), *aligned(table), ""])


def heading(systems: SystemScores, comparison: Comparison) -> Iterator[str]:
    test = TESTS[comparison.test]
    yield from named_systems(systems, len(comparison.pairs))
    random = f", {comparison.rules.resamples:,} resamples, seed {comparison.rules.seed}" if test.random else ""
    corrected = "for all pairs as it is" if test.joint else f"for the number of pairs: {CORRECTIONS[comparison.correction][0]}"
    yield f"  {test.title}, two-sided{random}; p corrected {corrected}; intervals: {interval_title(comparison)}"
    if comparison.caution:
        yield f"  {comparison.caution}"


def interval_title(comparison: Comparison) -> str:
    """The method of the intervals and their confidence, which is each pair's own where p are corrected."""
    test, confidence = TESTS[comparison.test], comparison.rules.confidence
    if test.inverted and comparison.correction != "none":
        return f"{test.interval} at each pair's share of {1 - confidence:.2g}"
    return f"{test.interval}, {100 * confidence:g} %"


def named_systems(systems: SystemScores, pairs: int) -> Iterator[str]:
    scores = systems.scores
    rules = unusual(systems.evaluation) if systems.evaluation else []
    head = f"{systems.name}: {len(scores.systems)} systems on the same {len(scores.topics)} topics, {pairs} pairs"
    yield ", ".join([head, *rules])
    if scores.left_out:
        yield f"  topics that not every run has: {scores.left_out} (not counted; -c counts those of the qrels as 0)"


def decimals(number: float, places: int = 4) -> str:
    return "" if math.isnan(number) else f"{number:.{places}f}"


def as_p(p: float) -> str:
    if math.isnan(p):
        return ""
    return f"{p:.4f}" if p >= 0.0001 else f"{p:.1e}"


def as_json(systems: SystemScores, comparison: Comparison, with_header: bool) -> str:
    """One JSON object per measure, on a line of its own; NaN becomes null."""
    test, scores = TESTS[comparison.test], comparison.scores
    content = {
        "measure": systems.name,
        **(rules(systems.evaluation) if systems.evaluation else {}),
        "test": comparison.test,
        "title": test.title,
        "correction": comparison.correction,
        "corrected": test.joint or comparison.correction != "none",
        "interval": test.interval,
        "confidence": comparison.rules.confidence,
        "resamples": comparison.rules.resamples if test.random else None,
        "seed": comparison.rules.seed if test.random else None,
        "engine": ENGINE_VERSION,
        "n": len(scores.topics),
        "left_out": scores.left_out,
        "caution": comparison.caution,
        "means": dict(zip(scores.systems, map(none_if_nan, scores.means.tolist()), strict=True)),
        "pairs": [{name: unknown_as_null(value) for name, value in row._asdict().items()} for row in rows(comparison)],
    }
    return json.dumps(content, ensure_ascii=False)


def unknown_as_null(value: object) -> object:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def as_csv(systems: SystemScores, comparison: Comparison, with_header: bool) -> str:
    """One row per pair."""
    head = [["measure", "test", "correction", *PairRow._fields]] if with_header else []
    cells = ([systems.name, comparison.test, comparison.correction, *map(unknown_as_null, row)] for row in rows(comparison))
    return csv_of(*head, *cells).rstrip("\n")


SHOWN: dict[str, Callable[..., str]] = {"table": as_table, "json": as_json, "csv": as_csv}

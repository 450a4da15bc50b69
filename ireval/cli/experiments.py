"""Many experiments at once: a file with a column `test`, or several files; one row per test."""

import argparse
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from ireval.cli.compare import as_p, decimals, names_of
from ireval.cli.output import aligned, between, interval_title, places_for
from ireval.experiments import MISMATCH, BadExperiment, Experiment, arm_effects, read_experiment, sample_ratio
from ireval.experiments.experiment_files import columns_of, complaints_about, experiment_of
from ireval.experiments.experiment_parquet import frame_in
from ireval.experiments.observations import ARM, UNIT
from ireval.io.csv_rows import csv_of
from ireval.io.delimited_tables import Shape, cells_of, header_of, rows_of, separated
from ireval.io.files import MAX_BYTES, BadFile, ProblemList, local_file, name_of
from ireval.io.first_lines import FirstLines
from ireval.io.plain import plain
from ireval.io.tables import is_parquet, plain_name
from ireval.significance import benjamini_hochberg, decide

TEST_NAMES = {"test", "testid", "experiment", "experimentid"}
Metrics = Sequence[str] | None
# A test of which nothing can be computed is kept with the reason.
Tests = dict[str, Experiment | BadExperiment]


class TestRow(NamedTuple):
    """A test's most certain effect: that of the arm and metric with the smallest p. Unknown numbers are NaN.

    - sample_ratio_p: whether the arms got the units that they should.
    - low, high: the interval of the difference. It and `p` are corrected by Bonferroni for the test's arms and metrics.
    - q: p corrected for the number of tests (Benjamini and Hochberg).
    """

    test: str
    arms: int
    units: int
    sample_ratio_p: float
    metric: str
    arm: str
    control: str
    mean: float
    mean_control: float
    difference: float
    low: float
    high: float
    relative: float
    p: float
    q: float
    undefined: str


OF_AN_EFFECT = ("metric", "arm", "control", "mean", "mean_control", "difference", "relative", "undefined")


def experiments_in(paths: Sequence[str], metrics: Metrics) -> Experiment | Tests:
    """Every test of the files, in their order; the experiment alone where one file holds a single one.

    A file without a column `test` is a test with the file's name. Names of several files stand before those of their tests.
    """
    if twice := next((path for path in paths if paths.count(path) > 1), None):
        raise BadExperiment(f"{twice} is given twice; expected each file once")
    read = {short: read_experiments(path, metrics) for path, short in names_of(paths).items()}
    if len(read) == 1:
        return next(iter(read.values()))
    tests: Tests = {}
    for short, own in read.items():
        tests |= {short: own} if isinstance(own, Experiment) else {f"{short} {test}": part for test, part in own.items()}
    return tests


def read_experiments(path: str, metrics: Metrics) -> Experiment | Tests:
    """The tests of a file by its column `test`, or its experiment without one. Raises BadFile as read_experiment does."""
    with local_file(path) as local:
        name = name_of(path)
        tests = tests_of_parquet(local, metrics, name) if is_parquet(local) else tests_of_text(local, metrics, name)
        return read_experiment(local, metrics=metrics, name=name) if tests is None else tests


def test_column(present: Iterable[str], metrics: Metrics) -> str | None:
    return next((column for column in present if plain_name(column) in TEST_NAMES and column not in (metrics or ())), None)


def chosen_columns(present: Sequence[str], test: str, metrics: Metrics) -> list[str]:
    return [test, *columns_of([column for column in present if column != test], metrics)]


def tests_of_parquet(path: Path, metrics: Metrics, name: str) -> Tests | None:
    try:
        test = test_column(pl.read_parquet_schema(path), metrics)
    except pl.exceptions.PolarsError:  # read_experiment says what is wrong
        return None
    if test is None:
        return None
    frame = frame_in(path, name, MAX_BYTES, lambda present: chosen_columns(present, test, metrics))
    if frame[test].null_count():
        raise BadFile.because(name, f"row {(frame[test].is_null().arg_max() or 0) + 1:,}: has no {test}")
    return partitioned(frame, test, metrics)


def shape_of(number: int, line: str, metrics: Metrics, name: str) -> Shape | None:
    """The layout, with the test's column first, by the separator that gives most columns; None without that column."""
    mark, header = max(separated(line).items(), key=lambda choice: len(choice[1]))
    test = test_column(header, metrics)
    if test is None:
        return None
    try:
        chosen = chosen_columns(header, test, metrics)
    except BadExperiment as error:
        raise BadFile.because(name, str(error), number) from error
    if twice := next((column for column in header if header.count(column) > 1), None):
        raise BadFile.because(name, f"column {twice} is there twice", number)
    return Shape(mark, len(header), {column: header.index(column) for column in chosen})


def tests_of_text(path: Path, metrics: Metrics, name: str) -> Tests | None:
    shape = shape_of(
        *header_of(path, name, MAX_BYTES, expected=": unit, arm and metrics, or arm, n and conversions"), metrics, name
    )
    if shape is None:
        return None
    frame = cells_of(path, shape, name, MAX_BYTES, explain=lambda: explain(path, shape, name))
    tests = {} if frame is None else partitioned(frame, next(iter(shape.places)), metrics)
    if not tests or "" in tests or any(isinstance(test, BadExperiment) for test in tests.values()):
        explain(path, shape, name)
    if not tests:
        raise BadFile.because(name, "cannot be read as CSV" if frame is None else "holds no rows")
    return tests


def partitioned(frame: pl.DataFrame, test: str, metrics: Metrics) -> Tests:
    parts = frame.partition_by(test, maintain_order=True, include_key=False, as_dict=True)
    return {str(name): experiment_or_reason(part, metrics) for (name,), part in parts.items()}


def experiment_or_reason(frame: pl.DataFrame, metrics: Metrics) -> Experiment | BadExperiment:
    try:
        return experiment_of(frame, metrics)
    except BadExperiment as reason:
        return reason


def explain(path: Path, shape: Shape, name: str) -> None:
    """Read a file row by row and raise BadFile with everything that is wrong with it; return if nothing is."""
    problems, first_lines = ProblemList(name), FirstLines()
    column = next(iter(shape.places))
    for number, row in rows_of(path, shape, name, MAX_BYTES):
        if isinstance(row, str):
            problems.add(number, row)
            continue
        test = row.pop(column)
        for complaint in [*([] if test else [f"has no {column}"]), *complaints_about(row)]:
            problems.add(number, complaint)
        if first := first_lines.first_line((test, row.get(UNIT), row[ARM]), number):
            problems.add(number, f"test {test} has the same {'unit and ' if UNIT in row else ''}arm on line {first}")
        if problems.full:
            break
    problems.raise_if_any()


def weights_of(pairs: list[tuple[str, float]] | None, arms: tuple[str, ...]) -> list[float] | None:
    if pairs is None:
        return None
    weights = dict(pairs)
    if set(weights) != set(arms) or len(pairs) != len(weights):
        raise BadExperiment(f"--weights names {', '.join(arm for arm, _ in pairs)}; expected each of {', '.join(arms)} once")
    return [weights[arm] for arm in arms]


def row_of(test: str, experiment: Experiment | BadExperiment, options: argparse.Namespace) -> TestRow:
    """The row of a test without q, which depends on the other tests."""
    try:
        if isinstance(experiment, BadExperiment):
            raise experiment
        return most_certain(test, experiment, options)
    except BadExperiment as reason:
        unknown = dict.fromkeys(TestRow._fields[7:-1], math.nan)
        return TestRow(test, 0, 0, math.nan, "", "", "", **unknown, undefined=str(reason))


def most_certain(test: str, experiment: Experiment, options: argparse.Namespace) -> TestRow:
    control = options.control or experiment.control
    experiment.number_of(control)
    effects = arm_effects(experiment, control, adjust=options.adjust)
    family = decide([effect.estimate for effect in effects], alpha=1 - options.confidence, correction="bonferroni")
    best, decision = min(zip(effects, family, strict=True), key=lambda pair: (math.isnan(pair[0].p), pair[0].p))
    ratio = sample_ratio(experiment.n, weights_of(options.weights, experiment.arms))
    return TestRow(
        test=test,
        arms=len(experiment.arms),
        units=int(experiment.n.sum()),
        sample_ratio_p=ratio.p,
        low=decision.low,
        high=decision.high,
        p=decision.p,
        q=math.nan,
        **{name: getattr(best, name) for name in OF_AN_EFFECT},
    )


def rows_of_tests(tests: Tests, options: argparse.Namespace) -> list[TestRow]:
    rows = [row_of(test, experiment, options) for test, experiment in tests.items()]
    corrected = benjamini_hochberg([row.p for row in rows])
    return [row._replace(q=float(q)) for row, q in zip(rows, corrected, strict=True)]


def as_table(tests: Tests, options: argparse.Namespace) -> str:
    rows = rows_of_tests(tests, options)
    table = [["test", "arms", "units", "metric", "arm", "mean", "control", "difference", interval_title(options), "p", "q", ""]]
    table += [list(cells(row)) for row in rows]
    return "\n".join([*heading(rows, options), *aligned(table), ""])


def heading(rows: Sequence[TestRow], options: argparse.Namespace) -> Iterator[str]:
    level = 1 - options.confidence
    mismatches = sum(is_mismatch(row) for row in rows)
    differ = sum(row.q < level and not is_mismatch(row) for row in rows)
    yield f"{len(rows):,} tests, {sum(row.units for row in rows):,} units: {differ:,} find a difference, q < {level:.2g}"
    if mismatches:
        yield f"  SAMPLE RATIO MISMATCH in {mismatches:,}: find out why before you believe them; they are not counted"
    if undefined := sum(bool(row.undefined) for row in rows):
        yield f"  {undefined:,} have no result; their last column says why"
    yield "  of each test the most certain effect; p and interval are corrected for the test's arms and metrics (Bonferroni),"
    yield "  q is p corrected for the number of tests (Benjamini–Hochberg)"


def cells(row: TestRow) -> Iterator[str]:
    places = places_for(row.high - row.low)
    yield from (row.test, f"{row.arms:,}", f"{row.units:,}", row.metric, row.arm)
    yield from (decimals(number, places) for number in (row.mean, row.mean_control, row.difference))
    yield from (between(row.low, row.high), as_p(row.p), as_p(row.q))
    yield row.undefined or (f"MISMATCH, p {as_p(row.sample_ratio_p)}" if is_mismatch(row) else "")


def is_mismatch(row: TestRow) -> bool:
    return row.sample_ratio_p < MISMATCH


def as_csv(tests: Tests, options: argparse.Namespace) -> str:
    return csv_of(TestRow._fields, *(plain(list(row)) for row in rows_of_tests(tests, options))).rstrip("\n")


def as_json(tests: Tests, options: argparse.Namespace) -> str:
    """JSON Lines: one object per test, with the fields of TestRow; NaN becomes null."""
    return "\n".join(json.dumps(plain(row), ensure_ascii=False) for row in rows_of_tests(tests, options))


FORMATS: dict[str, Callable[[Tests, argparse.Namespace], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

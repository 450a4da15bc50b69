"""The command plan: from how far differences spread over topics to how many topics it takes."""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ireval import ENGINE_VERSION, parse_measures
from ireval.arrays import Floats
from ireval.cli.compare import SystemScores, add_systems, named_systems, scored_systems, share
from ireval.cli.evaluate import USUAL, rules_of, whole_number
from ireval.cli.output import aligned, rules
from ireval.io.csv_rows import csv_of
from ireval.measures.registry import Kind
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER, MOST_TOPICS, check, smallest_difference, topics_needed
from ireval.significance import BadComparison, pairs_of
from ireval.significance.pairs import are_constant


class TopicPlanRow(NamedTuple):
    """The plan for one pair, or for a deviation that was given; None for what is not known.

    `topics_needed` belong to `difference`. `smallest_difference` is what `topics` are likely to show; None if not `detectable`.
    """

    first: str | None
    second: str | None
    n: int | None
    deviation: float | None
    difference: float | None
    topics_needed: int | None
    topics: int | None
    smallest_difference: float | None
    detectable: bool | None


@dataclass(frozen=True)
class Aim:
    """What a study is to show; `largest` is the most by which two values of the measure can differ."""

    difference: float | None
    topics: int | None
    power: float
    alpha: float
    comparisons: int
    largest: float

    def of_pair(self, first: str, second: str, differences: Floats) -> TopicPlanRow:
        n = len(differences)
        # Differences that are all the same say nothing about other topics.
        spread = n > 1 and not are_constant(differences[:, None])[0]
        row = self.of_deviation(
            float(differences.std(ddof=1)) if spread else None,
            self.difference or (float(differences.mean()) if n else None),
            self.topics or n,
        )
        return row._replace(first=first, second=second, n=n)

    def of_deviation(self, deviation: float | None, difference: float | None, topics: int | None) -> TopicPlanRow:
        smallest = self.smallest(topics, deviation) if deviation and topics else None
        return TopicPlanRow(
            first=None,
            second=None,
            n=None,
            deviation=deviation,
            difference=difference,
            topics_needed=self.needed(abs(difference), deviation) if deviation and difference else None,
            topics=topics,
            smallest_difference=None if smallest is None or math.isnan(smallest) else smallest,
            detectable=None if smallest is None else not math.isnan(smallest),
        )

    def smallest(self, topics: int, deviation: float) -> float:
        return smallest_difference(
            topics,
            deviation,
            power_wanted=self.power,
            alpha=self.alpha,
            comparisons=self.comparisons,
            largest=self.largest,
        )

    def needed(self, difference: float, deviation: float) -> int | None:
        try:
            return topics_needed(difference, deviation, power_wanted=self.power, alpha=self.alpha, comparisons=self.comparisons)
        except ValueError:  # more than anybody judges
            return None


class TopicPlan(NamedTuple):
    """The plan for one measure; `systems` are None if a deviation was given."""

    measure: str | None
    aim: Aim
    rows: list[TopicPlanRow]
    systems: SystemScores | None = None


def add_plan(command: argparse.ArgumentParser) -> None:
    add_systems(command)
    command.add_argument("--sd", type=positive, help="instead of systems: standard deviation of their differences over topics")
    command.add_argument("--difference", metavar="D", type=positive, help="to be found (default: what the systems have)")
    command.add_argument(
        "--topics", metavar="N", type=whole_number(2), help="to be judged (default: as many as the systems have)"
    )
    command.add_argument("--power", type=share, default=DEFAULT_POWER, help="chance of finding it (default %(default)s)")
    command.add_argument("--alpha", type=share, default=DEFAULT_ALPHA, help="of the paired t test (default %(default)s)")
    command.add_argument(
        "--comparisons", metavar="K", type=whole_number(1), help="that share alpha (default: the pairs of systems)"
    )
    command.add_argument("--format", choices=SHOWN, default="table", help="default %(default)s")
    command.set_defaults(command=plan_topics)


def positive(text: str) -> float:
    if not 0 < (value := float(text)) < math.inf:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return value


def plan_topics(options: argparse.Namespace) -> None:
    """How many topics a paired t test needs to find a difference, and the smallest difference that so many topics are likely to
    show. The differences spread as those of these runs or columns of a table do, or by a given standard deviation."""
    for place, plan in enumerate(plans(options)):
        print(SHOWN[options.format](plan, with_header=place == 0), flush=True)


def plans(options: argparse.Namespace) -> Iterator[TopicPlan]:
    if options.sd is not None:
        yield plan_of_deviation(options)
        return
    for systems in scored_systems(options):
        pairs, values = pairs_of(systems.scores, options.baseline), systems.scores.values
        kind = systems.measure.kind if systems.measure else None
        # A table may hold any values; these show whether they are on the usual scale.
        usual = bool(((values >= 0) & (values <= 1)).all())
        aim = aim_of(options, options.comparisons or len(pairs), largest_of(kind) if kind or usual else math.inf)
        numbers = zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        names = systems.scores.systems
        yield TopicPlan(
            systems.name, aim, [aim.of_pair(names[i], names[j], values[:, i] - values[:, j]) for i, j in numbers], systems
        )


def plan_of_deviation(options: argparse.Namespace) -> TopicPlan:
    """The plan for --sd; -m only says how far apart values can be."""
    measures = parse_measures(options.measures or [])
    of_systems = options.runs or options.qrels or options.matrix or options.baseline or options.duplicates
    of_systems = of_systems or rules_of(options) != USUAL
    if of_systems or len(measures) > 1:
        raise BadComparison("--sd stands for systems; leave all about them out, but for one -m that says how far values reach")
    if options.difference is None and options.topics is None:
        raise BadComparison("expected --difference, --topics or both beside --sd")
    measure = measures[0] if measures else None
    aim = aim_of(options, options.comparisons or 1, largest_of(measure.kind if measure else None))
    return TopicPlan(str(measure) if measure else None, aim, [aim.of_deviation(options.sd, aim.difference, aim.topics)])


def largest_of(kind: Kind | None) -> float:
    """The largest possible difference; 1 for a measure that is not named, since nearly all lie between 0 and 1."""
    return kind.largest_difference if kind else 1.0


def aim_of(options: argparse.Namespace, comparisons: int, largest: float) -> Aim:
    try:
        check(1, 0, options.alpha, options.power, comparisons)
    except ValueError as error:
        raise BadComparison(str(error)) from error
    if options.difference is not None and options.difference > largest:
        raise BadComparison(f"a difference of {options.difference:g} is impossible: values are at most {largest:g} apart")
    return Aim(options.difference, options.topics, options.power, options.alpha, comparisons, largest)


def as_table(plan: TopicPlan, with_header: bool) -> str:
    table = [["first", "second", "n", "deviation", "difference", "topics needed", "topics", "smallest difference"]]
    table += [cells(row, plan.aim.largest) for row in plan.rows]
    if plan.systems is None:
        table = [row[3:] for row in table]
    return "\n".join([*heading(plan), *aligned(table), ""])


def cells(row: TopicPlanRow, largest: float) -> list[str]:
    written = {name: "" if value is None else number(value) for name, value in row._asdict().items() if name != "detectable"}
    if row.deviation and row.difference and row.topics_needed is None:
        written["topics_needed"] = f"more than {MOST_TOPICS:,}"
    if row.detectable is False:
        written["smallest_difference"] = f"none up to {largest:g}"
    return list(written.values())


def number(value: str | float) -> str:
    """A value as text; floats with four places, or two digits if small.

    >>> [number(value) for value in ("bm25", 50, -0.25, 0.00001)]
    ['bm25', '50', '-0.2500', '1.0e-05']
    """
    if not isinstance(value, float):
        return str(value)
    return f"{value:.4f}" if abs(value) >= 0.0001 else f"{value:.1e}"


def heading(plan: TopicPlan) -> Iterator[str]:
    aim = plan.aim
    if plan.systems:
        yield from named_systems(plan.systems, len(plan.rows))
    else:
        name = plan.measure or "a measure that is not named"
        yield name if math.isinf(aim.largest) else f"{name}: values at most {aim.largest:g} apart"
    shared = f" / {aim.comparisons:,} comparisons" if aim.comparisons > 1 else ""
    yield f"  paired t test, two-sided, power {aim.power:g}, alpha {aim.alpha:g}{shared}"


def as_json(plan: TopicPlan, with_header: bool) -> str:
    """One JSON object per measure, on a line of its own; unknown numbers are null."""
    aim = plan.aim
    content = {
        "measure": plan.measure,
        **(rules(plan.systems.evaluation) if plan.systems and plan.systems.evaluation else {}),
        "test": "t",
        "power": aim.power,
        "alpha": aim.alpha,
        "comparisons": aim.comparisons,
        "largest_difference": aim.largest if math.isfinite(aim.largest) else None,
        "engine": ENGINE_VERSION,
        "pairs": [row._asdict() for row in plan.rows],
    }
    return json.dumps(content, ensure_ascii=False)


def as_csv(plan: TopicPlan, with_header: bool) -> str:
    """One row per pair."""
    head = [["measure", *TopicPlanRow._fields]] if with_header else []
    return csv_of(*head, *([plan.measure, *row] for row in plan.rows)).rstrip("\n")


SHOWN: dict[str, Callable[..., str]] = {"table": as_table, "json": as_json, "csv": as_csv}

"""The command experiment-plan: from what users do today to how many users, and days, it takes to find a difference."""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from ireval import ENGINE_VERSION
from ireval.cli.compare import share
from ireval.cli.evaluate import whole_number
from ireval.cli.experiment import as_percent
from ireval.cli.output import aligned, option_values
from ireval.cli.plan import number, positive
from ireval.experiments import BadExperiment
from ireval.io.csv_rows import csv_of
from ireval.io.plain import plain
from ireval.planning import (
    days_needed,
    detectable_delta,
    detectable_effect,
    experiment_power,
    impressions_needed,
    interleaving_power,
    users_needed,
)
from ireval.planning.topics import DEFAULT_ALPHA, DEFAULT_POWER

# Options that belong to one kind of plan only, with their defaults.
OF_ARMS = {"lift": None, "reduction": 0.0, "arms": 2, "shares": None, "mean": None}
OF_INTERLEAVING = {"ties": 0.0, "without_credit": 0.0, "design_effect": 1.0}


class ExperimentPlanRow(NamedTuple):
    """One result; `given` names the number that was given: a difference, a lift or users (impressions for interleaving).

    None for what is not known, and where no number would be enough.
    """

    given: str
    difference: float | None
    lift: float | None
    users: int | None
    days: int | None


def add_experiment_plan(command: argparse.ArgumentParser) -> None:
    command.add_argument("--baseline", metavar="P", type=share, help="the control's proportion")
    command.add_argument("--sd", metavar="S", type=positive, help="instead: standard deviation of a mean or ratio between users")
    command.add_argument("--mean", metavar="M", type=float, help="the control's mean beside --sd, for --lift")
    command.add_argument("--interleaving", action="store_true", help="instead: two systems in one list; users are impressions")
    command.add_argument("--difference", metavar="D", type=float, nargs="+", help="to be found; of interleaving, delta")
    command.add_argument("--lift", metavar="L", type=float, nargs="+", help="to be found, relative: 0.05 is 5 %% more")
    command.add_argument("--users", metavar="N", type=whole_number(1), nargs="+", help="of all arms together, that there will be")
    command.add_argument("--daily", metavar="N", type=positive, help="new users (impressions) a day, for the number of days")
    command.add_argument(
        "--arms", metavar="K", type=whole_number(2), default=2, help="of one size, control included (default %(default)s)"
    )
    command.add_argument(
        "--shares", metavar=("C", "A"), type=share, nargs=2, help="instead: parts of users in control and an arm"
    )
    command.add_argument("--reduction", metavar="R", type=part, default=0.0, help="of variance by the time before (CUPED)")
    command.add_argument("--ties", metavar="T", type=part, default=0.0, help="of impressions with credit")
    command.add_argument("--without-credit", metavar="W", type=part, default=0.0, help="of impressions")
    command.add_argument(
        "--design-effect", metavar="E", type=positive, default=1.0, help="of an earlier interleaving (default 1)"
    )
    command.add_argument("--power", type=share, default=DEFAULT_POWER, help="chance of finding it (default %(default)s)")
    command.add_argument("--alpha", type=share, default=DEFAULT_ALPHA, help="of the two-sided test (default %(default)s)")
    command.add_argument(
        "--comparisons", metavar="K", type=whole_number(1), help="that share alpha (default: the arms but the control)"
    )
    command.add_argument("--format", choices=FORMATS, default="table", help="default %(default)s")
    command.set_defaults(command=plan_experiment)


def part(text: str) -> float:
    if not 0 <= (value := float(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text}: expected a number from 0 and less than 1")
    return value


class ExperimentPlan:
    """A plan for a proportion, for a mean or ratio, or for interleaving."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.require_sense()
        # Arms that take less than everybody leave the rest to other arms.
        self.shares = tuple(options.shares or [1 / options.arms] * 2)
        self.comparisons = options.comparisons or options.arms - 1
        self.control = options.mean if options.baseline is None else options.baseline

    def require_sense(self) -> None:
        options = self.options
        if sum([options.baseline is not None, options.sd is not None, options.interleaving]) != 1:
            raise BadExperiment("expected one of --baseline (of a proportion), --sd (of a mean) and --interleaving")
        if not (options.difference or options.lift or options.users):
            raise BadExperiment("expected --difference, --lift or --users")
        foreign = OF_ARMS if options.interleaving else OF_INTERLEAVING
        if stray := next((name for name, usual in foreign.items() if getattr(options, name) != usual), None):
            raise BadExperiment(
                f"--{stray.replace('_', '-')} makes no sense {'with' if options.interleaving else 'without'} --interleaving"
            )
        if options.baseline is not None and options.mean is not None:
            raise BadExperiment("--mean stands beside --sd; the mean of a proportion is its --baseline")
        if options.lift and options.sd is not None and not options.mean:
            raise BadExperiment("--lift needs the control's --mean, other than 0, beside --sd")

    @property
    def how(self) -> dict[str, Any]:
        """The keyword arguments for ireval.planning."""
        options = self.options
        common = {"alpha": options.alpha, "comparisons": self.comparisons}
        if options.interleaving:
            return common | option_values(options, *OF_INTERLEAVING)
        if options.baseline is not None and not options.reduction:
            return common | {"shares": self.shares, "baseline": options.baseline}
        return common | {"shares": self.shares, "deviation": self.deviation * math.sqrt(1 - options.reduction)}

    @property
    def deviation(self) -> float:
        baseline = self.options.baseline
        return self.options.sd if baseline is None else math.sqrt(baseline * (1 - baseline))

    def rows(self) -> Iterator[ExperimentPlanRow]:
        options = self.options
        for difference in options.difference or []:
            yield self.row("difference", difference, self.needed(difference))
        for lift in options.lift or []:
            yield self.row("lift", lift * abs(self.control), self.needed(lift * abs(self.control)))
        for users in options.users or []:
            yield self.row("users", self.smallest(users), users)

    def row(self, given: str, difference: float | None, users: int | None) -> ExperimentPlanRow:
        lift = difference / abs(self.control) if difference is not None and self.control else None
        daily = self.options.daily
        return ExperimentPlanRow(given, difference, lift, users, days_needed(users, daily) if users and daily else None)

    def needed(self, difference: float) -> int | None:
        baseline = self.options.baseline
        if baseline is not None and not 0 <= baseline + difference <= 1:
            raise BadExperiment(f"a difference of {difference:g} from {baseline:g} leaves 0 to 1")
        power, needed = (
            (interleaving_power, impressions_needed) if self.options.interleaving else (experiment_power, users_needed)
        )
        power(difference, 1, **self.how)  # says what makes no sense
        try:
            return needed(difference, power_wanted=self.options.power, **self.how)
        except ValueError:  # more than there are people
            return None

    def smallest(self, users: int) -> float | None:
        smallest = detectable_delta if self.options.interleaving else detectable_effect
        difference = smallest(users, power_wanted=self.options.power, **self.how)
        baseline = self.options.baseline
        return None if math.isnan(difference) or (baseline is not None and baseline + difference > 1) else difference


def plan_experiment(options: argparse.Namespace) -> None:
    """How many users an A/B test needs to find a difference or a lift, and how many days that takes. Or the smallest difference
    that so many users are likely to show. A proportion needs its value in the control, a mean or ratio its standard deviation
    between users. With --interleaving, how many impressions. Shares and comparisons are those of every arm against the
    control."""
    plan = ExperimentPlan(options)
    try:
        rows = list(plan.rows())
    except ValueError as error:
        raise BadExperiment(str(error)) from error
    print(FORMATS[options.format](plan, rows))


def as_table(plan: ExperimentPlan, rows: list[ExperimentPlanRow]) -> str:
    users = "impressions" if plan.options.interleaving else "users"
    table = [["given", "delta" if plan.options.interleaving else "difference", "lift", users, "days"]]
    for row in rows:
        needed = "more than 10¹²" if row.users is None else f"{row.users:,}"
        difference = "none" if row.difference is None else number(row.difference)
        given = users if row.given == "users" else row.given
        lift = "" if row.lift is None else as_percent(row.lift)
        table.append([given, difference, lift, needed, "" if row.days is None else f"{row.days:,}"])
    columns = [column for column in range(5) if any(row[column] for row in table[1:])]
    return "\n".join([*heading(plan), *aligned([[row[column] for column in columns] for row in table])])


def heading(plan: ExperimentPlan) -> Iterator[str]:
    options = plan.options
    if options.interleaving:
        without = f", {options.without_credit:g} without credit" if options.without_credit else ""
        ties = f", {options.ties:g} of the others tied" if options.ties else ""
        yield f"interleaving: design effect {options.design_effect:g}{without}{ties}"
    elif options.baseline is not None:
        yield f"a proportion, {options.baseline:g} in the control{cuped(options)}"
    else:
        mean = "" if options.mean is None else f" of {options.mean:g} in the control"
        yield f"a mean{mean}, standard deviation {options.sd:g}{cuped(options)}"
    arms = (
        "" if options.interleaving else f", {plan.shares[0]:.3g} of the users in the control and {plan.shares[1]:.3g} in an arm"
    )
    shared = f" / {plan.comparisons:,} comparisons" if plan.comparisons > 1 else ""
    yield f"  two-sided, power {options.power:g}, alpha {options.alpha:g}{shared}{arms}"


def cuped(options: argparse.Namespace) -> str:
    return f", {100 * options.reduction:g} % of the variance taken away by the time before" if options.reduction else ""


def as_json(plan: ExperimentPlan, rows: list[ExperimentPlanRow]) -> str:
    """One JSON object, in which unknown numbers are null."""
    options = plan.options
    kind = "interleaving" if options.interleaving else "mean" if options.baseline is None else "proportion"
    names = OF_INTERLEAVING if options.interleaving else ("baseline", "mean", "sd", "reduction")
    content = {
        "kind": kind,
        **option_values(options, *names, "power", "alpha", "daily"),
        **({} if options.interleaving else {"shares": plan.shares}),
        "comparisons": plan.comparisons,
        "engine": ENGINE_VERSION,
        "rows": rows,
    }
    return json.dumps(plain(content), ensure_ascii=False)


def as_csv(plan: ExperimentPlan, rows: list[ExperimentPlanRow]) -> str:
    return csv_of(ExperimentPlanRow._fields, *rows).rstrip("\n")


FORMATS: dict[str, Callable[[ExperimentPlan, list[ExperimentPlanRow]], str]] = {"table": as_table, "json": as_json, "csv": as_csv}

"""The results of an A/B test in words that claim no more than its numbers do."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ireval.behaviour import Definition
from ireval.planning import days_needed, detectable_effect, users_needed
from judging.models import User
from metrics.kinds.ab.effects import MOST_CROSSED, ABResults
from metrics.kinds.ab.lines import Inference, Line
from metrics.kinds.ab.results import ExperimentResults
from metrics.kinds.matters import Matters
from metrics.logs.kind import TOO_FEW
from metrics.models import Report
from metrics.sentences import as_p, count

DO_NOT_READ = "Do not read on: what this experiment found cannot be believed."
POWER = 0.8
LIFTS = (1.0, 2.0, 5.0, 10.0)
BETTER = {"better": "better than", "worse": "worse than"}


class Conclusion(NamedTuple):
    """A sentence about one arm, the numbers that it rests on, and in short the difference, its interval and n.

    `judged` is better, worse, higher, lower, none, unknown or early.
    """

    judged: str
    result: str
    numbers: str = ""
    in_short: str = ""

    def __str__(self) -> str:
        return " ".join(filter(None, [self.result, self.in_short]))


def headline(results: ABResults) -> list[Conclusion]:
    """One conclusion per arm by the metric that decides; or a single one that says why it is too early."""
    if not results.may_be_read:
        return [too_early(results)]
    return [conclusion_of(line, results) for line in results.deciding]


def sentence(report: Report, user: User) -> str:
    """The result in one sentence as this reader may see it; if the test is flawed, the flaws instead."""
    results = ABResults(report, user, {})
    if results.nothing or results.too_few:
        return results.nothing or TOO_FEW
    return " ".join(flaw.why for flaw in flaws(results)) or in_full(headline(results))


def in_full(conclusions: Sequence[Conclusion]) -> str:
    """What is concluded, each with how much, its interval and n."""
    return " ".join(map(str, conclusions))


def too_early(results: ABResults) -> Conclusion:
    if results.choice.always:
        return hasty(results)
    return Conclusion(
        "early",
        f"Not yet: {results.n:,} of {count(results.experiment.planned, 'user')} have come.",
        "This experiment is to be read once, when all have come or it has ended: looking early at such an interval is not "
        "honest, since whoever stops when it pleases finds differences that are not there. Always-valid intervals may be looked "
        "at at any time; they are wider.",
    )


def hasty(results: ExperimentResults) -> Conclusion:
    return Conclusion(
        "early",
        f"Not yet: it has run for {duration(results)}.",
        "Intervals that may be looked at at any time are read from the first day on: the users of some hours are not those of a "
        "week.",
    )


def duration(results: ExperimentResults) -> str:
    days = results.days_run
    if days >= 1.5:
        return count(round(days), "day")
    return count(round(24 * days), "hour") if days >= 1 / 24 else count(max(1, round(24 * 60 * days)), "minute")


def conclusion_of(line: Line, results: ABResults) -> Conclusion:
    effect, level = line.effect, percent(line.decision.level)
    if line.verdict == "unknown":
        return Conclusion(
            "unknown", f"Nothing can be told of {effect.arm} and {effect.control} by {effect.metric}: {effect.undefined}."
        )
    if line.verdict == "none":
        result = f"No difference between {effect.arm} and {effect.control} was found in {effect.metric}."
        return Conclusion("none", result, f"{excluded(line, level)} {numbers(line, results)}", in_short(line))
    if line.judged in BETTER:
        return Conclusion(
            line.judged,
            f"{effect.arm} is {BETTER[line.judged]} {effect.control}: {effect.metric} is {line.verdict}.",
            numbers(line, results),
            in_short(line),
        )
    unsaid = "Whether that is better, this metric does not say."
    result = f"{effect.metric} is {line.verdict} with {effect.arm} than with {effect.control}. {unsaid}"
    return Conclusion(line.judged, result, numbers(line, results), in_short(line))


def in_short(line: Line) -> str:
    effect, unit, level = line.effect, line.definition.measured_in, percent(line.decision.level)
    by, sure = change(effect.difference, unit), interval(line.shown, unit)
    return f"Difference {by} ({level} interval {sure}), n = {effect.n:,} and {effect.n_control:,} users."


def excluded(line: Line, level: str) -> str:
    """Say how large a difference may still be that was not found."""
    shown, unit = line.shown, line.definition.measured_in
    up, down = {"up": ("better", "worse"), "down": ("worse", "better")}.get(line.definition.better, ("higher", "lower"))
    return (
        f"With {level} confidence it is at most {size(shown.high, unit)} {up} and at most {size(-shown.low, unit)} {down}; "
        "larger differences are excluded."
    )


def numbers(line: Line, results: ABResults) -> str:
    effect, shown, unit = line.effect, line.shown, line.definition.measured_in
    sentence = line.definition.sentence.removesuffix(".")
    lift = f", a lift of {as_lift(effect.relative)}{lift_interval(shown)}" if not math.isnan(effect.relative) else ""
    several = f", corrected for {results.questions} arms" if results.questions > 1 else ""
    return (
        f"{sentence}: {amount(effect.mean, unit)} against {amount(effect.mean_control, unit)}, a difference of "
        f"{change(effect.difference, unit)} ({percent(line.decision.level)} interval {interval(shown, unit)}, p {as_p(shown.p)}"
        f"{several}){lift}; n = {effect.n:,} and {effect.n_control:,} users."
    )


def lift_interval(shown: Inference) -> str:
    if math.isnan(shown.relative_low):
        return " (without an interval: the control’s mean may be 0)"
    return f" ({as_lift(shown.relative_low)} to {as_lift(shown.relative_high)})"


def interval(shown: Inference, unit: str) -> str:
    return f"{change(shown.low, unit).removesuffix(' points')} to {change(shown.high, unit)}"


class Flaw(NamedTuple):
    """A reason why a report cannot be believed, and where to look for its cause."""

    why: str
    advice: str


def warning(flawed: Sequence[Flaw]) -> str:
    """Say that nothing can be believed, and why; empty without a flaw."""
    if not flawed:
        return ""
    return " ".join([DO_NOT_READ, *(flaw.why for flaw in flawed)])


def flaws(results: ABResults) -> list[Flaw]:
    reasons = []
    if results.ratio.mismatch:
        reasons.append(Flaw(
            mismatch(results),
            "Users were lost, or sent elsewhere, in one arm more than in another; mostly those whom the change affects, so "
            "that every difference below may be nothing but that. Look for: an arm whose page is slower, or redirects, and "
            "loses people before it logs; searches logged in one arm only where something is shown; caches; programs that are"
            " recognised in one arm only; weights or assignment that changed on the way. Users by day, below, say when it "
            "began.",
        ))  # fmt: skip
    if results.is_crossed:
        reasons.append(Flaw(
            crossed(results),
            "Look for: an arm that is chosen anew on each page, or by something that changes, such as a session; two places that "
            "choose by different salts; people who clear their cookies, if client_id is kept in one.",
        ))  # fmt: skip
    return reasons


def mismatch(results: ABResults) -> str:
    shares = "; ".join(f"{arm} has {seen:,} and should have {whole(expected)}" for arm, seen, expected in results.shares)
    test = f"χ² = {results.ratio.chi2:.1f}, p {as_p(results.ratio.p)}"
    return f"Users are not shared out among the arms as they should be: {shares} ({test})."


def crossed(results: ABResults) -> str:
    if results.crossed_shown is None:
        return f"More than {percent(MOST_CROSSED)} of all users were in two arms; they count in none."
    share = percent(results.crossed_share, 1)
    return f"{count(results.crossed, 'user')} were in two arms, {share} of all; they count in none."


class Plan(NamedTuple):
    """What it takes to show a difference, which is a lift of `lift` percent.

    `users` counts all arms, `lacking` those still to come, `days` the days until then; None where no sensible number would do.
    """

    title: str
    lift: float
    difference: float
    users: int | None
    lacking: int | None
    days: int | None


def plans(line: Line, results: ABResults, matters: Matters) -> list[Plan]:
    """Plans for what a question says matters, the lift the reader asks about, and usual ones; none where lifts are undefined."""
    effect = line.effect
    if effect.undefined or not effect.mean_control or not line.deviation > 0:
        return []
    asked = [(f"as the question {matters.hypothesis} has it", matters.difference)] if matters.hypothesis else []
    lifts = [("as you ask", results.choice.lift)] if results.choice.lift else []
    lifts += [("", lift) for lift in LIFTS]
    wanted = asked + [(title, lift / 100 * abs(effect.mean_control)) for title, lift in lifts]
    return [plan(title, difference, line, results) for title, difference in wanted]


def plan(title: str, difference: float, line: Line, results: ABResults) -> Plan:
    lift = 100 * difference / abs(line.effect.mean_control)
    try:
        users = users_needed(difference, **planning(line, results))
    except ValueError:  # more than there are people
        return Plan(title, lift, difference, None, None, None)
    lacking = max(0, users - results.n)
    has_pace = results.n and not results.is_hasty
    return Plan(title, lift, difference, users, lacking, days_needed(lacking, results.n / results.days_run) if has_pace else None)


def planning(line: Line, results: ABResults) -> dict:
    """The arguments of the engine's planning functions for this experiment."""
    effect = line.effect
    return {
        "deviation": line.deviation,
        "shares": (effect.n_control / results.n, effect.n / results.n),
        "alpha": results.experiment.alpha,
        "comparisons": results.questions,
        "power_wanted": POWER,
    }


def detectable(line: Line, results: ABResults) -> str:
    """Say which difference these users could have shown."""
    effect, unit = line.effect, line.definition.measured_in
    if effect.undefined or not line.deviation > 0:
        return ""
    least = detectable_effect(results.n, **planning(line, results))
    lift = f", a lift of {100 * least / abs(effect.mean_control):.1f} %" if effect.mean_control else ""
    against = f" between {effect.arm} and {effect.control}" if len(results.others) > 1 else ""
    return (
        f"{count(results.n, 'user')} show a difference{against} of {size(least, unit)} or more{lift}, if there is one, in "
        f"{percent(POWER)} of experiments (α = {results.experiment.alpha:g}, read once at the end)."
    )


def run_time(results: ABResults) -> str:
    so_far = f"{'It ran' if results.has_ended else 'It has run'} for {duration(results)}"
    if results.is_hasty:  # the users of some hours tell nothing of those of a day
        return f"{so_far}."
    pace = results.n / results.days_run
    took = f"{so_far}, with {pace:,.0f} new users per day."
    if results.has_ended or results.n >= results.experiment.planned or not results.n:
        return took
    days_more = count(days_needed(results.experiment.planned - results.n, pace), "more day")
    return f"{took} At this pace the planned {results.experiment.planned:,} will have come in {days_more}."


def whole(expected: float) -> str:
    """
    >>> whole(446.5), whole(1200.0)
    ('446.5', '1,200')
    """
    return f"{expected:,.1f}".removesuffix(".0")


def rounded(value: float) -> str:
    """The number with four significant digits.

    >>> rounded(0.0123456), rounded(9.99996), rounded(123456.7), rounded(0.0), rounded(-2.5)
    ('0.01235', '10.00', '123,457', '0', '−2.500')
    """
    if not value or math.isnan(value):
        return "–" if math.isnan(value) else "0"
    exponent = int(f"{value:.3e}".partition("e")[2])
    digits = min(8, max(0, 3 - exponent))
    return f"{value:,.{digits}f}".replace("-", "−")


def amount(value: float, unit: str) -> str:
    """
    >>> amount(0.4215, "share"), amount(12.3456, "seconds"), amount(float("nan"), "share")
    ('42.15 %', '12.35', '–')
    """
    if math.isnan(value):
        return "–"
    return f"{100 * value:.2f} %" if unit == "share" else rounded(value)


def change(value: float, unit: str) -> str:
    """A difference with its sign, and of shares with its unit.

    >>> change(0.0215, "share"), change(-1.5, "seconds"), change(0.0, "clicks")
    ('+2.15 points', '−1.500', '0')
    """
    if math.isnan(value):
        return "–"
    if unit == "share":
        return f"{100 * value:+.2f} points".replace("-", "−")
    return f"{'+' if value > 0 else ''}{rounded(value)}"


def size(value: float, unit: str) -> str:
    """A difference without a sign, with its unit.

    >>> size(0.0215, "share"), size(1.5, "seconds")
    ('2.15 points', '1.500 seconds')
    """
    return change(value, unit).removeprefix("+") if unit == "share" else f"{rounded(value)} {unit}"


def as_lift(value: float) -> str:
    """
    >>> as_lift(0.0512), as_lift(-0.1), as_lift(float("nan"))
    ('+5.1 %', '−10.0 %', '–')
    """
    return "–" if math.isnan(value) else f"{100 * value:+.1f} %".replace("-", "−")


def percent(share: float, digits: int = 1) -> str:
    """
    >>> percent(0.95), percent(0.975)
    ('95 %', '97.5 %')
    """
    return f"{round(100 * share, digits):g} %"


def unit_of(definition: Definition) -> str:
    return "points are percentage points" if definition.measured_in == "share" else definition.measured_in


def listed(names: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

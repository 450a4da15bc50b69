"""What an A/B test found, in words that claim no more than its numbers do."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ireval.behaviour import Definition
from ireval.planning import days_needed, detectable_effect, users_needed
from judging.models import User
from metrics.kinds.ab.effects import MOST_CROSSED, Found
from metrics.kinds.ab.lines import Line, Shown
from metrics.logs.kind import TOO_FEW
from metrics.models import Report
from metrics.sentences import as_p, count

POWER = 0.8
LIFTS = (1.0, 2.0, 5.0, 10.0)
BETTER = {"better": "better than", "worse": "worse than"}


class Said(NamedTuple):
    """What was found, and the numbers that it rests on; `judged` is better, worse, higher, lower, none, unknown or early."""

    judged: str
    result: str
    numbers: str = ""


def headline(found: Found) -> list[Said]:
    """Of each arm what it does to the metric that decides; or one sentence why that is not told yet."""
    if not found.may_be_read:
        return [too_early(found)]
    return [said_of(line, found) for line in found.deciding]


def sentence(report: Report, user: User) -> str:
    """What it found as this reader may see it; first of all whether it can be believed."""
    found = Found(report, user, {})
    if found.nothing or found.too_few:
        return found.nothing or TOO_FEW
    return " ".join(one.why for one in broken(found)) or " ".join(said.result for said in headline(found))


def too_early(found: Found) -> Said:
    return Said(
        "early",
        f"Not yet: {found.n:,} of {count(found.experiment.planned, 'user')} have come.",
        "This experiment is to be read once, when all have come or it has ended: looking early at such an interval is not "
        "honest, since whoever stops when it pleases finds differences that are not there. Always-valid intervals may be looked "
        "at at any time; they are wider.",
    )


def said_of(line: Line, found: Found) -> Said:
    one, level = line.effect, percent(found.confidence)
    if line.verdict == "unknown":
        return Said("unknown", f"Nothing can be told of {one.arm} and {one.control} by {one.metric}: {one.undefined}.")
    if line.verdict == "none":
        result = f"No difference between {one.arm} and {one.control} was found in {one.metric}."
        return Said("none", result, f"{excluded(line, level)} {numbers(line, found)}")
    if line.judged in BETTER:
        return Said(
            line.judged,
            f"{one.arm} is {BETTER[line.judged]} {one.control}: {one.metric} is {line.verdict}.",
            numbers(line, found),
        )
    unsaid = "Whether that is better, this metric does not say."
    result = f"{one.metric} is {line.verdict} with {one.arm} than with {one.control}. {unsaid}"
    return Said(line.judged, result, numbers(line, found))


def excluded(line: Line, level: str) -> str:
    """Of a difference that was not found, how large it may still be."""
    shown, unit = line.shown, line.definition.measured_in
    up, down = {"up": ("better", "worse"), "down": ("worse", "better")}.get(line.definition.better, ("higher", "lower"))
    return (
        f"With {level} confidence it is at most {size(shown.high, unit)} {up} and at most {size(-shown.low, unit)} {down}; "
        "larger differences are excluded."
    )


def numbers(line: Line, found: Found) -> str:
    one, shown, unit = line.effect, line.shown, line.definition.measured_in
    sentence = line.definition.sentence.removesuffix(".")
    lift = f", a lift of {as_lift(one.relative)}{lift_interval(shown)}" if not math.isnan(one.relative) else ""
    several = f", corrected for {len(found.others)} arms" if len(found.others) > 1 else ""
    return (
        f"{sentence}: {amount(one.mean, unit)} against {amount(one.mean_control, unit)}, a difference of "
        f"{change(one.difference, unit)} ({percent(found.confidence)} interval {interval(shown, unit)}, p {as_p(shown.p)}"
        f"{several}){lift}; n = {one.n:,} and {one.n_control:,} users."
    )


def lift_interval(shown: Shown) -> str:
    if math.isnan(shown.relative_low):
        return " (without an interval: the control’s mean may be 0)"
    return f" ({as_lift(shown.relative_low)} to {as_lift(shown.relative_high)})"


def interval(shown: Shown, unit: str) -> str:
    return f"{change(shown.low, unit).removesuffix(' points')} to {change(shown.high, unit)}"


class Broken(NamedTuple):
    """Why nothing of a report can be believed, and where to look."""

    why: str
    advice: str


def broken(found: Found) -> list[Broken]:
    said = []
    if found.ratio.mismatch:
        said.append(Broken(mismatch(found), "Users were lost, or sent elsewhere, in one arm more than in another; mostly those "
            "whom the change affects, so that every difference below may be nothing but that. Look for: an arm whose page is "
            "slower, or redirects, and loses people before it logs; searches logged in one arm only where something is shown; "
            "caches; programs that are recognised in one arm only; weights or assignment that changed on the way. Users by day, "
            "below, say when it began."))  # fmt: skip
    if found.is_crossed:
        said.append(Broken(
            crossed(found),
            "Look for: an arm that is chosen anew on each page, or by something that changes, such as a session; two places that "
            "choose by different salts; people who clear their cookies, if client_id is kept in one.",
        ))  # fmt: skip
    return said


def mismatch(found: Found) -> str:
    shares = "; ".join(f"{arm} has {seen:,} and should have {whole(expected)}" for arm, seen, expected in found.shares)
    test = f"χ² = {found.ratio.chi2:.1f}, p {as_p(found.ratio.p)}"
    return f"Users are not shared out among the arms as they should be: {shares} ({test})."


def crossed(found: Found) -> str:
    if found.crossed_shown is None:
        return f"More than {percent(MOST_CROSSED)} of all users were in two arms; they count in none."
    share = percent(found.crossed_share, 1)
    return f"{count(found.crossed, 'user')} were in two arms, {share} of all; they count in none."


class Plan(NamedTuple):
    """How many users a lift of so many percent takes, in all arms, how many are lacking, and for how many days more."""

    title: str
    lift: float
    difference: float
    users: int | None
    lacking: int | None
    days: int | None


def plans(line: Line, found: Found) -> list[Plan]:
    """For the lift that was found, that the reader asks about, and usual ones; none where lifts are undefined."""
    one = line.effect
    if one.undefined or not one.mean_control or not line.deviation > 0:
        return []
    wanted = [("as found here", 100 * one.relative)] if one.difference and found.may_be_read else []
    wanted += [("as you ask", found.choice.lift)] if found.choice.lift else []
    wanted += [("", lift) for lift in LIFTS]
    return [plan(title, lift, line, found) for title, lift in wanted]


def plan(title: str, lift: float, line: Line, found: Found) -> Plan:
    difference = lift / 100 * abs(line.effect.mean_control)
    try:
        users = users_needed(difference, **planning(line, found))
    except ValueError:  # more than there are people
        return Plan(title, lift, difference, None, None, None)
    lacking = max(0, users - found.n)
    return Plan(title, lift, difference, users, lacking, days_needed(lacking, found.n / found.days_run) if found.n else None)


def planning(line: Line, found: Found) -> dict:
    """What the engine's planning asks, as this experiment is."""
    one = line.effect
    return {
        "deviation": line.deviation,
        "shares": (one.n_control / found.n, one.n / found.n),
        "alpha": found.experiment.alpha,
        "comparisons": len(found.others),
        "power_wanted": POWER,
    }


def detectable(line: Line, found: Found) -> str:
    """Which difference these users could have shown."""
    one, unit = line.effect, line.definition.measured_in
    if one.undefined or not line.deviation > 0:
        return ""
    least = detectable_effect(found.n, **planning(line, found))
    lift = f", a lift of {100 * least / abs(one.mean_control):.1f} %" if one.mean_control else ""
    against = f" between {one.arm} and {one.control}" if len(found.others) > 1 else ""
    return (
        f"{count(found.n, 'user')} show a difference{against} of {size(least, unit)} or more{lift}, if there is one, in "
        f"{percent(POWER)} of experiments (α = {found.experiment.alpha:g}, read once at the end)."
    )


def run_time(found: Found) -> str:
    so_far = "It ran for" if found.has_ended else "It has run for"
    days = found.days_run
    took = count(round(days), "day") if days >= 1.5 else count(max(1, round(24 * days)), "hour")
    pace = found.n / days
    said = f"{so_far} {took}, with {pace:,.0f} new users a day."
    if found.has_ended or found.n >= found.experiment.planned or not found.n:
        return said
    days_more = count(days_needed(found.experiment.planned - found.n, pace), "more day")
    return f"{said} At this pace the planned {found.experiment.planned:,} will have come in {days_more}."


def whole(expected: float) -> str:
    """
    >>> whole(446.5), whole(1200.0)
    ('446.5', '1,200')
    """
    return f"{expected:,.1f}".removesuffix(".0")


def rounded(value: float) -> str:
    """Four digits that say something.

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
    """A difference, with its sign.

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

"""The results of an A/B test in words that claim no more than its numbers do."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from django.utils.translation import gettext as _

from ireval.planning import days_needed, detectable_effect, users_needed
from judging.models import User
from judging.text.counts import count
from judging.text.library_words import in_reader_language, sentence_of
from metrics.kinds.ab.lines import Inference, Line
from metrics.kinds.ab.results import MOST_CROSSED, ABResults
from metrics.kinds.experiments.words import POWER, Conclusion, duration, hasty_conclusion, in_full
from metrics.logs.kind import too_few
from metrics.models import Report
from metrics.sentences import as_p, decimals, percent, with_minus

LIFTS = (1.0, 2.0, 5.0, 10.0)
BETTER = ("better", "worse")


def headline(results: ABResults) -> list[Conclusion]:
    """One conclusion per arm by the metric that decides; or a single one that says why it is too early."""
    if not results.may_be_read:
        return [too_early(results)]
    return [conclusion_of(line, results) for line in results.deciding]


def sentence(report: Report, user: User) -> str:
    """The result in one sentence as this reader may see it; if the test is flawed, the flaws instead."""
    results = ABResults(report, user, {})
    if results.nothing or results.too_few:
        return results.nothing or too_few()
    return " ".join(flaw.why for flaw in flaws(results)) or in_full(headline(results))


def too_early(results: ABResults) -> Conclusion:
    if results.choice.always:
        return hasty_conclusion(results)
    return Conclusion(
        "early",
        _("Not yet: %(n)s of %(users)s have come.") % {"n": f"{results.n:,}", "users": count(results.experiment.planned, "user")},
        _(
            "This experiment is to be read once, when all have come or it has ended: looking early at such an interval is not "
            "honest, since whoever stops when it pleases finds differences that are not there. Always-valid intervals may be "
            "looked at at any time; they are wider."
        ),
    )


def conclusion_of(line: Line, results: ABResults) -> Conclusion:
    effect, level = line.effect, percent(line.decision.level, 1)
    names = {"arm": effect.arm, "control": effect.control, "metric": effect.metric}
    if line.verdict == "unknown":
        text = _("Nothing can be told of %(arm)s and %(control)s by %(metric)s: %(why)s.")
        return Conclusion("unknown", text % {**names, "why": in_reader_language(effect.undefined)})
    if line.verdict == "none":
        result = _("No difference between %(arm)s and %(control)s was found in %(metric)s.") % names
        return Conclusion("none", result, f"{excluded(line, level)} {numbers(line, results)}", in_short(line))
    return Conclusion(line.judged, meaning(line.judged, line.verdict) % names, numbers(line, results), in_short(line))


def meaning(judged: str, verdict: str) -> str:
    """What a difference means, with blanks for the arm, the control and the metric."""
    sentences = {
        ("better", "higher"): _("%(arm)s is better than %(control)s: %(metric)s is higher."),
        ("better", "lower"): _("%(arm)s is better than %(control)s: %(metric)s is lower."),
        ("worse", "higher"): _("%(arm)s is worse than %(control)s: %(metric)s is higher."),
        ("worse", "lower"): _("%(arm)s is worse than %(control)s: %(metric)s is lower."),
        ("higher", "higher"): _(
            "%(metric)s is higher with %(arm)s than with %(control)s. Whether that is better, this metric does not say."
        ),
        ("lower", "lower"): _(
            "%(metric)s is lower with %(arm)s than with %(control)s. Whether that is better, this metric does not say."
        ),
    }
    return sentences[judged, verdict]


def in_short(line: Line) -> str:
    difference = change(line.effect.difference, line.definition.measured_in)
    text = _("Difference %(difference)s (%(certain)s), n = %(n)s and %(n_control)s users.")
    return text % {"difference": difference, "certain": interval_with_level(line), **sizes(line)}


def interval_with_level(line: Line) -> str:
    """The interval of a difference with its level."""
    if line.shown.is_endless:
        return _("too few users for an interval")
    ends = {"level": percent(line.decision.level, 1), "interval": interval(line.shown, line.definition.measured_in)}
    return _("%(level)s interval %(interval)s") % ends


def sizes(line: Line) -> dict[str, str]:
    return {"n": f"{line.effect.n:,}", "n_control": f"{line.effect.n_control:,}"}


def excluded(line: Line, level: str) -> str:
    """Say how large a difference may still be that was not found."""
    shown, unit = line.shown, line.definition.measured_in
    if shown.is_endless:
        return _("No difference is excluded yet.")
    if line.definition.better == "up":
        text = _(
            "With %(level)s confidence it is at most %(more)s better and at most %(less)s worse; larger differences are excluded."
        )
    elif line.definition.better == "down":
        text = _(
            "With %(level)s confidence it is at most %(more)s worse and at most %(less)s better; larger differences are excluded."
        )
    else:
        text = _(
            "With %(level)s confidence it is at most %(more)s higher and at most %(less)s lower; larger differences are excluded."
        )
    return text % {"level": level, "more": size(shown.high, unit), "less": size(-shown.low, unit)}


def numbers(line: Line, results: ABResults) -> str:
    effect, unit = line.effect, line.definition.measured_in
    values = {
        "metric": sentence_of(line.definition).removesuffix("."),
        "mean": amount(effect.mean, unit),
        "mean_control": amount(effect.mean_control, unit),
        "difference": change(effect.difference, unit),
        "sure": interval_and_p(line, results),
        **sizes(line),
    }
    if math.isnan(effect.relative):
        text = _(
            "%(metric)s: %(mean)s against %(mean_control)s, a difference of %(difference)s (%(sure)s); n = %(n)s and "
            "%(n_control)s users."
        )
        return text % values
    text = _(
        "%(metric)s: %(mean)s against %(mean_control)s, a difference of %(difference)s (%(sure)s), %(lift)s; n = %(n)s and "
        "%(n_control)s users."
    )
    return text % {**values, "lift": lift_in_words(effect.relative, line.shown)}


def interval_and_p(line: Line, results: ABResults) -> str:
    """The interval of a difference, and its p."""
    values = {"certain": interval_with_level(line), "p": as_p(line.shown.p)}
    if line.decision.questions > 1:
        return _("%(certain)s, p %(p)s, corrected for %(arms)s arms") % {**values, "arms": line.decision.questions}
    return _("%(certain)s, p %(p)s") % values


def lift_in_words(lift: float, shown: Inference) -> str:
    if math.isnan(shown.relative_low):
        return _("a lift of %(lift)s (without an interval: the control’s mean may be 0)") % {"lift": as_lift(lift)}
    text = _("a lift of %(lift)s (%(low)s to %(high)s)")
    return text % {"lift": as_lift(lift), "low": as_lift(shown.relative_low), "high": as_lift(shown.relative_high)}


def interval(shown: Inference, unit: str) -> str:
    return _("%(low)s to %(high)s") % {"low": bare_change(shown.low, unit), "high": change(shown.high, unit)}


class Flaw(NamedTuple):
    """A reason why a report cannot be believed, and where to look for its cause."""

    why: str
    advice: str


def warning(flawed: Sequence[Flaw]) -> str:
    """Say that nothing can be believed, and why; empty without a flaw."""
    if not flawed:
        return ""
    do_not_read = _("Do not read on: what this experiment found cannot be believed.")
    return " ".join([do_not_read, *(flaw.why for flaw in flawed)])


def flaws(results: ABResults) -> list[Flaw]:
    reasons = []
    if results.ratio.mismatch:
        reasons.append(Flaw(
            mismatch(results),
            _(
                "Users were lost, or sent elsewhere, in one arm more than in another; mostly those whom the change affects, so "
                "that every difference below may be nothing but that. Look for: an arm whose page is slower, or redirects, and "
                "loses people before it logs; searches logged in one arm only where something is shown; caches; bots that "
                "are recognised in one arm only; weights or assignment that changed on the way. Users by day, below, say when it "
                "began."
            ),
        ))  # fmt: skip
    if results.is_crossed:
        reasons.append(Flaw(
            crossed(results),
            _(
                "Look for: an arm that is chosen anew on each page, or by something that changes, such as a session; two places "
                "that choose by different salts; people who clear their cookies, if client_id is kept in one."
            ),
        ))  # fmt: skip
    return reasons


def mismatch(results: ABResults) -> str:
    each = _("%(arm)s has %(n)s and should have %(expected)s")
    shares = [each % {"arm": arm, "n": f"{seen:,}", "expected": whole(expected)} for arm, seen, expected in results.shares]
    text = _("Users are not shared out among the arms as they should be: %(shares)s (χ² = %(chi2)s, p %(p)s).")
    return text % {"shares": "; ".join(shares), "chi2": f"{results.ratio.chi2:.1f}", "p": as_p(results.ratio.p)}


def crossed(results: ABResults) -> str:
    if results.crossed_shown is None:
        text = _("More than %(share)s of all users were in two arms; they count in none.")
        return text % {"share": percent(MOST_CROSSED, 1)}
    text = _("%(users)s were in two arms, %(share)s of all; they count in none.")
    return text % {"users": count(results.crossed, "user"), "share": percent(results.crossed_share, 1)}


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


def plans(line: Line, results: ABResults) -> list[Plan]:
    """Plans for what a question says matters, the lift the reader asks about, and usual ones; none where lifts are undefined."""
    effect = line.effect
    if effect.undefined or not effect.mean_control or not line.deviation > 0:
        return []
    matters = results.matters(effect.arm, effect.control)
    as_asked = _("as the question %(question)s has it") % {"question": matters.hypothesis}
    asked = [(as_asked, matters.difference)] if matters.hypothesis else []
    lifts = [(_("as you ask"), results.choice.lift)] if results.choice.lift else []
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
    difference = {"size": size(least, unit), "arm": effect.arm, "control": effect.control}
    if len(results.others) > 1:
        what = _("a difference between %(arm)s and %(control)s of %(size)s or more") % difference
    else:
        what = _("a difference of %(size)s or more") % difference
    if effect.mean_control:
        lift = f"{100 * least / abs(effect.mean_control):.1f} %"
        what = _("%(difference)s, a lift of %(lift)s") % {"difference": what, "lift": lift}
    text = _("%(users)s show %(difference)s, if there is one, in %(share)s of experiments (α = %(alpha)s, read once at the end).")
    return text % {
        "users": count(results.n, "user"),
        "difference": what,
        "share": percent(POWER, 1),
        "alpha": f"{results.experiment.alpha:g}",
    }


def run_time(results: ABResults) -> str:
    if results.is_hasty:  # the users of some hours tell nothing of those of a day
        text = _("It ran for %(duration)s.") if results.has_ended else _("It has run for %(duration)s.")
        return text % {"duration": duration(results)}
    pace = results.n / results.days_run
    ran = _("It ran for %(duration)s, with %(pace)s new users per day.")
    runs = _("It has run for %(duration)s, with %(pace)s new users per day.")
    took = (ran if results.has_ended else runs) % {"duration": duration(results), "pace": f"{pace:,.0f}"}
    if results.has_ended or results.n >= results.experiment.planned or not results.n:
        return took
    days_more = count(days_needed(results.experiment.planned - results.n, pace), "more day")
    text = _("At this pace the planned %(planned)s will have come in %(days)s.")
    return f"{took} {text % {'planned': f'{results.experiment.planned:,}', 'days': days_more}}"


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
    >>> rounded(float("nan")), rounded(float("-inf"))
    ('–', '−∞')
    """
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if not value or math.isnan(value):
        return "–" if math.isnan(value) else "0"
    exponent = int(f"{value:.3e}".partition("e")[2])
    digits = min(8, max(0, 3 - exponent))
    return with_minus(f"{value:,.{digits}f}")


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
    number = bare_change(value, unit)
    return _("%(number)s points") % {"number": number} if unit == "share" and not math.isnan(value) else number


def bare_change(value: float, unit: str) -> str:
    """The same without the unit.

    >>> bare_change(0.0215, "share"), bare_change(-1.5, "seconds"), bare_change(0.000012, "share")
    ('+2.15', '−1.500', '+0.001')
    """
    if math.isnan(value):
        return "–"
    if unit == "share" and math.isfinite(value):
        return with_minus(f"{100 * value:+.{decimals([100 * value], 2)}f}")
    return f"{'+' if value > 0 else ''}{rounded(value)}"


def size(value: float, unit: str) -> str:
    """A difference without a sign, with its unit.

    >>> size(0.0215, "share"), size(1.5, "seconds")
    ('2.15 points', '1.500 seconds')
    """
    return change(value, unit).removeprefix("+") if unit == "share" else f"{rounded(value)} {in_reader_language(unit)}"


def as_lift(value: float) -> str:
    """
    >>> as_lift(0.0512), as_lift(-0.1), as_lift(float("nan"))
    ('+5.1 %', '−10.0 %', '–')
    """
    return "–" if math.isnan(value) else with_minus(f"{100 * value:+.{decimals([100 * value], 1)}f} %")

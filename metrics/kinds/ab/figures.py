"""Figures of an A/B report: the answer, the difference over time, and new users by day."""

from typing import Any

from django.utils.dateformat import format as date_in_words
from django.utils.translation import gettext as _

from judging.text.library_words import in_reader_language
from metrics.figures.intervals import Intervals, Mark, around
from metrics.figures.times import Moment, daily, over_time, unfinished_day
from metrics.kinds.ab.results import ABResults, Day, Look
from metrics.kinds.ab.words import change, interval
from metrics.kinds.experiments.figures import MOMENT, MOST_FIGURES, caption, heads, name_of_pair, title_over_time
from metrics.logs.records import addresses_of_days
from metrics.sentences import percent


def answer(results: ABResults) -> Intervals | None:
    """The difference that each arm makes, by the metric that decides."""
    marks = [
        Mark(
            name_of_pair(line.effect.arm, line.effect.control), line.effect.difference, line.shown.low, line.shown.high,
            f"{change(line.effect.difference, unit)} [{interval(line.shown, unit)}]",
        )
        for line in results.deciding
        for unit in [line.definition.measured_in]
    ]  # fmt: skip
    unit = _("points") if results.deciding[0].definition.measured_in == "share" else ""
    title = _("Difference in %(metric)s, %(level)s intervals")
    return around(title % {"metric": results.metric, "level": percent(results.confidence, 1)}, marks, even=0.0, unit=unit)


def looks(results: ABResults) -> list[dict[str, Any]]:
    """One figure per arm over time; none for an arm with fewer than two looks."""
    every = [(arm, results.looks_of(arm)) for arm in results.others[:MOST_FIGURES]]
    return [
        look_figure(results, arm, arm_looks, f"looks-{place}")
        for place, (arm, arm_looks) in enumerate(every)
        if len(arm_looks) > 1
    ]


def look_figure(results: ABResults, arm: str, arm_looks: list[Look], key: str) -> dict[str, Any]:
    unit = arm_looks[0].line.definition.measured_in
    label, times = (_("points"), 100) if unit == "share" else (in_reader_language(unit), 1)
    moments = [moment(look, times, f"#{key}-{place}") for place, look in enumerate(arm_looks)]
    shown = _("The difference in %(metric)s, in %(unit)s, by all records until each moment.")
    return {
        "key": key,
        "title": title_over_time(arm, results.choice.control),
        "caption": f"{shown % {'metric': results.metric, 'unit': label}} {caption(results, results.confidence)}",
        "drawn": over_time(_("Difference, %(unit)s") % {"unit": label}, moments, always=results.choice.always),
        "heads": heads(_("Difference")),
        "rows": [
            (date_in_words(look.until, MOMENT), look.n, [point.value, *point.fixed, *point.always])
            for look, point in zip(arm_looks, moments, strict=True)
        ],
    }


def moment(look: Look, times: int, row: str) -> Moment:
    effect = look.line.effect
    low, high = look.line.cut(effect.low, effect.high)
    always_low, always_high = look.line.cut(effect.always_low, effect.always_high)
    ends = (times * low, times * high), (times * always_low, times * always_high)
    return Moment(look.until.isoformat(), times * effect.difference, *ends, row)


def users(results: ABResults) -> dict[str, Any] | None:
    """New users by day and arm; each day leads where `days_shown` says. None for fewer than two days."""
    if len(results.days) < 2:
        return None
    days, addresses = [day.day.isoformat() for day in results.days], [address for address, _ in days_shown(results)]
    arms = {arm: [day.new[place] for day in results.days] for place, arm in enumerate(results.arms)}
    unfinished = "" if results.has_ended else unfinished_day(days, results.report.as_of)
    return daily(days, arms, _("New users"), addresses, unfinished=unfinished)


def days_shown(results: ABResults) -> list[tuple[str, Day]]:
    """The days with where their searches are shown one by one, empty where the reader does not see these."""
    days = [day.day for day in results.days]
    site = results.experiment.site
    addresses = addresses_of_days(site, days) if results.sees_records else [""] * len(days)
    return list(zip(addresses, results.days, strict=True))

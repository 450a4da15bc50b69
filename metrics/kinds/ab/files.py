"""Files of an A/B test's report: what its reader may see, as they chose to look at it."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from ireval.io.plain import plain
from metrics.downloads import JSON, File, csv_of_rows, json_of
from metrics.kinds.ab.lines import Line
from metrics.kinds.ab.results import ABResults
from metrics.kinds.experiments.results import about


def effects_csv(results: ABResults) -> str:
    """One row per metric and arm, the deciding metric first, with the intervals of both methods."""
    if results.too_few:
        return csv_of_rows([])
    lines = [*results.deciding, *results.every]
    return csv_of_rows([{"decides": line in results.deciding, **line.numbers()} for line in lines])


def segments_csv(results: ABResults) -> str:
    if results.too_few:
        return csv_of_rows([])
    return csv_of_rows([
        {"attribute": attribute, "value": segment.value, **line.numbers()}
        for attribute, segments in results.segments.items() for segment in segments for line in segment.lines.values() if line
    ])  # fmt: skip


def looks_csv(results: ABResults) -> str:
    """One row per moment and arm, by the metric that decides."""
    looks = [] if results.too_few else results.looks
    return csv_of_rows([{"until": look.until.isoformat(), **look.line.numbers()} for look in looks])


def days_csv(results: ABResults) -> str:
    return csv_of_rows([] if results.too_few else days(results))


def days(results: ABResults) -> list[dict[str, Any]]:
    return [
        {"day": day.day.isoformat(), "arm": arm, "new_users": day.new[place], "searches": day.searches[place]}
        for day in results.days
        for place, arm in enumerate(results.arms)
    ]


def report_json(results: ABResults) -> str:
    return json_of(content(results))


def content(results: ABResults) -> dict[str, Any]:
    """All that the report says to its reader; null is what is unknown."""
    choice = {"looks": results.choice.looks, "adjust": results.choice.adjust, "control": results.choice.control}
    if results.too_few or results.nothing:
        return plain({**about(results), **choice, "too_few_users": not results.nothing})
    return plain({
        **about(results),
        **choice,
        "too_few_users": False,
        "n": {arm: results.users(arm) for arm in results.arms},
        "planned": results.experiment.planned,
        "alpha": results.experiment.alpha,
        "may_be_read": results.may_be_read,
        "sample_ratio": {"arms": [list(share) for share in results.shares], "chi2": results.ratio.chi2, "p": results.ratio.p,
                         "mismatch": results.ratio.mismatch},
        "crossed": {"users": results.crossed_shown, "too_many": results.is_crossed},
        "deciding": {"metric": results.metric, "confidence": results.confidence, "arms": numbers(results.deciding)},
        "metrics": numbers(results.every),
        "proportions": results.proportions,
        "segments": {
            attribute: [
                {"value": segment.value, "users": segment.users, "arms": numbers(list(filter(None, segment.lines.values())))}
                for segment in segments
            ]
            for attribute, segments in results.segments.items()
        },
        "looks": [{"until": look.until, **look.line.numbers()} for look in results.looks],
        "days": days(results),
    })  # fmt: skip


def numbers(lines: list[Line]) -> list[dict[str, Any]]:
    return [line.numbers() for line in lines]


FILES = {
    "effects.csv": File(effects_csv, label=_("Metrics and arms, CSV")),
    "segments.csv": File(segments_csv, label=_("Segments, CSV")),
    "looks.csv": File(looks_csv, label=_("Over time, CSV")),
    "days.csv": File(days_csv, label=_("Users by day, CSV")),
    "report.json": File(report_json, JSON, _("Everything, JSON")),
}

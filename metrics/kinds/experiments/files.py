"""Files of an experiment's report: what the reader may see, as they chose to look at it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from ireval.io.plain import plain
from judging.models import User
from metrics.downloads import CSV, table
from metrics.kinds.ab.effects import ABResults
from metrics.kinds.ab.lines import Line
from metrics.kinds.interleaving.duels import Duel, InterleavingResults
from metrics.models import Report

Query = Mapping[str, Any]
Write = Callable[[Report, User, Query], str]
JSON = "application/json"


def effects_csv(report: Report, user: User, query: Query) -> str:
    """One row per metric and arm, the deciding metric first, with the intervals of both methods."""
    results = ABResults(report, user, query)
    if results.too_few:
        return as_csv([])
    return as_csv([{"decides": line in results.deciding, **line.numbers()} for line in [*results.deciding, *results.every]])


def segments_csv(report: Report, user: User, query: Query) -> str:
    results = ABResults(report, user, query)
    if results.too_few:
        return as_csv([])
    return as_csv([
        {"attribute": attribute, "value": segment.value, **line.numbers()}
        for attribute, segments in results.segments.items() for segment in segments for line in segment.lines.values() if line
    ])  # fmt: skip


def looks_csv(report: Report, user: User, query: Query) -> str:
    """One row per moment and arm, by the metric that decides."""
    results = ABResults(report, user, query)
    return as_csv([] if results.too_few else [{"until": look.until.isoformat(), **look.line.numbers()} for look in results.looks])


def days_csv(report: Report, user: User, query: Query) -> str:
    results = ABResults(report, user, query)
    return as_csv([] if results.too_few else days(results))


def days(results: ABResults) -> list[dict[str, Any]]:
    return [
        {"day": day.day.isoformat(), "arm": arm, "new_users": day.new[place], "searches": day.searches[place]}
        for day in results.days
        for place, arm in enumerate(results.arms)
    ]


def pairs_csv(report: Report, user: User, query: Query) -> str:
    """One row per pair of arms, as seen from the first."""
    return as_csv([flat(duel.numbers()) for duel in shown_duels(InterleavingResults(report, user, query))])


def shown_duels(results: InterleavingResults) -> list[Duel]:
    return [] if results.nothing else results.duels


def flat(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """One level of columns: a mapping's values are named by its name and their own."""
    columns: dict[str, Any] = {}
    for name, value in numbers.items():
        columns |= (
            {f"{name}_{inner}": inner_value for inner, inner_value in value.items()} if isinstance(value, dict) else {name: value}
        )
    return columns


def pair_looks_csv(report: Report, user: User, query: Query) -> str:
    results = InterleavingResults(report, user, query)
    return as_csv([{"until": at.isoformat(), **flat(duel.numbers())} for at, duels in results.looks for duel in duels])


def queries_csv(report: Report, user: User, query: Query) -> str:
    results = InterleavingResults(report, user, query)
    return as_csv(queries(results) if shown_duels(results) else [])


def queries(results: InterleavingResults) -> list[dict[str, Any]]:
    """One row per query; the queries of few users are one row whose query and users are null."""
    return [
        {"query": None if query.users is None else query.query, "users": query.users, "impressions": query.impressions,
         "with_credit": query.credited,
         **{f"{arm}_won": won for arm, won in zip(results.arms, query.wins, strict=True)},
         **{f"{arm}_credit": credit for arm, credit in zip(results.arms, query.credit, strict=True)}}
        for query in results.queries
    ]  # fmt: skip


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The rows as CSV, with empty cells for what is unknown."""
    cells = plain(rows)
    return table(list(rows[0]) if rows else [], [list(row.values()) for row in cells])


def report_json(report: Report, user: User, query: Query) -> str:
    return json.dumps(content(report, user, query), cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def content(report: Report, user: User, query: Query) -> dict[str, Any]:
    """All that a report says to a reader, ready for JSON; null is what is unknown."""
    assert report.experiment
    experiment = report.experiment
    head = {
        "experiment": experiment.pk,
        "name": experiment.name,
        "site": experiment.site_id,
        "kind": report.kind,
        "as_of": report.as_of,
        "started": experiment.started,
        "stopped": experiment.stopped,
        "engine": report.engine_version,
        "bot_filter": report.spec["bots"]["version"],
    }
    results = results_for(report, user, query)
    return plain({**head, **(interleaving_content(results) if isinstance(results, InterleavingResults) else ab_content(results))})


def results_for(report: Report, user: User, query: Query) -> ABResults | InterleavingResults:
    """The results of a finished report, as far as this reader may see them."""
    return (InterleavingResults if report.kind == Report.Kind.INTERLEAVING else ABResults)(report, user, query)


def interleaving_content(results: InterleavingResults) -> dict[str, Any]:
    choice = {"looks": results.choice.looks, "control": results.choice.control, "counts": counts_of(results)}
    if not shown_duels(results):
        return {**choice, "too_few_users": not results.nothing}
    return {
        **choice,
        "too_few_users": False,
        "users": results.users,
        "planned": results.experiment.planned,
        "alpha": results.experiment.alpha,
        "may_be_read": results.may_be_read,
        "pairs": [duel.numbers() for duel in results.duels],
        "standings": [asdict(standing) for standing in results.standings],
        "looks": [{"until": at, "pairs": [duel.numbers() for duel in duels]} for at, duels in results.looks],
        "queries": queries(results),
    }


def counts_of(results: InterleavingResults) -> dict[str, int]:
    """The report's counts; readers do not get those of users, which would tell how few are hidden or did not click."""
    hidden = set() if results.sees_records else {"units", "bots"}
    return {name: number for name, number in results.counts.items() if name not in hidden}


def ab_content(results: ABResults) -> dict[str, Any]:
    choice = {"looks": results.choice.looks, "adjust": results.choice.adjust, "control": results.choice.control}
    if results.too_few or results.nothing:
        return {**choice, "too_few_users": not results.nothing}
    return {
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
    }  # fmt: skip


def numbers(lines: list[Line]) -> list[dict[str, Any]]:
    return [line.numbers() for line in lines]


class File(NamedTuple):
    label: Promise
    write: Write
    content_type: str = CSV


OF_ARMS = {
    "effects.csv": File(_("Metrics and arms, CSV"), effects_csv),
    "segments.csv": File(_("Segments, CSV"), segments_csv),
    "looks.csv": File(_("Over time, CSV"), looks_csv),
    "days.csv": File(_("Users by day, CSV"), days_csv),
    "report.json": File(_("Everything, JSON"), report_json, JSON),
}


OF_LISTS = {
    "pairs.csv": File(_("Pairs of arms, CSV"), pairs_csv),
    "queries.csv": File(_("Queries, CSV"), queries_csv),
    "looks.csv": File(_("Over time, CSV"), pair_looks_csv),
    "report.json": File(_("Everything, JSON"), report_json, JSON),
}


def files_of(report: Report) -> dict[str, File]:
    return OF_LISTS if report.kind == Report.Kind.INTERLEAVING else OF_ARMS


def labels_of(report: Report) -> list[tuple[str, str]]:
    return [(name, str(file.label)) for name, file in files_of(report).items()]


def filename(report: Report, kind: str) -> str:
    return f"{slugify(str(report.experiment)) or report.experiment_id}-{kind}"

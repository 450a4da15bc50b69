"""An experiment's report as files, with what the reader may see and as they chose."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any, NamedTuple

from django.core.serializers.json import DjangoJSONEncoder
from django.utils.text import slugify

from ireval.io.plain import plain
from judging.models import User
from metrics.downloads import table
from metrics.kinds.ab.effects import Found
from metrics.kinds.ab.lines import Line
from metrics.kinds.interleaving.duels import Duel, Lists
from metrics.models import Report

Given = Mapping[str, Any]
Write = Callable[[Report, User, Given], str]
CSV, JSON = "text/csv; charset=utf-8", "application/json"


def effects_csv(report: Report, user: User, given: Given) -> str:
    """One row per metric and arm, first the metric that decides; with both methods' intervals."""
    found = Found(report, user, given)
    if found.too_few:
        return as_csv([])
    return as_csv([{"decides": one in found.deciding, **one.numbers()} for one in [*found.deciding, *found.every]])


def segments_csv(report: Report, user: User, given: Given) -> str:
    found = Found(report, user, given)
    if found.too_few:
        return as_csv([])
    return as_csv([
        {"attribute": attribute, "value": one.value, **line.numbers()}
        for attribute, some in found.segments.items() for one in some for line in one.lines.values() if line
    ])  # fmt: skip


def looks_csv(report: Report, user: User, given: Given) -> str:
    """One row per moment and arm, by the metric that decides."""
    found = Found(report, user, given)
    return as_csv([] if found.too_few else [{"until": one.until.isoformat(), **one.line.numbers()} for one in found.looks])


def days_csv(report: Report, user: User, given: Given) -> str:
    found = Found(report, user, given)
    return as_csv([] if found.too_few else days(found))


def days(found: Found) -> list[dict[str, Any]]:
    return [
        {"day": one.day.isoformat(), "arm": arm, "new_users": one.new[place], "searches": one.searches[place]}
        for one in found.days
        for place, arm in enumerate(found.arms)
    ]


def pairs_csv(report: Report, user: User, given: Given) -> str:
    """One row per pair of arms, as seen from the first."""
    return as_csv([flat(one.numbers()) for one in shown(Lists(report, user, given))])


def shown(found: Lists) -> list[Duel]:
    return [] if found.nothing else found.duels


def flat(numbers: Mapping[str, Any]) -> dict[str, Any]:
    """What lies within something else by both names."""
    found: dict[str, Any] = {}
    for name, value in numbers.items():
        found |= {f"{name}_{inner}": one for inner, one in value.items()} if isinstance(value, dict) else {name: value}
    return found


def pair_looks_csv(report: Report, user: User, given: Given) -> str:
    found = Lists(report, user, given)
    return as_csv([{"until": at.isoformat(), **flat(one.numbers())} for at, duels in found.looks for one in duels])


def queries_csv(report: Report, user: User, given: Given) -> str:
    found = Lists(report, user, given)
    return as_csv(queries(found) if shown(found) else [])


def queries(found: Lists) -> list[dict[str, Any]]:
    """One row per query; without one what few users asked, taken together."""
    return [
        {"query": None if one.users is None else one.query, "users": one.users, "impressions": one.impressions,
         "with_credit": one.credited,
         **{f"{arm}_won": won for arm, won in zip(found.arms, one.wins, strict=True)},
         **{f"{arm}_credit": credit for arm, credit in zip(found.arms, one.credit, strict=True)}}
        for one in found.queries
    ]  # fmt: skip


def as_csv(rows: list[dict[str, Any]]) -> str:
    """Empty cells for what is unknown."""
    known = plain(rows)
    return table(list(rows[0]) if rows else [], [list(row.values()) for row in known])


def report_json(report: Report, user: User, given: Given) -> str:
    return json.dumps(content(report, user, given), cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def content(report: Report, user: User, given: Given) -> dict[str, Any]:
    """All that a report says to a reader, for programs; null is what is unknown."""
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
    found = found_in(report, user, given)
    return plain({**head, **(of_lists(found) if isinstance(found, Lists) else of_arms(found))})


def found_in(report: Report, user: User, given: Given) -> Found | Lists:
    """What a reader may see of a finished report."""
    return (Lists if report.kind == Report.Kind.INTERLEAVING else Found)(report, user, given)


def of_lists(found: Lists) -> dict[str, Any]:
    choice = {"looks": found.choice.looks, "control": found.choice.control, "counts": counts_of(found)}
    if not shown(found):
        return {**choice, "too_few_users": not found.nothing}
    return {
        **choice,
        "too_few_users": False,
        "users": found.users,
        "planned": found.experiment.planned,
        "alpha": found.experiment.alpha,
        "may_be_read": found.may_be_read,
        "pairs": [one.numbers() for one in found.duels],
        "standings": [asdict(one) for one in found.standings],
        "looks": [{"until": at, "pairs": [one.numbers() for one in duels]} for at, duels in found.looks],
        "queries": queries(found),
    }


def counts_of(found: Lists) -> dict[str, int]:
    """Of readers without how many users there were, which would tell how few are left out or did not click."""
    hidden = set() if found.sees_records else {"units", "bots"}
    return {name: number for name, number in found.counts.items() if name not in hidden}


def of_arms(found: Found) -> dict[str, Any]:
    choice = {"looks": found.choice.looks, "adjust": found.choice.adjust, "control": found.choice.control}
    if found.too_few or found.nothing:
        return {**choice, "too_few_users": not found.nothing}
    return {
        **choice,
        "too_few_users": False,
        "n": {arm: found.users(arm) for arm in found.arms},
        "planned": found.experiment.planned,
        "alpha": found.experiment.alpha,
        "may_be_read": found.may_be_read,
        "sample_ratio": {"arms": [list(one) for one in found.shares], "chi2": found.ratio.chi2, "p": found.ratio.p,
                         "mismatch": found.ratio.mismatch},
        "crossed": {"users": found.crossed_shown, "too_many": found.is_crossed},
        "deciding": {"metric": found.metric, "confidence": found.confidence, "arms": numbers(found.deciding)},
        "metrics": numbers(found.every),
        "proportions": found.proportions,
        "segments": {
            attribute: [
                {"value": one.value, "users": one.users, "arms": numbers([line for line in one.lines.values() if line])}
                for one in some
            ]
            for attribute, some in found.segments.items()
        },
        "looks": [{"until": one.until, **one.line.numbers()} for one in found.looks],
        "days": days(found),
    }  # fmt: skip


def numbers(lines: list[Line]) -> list[dict[str, Any]]:
    return [line.numbers() for line in lines]


class File(NamedTuple):
    label: str
    write: Write
    content_type: str = CSV


OF_ARMS = {
    "effects.csv": File("Metrics and arms, CSV", effects_csv),
    "segments.csv": File("Segments, CSV", segments_csv),
    "looks.csv": File("Over time, CSV", looks_csv),
    "days.csv": File("Users by day, CSV", days_csv),
    "report.json": File("Everything, JSON", report_json, JSON),
}


OF_LISTS = {
    "pairs.csv": File("Pairs of arms, CSV", pairs_csv),
    "queries.csv": File("Queries, CSV", queries_csv),
    "looks.csv": File("Over time, CSV", pair_looks_csv),
    "report.json": File("Everything, JSON", report_json, JSON),
}


def files_of(report: Report) -> dict[str, File]:
    return OF_LISTS if report.kind == Report.Kind.INTERLEAVING else OF_ARMS


def labels_of(report: Report) -> list[tuple[str, str]]:
    return [(name, file.label) for name, file in files_of(report).items()]


def filename(report: Report, kind: str) -> str:
    return f"{slugify(str(report.experiment)) or report.experiment_id}-{kind}"

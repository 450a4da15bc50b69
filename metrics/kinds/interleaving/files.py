"""Files of an interleaving report: what its reader may see, as they chose to look at it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext_lazy as _

from ireval.io.plain import plain
from metrics.downloads import JSON, File, csv_of_rows, json_of
from metrics.kinds.experiments.results import about
from metrics.kinds.interleaving.results import Duel, InterleavingResults


def pairs_csv(results: InterleavingResults) -> str:
    """One row per pair of arms, as seen from the first."""
    return csv_of_rows([flat(duel.numbers()) for duel in shown_duels(results)])


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


def looks_csv(results: InterleavingResults) -> str:
    return csv_of_rows([{"until": at.isoformat(), **flat(duel.numbers())} for at, duels in results.looks for duel in duels])


def queries_csv(results: InterleavingResults) -> str:
    return csv_of_rows(queries(results) if shown_duels(results) else [])


def queries(results: InterleavingResults) -> list[dict[str, Any]]:
    """One row per query; the queries of few users are one row whose query and users are null."""
    return [
        {"query": None if query.users is None else query.query, "users": query.users, "impressions": query.impressions,
         "with_credit": query.credited,
         **{f"{arm}_won": won for arm, won in zip(results.arms, query.wins, strict=True)},
         **{f"{arm}_credit": credit for arm, credit in zip(results.arms, query.credit, strict=True)}}
        for query in results.queries
    ]  # fmt: skip


def report_json(results: InterleavingResults) -> str:
    return json_of(content(results))


def content(results: InterleavingResults) -> dict[str, Any]:
    """All that the report says to its reader; null is what is unknown."""
    choice = {"looks": results.choice.looks, "control": results.choice.control, "counts": counts_of(results)}
    if not shown_duels(results):
        return plain({**about(results), **choice, "too_few_users": not results.nothing})
    return plain({
        **about(results),
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
    })  # fmt: skip


def counts_of(results: InterleavingResults) -> dict[str, int]:
    """The report's counts; readers do not get those of users, which would tell how few are hidden or did not click."""
    hidden = set() if results.sees_records else {"units", "bots"}
    return {name: number for name, number in results.counts.items() if name not in hidden}


FILES = {
    "pairs.csv": File(pairs_csv, label=_("Pairs of arms, CSV")),
    "queries.csv": File(queries_csv, label=_("Queries, CSV")),
    "looks.csv": File(looks_csv, label=_("Over time, CSV")),
    "report.json": File(report_json, JSON, _("Everything, JSON")),
}

"""Files of a click report, with what the user may see."""

from collections.abc import Sequence
from typing import Any

import polars as pl
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from ireval.io.plain import plain
from ireval.significance import Decision
from metrics.downloads import JSON, File, json_of, table
from metrics.kinds.clicks.results import ClickResults
from metrics.models import Report


def ranks_csv(results: ClickResults) -> str:
    return as_csv(results.ranks)


def days_csv(results: ClickResults) -> str:
    return as_csv(results.days)


def models_csv(results: ClickResults) -> str:
    """One row per model: perplexity, log likelihood, and its gain over the baseline as it was decided."""
    rows = [{**row, **gain_columns(row["decision"])} for row in results.held_out]
    return as_csv([{name: value for name, value in row.items() if name not in {"gain", "decision", "by_rank"}} for row in rows])


def gain_columns(decision: Decision | None) -> dict[str, float | None]:
    return {f"gain {name}": decision and plain(getattr(decision, name)) for name in ("value", "low", "high", "p")}


def rules_csv(results: ClickResults) -> str:
    """One row per rule: how often it is right by workers' grades, and how often if clicks depended on ranks alone."""
    return as_csv([rule_row(rule) for rule in results.rules])


def rule_row(rule: dict[str, Any]) -> dict[str, Any]:
    row = {name: rule[name] for name in ("rule", "title", "pairs", "impressions")}
    if "workers" in rule:
        judged, right, blind = rule["workers"], rule["workers"]["right"], rule["blind"]["right"]
        row |= {"judged pairs": judged["pairs"], "right": right["value"], "low": right["low"], "high": right["high"]}
        row |= {"coverage": judged["coverage"], "right by chance": blind["value"]}
    return row


def queries_csv(results: ClickResults) -> str:
    others = [{**results.others, "query": "(others)"}] if results.others else []
    names = ("query", "users", "impressions", "clicked", "abandoned", "clicks", "documents")
    return as_csv([{name: row.get(name) for name in names} for row in [*results.queries, *others]])


def documents_csv(results: ClickResults) -> str:
    rows = results.every_document().drop("hidden").sort("query", "shown", "document", descending=[False, True, False])
    return table(rows.columns, list(map(list, rows.iter_rows())))


def clicks_json(results: ClickResults) -> str:
    whole = {**facts(results.report), **summary(results), "documents": results.every_document().drop("hidden").to_dicts()}
    return json_of(whole)


def facts(report: Report) -> dict[str, Any]:
    return {"site": report.subject.name, "as_of": report.as_of, "engine": report.engine_version, "spec": public_spec(report)}


def public_spec(report: Report) -> dict[str, Any]:
    """The spec without the list of browsers that are taken for programs."""
    return {**report.spec, "bots": {name: value for name, value in report.spec["bots"].items() if name != "agents"}}


def summary(results: ClickResults) -> dict[str, Any]:
    """The report without its documents; readers do not get what fewer than K users did."""
    if results.nothing or results.too_few:
        return {"counts": results.result["counts"] if results.sees_records else None, "too_few_users": results.too_few}
    names = ("impressions", "users", "sessions", "clicks", "elsewhere", "median_seconds", "held_out_impressions")
    return {
        "too_few_users": False,
        **{name: results.result[name] for name in names},
        "counts": results.result["counts"] if results.sees_records else None,
        "days": results.days,
        "ranks": results.ranks,
        "rates": results.result["rates"],
        "models": results.result["models"],
        "held_out": plain([{**row, "by_rank": row["by_rank"][: len(results.ranks)]} for row in results.held_out]),
        "rules": results.rules,
        "queries": results.queries,
        "other_queries": results.others,
    }


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return table(frame.columns, list(map(list, frame.iter_rows())))


FILES = {
    "days.csv": File(days_csv, label=_("Days, CSV")),
    "ranks.csv": File(ranks_csv, label=_("Ranks, CSV")),
    "models.csv": File(models_csv, label=_("Click models, CSV")),
    "rules.csv": File(rules_csv, label=_("Preferences, CSV")),
    "queries.csv": File(queries_csv, label=_("Queries, CSV")),
    "documents.csv": File(documents_csv, label=_("Documents, CSV")),
    "clicks.json": File(clicks_json, JSON, _("Everything, JSON")),
}


def filename(report: Report, kind: str) -> str:
    return f"{slugify(report.subject.name) or report.site_id}-{kind}"

"""A click report as files, with what the user may see."""

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import polars as pl
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.text import slugify

from metrics.downloads import table
from metrics.kinds.clicks.results import Found
from metrics.models import Report


def ranks_csv(found: Found) -> str:
    return as_csv(found.ranks)


def models_csv(found: Found) -> str:
    """One row per model: perplexity, log likelihood, and what it gains over the baseline."""
    rows = [{**one, **{f"gain {name}": one["gain"][name] for name in ("value", "low", "high")}} for one in found.held_out]
    return as_csv([{name: value for name, value in row.items() if name not in {"gain", "by_rank"}} for row in rows])


def rules_csv(found: Found) -> str:
    """One row per rule, with how often it is right by workers' grades, and how often with people who see only ranks."""
    return as_csv([rule_row(one) for one in found.rules])


def rule_row(rule: dict[str, Any]) -> dict[str, Any]:
    row = {name: rule[name] for name in ("rule", "title", "pairs", "said")}
    if "workers" in rule:
        told, right, blind = rule["workers"], rule["workers"]["right"], rule["blind"]["right"]
        row |= {"judged pairs": told["pairs"], "right": right["value"], "low": right["low"], "high": right["high"]}
        row |= {"coverage": told["coverage"], "right by chance": blind["value"]}
    return row


def queries_csv(found: Found) -> str:
    others = [{**found.others, "query": "(others)"}] if found.others else []
    names = ("query", "users", "impressions", "clicked", "abandoned", "clicks", "documents")
    return as_csv([{name: row.get(name) for name in names} for row in [*found.queries, *others]])


def documents_csv(found: Found) -> str:
    rows = found.every_document().drop("hidden").sort("query", "shown", "document", descending=[False, True, False])
    return table(rows.columns, list(map(list, rows.iter_rows())))


def clicks_json(found: Found) -> str:
    whole = {**facts(found.report), **summary(found), "documents": found.every_document().drop("hidden").to_dicts()}
    return json.dumps(whole, cls=DjangoJSONEncoder, ensure_ascii=False, indent=1)


def facts(report: Report) -> dict[str, Any]:
    return {"site": report.subject.name, "as_of": report.as_of, "engine": report.engine_version, "spec": asked_of(report)}


def asked_of(report: Report) -> dict[str, Any]:
    """The spec, but for the list of browsers that are taken for programs."""
    return {**report.spec, "bots": {name: value for name, value in report.spec["bots"].items() if name != "agents"}}


def summary(found: Found) -> dict[str, Any]:
    """All but documents; what is of fewer than ten users only for who may see that."""
    if found.nothing or found.too_few:
        return {"counts": found.result["counts"] if found.owns else None, "too_few_users": found.too_few}
    names = ("impressions", "users", "sessions", "clicks", "elsewhere", "median_seconds", "held_out_impressions")
    return {
        "too_few_users": False,
        **{name: found.result[name] for name in names},
        "counts": found.result["counts"] if found.owns else None,
        "ranks": found.ranks,
        "rates": list(found.rates.values()),
        "models": found.result["models"],
        "held_out": [{**one, "by_rank": one["by_rank"][: len(found.ranks)]} for one in found.held_out],
        "rules": found.rules,
        "queries": found.queries,
        "other_queries": found.others,
    }


def as_csv(rows: Sequence[dict[str, Any]]) -> str:
    frame = pl.DataFrame(rows, infer_schema_length=None)
    return table(frame.columns, list(map(list, frame.iter_rows())))


class File(NamedTuple):
    label: str
    write: Callable[[Found], str]
    content_type: str = "text/csv; charset=utf-8"


FILES = {
    "ranks.csv": File("Ranks, CSV", ranks_csv),
    "models.csv": File("Click models, CSV", models_csv),
    "rules.csv": File("Preferences, CSV", rules_csv),
    "queries.csv": File("Queries, CSV", queries_csv),
    "documents.csv": File("Documents, CSV", documents_csv),
    "clicks.json": File("Everything, JSON", clicks_json, "application/json"),
}


def filename(report: Report, kind: str) -> str:
    return f"{slugify(report.subject.name) or report.site_id}-{kind}"

"""Results of a click report as a user may see them: the site's owner all, readers what K users or more did."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import QuerySet

from ireval.clicks import foresight
from ireval.io.plain import from_plain
from ireval.significance import Clustered
from judging.access import collections_for, qrels_for, sees_records
from judging.logs import privacy
from judging.models import Collection, Qrels, Topic, User
from metrics.kinds.clicks.impressions import DAY, squeezed
from metrics.kinds.clicks.numbers import COUNTED, MOST_QUERIES, part_of
from metrics.kinds.clicks.parts import table_name
from metrics.kinds.clicks.query_grades import grades_by_query, topics_by_query
from metrics.models import Report, Table
from metrics.stored_tables import from_parquet

# The rates that are shares of impressions; the others are means.
SHARES = ("ctr@10", "abandonment")

# Columns by which queries are sorted.
SORTED_BY = ("query", "users", *COUNTED)

DOCUMENTS = {
    "query": pl.String,
    "document": pl.String,
    "shown": pl.UInt32,
    "users": pl.UInt32,
    "hidden": pl.Boolean,
}


class ClickResults:
    """A finished click report as one user may see it; `result` has all numbers, seen or not."""

    def __init__(self, report: Report, user: User):
        self.report, self.user, self.site = report, user, report.subject
        self.result: Mapping[str, Any] = report.result or {}
        self.sees_records = sees_records(user, self.site)

    @cached_property
    def collection(self) -> Collection | None:
        """The collection that the site searches, if the user may read it."""
        return collections_for(self.user).filter(pk=self.site.collection_id).first() if self.site.collection_id else None

    @property
    def nothing(self) -> bool:
        return not self.result["impressions"]

    def may_be_shown(self, users: int) -> bool:
        return privacy.may_be_shown(users, sees_records=self.sees_records)

    @property
    def too_few(self) -> bool:
        return not self.may_be_shown(self.result.get("users", 0))

    @cached_property
    def ranks(self) -> list[dict[str, Any]]:
        """One row per rank from the top, as far down as K users came."""
        return [row for row in self.result["ranks"] if self.may_be_shown(row["users"])]

    @cached_property
    def days(self) -> list[dict[str, Any]]:
        """One row per day with a search: `day`, and DAY as counts; no counts where fewer than K searched."""
        days = self.result.get("days", [])  # reports of earlier versions have none
        seen = {row["day"]: row if self.may_be_shown(row["units"]) else dict.fromkeys(DAY) for row in days}
        return [{"day": day, **{name: row[name] for name in DAY}} for day, row in seen.items()]

    @cached_property
    def rates(self) -> dict[str, dict[str, Any]]:
        """The rates by their names; `is_share` says of each whether it is a share of impressions."""
        return {rate["name"]: {**rate, "is_share": rate["name"] in SHARES} for rate in self.result["rates"]}

    @property
    def held_out(self) -> list[dict[str, Any]]:
        """One row per model with how well it predicts held-out clicks, the best first and the baseline last.

        `decision` says whether it does better than the baseline, which has none.
        """
        baseline, *models = self.result["held_out"] or [None]
        if not baseline:
            return []
        decided = foresight([Clustered(**from_plain(model["gain"])) for model in models])
        rows = [{**model, "decision": decision} for model, decision in zip(models, decided, strict=True)]
        return [*sorted(rows, key=lambda row: -row["gain"]["value"]), {**baseline, "decision": None}]

    @cached_property
    def model_notes(self) -> dict[str, str]:
        return {model["name"]: model["note"] for model in self.result["models"] if model["note"]}

    @cached_property
    def queries(self) -> list[dict[str, Any]]:
        """One row per query, the commonest that the user may see, with shares of impressions."""
        return [with_shares(row) for row in self.result["by_query"] if self.sees_records or not row["hidden"]]

    def queries_with(self, text: str, order: str) -> list[dict[str, Any]]:
        """The queries that hold a text, sorted by a column, falling after a minus; else the commonest first."""
        wanted, name = squeezed_text(text), order.removeprefix("-")
        rows = [row for row in self.queries if wanted in row["query"]]
        return sorted(rows, key=lambda row: row[name], reverse=order.startswith("-")) if name in SORTED_BY else rows

    @property
    def others(self) -> dict[str, Any] | None:
        """The queries that this reader does not see, as one row; None for the owner."""
        hidden = self.result["hidden"]
        return with_shares(hidden) if not self.sees_records and hidden["queries"] else None

    @property
    def unlisted(self) -> int:
        """The number of queries that are too rare to be listed."""
        return max(0, self.result["queries"] - MOST_QUERIES)

    @cached_property
    def workers(self) -> Qrels | None:
        """The qrels that the rules were compared with, if the user may read them."""
        return qrels_for(self.user).filter(pk=self.report.spec["qrels"]).first()

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        return list(self.result["rules"]) if self.workers else [without_workers(rule) for rule in self.result["rules"]]

    @property
    def compared(self) -> bool:
        """Whether a rule orders any two documents that workers have judged."""
        return any(rule.get("workers", {}).get("pairs") for rule in self.rules)

    def query(self, text: str) -> dict[str, Any] | None:
        """A query's row, or its text alone if it is not listed; None if nobody asked it, or too few for this user."""
        wanted = squeezed_text(text)
        listed = next((row for row in self.queries if row["query"] == wanted), None)
        if listed or self.documents(wanted).is_empty():
            return listed
        return {"query": wanted}

    def documents(self, query: str) -> pl.DataFrame:
        """One row per document shown for a query, the most shown first.

        Only the site's owner sees documents that fewer than K users saw.
        """
        wanted = squeezed_text(query)
        kept = self.report.tables.filter(name=table_name(part_of(wanted, self.report.spec["parts"])))
        return self.visible(rows_of(kept).filter(pl.col("query") == wanted))

    def every_document(self) -> pl.DataFrame:
        return self.visible(rows_of(self.report.tables.all()))

    def visible(self, documents: pl.DataFrame) -> pl.DataFrame:
        return documents if self.sees_records else documents.filter(~pl.col("hidden") & (pl.col("users") >= privacy.K))

    def grades(self, query: str) -> dict[str, int]:
        """Workers' grades for a query, by docno; empty if the user may not read the qrels."""
        if self.workers is None:
            return {}
        grades = grades_by_query(self.workers).frame.filter(pl.col("query") == squeezed_text(query))
        return dict(grades.select("document", "grade").iter_rows())

    def topic(self, query: str) -> Topic | None:
        """The topic whose title is the query; None if there is none, or if the user may not read the collection."""
        if self.collection is None:
            return None
        titles = topics_by_query(self.collection).frame.filter(pl.col("query") == squeezed_text(query))
        return Topic.objects.get(collection=self.collection, number=titles["topic"][0]) if len(titles) else None


def rows_of(tables: QuerySet[Table]) -> pl.DataFrame:
    frames = [from_parquet(content) for content in tables.values_list("content", flat=True)]
    return pl.concat(frames or [pl.DataFrame(schema=DOCUMENTS)])


def squeezed_text(text: str) -> str:
    return pl.select(squeezed(pl.lit(text, pl.String))).item()


def with_shares(row: Mapping[str, Any]) -> dict[str, Any]:
    """The row with clicked, abandoned and clicks as shares of its impressions."""
    return {**row, **{name: row[name] / row["impressions"] for name in COUNTED[1:]}}


def without_workers(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if name not in {"workers", "blind"}}

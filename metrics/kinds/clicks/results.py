"""What a click report says to a user: to the site's owner everything, to readers what ten users or more did."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import polars as pl
from django.db.models import QuerySet

from judging.access import collections_for, qrels_for, sees_records
from judging.logs.privacy import K
from judging.models import Collection, Qrels, Topic, User
from metrics.kinds.clicks.impressions import squeezed
from metrics.kinds.clicks.judged import grades_by_query, topics_by_query
from metrics.kinds.clicks.numbers import COUNTED, MOST_QUERIES, part_of
from metrics.kinds.clicks.parts import table_name
from metrics.models import Report, Table
from metrics.stored_tables import from_parquet

DOCUMENTS = {
    "query": pl.String,
    "document": pl.String,
    "shown": pl.UInt32,
    "users": pl.UInt32,
    "hidden": pl.Boolean,
}


class Found:
    """The numbers of a finished report that the user may see. `result` has them all."""

    def __init__(self, report: Report, user: User):
        self.report, self.user, self.site = report, user, report.subject
        self.result: Mapping[str, Any] = report.result or {}
        self.owns = sees_records(user, self.site)

    @cached_property
    def collection(self) -> Collection | None:
        """What the site searches, if the user may read it."""
        return collections_for(self.user).filter(pk=self.site.collection_id).first() if self.site.collection_id else None

    @property
    def nothing(self) -> bool:
        return not self.result["impressions"]

    @property
    def too_few(self) -> bool:
        return not self.owns and self.result["users"] < K

    @cached_property
    def ranks(self) -> list[dict[str, Any]]:
        """From the top down, as far as enough users came."""
        return [one for one in self.result["ranks"] if self.owns or one["users"] >= K]

    @cached_property
    def rates(self) -> dict[str, dict[str, Any]]:
        return {one["name"]: one for one in self.result["rates"]}

    @property
    def held_out(self) -> list[dict[str, Any]]:
        """The models that foresee clicks, the best one first; the baseline last."""
        baseline, *models = self.result["held_out"] or [None]
        return [*sorted(models, key=lambda one: -one["gain"]["value"]), baseline] if baseline else []

    @cached_property
    def model_notes(self) -> dict[str, str]:
        return {one["name"]: one["note"] for one in self.result["models"] if one["note"]}

    @cached_property
    def queries(self) -> list[dict[str, Any]]:
        """The commonest ones that may be seen, with shares."""
        return [with_shares(one) for one in self.result["by_query"] if self.owns or not one["hidden"]]

    @property
    def others(self) -> dict[str, Any] | None:
        """Queries that readers do not see, as one."""
        hidden = self.result["hidden"]
        return with_shares(hidden) if not self.owns and hidden["queries"] else None

    @property
    def unlisted(self) -> int:
        """How many queries are too rare to be listed."""
        return max(0, self.result["queries"] - MOST_QUERIES)

    @cached_property
    def workers(self) -> Qrels | None:
        """Whose grades the rules were held against, if the user may read them."""
        return qrels_for(self.user).filter(pk=self.report.spec["qrels"]).first()

    @cached_property
    def rules(self) -> list[dict[str, Any]]:
        return list(self.result["rules"]) if self.workers else [without_workers(one) for one in self.result["rules"]]

    @property
    def compared(self) -> bool:
        """Whether a rule orders any two documents that workers have judged."""
        return any(one.get("workers", {}).get("pairs") for one in self.rules)

    def query(self, text: str) -> dict[str, Any] | None:
        """A query, listed or not; None where nobody asked it, or too few for this user."""
        wanted = squeezed_text(text)
        listed = next((one for one in self.queries if one["query"] == wanted), None)
        if listed or self.documents(wanted).is_empty():
            return listed
        return {"query": wanted}

    def documents(self, query: str) -> pl.DataFrame:
        """What was shown for a query, the most shown first; without what fewer than K users saw unless they may see it."""
        wanted = squeezed_text(query)
        kept = self.report.tables.filter(name=table_name(part_of(wanted, self.report.spec["parts"])))
        return self.seen(rows_of(kept).filter(pl.col("query") == wanted))

    def every_document(self) -> pl.DataFrame:
        return self.seen(rows_of(self.report.tables.all()))

    def seen(self, documents: pl.DataFrame) -> pl.DataFrame:
        return documents if self.owns else documents.filter(~pl.col("hidden") & (pl.col("users") >= K))

    def grades(self, query: str) -> dict[str, int]:
        """What workers say of documents for a query, by their ids."""
        if self.workers is None:
            return {}
        found = grades_by_query(self.workers).frame.filter(pl.col("query") == squeezed_text(query))
        return dict(found.select("document", "grade").iter_rows())

    def topic(self, query: str) -> Topic | None:
        """The topic that a query is, by its title."""
        if self.collection is None:
            return None
        titles = topics_by_query(self.collection).frame.filter(pl.col("query") == squeezed_text(query))
        return Topic.objects.get(collection=self.collection, number=titles["topic"][0]) if len(titles) else None


def rows_of(tables: QuerySet[Table]) -> pl.DataFrame:
    frames = [from_parquet(content) for content in tables.values_list("content", flat=True)]
    return pl.concat(frames or [pl.DataFrame(schema=DOCUMENTS)])


def squeezed_text(text: str) -> str:
    return pl.select(squeezed(pl.lit(text, pl.String))).item()


def with_shares(one: Mapping[str, Any]) -> dict[str, Any]:
    """Of impressions: those with a click on what was shown, those without any; clicks each."""
    return {**one, **{name: one[name] / one["impressions"] for name in COUNTED[1:]}}


def without_workers(rule: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in rule.items() if name not in {"workers", "blind"}}

"""What workers say of a site's queries: a query is a topic whose title it equals, in small letters and with single blanks."""

from typing import NamedTuple

import polars as pl
from django.db.models import QuerySet

from ireval.clicks.implicit import MOST_GRADES
from judging.access import qrels_for
from judging.collections.storage import qrels_frame
from judging.models import Collection, Qrels, Site, Topic
from metrics.kinds.clicks.impressions import squeezed


class Judged(NamedTuple):
    """`frame` has query, document, grade; `ambiguous` titles are those of several topics, whose grades are left out."""

    frame: pl.DataFrame
    ambiguous: int


class Topics(NamedTuple):
    """`frame` has query and topic (its number), each query once."""

    frame: pl.DataFrame
    ambiguous: int


def workers_qrels(site: Site) -> QuerySet[Qrels]:
    """Qrels of the site's collection that its owner may read and that stand for what people say: none of clicks, none of machine
    judges; the newest first."""
    if site.collection_id is None:
        return Qrels.objects.none()
    found = qrels_for(site.owner).filter(collection=site.collection_id)
    return found.filter(recipe__machine__isnull=True, recipe__site__isnull=True).order_by("-pk").distinct()


def topics_by_query(collection: Collection) -> Topics:
    titles = pl.DataFrame(
        list(Topic.objects.filter(collection=collection).values_list("title", "number")),
        schema={"query": pl.String, "topic": pl.String},
        orient="row",
    ).with_columns(squeezed(pl.col("query")))
    titles = titles.filter(pl.col("query") != "")
    alone = titles.filter(pl.col("query").is_unique())
    return Topics(alone, titles.filter(~pl.col("query").is_unique())["query"].n_unique())


def grades_by_query(qrels: Qrels) -> Judged:
    """The best grade of each document, of what its subtopics say; what is worse than not relevant is not relevant."""
    topics = topics_by_query(qrels.collection)
    found = qrels_frame(qrels).rename({"docno": "document"}).join(topics.frame, on="topic")
    grades = found.group_by("query", "document").agg(pl.col("grade").max().clip(0, MOST_GRADES).cast(pl.Int64))
    return Judged(grades.sort("query", "document"), topics.ambiguous)

"""Workers' grades for a site's queries.

A query is the topic whose title it equals, in small letters and with single blanks.
"""

from typing import NamedTuple

import polars as pl
from django.db.models import QuerySet

from ireval.clicks.implicit_labels import MOST_GRADES
from judging.access import qrels_for
from judging.collections.storage import qrels_frame
from judging.models import Collection, Qrels, Site, Topic
from metrics.kinds.clicks.impressions import squeezed


class QueryGrades(NamedTuple):
    """Grades by query: `frame` has query, document, grade.

    `ambiguous` counts the titles that several topics share, whose grades are left out.
    """

    frame: pl.DataFrame
    ambiguous: int


class QueryTopics(NamedTuple):
    """Topics by query: `frame` has query and topic (its number), each query once; `ambiguous` counts titles left out."""

    frame: pl.DataFrame
    ambiguous: int


def workers_qrels(site: Site) -> QuerySet[Qrels]:
    """Workers' qrels of the site's collection that its owner may read, the newest first.

    Qrels made of clicks or by machine judges are not among them.
    """
    if site.collection_id is None:
        return Qrels.objects.none()
    qrels = qrels_for(site.owner).filter(collection=site.collection_id)
    return qrels.filter(recipe__machine__isnull=True, recipe__site__isnull=True).order_by("-pk").distinct()


def topics_by_query(collection: Collection) -> QueryTopics:
    """The topics whose titles are queries; titles of several topics are left out."""
    titles = pl.DataFrame(
        list(Topic.objects.filter(collection=collection).values_list("title", "number")),
        schema={"query": pl.String, "topic": pl.String},
        orient="row",
    ).with_columns(squeezed(pl.col("query")))
    titles = titles.filter(pl.col("query") != "")
    alone = titles.filter(pl.col("query").is_unique())
    return QueryTopics(alone, titles.filter(~pl.col("query").is_unique())["query"].n_unique())


def grades_by_query(qrels: Qrels) -> QueryGrades:
    """Each document's highest grade over subtopics, from 0 (also for negative grades) to MOST_GRADES."""
    topics = topics_by_query(qrels.collection)
    rows = qrels_frame(qrels).rename({"docno": "document"}).join(topics.frame, on="topic")
    grades = rows.group_by("query", "document").agg(pl.col("grade").max().clip(0, MOST_GRADES).cast(pl.Int64))
    return QueryGrades(grades.sort("query", "document"), topics.ambiguous)

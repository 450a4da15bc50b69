"""Grades from a site's clicks for the topics of its collection, calibrated on workers' grades, and how far to trust them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from django.utils.translation import gettext as _

from ireval.clicks import MODELS, ImplicitLabels, implicit_labels
from ireval.clicks.grade_agreement import LabelAgreement
from ireval.clicks.implicit_labels import LEAST_DOCUMENTS, LEAST_EXPECTED, LEAST_QUERIES, LEAST_VIEWS
from ireval.translatable import Phrase
from judging.access import qrels_for
from judging.collections.storage import known_docnos
from judging.logs.privacy import K
from judging.models import Document, Qrels
from metrics.kinds.clicks.numbers import FITTED
from metrics.kinds.clicks.query_grades import QueryTopics, grades_by_query, topics_by_query, workers_qrels
from metrics.kinds.clicks.results import ClickResults
from metrics.sentences import decimal, in_brackets

COEC = "coec"
SOURCES = {**{name: MODELS[name].title for name in FITTED}, COEC: "clicks over expected clicks"}
DEFAULT = "position-based"
MOST_SUPPORT = 1_000_000


@dataclass(frozen=True)
class LabelChoice:
    """How grades are made: from which estimates, calibrated on which qrels, with at least how much support."""

    source: str
    qrels: Qrels
    least: float

    @property
    def title(self) -> str:
        return SOURCES[self.source]


def choices(results: ClickResults) -> list[Qrels]:
    """The qrels that the user may calibrate on, the newest first."""
    return list(workers_qrels(results.site).filter(pk__in=qrels_for(results.user).values("pk")))


def label_choice(results: ClickResults, query: Any) -> LabelChoice | None:
    """The choice that an address or a form names, completed by the usual one; None without qrels to calibrate on."""
    every = choices(results)
    if not every:
        return None
    source = query.get("model") if query.get("model") in SOURCES else DEFAULT
    qrels = next((qrels for qrels in every if str(qrels.pk) == query.get("workers")), every[0])
    return LabelChoice(source, qrels, support_in(query.get("support", ""), source))


def support_in(text: str, source: str) -> float:
    usual = LEAST_EXPECTED if source == COEC else LEAST_VIEWS
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return usual
    return number if 0 <= number <= MOST_SUPPORT else usual


@dataclass(frozen=True, eq=False)
class Labels:
    """Grades made from clicks, and what was left out.

    `implicit` are the engine's labels of the queries that are topics. `frame` has one row per topic and docno with a grade:
    topic, docno, grade, confidence, p0, p1…, estimate, low, high, support. `searched_topics` counts the topics searched for,
    `unknown` the documents outside the collection. `few` counts the documents shown to fewer than K users, which qrels must not
    give away.
    """

    choice: LabelChoice
    topics: QueryTopics
    implicit: ImplicitLabels
    searched_topics: int
    few: int
    unknown: int
    frame: pl.DataFrame

    @property
    def can_be_kept(self) -> bool:
        return not self.frame.is_empty()

    @cached_property
    def agreement(self) -> dict[str, LabelAgreement]:
        return {coefficient.name: coefficient for coefficient in self.implicit.agreement}

    @property
    def size(self) -> int:
        return self.frame.height

    @property
    def topic_count(self) -> int:
        return self.frame["topic"].n_unique()

    @property
    def is_worth_having(self) -> bool:
        """Whether clicks surely order more pairs as workers do than the mean rank alone does."""
        pairs = self.agreement.get("pairs")
        return pairs is not None and pairs.gain.low > 0

    @property
    def lacking(self) -> str:
        """What a calibration would need, in words."""
        text = _(
            "Needed are at least %(documents)s documents of %(queries)s queries, judged by workers and with enough support "
            "from clicks. Among them must be more than one grade."
        )
        return text % {"documents": LEAST_DOCUMENTS, "queries": LEAST_QUERIES}

    @cached_property
    def counts(self) -> list[tuple[int, int]]:
        """Pairs of (grade, number of documents that get it), the best grade first."""
        return list(self.frame.group_by("grade").len().sort("grade", descending=True).iter_rows())


def labels_of(results: ClickResults, choice: LabelChoice) -> Labels:
    assert results.collection
    topics = topics_by_query(results.collection)
    rows = results.every_document().join(topics.frame, on="query")
    evidence = rows.filter(pl.col("users") >= K).select(
        "query",
        "document",
        "rank",
        "clicked",
        *(pl.col(name).alias(column) for column, name in columns_of(choice.source).items()),
    )
    judged = grades_by_query(choice.qrels).frame
    facts = evidence.with_columns(pl.col("clicked") > 0)
    labels = implicit_labels(evidence, judged, facts, least_support=choice.least, confidence=results.report.spec["confidence"])
    graded = with_chances(labels).join(topics.frame, on="query").rename({"document": "docno"})
    stored = pl.Series("docno", documents_in_collection(results, graded["docno"]), dtype=pl.String)
    kept = graded.filter(pl.col("docno").is_in(stored.implode())).drop("query").sort("topic", "docno")
    first = [name for name in ("topic", "docno", "grade", "confidence") if name in kept.columns]
    return Labels(
        choice=choice,
        topics=topics,
        implicit=labels,
        searched_topics=rows["query"].n_unique(),
        few=len(rows) - len(evidence),
        unknown=len(graded) - len(kept),
        frame=kept.select(*first, pl.exclude(first)),
    )


def columns_of(source: str) -> dict[str, str]:
    name = "shrunk" if source == COEC else source
    support = "expected" if source == COEC else f"{name} support"
    return {"estimate": name, "low": f"{name} low", "high": f"{name} high", "support": support}


def with_chances(labels: ImplicitLabels) -> pl.DataFrame:
    """One row per document that gets a grade, with the chance of each grade (p0, p1…) and of its own (confidence)."""
    table = labels.table.select("query", "document", "grade", "estimate", "low", "high", "support")
    if labels.calibration is None:
        return table.clear()
    least = labels.calibration.chances(table["estimate"].to_numpy())
    ends = np.column_stack([np.ones(len(table)), least, np.zeros(len(table))])
    chances = np.clip(-np.diff(ends, axis=1), 0, 1) + 0.0  # and no −0
    grade = table["grade"].to_numpy()
    columns = {f"p{grade}": chances[:, grade] for grade in range(chances.shape[1])}
    return table.with_columns(
        pl.col("grade").cast(pl.Int32),
        confidence=pl.Series(chances[np.arange(len(table)), grade]),
        **{name: pl.Series(chance) for name, chance in columns.items()},
    )


def documents_in_collection(results: ClickResults, docnos: pl.Series) -> pl.Series:
    """The docnos that the collection has; all of them if it stores no documents."""
    assert results.collection
    every = docnos.unique()
    if not Document.objects.filter(collection=results.collection).exists():
        return every
    return known_docnos(results.collection, every)


def name_of(results: ClickResults, choice: LabelChoice) -> str:
    return f"clicks of {results.site.name[:70]}, {choice.title}"


def recipe_of(results: ClickResults, labels: Labels) -> dict[str, Any]:
    """How the grades came to be, in words and numbers that a page shows as they are."""
    report, choice, implicit = results.report, labels.choice, labels.implicit
    recipe: dict[str, Any] = {
        "method": f"clicks, {choice.title}",
        "site": results.site.name,
        "records until": f"{report.as_of:%Y-%m-%d %H:%M:%S} UTC",
        "impressions": results.result["impressions"],
        "users": results.result["users"],
        "filter of programs": f"version {report.spec['bots']['version']}",
        "calibrated on": f"{choice.qrels}: {implicit.documents} documents of {implicit.queries} queries",
        "least support": choice.least,
        "with too little support": implicit.left_out,
        f"shown to fewer than {K} users": labels.few,
        "not in the collection": labels.unknown,
        "ambiguous titles": labels.topics.ambiguous,
        "engine": report.engine_version,
    }
    for name, coefficient in labels.agreement.items():
        recipe[f"{coefficient.title}"] = in_words(coefficient) + (" (held out)" if name == "kappa" else "")
    return recipe


def in_words(coefficient: LabelAgreement) -> str:
    """
    >>> from ireval.significance import Clustered
    >>> sure = Clustered(0.5, 0.4, 0.6, 0.05, 0.01, 9)
    >>> in_words(LabelAgreement("pairs", "pairs", 30, 5, sure, sure._replace(value=0.4), sure._replace(value=0.1)))
    '0.500 [0.400, 0.600]; mean rank alone 0.400'
    """
    clicks = coefficient.clicks
    measured = f"{decimal(clicks.value)} {in_brackets(clicks.low, clicks.high)}".strip()
    return f"{measured}; mean rank alone {decimal(coefficient.baseline.value)}"


def description_of(results: ClickResults, labels: Labels) -> str:
    return Phrase(
        "What clicks of %(users)s users in %(impressions)s impressions on %(site)s say, by the %(model)s, as grades of "
        "“%(qrels)s” would be.",
        users=f"{results.result['users']:,}",
        impressions=f"{results.result['impressions']:,}",
        site=results.site.name,
        model=Phrase(labels.choice.title),
        qrels=str(labels.choice.qrels),
    )

"""Grades from a site's clicks for the topics of its collection, calibrated on what workers said, and how far to trust them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from ireval.clicks import MODELS, ImplicitLabels, implicit_labels
from ireval.clicks.grade_agreement import LabelAgreement
from ireval.clicks.implicit import LEAST_DOCUMENTS, LEAST_EXPECTED, LEAST_QUERIES, LEAST_VIEWS
from judging.access import qrels_for
from judging.collections.storage import known_docnos
from judging.logs.privacy import K
from judging.models import Document, Qrels
from metrics.kinds.clicks.judged import Topics, grades_by_query, topics_by_query, workers_qrels
from metrics.kinds.clicks.numbers import FITTED
from metrics.kinds.clicks.results import Found

COEC = "coec"
SOURCES = {**{name: MODELS[name].title for name in FITTED}, COEC: "clicks over expected clicks"}
DEFAULT = "position-based"
MOST_SUPPORT = 1_000_000


@dataclass(frozen=True)
class Choice:
    """Of which estimates grades are made, by whose grades they are calibrated, and how much support is enough."""

    source: str
    qrels: Qrels
    least: float

    @property
    def title(self) -> str:
        return SOURCES[self.source]


def choices(found: Found) -> list[Qrels]:
    """Workers' grades that the user may calibrate on, the newest first."""
    return list(workers_qrels(found.site).filter(pk__in=qrels_for(found.user).values("pk")))


def chosen(found: Found, given: Any) -> Choice | None:
    """What the address or a form says; the usual for what it does not say; None where there is nothing to calibrate on."""
    every = choices(found)
    if not every:
        return None
    source = given.get("model") if given.get("model") in SOURCES else DEFAULT
    qrels = next((one for one in every if str(one.pk) == given.get("workers")), every[0])
    return Choice(source, qrels, support_in(given.get("support", ""), source))


def support_in(text: str, source: str) -> float:
    usual = LEAST_EXPECTED if source == COEC else LEAST_VIEWS
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return usual
    return number if 0 <= number <= MOST_SUPPORT else usual


@dataclass(frozen=True, eq=False)
class Labels:
    """`found` is of the queries that are topics; `frame` has one row per topic and docno that gets a grade: topic, docno, grade,
    confidence, p0, p1…, estimate, low, high, support. `unknown` documents are not in the collection; `asked` is how many topics
    were searched for, `few` documents were shown to fewer than K users, which nobody may learn from qrels."""

    choice: Choice
    topics: Topics
    found: ImplicitLabels
    asked: int
    few: int
    unknown: int
    frame: pl.DataFrame

    @property
    def can_be_kept(self) -> bool:
        return not self.frame.is_empty()

    @cached_property
    def agreement(self) -> dict[str, LabelAgreement]:
        return {one.name: one for one in self.found.agreement}

    @property
    def size(self) -> int:
        return self.frame.height

    @property
    def topic_count(self) -> int:
        return self.frame["topic"].n_unique()

    @property
    def is_worth_having(self) -> bool:
        """Whether clicks surely order more pairs as workers do than the mean rank does."""
        pairs = self.agreement.get("pairs")
        return pairs is not None and pairs.gain.low > 0

    @property
    def lacking(self) -> str:
        """What a calibration would need."""
        return (
            f"at least {LEAST_DOCUMENTS} documents of {LEAST_QUERIES} queries that workers have judged and that have enough "
            "support from clicks, with more than one grade among them"
        )

    @cached_property
    def counts(self) -> list[tuple[int, int]]:
        """Each grade with how many documents get it, the best first."""
        return list(self.frame.group_by("grade").len().sort("grade", descending=True).iter_rows())


def labels_of(found: Found, choice: Choice) -> Labels:
    assert found.collection
    topics = topics_by_query(found.collection)
    rows = found.every_document().join(topics.frame, on="query")
    evidence = rows.filter(pl.col("users") >= K).select(
        "query",
        "document",
        "rank",
        "clicked",
        *(pl.col(name).alias(column) for column, name in columns_of(choice.source).items()),
    )
    judged = grades_by_query(choice.qrels).frame
    facts = evidence.with_columns(pl.col("clicked") > 0)
    labels = implicit_labels(evidence, judged, facts, least_support=choice.least, confidence=found.report.spec["confidence"])
    graded = with_chances(labels).join(topics.frame, on="query").rename({"document": "docno"})
    known = pl.Series("docno", known_ones(found, graded["docno"]), dtype=pl.String)
    kept = graded.filter(pl.col("docno").is_in(known.implode())).drop("query").sort("topic", "docno")
    first = [name for name in ("topic", "docno", "grade", "confidence") if name in kept.columns]
    return Labels(
        choice=choice,
        topics=topics,
        found=labels,
        asked=rows["query"].n_unique(),
        few=len(rows) - len(evidence),
        unknown=len(graded) - len(kept),
        frame=kept.select(*first, pl.exclude(first)),
    )


def columns_of(source: str) -> dict[str, str]:
    name = "shrunk" if source == COEC else source
    support = "expected" if source == COEC else f"{name} support"
    return {"estimate": name, "low": f"{name} low", "high": f"{name} high", "support": support}


def with_chances(labels: ImplicitLabels) -> pl.DataFrame:
    """Documents that get a grade, with how likely a worker would give which, and how likely the one that it gets."""
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


def known_ones(found: Found, docnos: pl.Series) -> pl.Series:
    """Those that the collection has; all where it has no documents at all."""
    assert found.collection
    every = docnos.unique()
    if not Document.objects.filter(collection=found.collection).exists():
        return every
    return known_docnos(found.collection, every)


def name_of(found: Found, choice: Choice) -> str:
    return f"clicks of {found.site.name[:70]}, {choice.title}"


def recipe_of(found: Found, labels: Labels) -> dict[str, Any]:
    """How the grades came to be, in words and numbers that a page shows as they are."""
    report, choice, made = found.report, labels.choice, labels.found
    recipe: dict[str, Any] = {
        "method": f"clicks, {choice.title}",
        "site": found.site.name,
        "records until": f"{report.as_of:%Y-%m-%d %H:%M:%S} UTC",
        "impressions": found.result["impressions"],
        "users": found.result["users"],
        "filter of programs": f"version {report.spec['bots']['version']}",
        "calibrated on": f"{choice.qrels}: {made.documents} documents of {made.queries} queries",
        "least support": choice.least,
        "with too little support": made.left_out,
        f"shown to fewer than {K} users": labels.few,
        "not in the collection": labels.unknown,
        "ambiguous titles": labels.topics.ambiguous,
        "engine": report.engine_version,
    }
    for name, one in labels.agreement.items():
        recipe[f"{one.title}"] = in_words(one) + (" (held out)" if name == "kappa" else "")
    return recipe


def in_words(one: LabelAgreement) -> str:
    """
    >>> from ireval.significance import Clustered
    >>> sure = Clustered(0.5, 0.4, 0.6, 0.05, 0.01, 9)
    >>> in_words(LabelAgreement("pairs", "pairs", 30, 5, sure, sure._replace(value=0.4), sure._replace(value=0.1)))
    '0.500 [0.400, 0.600]; mean rank alone 0.400'
    """
    interval = "" if np.isnan(one.clicks.low) else f" [{one.clicks.low:.3f}, {one.clicks.high:.3f}]"
    return f"{one.clicks.value:.3f}{interval}; mean rank alone {one.baseline.value:.3f}"


def description_of(found: Found, labels: Labels) -> str:
    return (
        f"What clicks of {found.result['users']:,} users in {found.result['impressions']:,} impressions on {found.site.name} "
        f"say, by the {labels.choice.title}, as grades of “{labels.choice.qrels}” would be."
    )

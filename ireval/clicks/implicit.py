"""Grades of documents from clicks, as workers would give them, as far as workers' grades show that clicks can tell."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.clicks.calibration import Calibration, calibrate
from ireval.clicks.cross_validation import FOLDS, held_out_grades
from ireval.clicks.grade_agreement import LabelAgreement, checked_grades, order_agreement
from ireval.clicks.models import ClickModel
from ireval.clicks.sessions import BadClicks, Sessions
from ireval.labels.labels import texts

# With fewer documents of fewer queries that workers judged, too, a curve would be drawn through noise.
LEAST_DOCUMENTS = 30
LEAST_QUERIES = 5
# A document with less support gets no label: so many views, or expected clicks.
LEAST_VIEWS = 10.0
LEAST_EXPECTED = 1.0
MOST_GRADES = 10
EVIDENCE = ("query", "document", "estimate", "low", "high", "support")


@dataclass(frozen=True, eq=False)
class ImplicitLabels:
    """Grades from clicks and how far to trust them.

    - kind: "calibrated" on workers' grades; by "thresholds" that the caller gave; "ranking" where there is neither
    - table: a row a query and document with enough support: query, document, estimate, low, high, support, expected (grade;
      null unless calibrated), grade, lowest and highest (of low and high; null in a ranking), sorted by query, best first
    - left_out: documents with less support, or none
    - documents, queries: how many of the table workers judged, too
    - calibration: None unless calibrated; `note` says why
    - agreement: with workers, beside the baseline; empty where nobody clicked what they judged
    """

    kind: str
    table: pl.DataFrame
    left_out: int
    documents: int
    queries: int
    calibration: Calibration | None
    agreement: list[LabelAgreement]
    note: str = ""


def implicit_labels(
    found: ClickModel | pl.DataFrame,
    judged: pl.DataFrame,
    sessions: Sessions | pl.DataFrame,
    *,
    least_support: float | None = None,
    thresholds: Sequence[float] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    confidence: float = 0.95,
) -> ImplicitLabels:
    """Grades from clicks, calibrated on those of workers.

    `found` is a fitted model, of which attractiveness is the estimate, or the table of `coec`, of which `shrunk` is; or any frame
    with the columns query, document, estimate, low, high and support. `judged` are workers' grades, a row a query and document:
    query, document, grade, a whole number from 0. `sessions` are those of the log, of which the baseline is made: the mean rank;
    or a frame that says it: query, document, rank, and whether anybody `clicked` it.

    A document gets the median of the grades that isotonic regression expects of its estimate, whatever its query; lowest and
    highest are those of the ends of the estimate's interval, and leave out how unsure the curve is. Each judged document weighs
    V / (V + s²), s being the estimate's standard error and V the variance of all estimates of judged documents.
    The grades held against workers' are those of a calibration on other queries (`folds` of whole queries, drawn by lot with the
    seed); what orders documents is the estimate, which no worker has a part in. There is no calibration on fewer than 30
    documents of 5 queries, nor where all have the same grade or nobody clicked any of them: `thresholds` then say from which
    estimates grades 1, 2… begin.
    `least_support` is 10 views for a model and 1 expected click for coec unless given; `confidence` is that of the intervals in
    `found`, and of those of the agreement.

    BadClicks for a missing column, an empty cell, a grade that is no whole number from 0, a document judged twice, thresholds
    that do not rise, and fewer than two folds.

    >>> from ireval.clicks.models import fit
    >>> from ireval.clicks.sessions import small
    >>> judged = pl.DataFrame({"query": ["owls"], "document": ["a"], "grade": [2]})
    >>> labels = implicit_labels(fit(small(), "cascade"), judged, small(), least_support=1, thresholds=[0.2, 0.4, 0.6])
    >>> labels.kind, labels.note
    ('thresholds', 'workers judged 1 of these documents, of 1 queries; a calibration needs 30 of 5')
    >>> labels.table.select("query", "document", "grade").rows()
    [('owls', 'b', 2), ('owls', 'a', 1), ('owls', 'c', 1), ('swifts', 'd', 3)]
    """
    if folds < 2:
        raise BadClicks(f"there is {folds} fold; expected at least 2")
    if thresholds is not None and (not len(thresholds) or (np.diff(thresholds) <= 0).any()):
        raise BadClicks("the thresholds of grades do not rise")
    every, least = evidence(found)
    kept = every.filter(pl.col("support") >= (least if least_support is None else least_support))
    kept = with_facts(kept.drop_nulls(["estimate", "low", "high"]), sessions)
    overlap = kept.join(checked_grades(judged, MOST_GRADES), on=["query", "document"]).sort("query", "document")
    note = too_little(overlap)
    weights = precision(overlap, confidence)
    estimate, grade = columns_of(overlap, "estimate", "grade")
    calibration = None if note else calibrate(estimate, grade, weights, top=int(grade.max()))
    return ImplicitLabels(
        kind="calibrated" if calibration else "thresholds" if thresholds is not None else "ranking",
        table=graded(kept, calibration, thresholds).drop("rank", "clicked"),
        left_out=len(every) - len(kept),
        documents=len(overlap),
        queries=overlap["query"].n_unique(),
        calibration=calibration,
        agreement=agreement(overlap, weights, None if note else (folds, seed), confidence) if overlap["clicked"].any() else [],
        note=note,
    )


def evidence(found: ClickModel | pl.DataFrame) -> tuple[pl.DataFrame, float]:
    """EVIDENCE, and how much support is enough unless somebody says."""
    if isinstance(found, ClickModel):
        if found.pairs.is_empty():
            raise BadClicks(f"{found.title} says nothing of documents")
        return found.pairs.rename({"attractiveness": "estimate"}).select(EVIDENCE), LEAST_VIEWS
    if "shrunk" in found.columns:
        renamed = {"shrunk": "estimate", "expected": "support"}
        return found.rename(renamed).select(EVIDENCE), LEAST_EXPECTED
    if missing := [name for name in EVIDENCE if name not in found.columns]:
        raise BadClicks(f"there is no column {missing[0]}; expected {', '.join(EVIDENCE)}")
    return found.with_columns(texts(found[name]).alias(name) for name in ("query", "document")).select(EVIDENCE), LEAST_VIEWS


def facts_of(sessions: Sessions) -> pl.DataFrame:
    """The mean rank at which each document was shown for a query, and whether anybody clicked it."""
    size = len(sessions.pairs)
    ranks = np.bincount(sessions.pair, sessions.place + 1, minlength=size) / np.bincount(sessions.pair, minlength=size)
    clicked = np.bincount(sessions.pair, sessions.clicked, minlength=size) > 0
    return sessions.pairs.with_columns(pl.Series("rank", ranks), pl.Series("clicked", clicked))


def with_facts(kept: pl.DataFrame, sessions: Sessions | pl.DataFrame) -> pl.DataFrame:
    facts = facts_of(sessions) if isinstance(sessions, Sessions) else sessions.select("query", "document", "rank", "clicked")
    found = kept.join(facts, on=["query", "document"], how="left")
    if found["rank"].null_count():
        query, document = found.filter(pl.col("rank").is_null()).select("query", "document").row(0)
        raise BadClicks(f"document {document} was never shown for query {query}")
    return found


def too_little(overlap: pl.DataFrame) -> str:
    """Why there is no calibration, or nothing."""
    documents, queries = len(overlap), overlap["query"].n_unique()
    if documents < LEAST_DOCUMENTS or queries < LEAST_QUERIES:
        needed = f"a calibration needs {LEAST_DOCUMENTS} of {LEAST_QUERIES}"
        return f"workers judged {documents:,} of these documents, of {queries:,} queries; {needed}"
    if overlap["grade"].n_unique() == 1:
        return f"all {documents:,} of these documents were given the grade {overlap['grade'][0]}"
    if not overlap["clicked"].any():
        return f"nobody clicked any of the {documents:,} documents that workers judged"
    return ""


def precision(overlap: pl.DataFrame, confidence: float) -> Floats:
    """What each estimate weighs: 1 without error, ½ where the error is as large as estimates differ."""
    from scipy.special import ndtri  # noqa: PLC0415 - slow to import

    estimate, low, high = columns_of(overlap, "estimate", "low", "high")
    spread = float(np.var(estimate)) if len(estimate) else 0.0
    error = (high - low) / (2 * ndtri((1 + confidence) / 2))
    return np.divide(spread, spread + error**2, out=np.ones(len(estimate)), where=spread > 0)


def graded(kept: pl.DataFrame, calibration: Calibration | None, thresholds: Sequence[float] | None) -> pl.DataFrame:
    estimate, low, high = columns_of(kept, "estimate", "low", "high")
    expected = pl.Series("expected", calibration.expected(estimate) if calibration else [None] * len(kept), dtype=pl.Float64)

    def grades(values: Floats) -> Ints:
        return calibration.grades(values) if calibration else np.searchsorted(thresholds or [], values, side="right")

    columns = {"grade": grades(estimate), "lowest": grades(low), "highest": grades(high)}
    # The mean of a skewed distribution may lie outside its quantiles.
    columns["lowest"] = np.minimum(columns["lowest"], columns["grade"])
    columns["highest"] = np.maximum(columns["highest"], columns["grade"])
    known = calibration is not None or thresholds is not None
    series = [pl.Series(name, values if known else [None] * len(kept), dtype=pl.Int64) for name, values in columns.items()]
    return kept.with_columns(expected, *series).sort("query", "estimate", "document", descending=[False, True, False])


def agreement(overlap: pl.DataFrame, weights: Floats, lot: tuple[int, int] | None, confidence: float) -> list[LabelAgreement]:
    """Of orders, and of grades if there is a lot by which to calibrate."""
    estimate, rank, grade = columns_of(overlap, "estimate", "rank", "grade")
    query = overlap["query"].rle_id().to_numpy().astype(np.int64)
    found = order_agreement(query, grade, (estimate, -rank), confidence)
    if lot is None:
        return found
    sides = (estimate, weights), (-rank, np.ones(len(grade)))
    return [*found, held_out_grades(query, grade, sides, lot, confidence)]


def columns_of(frame: pl.DataFrame, *names: str) -> list:
    return [frame[name].to_numpy() for name in names]

"""Implicit labels: grades of documents from clicks, calibrated on workers' grades, and how far to trust them."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints
from ireval.clicks.calibration import Calibration, calibrate
from ireval.clicks.click_files import sessions_of
from ireval.clicks.cross_validation import FOLDS, held_out_grades
from ireval.clicks.grade_agreement import LabelAgreement, checked_grades, order_agreement
from ireval.clicks.models import ClickModel
from ireval.clicks.sessions import BadClicks, Sessions
from ireval.io.cells import require_cells, require_columns
from ireval.io.frames import Frame, TableSource, as_table
from ireval.labels.labels import texts

# With fewer documents and queries that workers judged, too, the calibration would fit noise.
LEAST_DOCUMENTS = 30
LEAST_QUERIES = 5
# A document with less support gets no label: views of a model, expected clicks of coec.
LEAST_VIEWS = 10.0
LEAST_EXPECTED = 1.0
MOST_GRADES = 10
FACTS = ("query", "document", "rank", "clicked")
EVIDENCE = ("query", "document", "estimate", "low", "high", "support")


@dataclass(frozen=True, eq=False)
class ImplicitLabels:
    """Grades from clicks and how far to trust them.

    - kind: "calibrated" on workers' grades, by "thresholds" that the caller gave, or a "ranking" without either.
    - table: one row per query and document with enough support, sorted by query, best first. Its columns are query, document,
      estimate, low, high, support, expected, grade, lowest and highest. expected is the mean grade, null unless calibrated;
      lowest and highest are the grades of low and high. All grades are null in a ranking.
    - left_out: documents with less support.
    - documents, queries: how many in the table workers judged, too.
    - calibration: None unless calibrated; `note` says why.
    - agreement: agreement of clicks and of the baseline with workers; empty where no judged document was clicked.
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
    estimates: ClickModel | Frame,
    judged: Frame,
    sessions: Sessions | TableSource,
    *,
    least_support: float | None = None,
    thresholds: Sequence[float] | None = None,
    folds: int = FOLDS,
    seed: int = 0,
    confidence: float = 0.95,
) -> ImplicitLabels:
    """Grades from clicks, calibrated on those of workers.

    `estimates` is a fitted model (the estimate is attractiveness) or the table of `coec` (it is `shrunk`). It may also be any
    frame with query, document, estimate, low, high and support. `judged` are workers' grades, one row per query and document:
    query, document and grade, a whole number from 0. The baseline is the mean rank. It comes from the `sessions` of the log, from
    its path, or from a frame with query, document, rank and `clicked` (whether anybody did). Frames may be of polars or pandas.

    A document gets the median grade that isotonic regression predicts from its estimate, whatever its query. lowest and highest
    are the grades of the ends of the estimate's interval; they leave out the uncertainty of the curve. Each judged document has
    the weight V / (V + s²): s is the estimate's standard error, V the variance of the estimates of all judged documents.
    For the agreement, grades come from a calibration on other queries (`folds` of whole queries, assigned by the seed).
    Documents are ordered by their estimates, which do not depend on workers. There is no calibration on fewer than 30 documents
    of 5 queries, nor where all have the same grade or none was clicked. `thresholds` then say at which estimates the grades 1,
    2… begin.
    `least_support` is 10 views for a model and 1 expected click for coec unless given. `confidence` is that of the intervals in
    `estimates`, and of the agreement.

    BadClicks for a missing column, a missing cell, a grade that is no whole number from 0, and a document judged twice, with the
    row. Also for thresholds that do not rise, and fewer than two folds.

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
    every, least = evidence_of(estimates)
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


def evidence_of(estimates: ClickModel | Frame) -> tuple[pl.DataFrame, float]:
    """The columns of EVIDENCE, and the least support unless the caller gives one."""
    if isinstance(estimates, ClickModel):
        if estimates.pairs.is_empty():
            raise BadClicks(f"{estimates.title} says nothing of documents")
        return estimates.pairs.rename({"attractiveness": "estimate"}).select(EVIDENCE), LEAST_VIEWS
    table, least = as_table(estimates, BadClicks), LEAST_VIEWS
    if "shrunk" in table.columns:
        table, least = table.rename({"shrunk": "estimate", "expected": "support"}), LEAST_EXPECTED
    require_columns(table, EVIDENCE, BadClicks)
    return table.with_columns(texts(table[name]).alias(name) for name in ("query", "document")).select(EVIDENCE), least


def facts_of(sessions: Sessions) -> pl.DataFrame:
    """The mean rank at which each document was shown for a query, and whether anybody clicked it."""
    size = len(sessions.pairs)
    ranks = np.bincount(sessions.pair, sessions.place + 1, minlength=size) / np.bincount(sessions.pair, minlength=size)
    clicked = np.bincount(sessions.pair, sessions.clicked, minlength=size) > 0
    return sessions.pairs.with_columns(pl.Series("rank", ranks), pl.Series("clicked", clicked))


def with_facts(kept: pl.DataFrame, sessions: Sessions | TableSource) -> pl.DataFrame:
    if isinstance(sessions, str | os.PathLike):
        sessions = sessions_of(sessions)
    facts = facts_of(sessions) if isinstance(sessions, Sessions) else checked_facts(as_table(sessions, BadClicks, or_path=True))
    rows = kept.join(facts, on=["query", "document"], how="left")
    if rows["rank"].null_count():
        query, document = rows.filter(pl.col("rank").is_null()).select("query", "document").row(0)
        raise BadClicks(f"document {document} was never shown for query {query}")
    return rows


def checked_facts(facts: pl.DataFrame) -> pl.DataFrame:
    require_cells(facts, FACTS, BadClicks)
    return facts.with_columns(texts(facts[name]).alias(name) for name in ("query", "document")).select(FACTS)


def too_little(overlap: pl.DataFrame) -> str:
    """Why there is no calibration; "" if there can be one."""
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
    """The weight of each estimate, (N,): 1 without error, ½ where its error is as large as the estimates' spread."""
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
    has_grades = calibration is not None or thresholds is not None
    series = [pl.Series(name, values if has_grades else [None] * len(kept), dtype=pl.Int64) for name, values in columns.items()]
    return kept.with_columns(expected, *series).sort("query", "estimate", "document", descending=[False, True, False])


def agreement(overlap: pl.DataFrame, weights: Floats, lot: tuple[int, int] | None, confidence: float) -> list[LabelAgreement]:
    """Agreement of the orders, and of the grades if there is a `lot`: the number of folds and the seed."""
    estimate, rank, grade = columns_of(overlap, "estimate", "rank", "grade")
    query = overlap["query"].rle_id().to_numpy().astype(np.int64)
    orders = order_agreement(query, grade, (estimate, -rank), confidence)
    if lot is None:
        return orders
    sides = (estimate, weights), (-rank, np.ones(len(grade)))
    return [*orders, held_out_grades(query, grade, sides, lot, confidence)]


def columns_of(frame: pl.DataFrame, *names: str) -> list:
    return [frame[name].to_numpy() for name in names]

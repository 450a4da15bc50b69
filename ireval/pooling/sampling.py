"""Sampling: documents drawn to be judged, each with a probability that is kept, so that estimates from them are unbiased.

The state is the list of draws, in order: topic, docno, `known` and probability. `known` counts the draws before whose grades were
in when the document was drawn; the probabilities follow from those grades. A new run, measure or scale begins a new list. All
grades so far are then known at its start.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from ireval.arrays import Floats, Ints, share
from ireval.io.arguments import require_count, require_generator
from ireval.io.cells import complaint_about_grade, require_cells
from ireval.io.files import BadInput
from ireval.io.frames import Frame, as_table
from ireval.measures.names import Name, parse_measure
from ireval.pooling.additive_measures import Additive, additive
from ireval.pooling.bounds import check, grade_scale
from ireval.pooling.choice import mean_squares
from ireval.pooling.documents import KEY, PooledDocuments, require_documents
from ireval.pooling.grade_prediction import PredictedGrades, expected_ideals, predict_grades
from ireval.pooling.ideal_bounds import ideal_of_one
from ireval.significance.pairs import Pairs

COLUMNS = (*KEY, "known", "probability", "grade")
# Of the top gain: however sure the model is of a grade, the document is drawn as if its gain deviated so far.
LEAST_DEVIATION = 0.25
# Of the mean size: what all runs rank alike is drawn as if it had this one, since its grade may still move an ideal.
LEAST_SIZE = 0.1
# Probabilities of the same design differ by rounding alone, relatively, from one machine to another.
SAME = 1e-6


@dataclass(frozen=True, eq=False)
class Design:
    """How documents are drawn, and what is expected of them, while the same grades are known.

    `size` (N,) is proportional to a document's probability, and 0 for what is judged or drawn or cannot matter. `expected` and
    `deviation` (N,) are of the predicted gains. `weights` (N, systems) are those in the means, over the ideals to expect, `ideal`
    (T,); these are 1 for a measure without ideal.
    """

    size: Floats
    expected: Floats
    deviation: Floats
    weights: Floats
    ideal: Floats


@dataclass(frozen=True, eq=False)
class SamplingFrame:
    """What draws are made from: the documents with the grades at the start, and their weights (N, systems) in the mean sums."""

    documents: PooledDocuments
    sums: Additive
    top_grade: int
    pairs: Pairs
    weights: Floats

    def design(self, drawn: Ints, grades: Ints) -> Design:
        """The design after documents in the rows `drawn` were drawn, the first of which have these grades."""
        graded = self.documents.with_grades(drawn[: len(grades)], grades)
        predicted = predict_grades(graded, self.top_grade)
        deviation = np.sqrt(predicted.variance(self.sums) + (LEAST_DEVIATION * self.sums.gain[-1]) ** 2)
        ideal = self.expected_ideals(graded, predicted)
        weights = self.weights * share(np.ones_like(ideal), ideal)[graded.topic][:, None]
        size = np.sqrt(mean_squares(weights, self.pairs, np.ones(len(self.pairs)))) * deviation
        if self.sums.ideal is not None:
            size = np.maximum(size, LEAST_SIZE * size.mean())
        size[self.documents.judged] = 0
        size[drawn] = 0
        return Design(size, predicted.gain(self.sums), deviation, weights, ideal)

    def expected_ideals(self, documents: PooledDocuments, predicted: PredictedGrades) -> Floats:
        """The ideals to expect, (T,), no less than with one relevant document: what is hardly likely would weigh too much."""
        if self.sums.ideal is None:
            return np.ones(len(documents.topics))
        return np.maximum(expected_ideals(documents, self.sums, predicted), ideal_of_one(self.sums))


def sampling_frame(
    documents: PooledDocuments, measure: Name, top_grade: int | None, relevant_from: int, pairs: Pairs | None
) -> SamplingFrame:
    require_documents(documents)
    measure = parse_measure(measure)
    top = grade_scale(documents, top_grade)
    sums = additive(measure, top, relevant_from)
    check(documents, measure, top)
    weights = sums.weights(documents.rank) / len(documents.topics)
    return SamplingFrame(documents, sums, top, pairs or documents.pairs(), weights)


def draw_documents(
    documents: PooledDocuments,
    measure: Name,
    n: int,
    rng: np.random.Generator,
    *,
    draws: Frame | None = None,
    top_grade: int | None = None,
    relevant_from: int = 1,
    pairs: Pairs | None = None,
) -> pl.DataFrame:
    """Draw n more documents without replacement: topic, docno, known and probability, in the order of drawing.

    A document's probability is proportional to how far its grade is expected to move the differences of the pairs (as `change` in
    `next_documents`). `documents` have the grades from before the first draw. `draws` are those so far, a frame of polars or
    pandas, with a column grade, empty where there is none yet. Only grades before the first empty one are used. Fewer come where
    fewer are left. The measure is P, CG, DCG, RBP, SDCG, nDCG, nCG, R or RelP. Raises BadInput for n below 1 and for draws that
    these documents did not give, BadMeasure for other measures.

    >>> from ireval.measures.names import parse_measure
    >>> from ireval.pooling.documents import pooled_documents
    >>> runs = {"x": {"1": {"a": 2.0, "b": 1.0}}, "y": {"1": {"c": 2.0, "b": 1.0}}}
    >>> documents = pooled_documents(runs, {"1": {"b": 1}}, depth=2)
    >>> draws = draw_documents(documents, parse_measure("P@2"), 2, np.random.default_rng(1))
    >>> draws.select("docno", "known", pl.col("probability").round(2)).rows()
    [('c', 0, 0.5), ('a', 0, 1.0)]
    """
    require_count("n", n)
    require_generator(rng)
    frame = sampling_frame(documents, measure, top_grade, relevant_from, pairs)
    rows, grades = drawn_before(documents, None if draws is None else checked_draws(draws))
    size = frame.design(rows, grades).size
    open_rows = np.flatnonzero(size)
    order = open_rows[np.argsort(rng.standard_exponential(len(open_rows)) / size[open_rows])][:n]  # races draw one after another
    known = pl.Series("known", np.full(len(order), len(grades)), pl.Int64)
    return documents.frame[order].with_columns(known, pl.Series("probability", size[order] / left_before(size, order)))


def left_before(size: Floats, drawn: Ints) -> Floats:
    """The sum of the sizes of what is left before each draw; summed from the last on, so that little is left exactly."""
    rest = size.copy()
    rest[drawn] = 0
    return rest.sum() + np.cumsum(size[drawn][::-1])[::-1]


def checked_draws(frame: Frame) -> pl.DataFrame:
    """The columns of draws, the topic and docno as text. BadInput for a missing column, and a cell that is empty or no number."""
    draws = as_table(frame, BadInput)
    if missing := [column for column in COLUMNS if column not in draws.columns]:
        raise BadInput(f"draws have no {missing[0]}; expected the columns {', '.join(COLUMNS[:-1])} and {COLUMNS[-1]}")
    require_cells(draws, COLUMNS[:-1], BadInput)
    grade = draws["grade"].fill_nan(None) if draws["grade"].dtype.is_float() else draws["grade"]  # pandas' empty numbers are NaN
    for row, value in enumerate(grade if grade.dtype != pl.Null else ()):
        if value is not None and (complaint := complaint_about_grade(value)):
            raise BadInput(f"row {row + 1:,}: column grade {complaint}")
    return draws.select(pl.col(*KEY).cast(pl.String), "known", "probability", grade)


def drawn_before(documents: PooledDocuments, draws: pl.DataFrame | None) -> tuple[Ints, Ints]:
    """The rows of the documents drawn so far, and the grades before the first empty one."""
    if draws is None or draws.is_empty():
        return np.empty(0, np.int64), np.empty(0, np.int64)
    places = draws.join(documents.frame.with_row_index("row"), on=KEY, how="left", maintain_order="left")["row"]
    strangers = draws.filter(places.is_null())
    if len(strangers):
        raise BadInput(f"document {strangers['docno'][0]} of topic {strangers['topic'][0]} was drawn and is not in the pool")
    empty = np.flatnonzero(draws["grade"].is_null().to_numpy())
    graded = int(empty[0]) if len(empty) else len(draws)
    return places.to_numpy().astype(np.int64), draws["grade"][:graded].to_numpy().astype(np.int64)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Draws made by one design: `rows` of the documents, in order, and their `grades`, which all are there."""

    design: Design
    rows: Ints
    grades: Ints


def stretches(frame: SamplingFrame, draws: pl.DataFrame) -> Iterator[Stretch]:
    """Yield the draws that have grades, by the design that they came from. BadInput if this design gives other probabilities."""
    rows, grades = drawn_before(frame.documents, draws)
    known = draws["known"].to_numpy()[: len(grades)]
    starts = np.flatnonzero(np.diff(known, prepend=-1))
    for start, end in zip(starts, [*starts[1:], len(known)], strict=True):
        design = frame.design(rows[:start], grades[: known[start]])
        part = rows[start:end]
        given = design.size[part] / left_before(design.size, part)
        stored = draws["probability"].to_numpy()[start:end]
        if (differ := np.abs(given - stored) > SAME * stored).any():
            row = int(start) + int(differ.argmax())
            raise BadInput(
                f"draw {row + 1}, document {draws['docno'][row]} of topic {draws['topic'][row]}, had another probability than "
                "these documents give: pass the runs, measure, scale, pairs and grades with which it was drawn"
            )
        yield Stretch(design, part, grades[start:end])

"""One topic of a verdict: both systems' rankings with what each kind of evidence says of their documents, and the votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, NamedTuple

from django.utils.translation import gettext

from ireval.io.qrels import highest_grades
from ireval.preferences import topic_table
from ireval.verdict import Grades, SideBySide
from judging.models import Document, Hypothesis
from judging.models.hypothesis import GRADED
from metrics.kinds.verdict.parts import bundle_of
from metrics.kinds.verdict.results import VerdictResults
from metrics.models import Report

DEPTH = 10


@dataclass(frozen=True)
class Result:
    """A document in a ranking, and its rank `there`, in the other one, None where that lacks it.

    `grades` has one entry for each kind that grades, None where it does not; `relevant` says which of them count as relevant.
    """

    docno: str
    document: Document | None
    grades: Sequence[int | None]
    relevant: Sequence[bool]
    there: int | None

    @property
    def marks(self) -> list[tuple[int | None, bool]]:
        return list(zip(self.grades, self.relevant, strict=True))


class Scale(NamedTuple):
    """The grades of one kind of evidence: the highest there is, and from which on a document is relevant."""

    kind: str
    highest: int
    relevant_from: int

    def __str__(self) -> str:
        """
        >>> print(Scale("grades of workers", 3, 1))
        grades of workers (from 0 to 3, relevant from 1)
        """
        words = {"kind": gettext(self.kind), "highest": self.highest, "lowest": self.relevant_from}
        return gettext("%(kind)s (from 0 to %(highest)s, relevant from %(lowest)s)") % words


@dataclass(frozen=True)
class TopicEvidence:
    """What is known of a topic.

    `ahead` says by kind, in the reader's language, how far B is ahead, from −1 to 1. `graded` are the scales of the kinds whose
    grades stand beside the documents. `votes` are those for B, ties and those for A; None without any.
    """

    number: str
    ahead: Sequence[tuple[str, float | None]]
    graded: Sequence[Scale]
    rankings: Mapping[str, Sequence[Result]]
    votes: tuple[int, int, int] | None

    @property
    def ranks(self) -> list[tuple[int, tuple[Result | None, Result | None]]]:
        """One row per rank: B's document and A's, in the order in which the question names them."""
        return list(enumerate(zip_longest(self.rankings["b"], self.rankings["a"]), start=1))

    @property
    def unjudged(self) -> list[Result]:
        """The documents in either ranking that nobody has graded, and that the collection has."""
        shown = {result.docno: result for order in self.rankings.values() for result in order}
        return [result for result in shown.values() if result.document and set(result.grades) == {None}]


def topic_evidence(results: VerdictResults, number: str) -> TopicEvidence | None:
    """The evidence on the topic as the verdict read it; None if fewer than two kinds speak of it."""
    rows = results.apart.filter(topic=number).select(results.topic_kinds).rows(named=True)
    if not rows:
        return None
    evidence = bundle_of(results.report).evidence
    graded = [part for part in evidence if isinstance(part, Grades)]
    votes = next((votes_on(part, number) for part in evidence if isinstance(part, SideBySide)), None)
    shown = rankings(results.report.subject, graded, number)
    ahead = [(gettext(kind), share) for kind, share in rows[0].items()]
    return TopicEvidence(number, ahead, [scale_of(part) for part in graded], shown, votes)


def rankings(hypothesis: Hypothesis, graded: Sequence[Grades], number: str) -> dict[str, list[Result]]:
    if not graded:
        return {"a": [], "b": []}
    grades = [grades_on(part, number) for part in graded]
    orders = {side: getattr(graded[0], side).filter(topic=number)["docno"].head(DEPTH).to_list() for side in "ab"}
    known = Document.objects.filter(collection=hypothesis.collection).defer("text")
    documents: dict[str, Any] = {row.docno: row for row in known.filter(docno__in={*orders["a"], *orders["b"]})}
    lowest = [scale_of(part).relevant_from for part in graded]

    def result(docno: str, other: Sequence[str]) -> Result:
        given = [by_docno.get(docno) for by_docno in grades]
        relevant = [grade is not None and grade >= rel for grade, rel in zip(given, lowest, strict=True)]
        there = other.index(docno) + 1 if docno in other else None
        return Result(docno, documents.get(docno), given, relevant, there)

    return {side: [result(docno, orders["b" if side == "a" else "a"]) for docno in order] for side, order in orders.items()}


def scale_of(part: Grades) -> Scale:
    highest = part.qrels["grade"].max()
    return Scale(part.kind, highest if isinstance(highest, int) else 0, part.parsed.values.get("rel", 1))


def grades_on(part: Grades, number: str) -> dict[str, int]:
    return dict(highest_grades(part.qrels.filter(topic=number)).select("docno", "grade").iter_rows())


def votes_on(part: SideBySide, number: str) -> tuple[int, int, int] | None:
    """Votes for B, ties and votes for A."""
    for row in topic_table(part.votes, "b", "a").filter(topic=number).iter_rows(named=True):
        return row["wins"], row["ties"], row["n"] - row["wins"] - row["ties"]
    return None


def graded_source(report: Report) -> dict[str, Any] | None:
    """The keys of the first kind of grades that the verdict read: qrels, and the runs a and b."""
    return next((keys for kind, keys in report.spec["sources"].items() if kind in GRADED), None)

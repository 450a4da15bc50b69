"""What to judge next: the documents whose grades could change a report's order of runs most, and which orders are certain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl
from django.http import QueryDict
from django.utils.translation import gettext as _

from ireval import Measure, parse_measure
from ireval.io.files import BadInput
from ireval.pooling import DifferenceBounds, PooledDocuments, difference_bounds, next_documents, pooled_documents
from judging.access import growing_studies_for, last_graded_study
from judging.database.numbers import number_in
from judging.errors import Impossible
from judging.models import Document, Qrels, Run, Study, User
from judging.pay.work import of_documents
from judging.text.library_words import in_reader_language
from metrics.kinds.runs import evidence
from metrics.kinds.runs.choice import Choice, pair
from metrics.kinds.runs.results import Outcome, outcomes
from metrics.kinds.runs.rules import counts_once
from metrics.models import Report
from metrics.pipeline import CannotCompute
from metrics.sentences import as_sentence

USUALLY, MOST = 50, 1000  # documents at a time
# A page waits for its answer: about three seconds of reading, and of bounds over pairs of runs.
MOST_ROWS, MOST_DIFFERENCES = 2_000_000, 30_000_000


class CannotChoose(Impossible):
    """Why nothing can be said of what to judge next; the text says what to do."""


@dataclass(frozen=True)
class NextJudgements:
    """What to judge next by one measure, and what is certain without it. `documents`: topic, docno and change, by topic."""

    runs: list[int]
    measure: Measure
    pooled: PooledDocuments
    bounds: DifferenceBounds
    documents: pl.DataFrame

    @property
    def pool_size(self) -> int:
        return int(self.pooled.pooled.sum())

    @property
    def unjudged(self) -> int:
        return int((self.pooled.pooled & ~self.pooled.judged).sum())

    @property
    def open_orders(self) -> int:
        return int(self.bounds.is_open.sum())


def chosen_judgements(query: QueryDict, choice: Choice) -> NextJudgements:
    """What to judge next between the runs that the address names: two, or all of the report."""
    outcomes = choice.outcomes if asks_for_all(query) or len(choice.outcomes) < 2 else two_runs(query, choice)
    runs, n = [outcome.run for outcome in outcomes], number_of_documents(query.get("n", ""))
    return next_judgements(choice.report, qrels=choice.qrels, measure=choice.measure, runs=runs, n=n)


def two_runs(query: QueryDict, choice: Choice) -> tuple[Outcome, Outcome]:
    """The two runs that the address names, else the best of those shown."""
    others = [outcome for outcome in choice.outcomes if outcome not in choice.shown]
    return pair(query, [*choice.shown, *others])


def asks_for_all(query: QueryDict) -> bool:
    return query.get("between") == "all"


def number_of_documents(text: str) -> int:
    """How many documents a reader asks for; as usual where that is no number, and never more than a page has."""
    return min(max(number_in(text) or USUALLY, 1), MOST)


def next_judgements(report: Report, *, qrels: int, measure: str, runs: Sequence[int], n: int) -> NextJudgements:
    """Choose n unjudged documents of these runs, as `ireval next` does. Raises CannotChoose where it cannot, or not soon."""
    asked, rules = parse_measure(measure), report.spec
    refuse_unusual(rules)
    stored = Run.objects.in_bulk(runs)
    chosen = [stored[run] for run in runs]
    cutoffs = [depth for depth in (asked.values.get("cutoff"), rules.get("depth")) if depth]
    refuse_if_slow(chosen, min(cutoffs, default=None))
    try:
        pooled = pooled_documents(
            {run.name: cut(evidence.ranking(run), rules.get("depth")) for run in chosen},
            evidence.grades(Qrels.objects.get(pk=qrels)),
            depth=asked.values.get("cutoff"),
            profile=rules["profile"],
        )
        refuse_other_topics([outcome for outcome in outcomes(report, qrels) if outcome.run in runs], pooled)
        relevant_from = rules["relevant_from"]
        documents = next_documents(pooled, asked, n, relevant_from=relevant_from, by_topic=True)
        return NextJudgements(list(runs), asked, pooled, difference_bounds(pooled, asked, relevant_from=relevant_from), documents)
    except BadInput as reason:
        raise CannotChoose(as_sentence(str(reason))) from reason
    except CannotCompute as reason:
        raise CannotChoose(in_reader_language(reason.why)) from reason


def refuse_unusual(rules: dict[str, Any]) -> None:
    """Refuse what bounds do not know: they hold for all documents, each once, in the order of the convention."""
    if rules.get("judged_only") or counts_once(rules) or "ties" in rules:
        raise CannotChoose(_(
            "This report counts judged documents only, near-duplicates once, or ties in an order of its own."
            " Ask for a report by the usual rules to see what to judge next."
        ))  # fmt: skip


def refuse_other_topics(outcomes: Sequence[Outcome], pooled: PooledDocuments) -> None:
    """Refuse runs of which one counts more topics than all share: bounds are over these, and the report's order is not."""
    if any(outcome.topics != len(pooled.topics) for outcome in outcomes):
        raise CannotChoose(_(
            "These runs are averaged over different topics, or over topics that they lack, and only over the same topics can an"
            " order be certain. Choose runs that have the same topics."
        ))  # fmt: skip


def refuse_if_slow(runs: Sequence[Run], cutoff: int | None) -> None:
    pairs = len(runs) * (len(runs) - 1) // 2
    pooled = sum(min(run.rows, run.topic_count * cutoff) if cutoff else run.rows for run in runs)
    if sum(run.rows for run in runs) > MOST_ROWS or pairs * pooled > MOST_DIFFERENCES:
        text = _(
            "%(n)s runs so deep take longer than a page may. Compare two of them, choose a measure with a smaller cutoff,"
            " or use the command “ireval next”."
        )
        raise CannotChoose(text % {"n": len(runs)})


def cut(ranking: pl.DataFrame, depth: int | None) -> pl.DataFrame:
    return ranking.filter(pl.col("rank") <= depth) if depth else ranking


def documents_in(report: Report, docnos: Sequence[str]) -> dict[str, Document]:
    """Those of these documents that the collection has, by docno, without their texts."""
    return {
        document.docno: document
        for document in Document.objects.filter(collection=report.collection_id, docno__in=docnos).defer("text")
    }


def scale_fits(study: Study, qrels: Qrels) -> bool:
    """Whether the study's workers can give every grade from 0 on that the qrels have."""
    return {int(grade) for grade in qrels.grade_counts if int(grade) >= 0} <= set(study.grades)


def judging_of(documents: int, *, qrels: Qrels, user: User) -> dict[str, Any]:
    """Where so many documents can be judged, and what that takes: studies of the user's that grade alike, and a new one."""
    studies = growing_studies_for(user).filter(collection=qrels.collection_id).order_by("name")
    return {
        "offers": [(study, of_documents(study, documents)) for study in studies if scale_fits(study, qrels)],
        "as_usual": of_documents(like_the_last(user, qrels), documents),
    }


def like_the_last(user: User, qrels: Qrels) -> Study:
    """A new study as it would begin, with the work and the pay of the user's last one, and no known grades yet."""
    study = last_graded_study(user, qrels.collection) or Study()
    study.gold_every = Study().gold_every
    return study

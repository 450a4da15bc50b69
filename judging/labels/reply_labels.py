"""Replies to the further questions of a study: the votes on each, how far workers agree on it, and its settling as qrels."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl
from django.utils.translation import gettext as _

from ireval import labels_of
from ireval.agreement import krippendorff_alpha
from ireval.agreement.item_bootstrap import Agreement
from ireval.translatable import Phrase
from judging.errors import Impossible
from judging.labels import aggregation, results, settlement
from judging.labels.aggregation import MAJORITY, METHOD_CHOICES, Labelling
from judging.models import Judgement, Qrels, Question, Study, User

REPLIES = {
    "topic": pl.String, "subtopic": pl.String, "docno": pl.String, "worker": pl.Int64, "grade": pl.Int32, "simulated": pl.Boolean,
}  # fmt: skip
NO_ORDER = [MAJORITY, "dawid-skene"]  # the methods for answers of which none is more than another
APART = "\x1f"  # no id of a topic has it: joins it with a subtopic's, for methods that know topics alone


def question_of(study: Study, name: str) -> Question:
    """The study's question of this name, if its replies are numbers. Impossible if there is none."""
    question = next((question for question in study.question_list if question.name == name), None)
    if question is None:
        raise Impossible(_("This study has no question “%(name)s”.") % {"name": name})
    if not question.is_graded:
        raise Impossible(
            _("Replies to “%(name)s” are texts: they stand with the judgements and cannot be settled.") % {"name": name}
        )
    return question


def methods_of(question: Question) -> list[str]:
    """The methods that settle its replies; there is no gold for them."""
    if question.kind == Question.Kind.CHOICE:
        return NO_ORDER
    return [name for name in METHOD_CHOICES if name != "gold-weighted"]


def default_method(study: Study, question: Question) -> str:
    return MAJORITY if question.kind == Question.Kind.CHOICE else aggregation.default_method(study)


def votes(study: Study, question: Question) -> pl.DataFrame:
    """The replies of judgements that decide on labels: topic, subtopic ("" where none is asked for), docno, worker, grade,
    simulated."""
    fields = ("item__topic__number", "item__document__docno", "worker_id", "worker__simulated", "replies")
    deciding = Judgement.objects.filter(item__study=study).deciding().order_by("slot__judged_at", "id")
    rows = [
        (topic, subtopic, docno, worker, reply, simulated)
        for topic, docno, worker, simulated, replies in deciding.values_list(*fields)
        for subtopic, reply in by_subtopic(replies.get(question.name)).items()
    ]
    return pl.DataFrame(rows, schema=REPLIES, orient="row")


def by_subtopic(reply: Any) -> dict[str, Any]:
    """A reply to a whole question stands under the empty name; none is there where nothing was replied."""
    if isinstance(reply, dict):
        return reply
    return {} if reply is None else {"": reply}


def labelling_of(vote_frame: pl.DataFrame, question: Question, method: str) -> Labelling:
    """A label of each document, or of each with each subtopic. Impossible for a method that the question does not allow."""
    if method not in methods_of(question):
        methods = {"name": question.name, "methods": ", ".join(methods_of(question))}
        raise Impossible(_("Replies to “%(name)s” are settled by %(methods)s.") % methods)
    joined = vote_frame.with_columns(pl.concat_str("topic", "subtopic", separator=APART).alias("topic"))
    ties = "lowest" if question.kind == Question.Kind.CHOICE else aggregation.TIE_RULE  # between two answers lies no middle one
    return aggregation.labelling_of(joined, range(len(question.labels)), method, ties=ties)


def grades_of(labelling: Labelling, question: Question) -> pl.DataFrame:
    """The labels as a frame of grades, with the subtopic where the question is asked of each."""
    parts = pl.col("topic").str.split_exact(APART, 1).struct
    frame = labelling.frame.with_columns(topic=parts.field("field_0"), subtopic=parts.field("field_1"))
    return frame if question.by_subtopic else frame.drop("subtopic")


def grades(study: Study, question: Question, method: str | None = None) -> pl.DataFrame:
    """The settled replies as they stand now, as qrels. NothingYet without any."""
    return grades_of(labelling_of(some_votes(study, question), question, method or default_method(study, question)), question)


def some_votes(study: Study, question: Question) -> pl.DataFrame:
    vote_frame = votes(study, question)
    if vote_frame.is_empty():
        raise results.NothingYet(_("Nobody has replied to “%(name)s” yet.") % {"name": question.name})
    return vote_frame


def settle_as_qrels(study: Study, question: Question, *, by: User, method: str | None = None) -> Qrels:
    """Freeze the replies as a new version of qrels named for the study and the question; the newest one if it has them."""
    method = method or default_method(study, question)
    vote_frame = some_votes(study, question)
    labelling = labelling_of(vote_frame, question, method)
    frame = grades_of(labelling, question)
    recipe = labelling.recipe() | {
        "question": question.name,
        "asked": question.text,
        "replies": vote_frame.height,
        "workers": vote_frame["worker"].n_unique(),
        **({"subtopics": f"{frame.select('topic', 'subtopic').n_unique():,}"} if question.by_subtopic else {}),
    }
    description = Phrase(
        "%(method)s of %(replies)s replies by %(workers)s workers to “%(question)s”.",
        method=Phrase(METHOD_CHOICES[method].title),
        replies=vote_frame.height,
        workers=recipe["workers"],
        question=question.text,
    )
    simulated = int(vote_frame["simulated"].sum())
    return settlement.keep(
        study, frame, by=by, recipe=recipe, description=description, simulated=simulated, question=question.name
    )


@dataclass(frozen=True, eq=False)
class QuestionResult:
    """What was replied to a question so far. `counts` has a number for each possible reply."""

    study: Study
    question: Question
    votes: pl.DataFrame

    @property
    def replies(self) -> int:
        return self.votes.height

    @property
    def counts(self) -> list[tuple[str, int]]:
        counts = dict(self.votes.group_by("grade").len().iter_rows())
        return [(label, counts.get(number, 0)) for number, label in enumerate(self.question.labels)]

    @property
    def methods(self) -> list[aggregation.MethodChoice]:
        """The ways to settle the replies, the default first."""
        choices = [METHOD_CHOICES[name] for name in methods_of(self.question)]
        return sorted(choices, key=lambda choice: choice.name != default_method(self.study, self.question))

    @cached_property
    def agreement(self) -> Agreement | None:
        """Krippendorff's α between workers: ordinal of grades, else nominal. None without a reply."""
        if self.votes.is_empty():
            return None
        item = pl.concat_str("topic", "subtopic", "docno", separator=APART)
        answers = self.votes.select(item.alias("item"), "topic", "worker", label="grade")
        labels = labels_of(answers, values=[str(number) for number in range(len(self.question.labels))])
        return krippendorff_alpha(labels, "ordinal" if self.question.kind == Question.Kind.GRADES else "nominal")


def question_results(study: Study) -> list[QuestionResult]:
    """The study's questions with what was replied; of those that ask for a text there is nothing to count."""
    return [
        QuestionResult(study, question, votes(study, question) if question.is_graded else pl.DataFrame(schema=REPLIES))
        for question in study.question_list
    ]

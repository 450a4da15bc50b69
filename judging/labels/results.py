"""The results of a study so far, and their settling into a qrels version."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import polars as pl
from django.db import connection
from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note, quoted
from judging.collections.storage import all_or_nothing, has_grades, store_qrels
from judging.errors import Impossible
from judging.labels import adjudications, aggregation
from judging.labels.aggregation import ITEM, LEARNS_FROM_GOLD, MAJORITY, METHOD_CHOICES, Gold, Labelling
from judging.models import Collection, Item, Judgement, Qrels, Question, Slot, Study, User, Worker
from judging.text.passages import passage_texts
from judging.work.checks import FIRST_POSITION

SAME = ("method", "adjudicated grades", "adjudicated by")  # what a version with the same grades says that is not new
MEASURES = (Item.Role.GOLD, Item.Role.TEST)  # the checks that tell how often a worker is right


@dataclass(frozen=True)
class StudyProgress:
    items: int
    slots: int
    judged: int
    held: int
    workers: int
    simulated_workers: int
    cannot_judge: int
    surplus: int
    last: datetime | None

    @property
    def percent(self) -> int:
        return 100 * self.judged // self.slots if self.slots else 0


def current(study: Study) -> QuerySet[Judgement]:
    """The judgements of a study that stand."""
    return Judgement.objects.standing().filter(item__study=study)


def to_list(study: Study, *, plain: bool) -> QuerySet[Judgement]:
    """The judgements that stand, for a page of them. `plain`: all of them, by their keys.

    The newest hundred of a million are to be found quickly. Asked by the items, SQLite sorts all; for all else it is faster so.
    Asked by the workers of a small study, PostgreSQL looks through those of all studies.
    """
    if connection.vendor == "postgresql":
        return current(study).filter(worker__study=study)
    return Judgement.objects.standing().filter(worker__study=study) if plain else current(study)


def progress(study: Study) -> StudyProgress:
    slots = Slot.objects.filter(study=study, number__isnull=False).aggregate(
        slots=Count("id"),
        judged=Count("id", filter=Q(judged_at__isnull=False)),
        held=Count("id", filter=Q(judged_at__isnull=True, leased_until__gt=timezone.now())),
    )
    judgements = current(study).aggregate(
        cannot_judge=Count("id", filter=~Q(cannot_judge="") & Q(worker__machine="")),
        surplus=Count("id", filter=Q(slot__isnull=True)),
        last=Max("created"),
    )
    people = study.workers.filter(machine="")
    workers = people.aggregate(workers=Count("id"), simulated_workers=Count("id", filter=Q(simulated=True)))
    return StudyProgress(items=study.pool_counts.get("items", 0), **slots, **judgements, **workers)


@dataclass(frozen=True)
class StudyOverview:
    """What a list of studies shows of each. `workers` are people who have judged."""

    study: Study
    workers: int
    slots: int
    judged: int
    last: datetime | None


def overviews(studies: Iterable[Study]) -> list[StudyOverview]:
    """The progress of many studies with two queries; a draft has no slots."""
    studies = list(studies)
    keys = [study.pk for study in studies]
    grouped = Slot.objects.filter(study__in=keys, number__isnull=False).order_by().values("study")
    counts = grouped.annotate(slots=Count("id"), judged=Count("judged_at"), last=Max("judged_at"))
    slots = {row["study"]: (row["slots"], row["judged"], row["last"]) for row in counts}
    judging = Worker.objects.filter(Exists(Judgement.objects.filter(worker=OuterRef("pk"))), study__in=keys, machine="")
    people = dict(judging.order_by().values_list("study").annotate(Count("id")))
    return [StudyOverview(study, people.get(study.pk, 0), *slots.get(study.pk, (0, 0, None))) for study in studies]


def judgement_rows(study: Study, judgements: QuerySet[Judgement] | None = None) -> pl.DataFrame:
    """Every judgement that stands, or those given, a row each, under the collection's own ids. Surplus ones say so.

    Passages come with their words; texts are read of those documents alone in which there are any. A further question has a
    column of its own.
    """
    fields = {
        "topic": "item__topic__number",
        "docno": "item__document__docno",
        "worker": "worker_id",
        "grade": "grade",
        "cannot_judge": "cannot_judge",
        "comment": "comment",
        "milliseconds": "milliseconds",
        "surplus": "slot_id",
        "revised": "revises_id",
        "simulated": "worker__simulated",
        "machine": "worker__machine",
        "created": "created",
        "passages": "passages",
    }
    questions = study.question_list
    every = current(study) if judgements is None else judgements
    rows = list(every.order_by("id").values_list("pk", *fields.values(), "replies"))
    marked = Judgement.objects.filter(item__study=study).exclude(passages=[])
    texts = dict(marked.values_list("pk", "item__document__text"))
    rows = [
        (*row, passage_texts(passages, texts.get(pk, "")), *(reply_cell(replies, question) for question in questions))
        for pk, *row, passages, replies in rows
    ]
    schema: dict[str, Any] = {
        **dict.fromkeys(fields, pl.String), "worker": pl.Int64, "grade": pl.Int32, "milliseconds": pl.Int64,
        "surplus": pl.Int64, "revised": pl.Int64, "simulated": pl.Boolean, "created": pl.Datetime("us", "UTC"),
        "passages": pl.List(pl.Struct({"start": pl.Int64, "end": pl.Int64, "text": pl.String})),
        **{f"reply_{question.name}": cell_type(question) for question in questions},
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(
        pl.format("w{}", "worker").alias("worker"), pl.col("surplus").is_null(), pl.col("revised").is_not_null()
    )


def reply_cell(replies: dict, question: Question) -> Any:
    """The reply as files have it: a number, the words of a choice, a text, or these by subtopic."""
    reply = replies.get(question.name)
    if question.by_subtopic and reply is not None:
        return [{"subtopic": number, "reply": in_words(part, question)} for number, part in sorted(reply.items())]
    return in_words(reply, question)


def in_words(reply: Any, question: Question) -> Any:
    return question.labels[reply] if question.kind == Question.Kind.CHOICE and reply is not None else reply


def cell_type(question: Question) -> Any:
    cell = pl.String if question.kind in (Question.Kind.CHOICE, Question.Kind.TEXT) else pl.Int64
    return pl.List(pl.Struct({"subtopic": pl.String, "reply": cell})) if question.by_subtopic else cell


@dataclass(frozen=True)
class Label:
    topic: str
    docno: str
    grade: int
    votes: tuple[int, ...]
    tied: bool


IDS = ("topic__number", "document__docno")
VOTES = {
    "topic": pl.String, "docno": pl.String, "grade": pl.Int32, "worker": pl.Int64, "simulated": pl.Boolean,
}  # fmt: skip
KNOWN = {"item": pl.Int64, "topic": pl.String, "docno": pl.String, "right": pl.Int32}
ANSWERS = {"item": pl.Int64, "worker": pl.Int64, "grade": pl.Int32}


def votes(study: Study) -> pl.DataFrame:
    """The votes that decide, a row each, in one query: whatever is counted in them is of the same moment."""
    fields = ("item__topic__number", "item__document__docno", "grade", "worker_id", "worker__simulated")
    deciding = Judgement.objects.filter(item__study=study).deciding().order_by("slot__judged_at", "id")
    return pl.DataFrame(list(deciding.values_list(*fields)), schema=VOTES, orient="row")


def gold(study: Study) -> Gold:
    """What is known to be right, and what workers who have a vote answered at first when it was a test or among the work.

    In training workers are told what is right, so it says nothing of them; an item with several right grades has no single truth.
    """
    rows = study.items.filter(role__in=MEASURES).values_list("pk", "topic__number", "document__docno", "right")
    single = [(pk, topic, docno, right[0]) for pk, topic, docno, right in rows if len(right) == 1]
    first = Judgement.objects.filter(item__study=study, revises=None, grade__isnull=False)
    judgements = first.filter(item__role__in=MEASURES, slot__number__isnull=True, slot__isnull=False)
    judgements = judgements.filter(worker__machine="").exclude(worker__standing=Worker.Standing.EXCLUDED).order_by("id")
    answers = pl.DataFrame(list(judgements.values_list("item_id", "worker_id", "grade")), schema=ANSWERS, orient="row")
    items = pl.DataFrame(single, schema=KNOWN, orient="row")
    return Gold(items.drop("item"), answers.join(items, on="item").select("topic", "docno", "worker", "grade"))


def known_grades(study: Study) -> pl.DataFrame:
    """The grades of pooled documents that researchers gave before the launch, so that nobody was to judge them."""
    asked = Exists(Slot.objects.filter(item=OuterRef("pk"), number__isnull=False))
    items = study.items.filter(~asked, position__lt=FIRST_POSITION, role__in=[*MEASURES, Item.Role.TRAINING])
    rows = [(*ids, right[0]) for *ids, right in items.values_list(*IDS, "right") if len(right) == 1]
    return pl.DataFrame(rows, schema={"topic": pl.String, "docno": pl.String, "grade": pl.Int32}, orient="row")


def with_known(frame: pl.DataFrame, study: Study) -> pl.DataFrame:
    """Settled grades, and those that were known: these come from no vote."""
    return pl.concat([frame, known_grades(study)], how="diagonal") if study.pool_counts.get("known") else frame


def has_gold(study: Study) -> bool:
    """Whether a method that needs gold has any."""
    return any(len(right) == 1 for right in study.items.filter(role__in=MEASURES).values_list("right", flat=True))


def labelling_of(study: Study, method: str | None = None) -> Labelling:
    """A grade of every item that has votes. NothingYet without any; CannotLabel where the method lacks what it needs."""
    return label_votes(votes(study), study, method or aggregation.default_method(study))


def label_votes(vote_frame: pl.DataFrame, study: Study, method: str) -> Labelling:
    if vote_frame.is_empty():
        raise NothingYet(_("Nobody has judged anything yet."))
    return aggregation.labelling_of(vote_frame, study.grades, method, gold(study) if method in LEARNS_FROM_GOLD else None)


def labels(study: Study) -> list[Label]:
    """The majority grade of every item that has one."""
    vote_frame = votes(study)
    return [] if vote_frame.is_empty() else labels_of(label_votes(vote_frame, study, MAJORITY), vote_frame)


def labels_of(labelling: Labelling, vote_frame: pl.DataFrame) -> list[Label]:
    """The labels as rows for pages, each with the votes on it."""
    grades = vote_frame.group_by(ITEM).agg(pl.col("grade").sort())
    frame = labelling.frame.select(*ITEM, "grade").with_columns(tied=labelling.tied)
    rows = frame.join(grades.rename({"grade": "votes"}), on=ITEM, how="left", maintain_order="left").iter_rows()
    return [Label(topic, docno, grade, tuple(on_it), tied) for topic, docno, grade, tied, on_it in rows]


def known_labels(study: Study) -> list[Label]:
    """The grades that were known before the launch, as rows for pages."""
    return [Label(topic, docno, grade, (), tied=False) for topic, docno, grade in known_grades(study).iter_rows()]


def with_adjudicated(item_labels: list[Label], grades: pl.DataFrame) -> list[Label]:
    """The labels, those that were adjudicated with that grade, and those of which the votes have gone."""
    settled = {(topic, docno): grade for topic, docno, grade in grades.iter_rows()}
    kept = [replace(label, grade=settled.pop((label.topic, label.docno), label.grade)) for label in item_labels]
    return kept + [Label(topic, docno, grade, (), False) for (topic, docno), grade in settled.items()]


class NothingYet(Impossible):
    """There is no judgement to settle."""


def settle_as_qrels(study: Study, *, by: User, method: str | None = None) -> Qrels:
    """Freeze the study's grades by one of METHOD_CHOICES (`default_method` if None) as a new qrels version of its collection.

    Gives the newest version where that has these grades by the same method.
    """
    method = method or aggregation.default_method(study)
    vote_frame = votes(study)
    labelling = label_votes(vote_frame, study, method)  # a model takes its time: nobody shall wait for the lock meanwhile
    settled = adjudications.adjudicated_grades(study)
    recipe = labelling.recipe() | vote_counts(study, vote_frame) | adjudications.about(study, settled)
    description = f"{METHOD_CHOICES[method].title} of {recipe['judgements']} judgements by {recipe['workers']} workers."
    frame = with_known(labelling.frame, study)
    if known := frame.height - labelling.frame.height:
        recipe["grades known before"] = known
        description += f" {known:,} grade{' was' if known == 1 else 's were'} known before."
    if settled.height:
        description += f" {settled.height:,} grade{'' if settled.height == 1 else 's'} adjudicated."
    frame = adjudications.with_adjudicated(frame, settled)
    return keep(study, frame, by=by, recipe=recipe, description=description, simulated=int(vote_frame["simulated"].sum()))


def settled_grades(study: Study, method: str | None = None) -> pl.DataFrame:
    """The grades by one of METHOD_CHOICES as they would be kept now: known ones beside them, adjudicated ones in their places."""
    frame = with_known(labelling_of(study, method).frame, study)
    return adjudications.with_adjudicated(frame, adjudications.adjudicated_grades(study))


def keep(
    study: Study, frame: pl.DataFrame, *, by: User, recipe: dict, description: str, simulated: int, question: str = ""
) -> Qrels:
    """These grades, or replies to a further question, as a new version of the study's qrels of them; the newest one if it has
    them by the same method.

    The collection is locked meanwhile: of two at once the second finds what the first has kept. A newer version that was
    imported under the same name is superseded like any other.
    """
    with all_or_nothing():
        Collection.objects.select_for_update(no_key=True).get(pk=study.collection_id)
        of_question = {"recipe__question": question} if question else {"recipe__question__isnull": True}
        # Machine judges' have names of their own.
        own = study.qrels.filter(recipe__machine__isnull=True, **of_question).order_by("-id").first()
        newest = study.collection.qrels.filter(name=own.name).order_by("version").last() if own else None
        same = newest and newest == own and all(newest.recipe.get(key) == recipe.get(key) for key in SAME)
        if newest and same and has_grades(newest, frame):
            return newest
        kept = store_qrels(
            frame,
            collection=study.collection,
            name=own.name if own else free_name(study, question),
            by=by,
            study=study,
            recipe=recipe,
            simulated_judgements=simulated,
            description=description,
            sparse=study.compares,
        )
        note(Deed.SETTLED, f"qrels {quoted(kept)}: {kept.rows:,} grades", by, study)
        return kept


def vote_counts(study: Study, vote_frame: pl.DataFrame) -> dict:
    """How many judgements and workers settled the grades, and how many have no vote at this moment."""
    excluded = current(study).filter(worker__standing=Worker.Standing.EXCLUDED)
    left_out = excluded.aggregate(workers=Count("worker", distinct=True), judgements=Count("id"))
    return {
        "judgements": vote_frame.height,
        "workers": vote_frame["worker"].n_unique(),
        "excluded workers": left_out["workers"],
        "their judgements": left_out["judgements"],
        "until": timezone.now().isoformat(timespec="seconds"),
    }


def free_name(study: Study, question: str = "") -> str:
    """The study's name, told apart from qrels that are there already: nobody has said that these grades succeed them."""
    taken = set(study.collection.qrels.values_list("name", flat=True))
    about = f" · {question}" if question else ""
    room = 120 - len(about)
    names = [f"{study.name[:room]}{about}", f"{study.name[: room - 20]}{about} (study)"]
    names.append(f"{study.name[: room - 30]}{about} (study {study.pk})")
    return next((name for name in names if name not in taken), names[-1])

"""The results of a study so far: votes, and the label of each item."""

from dataclasses import dataclass, replace

import polars as pl
from django.db import connection
from django.db.models import Exists, F, Max, OuterRef, QuerySet
from django.utils.translation import gettext as _

from judging.errors import Impossible
from judging.labels import aggregation
from judging.labels.aggregation import ITEM, LEARNS_FROM_GOLD, MAJORITY, Gold, Labelling
from judging.models import Item, Judgement, Slot, Study, Worker
from judging.models.judgement import JudgementQuerySet
from judging.work.checks import FIRST_POSITION

MEASURES = (Item.Role.GOLD, Item.Role.TEST)  # the checks that tell how often a worker is right


def current(study: Study) -> JudgementQuerySet:
    """The judgements of a study that stand."""
    return Judgement.objects.standing().filter(item__study=study)


def to_list(study: Study, *, narrowed: bool, sort: str) -> QuerySet[Judgement]:
    """The judgements that stand, for a page of them, so that a hundred of a million are found quickly.

    Asked by the workers of a small study, PostgreSQL looks through those of all studies; so it is asked by both. SQLite is asked
    by the items, and by the workers for an order that these have. Where most rows have to be read and most are of the study, it
    reads them as they lie. To pick 100,000 one by one took 110 ms instead of 30.
    """
    if connection.vendor == "postgresql":
        return current(study).filter(worker__study=study)
    standing = Judgement.objects.standing()
    if narrowed or sort in ("grade", "seconds"):
        if has_most(study):
            return standing.alias(by=F("worker_id") + 0).filter(by__in=study.workers.order_by().values("pk"))  # + 0: no index
        return current(study)
    return standing.filter(worker__study=study) if sort in ("", "when", "worker") else current(study)


def has_most(study: Study) -> bool:
    """Whether a good part of all judgements are of the study, as far as can be told at once."""
    newest = Judgement.objects.aggregate(newest=Max("pk"))["newest"] or 0
    return 3 * study.slots.filter(judged_at__isnull=False).count() > newest


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

"""Adjudication: where workers disagree, a person settles the grade. Nothing of the workers' judgements changes; the qrels that
are settled from then on have the grade, and say whose it is.
"""

import polars as pl
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import FirstValue
from django.utils import timezone
from django.utils.translation import gettext as _

from judging.audit import Deed, note
from judging.errors import Impossible, Unacceptable
from judging.labels.aggregation import ITEM
from judging.models import Adjudication, Item, Judgement, Study, User
from judging.models.judgement import IN_TURN

LONGEST_COMMENT = 2000
STANDING = Adjudication.objects.filter(withdrawn__isnull=True)
GRADES = {"topic": pl.String, "docno": pl.String, "settled": pl.Int32}


def adjudicate(item: Item, *, grade: int, by: User, comment: str = "", instead_of: int | None = None) -> Adjudication:
    """Settle an item's grade. `instead_of` is the standing adjudication that whoever settles has seen, if there was one."""
    if grade not in item.study.grades:
        raise Unacceptable(_("%(grade)s is not a grade of this study.") % {"grade": grade})
    if not item.judgements.exists():  # so that whatever is adjudicated stays as long as its judgements do
        raise Impossible(_("Nobody has judged this document for this topic yet."))
    with transaction.atomic():
        before = standing_of(locked(item))
        if (before.pk if before else None) != instead_of:
            raise Impossible(overtaken(before))
        if before:
            end_of(before, by=by)
        settled = Adjudication.objects.create(item=item, grade=grade, comment=comment, by=by)
        note(Deed.ADJUDGED, f"{name_of(item)}: grade {grade}", by, item.study)
    return settled


def overtaken(standing: Adjudication | None) -> str:
    if standing is None:
        return _("Nothing was changed: its settled grade was taken back a moment ago.")
    about = {"by": standing.by, "grade": standing.grade}
    return _("Nothing was changed: %(by)s settled it on %(grade)s a moment ago.") % about


def withdraw(adjudication: Adjudication, *, by: User) -> bool:
    """Take a settled grade back: the workers decide again. Returns whether it had not been taken back before."""
    with transaction.atomic():
        item = adjudication.item
        standing = standing_of(locked(item))
        if standing != adjudication:
            return False
        end_of(adjudication, by=by)
        note(Deed.ADJUDGED, f"{name_of(item)}: grade {adjudication.grade} taken back", by, item.study)
    return True


def locked(item: Item) -> Item:
    return Item.objects.select_for_update(of=("self",), no_key=True).get(pk=item.pk)


def end_of(adjudication: Adjudication, *, by: User) -> None:
    STANDING.filter(pk=adjudication.pk).update(withdrawn=timezone.now(), withdrawn_by=by)


def standing_of(item: Item) -> Adjudication | None:
    """The adjudication that counts."""
    return STANDING.filter(item=item).select_related("by").first()


def name_of(item: Item) -> str:
    return f"{item.document.docno} for topic {item.topic.number}"


def name_experts(study: Study, experts: list[User], *, by: User) -> None:
    """Let these people, and no others besides the study's members, settle its grades."""
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        if set(study.experts.all()) != set(experts):
            study.experts.set(experts)
            names = ", ".join(sorted(map(str, experts))) or "nobody"
            note(Deed.ACCESS, f"who settles grades besides the members: {names}", by, study)


def disagreeing(items: QuerySet[Item]) -> QuerySet[Item]:
    """Those of which not all votes are the same."""
    votes = Judgement.objects.filter(item=OuterRef("pk")).deciding()
    first = Window(FirstValue("grade"), partition_by="item", order_by=IN_TURN)
    return items.filter(Exists(votes.annotate(first=first).filter(Q(grade__gt=F("first")) | Q(grade__lt=F("first")))))


def settled(items: QuerySet[Item], *, yes: bool = True) -> QuerySet[Item]:
    """Those whose grade was adjudicated, or those of which it was not."""
    adjudicated = Exists(STANDING.filter(item=OuterRef("pk")))
    return items.filter(adjudicated if yes else ~adjudicated)


def queue(study: Study) -> QuerySet[Item]:
    """What is to be adjudicated, in the order of the pool: workers disagree, and nobody has settled it."""
    return disagreeing(settled(study.items.filter(role=Item.Role.WORK), yes=False)).order_by("position")


def next_in_queue(study: Study, *, after: int | None = None) -> Item | None:
    """The first item behind a position; from the last one on the queue begins again."""
    waiting = queue(study)
    behind = waiting.filter(position__gt=after).first() if after is not None else None
    return behind or waiting.first()


def adjudicated_grades(study: Study) -> pl.DataFrame:
    """topic, docno and the settled grade of every item that has one."""
    rows = STANDING.filter(item__study=study).values_list("item__topic__number", "item__document__docno", "grade")
    return pl.DataFrame(list(rows), schema=GRADES, orient="row")


def with_adjudicated(frame: pl.DataFrame, adjudicated: pl.DataFrame) -> pl.DataFrame:
    """Grades as votes settle them, with adjudicated ones in their places, which a column of 1 and 0 tells apart.

    A person's word leaves no room: the confidence is 1, and no other grade is likely. Where all votes have gone since, it is
    the only grade that there is.

    >>> votes = pl.DataFrame({"topic": "1", "docno": ["d1", "d2"], "grade": [0, 2], "confidence": [0.5, 0.9], "votes": [2, 2]})
    >>> settled = pl.DataFrame({"topic": "1", "docno": ["d1", "d3"], "settled": [1, 2]})
    >>> with_adjudicated(votes, settled).select("docno", "grade", "confidence", "votes", "adjudicated").rows()
    [('d1', 1, 1.0, 2, 1.0), ('d2', 2, 0.9, 2, 0.0), ('d3', 2, 1.0, 0, 1.0)]
    """
    if adjudicated.is_empty():
        return frame
    every = frame.join(adjudicated, on=ITEM, how="full", coalesce=True, maintain_order="left_right")
    is_settled = pl.col("settled").is_not_null()
    likely = {
        name: pl.when(is_settled).then((pl.col("settled") == int(name[1:])).cast(pl.Float64)).otherwise(pl.col(name))
        for name in frame.columns
        if name[0] == "p" and name[1:].lstrip("-").isdecimal()
    }
    return every.with_columns(
        grade=pl.coalesce("settled", "grade").cast(frame.schema["grade"]),
        confidence=pl.when(is_settled).then(1.0).otherwise("confidence"),
        votes=pl.col("votes").fill_null(0),
        adjudicated=is_settled.cast(pl.Float64),
        **likely,
    ).drop("settled")


def about(study: Study, adjudicated: pl.DataFrame) -> dict:
    """What the recipe of qrels says of it: how many grades, and by whom."""
    if adjudicated.is_empty():
        return {}
    people = STANDING.filter(item__study=study).order_by().values_list("by__username", flat=True).distinct()
    return {"adjudicated grades": adjudicated.height, "adjudicated by": ", ".join(sorted(people))}

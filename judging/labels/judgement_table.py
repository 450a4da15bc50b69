"""The judgements of a study as a table, for files."""

from typing import Any

import polars as pl
from django.db.models import QuerySet

from judging.labels.results import current
from judging.models import Judgement, Question, Study
from judging.text.passages import passage_texts


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

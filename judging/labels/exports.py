"""A study's evidence as files, under the collection's own topic and document ids."""

import io
import json

import polars as pl
from django.db.models import QuerySet
from django.utils.text import slugify

from ireval.io.csv_rows import write_rows
from ireval.io.written_qrels import write_qrels
from judging.collections.downloads import ENDINGS
from judging.labels import reply_labels
from judging.labels.aggregation import MAJORITY
from judging.labels.judgement_table import judgement_rows
from judging.labels.settlement import settled_grades
from judging.models import Judgement, Question, Study

FORMATS = {"qrels": ["trec", "csv", "jsonl", "parquet"], "judgements": ["csv", "jsonl", "parquet"]}
CONTENT_TYPES = {
    "trec": "text/plain; charset=utf-8",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


def filename(study: Study, what: str, form: str, method: str = MAJORITY) -> str:
    how = "" if what != "qrels" or method == MAJORITY else f"-{method}"
    return f"{slugify(study.name) or study.pk}-{what}{how}.{ENDINGS[form]}"


def export(
    study: Study, what: str, form: str, method: str | None = None, *, judgements: QuerySet[Judgement] | None = None
) -> io.BytesIO:
    """The study's grades by one of METHOD_CHOICES ("qrels") or every judgement that stands, or those given ("judgements")."""
    content = io.BytesIO()
    if what == "qrels":
        write_qrels(settled_grades(study, method), content, form)
    else:
        write_table(judgement_rows(study, judgements), content, form)
    return content


def export_replies(study: Study, question: Question, form: str, method: str | None = None) -> io.BytesIO:
    """The replies to a further question as qrels, by the method (None: the default one) that settles them."""
    content = io.BytesIO()
    write_qrels(reply_labels.grades(study, question, method), content, form)
    return content


def write_table(frame: pl.DataFrame, content: io.BytesIO, form: str) -> None:
    if form == "parquet":
        frame.write_parquet(content)
    elif form == "jsonl":
        frame.write_ndjson(content)
    else:
        # Notes are workers' own words: a spreadsheet must not take one for a formula.
        text = io.TextIOWrapper(content, encoding="utf-8", newline="", write_through=True)
        lists = [name for name, kind in frame.schema.items() if kind == pl.List]
        written_out = [as_json(frame[name]) for name in lists]
        created = pl.col("created").dt.strftime("%Y-%m-%dT%H:%M:%S%.3fZ")
        written = frame.with_columns(created, *written_out)
        write_rows(text, [frame.columns, *written.iter_rows()])
        text.detach()


def as_json(lists: pl.Series) -> pl.Series:
    texts = [json.dumps(parts, ensure_ascii=False) if parts else "" for parts in lists.to_list()]
    return pl.Series(lists.name, texts, pl.String)

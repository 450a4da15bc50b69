"""Files of a side-by-side study's report."""

import polars as pl

from ireval.io.tables import parquet_of
from metrics.downloads import JSON, PARQUET, File, as_csv
from metrics.kinds.preferences.evidence import answers_of, vote_rows
from metrics.kinds.studies import rows
from metrics.kinds.study_files import as_json
from metrics.models import Report


def votes_csv(report: Report) -> str:
    """The votes in the format that `python -m ireval preferences` reads."""
    return as_csv(vote_rows(answers_of(report)))


def topics_csv(report: Report) -> str:
    """One row per pair and topic, as seen from the first system; reasons come with how often they were ticked."""
    return as_csv(rows(report, "pairs").with_columns(reasons_in_words("for_first"), reasons_in_words("for_second")))


def reasons_in_words(column: str) -> pl.Expr:
    each = pl.format("{} ({})", pl.element().struct.field("reason"), pl.element().struct.field("n"))
    return pl.col(column).list.eval(each).list.join("; ")


def workers_csv(report: Report) -> str:
    return as_csv(rows(report, "trust"))


def answers_jsonl(report: Report) -> str:
    return answers_of(report).write_ndjson()


def answers_parquet(report: Report) -> bytes:
    return parquet_of(answers_of(report))


def report_json(report: Report) -> str:
    return as_json(report, by_topic=rows(report, "pairs").to_dicts(), by_worker=rows(report, "trust").to_dicts())


FILES = {
    "votes.csv": File(votes_csv),
    "topics.csv": File(topics_csv),
    "workers.csv": File(workers_csv),
    "answers.jsonl": File(answers_jsonl, "application/x-ndjson"),
    "answers.parquet": File(answers_parquet, PARQUET),
    "report.json": File(report_json, JSON),
}
# The names of formats in the API.
FORMATS = {"csv": "votes.csv", "jsonl": "answers.jsonl", "parquet": "answers.parquet", "json": "report.json"}

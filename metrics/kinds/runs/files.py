"""Files of a report on runs: CSV, JSON, and the format of trec_eval."""

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial

import polars as pl
from django.utils.functional import Promise
from django.utils.text import slugify
from django.utils.translation import gettext_lazy

from ireval import Evaluation, Measure, parse_measures
from ireval.io.tables import parquet_of
from ireval.measures.trec_output import trec_lines
from metrics.downloads import JSON, PARQUET, File, as_csv, frame_of, json_of
from metrics.kinds.runs.correlation import every_agreement
from metrics.kinds.runs.curves import curves
from metrics.kinds.runs.differences import every_correction, stored
from metrics.kinds.runs.results import Outcome, outcomes, values
from metrics.kinds.runs.rules import counts_once, rules_of
from metrics.kinds.runs.tags import on_topics, topics_by_tag
from metrics.kinds.runs.values import estimate
from metrics.models import Report


def means_table(report: Report) -> pl.DataFrame:
    """One row per run and qrels: each measure's mean and interval, at full precision."""
    measures = report.spec["measures"]
    rows = [[qrels, outcome.name, outcome.topics, *numbers(outcome, measures)] for qrels, outcome in by_qrels(report)]
    return frame_of(["qrels", "run", "topics", *columns_of(measures)], rows)


def columns_of(measures: list[str]) -> list[str]:
    return [column for name in measures for column in (name, f"{name} low", f"{name} high")]


def numbers(outcome: Outcome, measures: list[str]) -> list[float | None]:
    return [
        number for name in measures for number in (outcome.means[name].mean, outcome.means[name].low, outcome.means[name].high)
    ]


def topics_table(report: Report) -> pl.DataFrame:
    """One row per topic, run and qrels, with each measure's value."""
    measures = report.spec["measures"]
    rows = [
        [qrels, outcome.name, *row]
        for qrels, outcome in by_qrels(report)
        for row in values(report, qrels=outcome.qrels, run=outcome.run).select("topic", *measures).iter_rows()
    ]
    return frame_of(["qrels", "run", "topic", *measures], rows)


def curves_table(report: Report) -> pl.DataFrame:
    """One row per point of each curve, run and qrels; x is a rank, a recall or a share of the non-relevant documents."""
    rows = [
        [qrels, outcome.name, curve, *point]
        for qrels, outcome in by_qrels(report)
        for curve, points in curves(report, outcome).items()
        for point in zip(*points, strict=True)
    ]
    return frame_of(["qrels", "run", "curve", "x", "value"], rows)


def by_qrels(report: Report) -> list[tuple[str, Outcome]]:
    """Every outcome with the name of its qrels."""
    names = {version["id"]: version["name"] for version in report.spec["qrels"]}
    return [(names[outcome.qrels], outcome) for outcome in outcomes(report)]


def differences_table(report: Report) -> pl.DataFrame:
    """One row per pair, measure and qrels, with each test's p value, raw and corrected for the pairs by the same measure."""
    runs = {run["id"]: run["name"] for run in report.spec["runs"]}
    qrels = {version["id"]: version["name"] for version in report.spec["qrels"]}
    frame = every_correction(stored(report))
    names = [pl.col("qrels").replace_strict(qrels, return_dtype=pl.String)]
    names += [pl.col(side).replace_strict(runs, return_dtype=pl.String) for side in ("first", "second")]
    named = frame.with_columns(names).rename({"effect": "hedges_g", "half": "tukey_half_width"})
    return named


def tags_table(report: Report) -> pl.DataFrame:
    """One row per run, qrels and tag: each measure's mean and interval over the topics that have the tag now."""
    measures = report.spec["measures"]
    rows = list(tag_rows(report, parse_measures(measures)))
    return frame_of(["qrels", "tag", "run", "topics", *columns_of(measures)], rows)


def tag_rows(report: Report, measures: list[Measure]) -> Iterator[list]:
    tags = topics_by_tag(report)
    for qrels, outcome in by_qrels(report):
        every = values(report, qrels=outcome.qrels, run=outcome.run)
        for tag, topics in tags.items():
            if len(tagged := on_topics(topics, every)):
                estimates = [number for measure in measures for number in estimate(tagged, measure)]
                yield [qrels, tag, outcome.name, len(tagged), *estimates]


def agreement_table(report: Report) -> pl.DataFrame:
    """One row per pair (of measures, qrels or runs) and coefficient; `n` counts runs, or the topics of two runs."""
    rows = [
        [what, *where, titles[method], *pair]
        for what, where, titles, method, alike in every_agreement(report)
        for pair in alike.pairs
    ]
    return frame_of(["what", "qrels", "measure", "coefficient", "first", "second", "n", "value"], rows)


def whole_json(report: Report) -> str:
    """The question, its evidence, the published result and every per-topic value."""
    content = {
        "title": report.title,
        "collection": report.subject.name,
        "created": report.created,
        "finished": report.finished,
        "engine": report.engine_version,
        "digest": report.digest,
        **report.spec,
        **rules_of(report.spec),
        "duplicates_once": counts_once(report.spec),
        "results": [result(report, qrels, outcome) for qrels, outcome in by_qrels(report)],
    }
    return json_of(content)


def result(report: Report, qrels: str, outcome: Outcome) -> dict:
    """One outcome for JSON, with per-topic values as columns: each measure's are in the order of `topics`."""
    frame = values(report, qrels=outcome.qrels, run=outcome.run)
    return {
        "qrels": qrels,
        "run": outcome.name,
        "means": {name: asdict(estimate) for name, estimate in outcome.means.items()},
        "judged@10": outcome.judged,
        "interpolated_precision": outcome.precisions,
        "topics": frame["topic"].to_list(),
        "values": {name: frame[name].to_list() for name in report.spec["measures"]},
    }


# What each table is called on the page; every one can be had as CSV and as Parquet.
TABLES: dict[str, tuple[str | Promise, Callable[[Report], pl.DataFrame]]] = {
    "means": (gettext_lazy("Means"), means_table),
    "topics": (gettext_lazy("Every topic"), topics_table),
    "curves": (gettext_lazy("Curves"), curves_table),
    "differences": (gettext_lazy("Differences"), differences_table),
    "tags": (gettext_lazy("Means by tag"), tags_table),
    "agreement": (gettext_lazy("Correlation"), agreement_table),
}


def written(name: str, form: Callable[[pl.DataFrame], str | bytes], report: Report) -> str | bytes:
    _, make = TABLES[name]
    return form(make(report))


FILES = {
    **{f"{name}.csv": File(partial(written, name, as_csv)) for name in TABLES},
    **{f"{name}.parquet": File(partial(written, name, parquet_of), PARQUET) for name in TABLES},
    "report.json": File(whole_json, JSON),
}


def filename(report: Report, *parts: str) -> str:
    safe = (re.sub(r"[^\w.-]+", "_", part, flags=re.ASCII) for part in parts)
    return "-".join([slugify(report.title)[:60] or f"report-{report.pk}", *safe])


def trec_text(report: Report, outcome: Outcome) -> str:
    """The text that trec_eval -q prints for the report's measures: each topic, then all topics."""
    measures, rules = parse_measures(report.spec["measures"]), rules_of(report.spec)
    evaluation = Evaluation(
        values=values(report, qrels=outcome.qrels, run=outcome.run),
        measures=tuple(measures),
        profile=rules["profile"],
        topic_rule=rules["topics"],
        relevant_from=rules["relevant_from"],
        missing=(),
        unjudged=(),
        judged_only=rules["judged_only"],
        ties=rules["ties"],
    )
    return "".join(f"{line}\n" for line in trec_lines(evaluation, per_topic=True))

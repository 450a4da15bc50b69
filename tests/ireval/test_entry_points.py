"""Whatever a notebook calls refuses what it cannot take: with a BadInput that says so in a sentence, and never by another error.

Each public function of each room stands here with a call that is right. In it one argument after the other is replaced by what it
is not. A new function that is not listed fails. Where a table may come as a file, its path gives what the table gives.
"""

import importlib
import inspect
import io
import json
import pkgutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

import ireval
from ireval import (
    BadInput,
    Scores,
    StoppingRule,
    compare_interleaved,
    credits_of,
    draw_documents,
    evaluate,
    experiment_of,
    interleave,
    labels_of,
    pooled_documents,
    preference,
    sessions_of,
    votes_of,
)
from ireval.aggregation import majority
from ireval.behaviour import Limits
from ireval.behaviour.log import small as small_log
from ireval.clicks import click_preferences, fit, held_out
from ireval.clicks.sessions import small as small_sessions
from ireval.experiments import Observed
from ireval.significance import Estimate, Pairs
from ireval.stability import Panel
from ireval.verdict import Bundle, Scored, line_of_topics
from tests.ireval.io.test_frames_of_evidence import SHOWN as MERGED

Columns = dict[str, list[Any]]


class Given(NamedTuple):
    """An argument that is replaced: its right value, the columns of a frame in its place, and what else is right there.

    Of the columns those that are `optional` may be missing, and may be empty. `file` writes them as a file whose path is taken.
    """

    right: Any
    columns: Columns | None = None
    also: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    file: Callable[[Columns], str] | None = None


def as_csv(columns: Columns) -> str:
    return pl.DataFrame(columns).write_csv()


def as_tsv(columns: Columns, *, header: bool = True) -> str:
    return pl.DataFrame(columns).write_csv(separator="\t", include_header=header)


def as_trec(columns: Columns) -> str:
    return "".join(f"{topic} Q0 {docno} 0 {score} run\n" for topic, docno, score in zip(*columns.values(), strict=True))


def as_log(columns: Columns) -> str:
    """The documents shown as UBI's queries and clicks, without times; each impression is a session."""
    rows = pl.DataFrame(columns)
    shown = rows.group_by("impression", "query", maintain_order=True).agg("document")
    queries = [
        {"query_id": impression, "client_id": impression, "user_query": query, "query_response_hit_ids": documents}
        for impression, query, documents in shown.rows()
    ]
    clicks = [
        {"action_name": "click", "query_id": impression, "event_attributes": {"object": {"object_id": document}}}
        for impression, document, count in rows.select("impression", "document", "clicks").rows()
        for _ in range(count)
    ]
    return "".join(json.dumps(record) + "\n" for record in [*queries, *clicks])


NONSENSE: dict[str, Any] = {
    "None": None,
    "a number": 5,
    "NaN": float("nan"),
    "a text": "nonsense",
    "an absent path": Path("no/such.file"),
    "bytes": b"nonsense",
    "a set": {"a", "b"},
    "a list of None": [None, None],
    "a list of texts": ["a", "b"],
    "a flat dictionary": {"a": None},
    "a deep dictionary": {"a": {"b": {"c": 1.0}}},
    "a frame of other columns": pl.DataFrame({"strange": [1, 2]}),
    "a frame without columns": pl.DataFrame(),
    "a function": len,
}
# Cells that no column of ours holds.
BAD_CELLS: dict[str, Any] = {"a null": None, "a NaN": float("nan"), "a list": [1], "bytes": b"x"}


def column(name: str, values: list[Any]) -> pl.Series:
    try:
        return pl.Series(name, values)
    except TypeError:
        return pl.Series(name, values, dtype=pl.Object)


def frames_of(given: Given) -> Iterator[tuple[str, pl.DataFrame]]:
    """Frames that are wrong in one thing each."""
    columns = given.columns or {}
    if columns:
        yield "a row twice", pl.DataFrame({name: [*values, values[0]] for name, values in columns.items()})
    for name in columns:
        if name not in given.optional:
            yield f"no {name}", pl.DataFrame({other: cells for other, cells in columns.items() if other != name})
        for label, cell in BAD_CELLS.items():
            if not (name in given.optional and label in ("a null", "a NaN")):
                wrong = [column(other, [cell, *cells[1:]] if other == name else cells) for other, cells in columns.items()]
                yield f"{label} as {name}", pl.DataFrame(wrong)


def wrong_values(given: Given) -> dict[str, Any]:
    values = {**NONSENSE, **dict(frames_of(given))}
    return {label: value for label, value in values.items() if label not in given.also}


RUN_COLUMNS: Columns = {"topic": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]}
QRELS_COLUMNS: Columns = {"topic": ["1", "1", "2"], "docno": ["a", "b", "b"], "grade": [1, 0, 2]}
X = {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}
Y = {"1": {"c": 2.0, "b": 1.0}, "2": {"b": 1.0}}
JUDGED = {"1": {"a": 1, "b": 0}, "2": {"b": 2}}
RUN, QRELS = Given(X, RUN_COLUMNS, file=as_trec), Given(JUDGED, QRELS_COLUMNS, file=as_csv)
LABELLED: Columns = {"item": ["a", "a", "b", "b"], "worker": ["x", "y", "x", "y"], "label": [0, 1, 1, 1]}
LABELS = Given(labels_of(pl.DataFrame(LABELLED)), LABELLED, file=as_csv)
VOTED: Columns = {
    "item": ["q1", "q1", "q2", "q3"],
    "left": ["new", "new", "old", "old"],
    "right": ["old", "old", "new", "new"],
    "winner": ["left", "tie", "right", "right"],
    "worker": ["x", "y", "x", "y"],
}
VOTES = Given(votes_of(pl.DataFrame(VOTED)), VOTED, optional=("worker", "winner"), file=as_csv)
UNITS: Columns = {"unit": ["u", "v", "w", "x"], "arm": ["a", "b", "a", "b"], "clicks": [1, 0, 3, 2]}
EXPERIMENT = Given(experiment_of(pl.DataFrame(UNITS)), UNITS, file=as_csv)
SHOWN: Columns = {
    "impression": ["i", "i", "j", "k"],
    "query": ["q"] * 4,
    "document": ["a", "b", "a", "a"],
    "rank": [1, 2, 1, 1],
    "clicks": [0, 1, 1, 0],
}
SESSIONS = Given(sessions_of(pl.DataFrame(SHOWN)), SHOWN, file=as_log)
TABLE: Columns = {"topic": ["1", "2", "3"], "bm25": [0.1, 0.2, 0.3], "rm3": [0.2, 0.1, 0.5]}
SCORES = Given(
    Scores(("1", "2", "3"), ("bm25", "rm3"), np.array([[0.1, 0.2], [0.2, 0.1], [0.3, 0.5]]), largest_difference=1.0),
    TABLE,
    # Topics are numbered where none are named; a table of other columns is one of other systems.
    also=("a frame of other columns", "no bm25", "no rm3"),
    optional=("topic",),
    file=as_csv,
)
PAIRED_SCORES = SCORES._replace(also=("no topic",))
ORDERED: Columns = {"system": ["bm25", "rm3"], "score": [0.1, 0.2]}
LISTS, TEXT = ("a list of texts",), ("a text",)
ORDERING = Given({"bm25": 0.1, "rm3": 0.2}, ORDERED, also=(*LISTS, "a NaN as score"), file=as_csv)
CREDITED: Columns = {"user": ["u", "v"], "query": ["q", "r"], "old": [1, 0], "new": [0, 2]}
GROUPED: Columns = {"docno": ["a", "b"], "group": ["1", "1"]}
WRITTEN: Columns = {"docno": ["a", "b"], "text": ["to be", "or not"]}
SEARCHES: Columns = {"unit": [1, 2], "time": [1, 2], "query": [1, 2], "arm": [0, 1]}
ACTIONS: Columns = {"unit": [1, 2], "time": [1, 2], "query": [1, 2], "action": ["click", "click"]}
# Frames of numbers are tables of numbers.
TABLES = ("a frame of other columns", "a frame without columns")
NUMBERS = Given([0.1, 0.2, 0.4], also=TABLES)
NUMBER = ("a number",)
WHOLE, AT_LEAST = Given(10, also=NUMBER), Given(2, also=NUMBER)
SHARE, HALF = Given(0.2), Given(0.6)
EVALUATION = Given(evaluate(X, JUDGED, "RR P@1"))
DOCUMENTS = Given(pooled_documents({"x": X, "y": Y}, JUDGED, depth=2))
DRAWS = draw_documents(DOCUMENTS.right, "P@2", 2, np.random.default_rng(1)).with_columns(grade=pl.Series([0, 1]))
MEASURE = Given("P@2")
RNG = Given(np.random.default_rng(1))
LOG = Given(small_log())
MATRIX = Given(np.array([[0.1, 0.2], [0.2, 0.4], [0.3, 0.1]]), also=TABLES)
PAIRS = Pairs(np.array([0]), np.array([1]))
INTERLEAVED = Given(interleave("team_draft", [["a", "b"], ["b", "c"]], 2, seed=1))
CREDITS = Given(credits_of(pl.DataFrame(CREDITED)), CREDITED, also=("a row twice",), file=as_csv)
CLICKED = compare_interleaved(CREDITS.right)
ESTIMATE = Estimate(0.1, 0.05, 9)
LINE = line_of_topics("grades", "nDCG@10", [0.1, 0.2, 0.15, 0.1], margin=0.02)
AGGREGATED = Given(majority(LABELS.right))
PANEL = Given(Panel(pl.DataFrame({"topic": ["1", "2"], "docno": ["a", "b"]}), {"x": X, "y": Y}))
ITEMS = np.array([0, 1])
SMALL = small_sessions()
GRADED: Columns = {"query": ["owls", "owls"], "document": ["a", "b"], "grade": [2, 0]}

CALLS: list[tuple[Callable[..., Any], list[Any], dict[str, Any]]] = []


def call(function: Callable[..., Any], *arguments: Any, **named: Any) -> None:
    CALLS.append((function, list(arguments), named))


GOLDEN: Columns = {"item": ["a", "b"], "label": [1, 0]}
GOLD = Given(np.array([0, 1]), GOLDEN, also=("None",), file=as_csv)
room = importlib.import_module("ireval.aggregation")
for name in ("majority", "mean", "median", "dawid_skene", "ordinal"):
    call(getattr(room, name), LABELS, GOLD)
call(room.gold_weighted, LABELS, GOLD._replace(also=()))
call(room.default_method, LABELS)
call(ireval.aggregate, LABELS, "majority", GOLD)
call(room.fixed_overlap, LABELS, AT_LEAST)
call(ireval.replay, LABELS, HALF, Given(StoppingRule()))
call(ireval.decide, Given([1, 1]), HALF, AT_LEAST, Given(StoppingRule()))
call(ireval.accuracy_from_agreement, HALF, AT_LEAST)

room = importlib.import_module("ireval.agreement")
for name in (
    *("agreement_of", "cohen_kappa", "fleiss_kappa", "krippendorff_alpha", "percent_agreement", "item_agreement"),
    *("longest_runs", "mean_cohen_kappa"),
):
    call(getattr(room, name), LABELS)
call(room.worker_table, LABELS, GOLD)
call(room.confusion, LABELS, Given(np.eye(2), also=("None",)))
call(room.entropy, MATRIX)
call(room.wilson_interval, *[Given(number, also=(*NUMBER, "NaN", *TABLES)) for number in (3, 10)])

room = importlib.import_module("ireval.labels")
call(room.labels_of, LABELS._replace(right=pl.DataFrame(LABELLED)))
call(room.as_labels, LABELS)
call(room.gold_of, Given(pl.DataFrame({"item": ["a"], "label": [1]}), GOLDEN, file=as_csv), LABELS)
call(room.as_gold, GOLD, LABELS.right)

room = importlib.import_module("ireval.preferences")
for name in (
    *("attention", "bradley_terry", "consistency", "counts_of", "ladder", "learning", "preferences", "side_bias"),
    *("vote_agreement", "vote_labels"),
):
    call(getattr(room, name), VOTES)
for name in ("preference", "topic_table"):
    call(getattr(room, name), VOTES, Given("new"), Given("old"))
call(room.votes_of, VOTES._replace(right=pl.DataFrame(VOTED)))
call(room.decisions, Given([preference(VOTES.right, "new", "old").score]))
BY_TOPIC = Given({"1": 1.0, "2": 0.5, "3": 0.2})
call(room.agreement_with_metric, BY_TOPIC, BY_TOPIC)

room = importlib.import_module("ireval.experiments")
for name in ("arm_effects", "arm_means", "as_sums"):
    call(getattr(room, name), EXPERIMENT)
call(room.experiment_of, EXPERIMENT._replace(right=pl.DataFrame(UNITS)))
call(room.experiment_from, Given([0, 0, 1, 1]), Given(["a", "b"], also=LISTS), Given({"clicks": Observed([0, 1, 1, 1])}))
COUNTS = Given([100, 110])
call(room.experiment_from_counts, Given(["a", "b"], also=LISTS), COUNTS, Given({"bought": [10, 20]}))
call(room.sample_ratio, COUNTS, Given([1, 1], also=("None",)))
call(room.homogeneity, COUNTS, Given([10, 20]))
call(room.proportion_test, *[Given(number, also=NUMBER) for number in (100, 3, 100, 5)])
call(room.assign, Given("ann", also=TEXT), Given("salt", also=TEXT), Given([0.5, 0.5], also=TABLES[:1]))
call(room.place, Given("ann", also=TEXT), Given("salt", also=TEXT))
call(room.always_valid, Given(0.1, also=(*NUMBER, "NaN")), Given(0.1, also=(*NUMBER, "NaN")), Given(10, also=(*NUMBER, "NaN")))
call(room.sequence_rho, Given(100, also=NUMBER))
call(room.sequence_half_width, *[Given(number, also=(*NUMBER, "NaN")) for number in (0.1, 10, 0.1)])

room = importlib.import_module("ireval.clicks")
for name in ("blind", "coec", "ctr_by_rank", "median_seconds", "rates"):
    call(getattr(room, name), SESSIONS)
call(room.click_preferences, SESSIONS, Given("skip-above"))
call(room.fit, SESSIONS, Given("cascade"))
call(room.held_out, SESSIONS._replace(right=SMALL), ["cascade"], share=Given(0.5))
call(room.held_out_on, SESSIONS, SESSIONS, ["cascade"])
call(room.sessions_of, SESSIONS._replace(right=pl.DataFrame(SHOWN)))
RESULTS = held_out(SMALL, ["cascade"], share=0.5)
call(room.foresight, Given([RESULTS[1].gain]))
call(room.perplexity_table, Given(RESULTS))
JUDGED_CLICKS = Given(pl.DataFrame(GRADED), GRADED)
call(room.implicit_labels, Given(fit(SMALL, "cascade")), JUDGED_CLICKS, Given(SMALL), least_support=1, thresholds=[0.2])
SKIPS = {"skip-above": click_preferences(SMALL, "skip-above")}
call(room.preference_agreement, Given(SKIPS), JUDGED_CLICKS)

room = importlib.import_module("ireval.behaviour")
call(room.behaviour_of, LOG, Given(["ctr"]))
call(room.flagged, LOG, Given(Limits(records_a_minute=2)))
call(room.rates_of_units, LOG)
call(room.definition_of, Given("ctr"))
# Units and queries may be unknown, and a search has a record for each of its pages.
LATER = ("a row twice", "a null as query", "a NaN as query", "a null as arm", "a NaN as arm", "a null as unit", "a NaN as unit")
call(
    room.log_of,
    Given(pl.DataFrame(SEARCHES), SEARCHES, also=tuple(label for label in LATER if "unit" not in label)),
    Given(pl.DataFrame(ACTIONS), ACTIONS, also=LATER),
    Given(["a", "b"], also=LISTS),
    Given(0, also=NUMBER),
    Given(9, also=NUMBER),
)

room = importlib.import_module("ireval.interleaving")
LISTED = [["a", "b"], ["b", "c"]]
call(room.interleave, Given("team_draft"), Given(LISTED), Given(2, also=NUMBER))
for name in ("credit", "outcome"):
    call(getattr(room, name), INTERLEAVED, Given(["a"], also=("a set", *LISTS, "a list of None")))
for name in ("compare_interleaved", "compare_multileaved", "credit_table"):
    call(getattr(room, name), CREDITS, systems=Given(["old", "new"], also=("None",)))
call(room.credits_of, CREDITS._replace(right=pl.DataFrame(CREDITED)))
call(room.decisions, Given([CLICKED]), Given([3]))
CLICKED_MERGED: Columns = {"impression": [7, 7], "document": ["b", "a"]}
# A click elsewhere is on no document.
call(
    room.scored,
    Given(pl.DataFrame(MERGED), MERGED, also=("a null as document",)),
    Given(pl.DataFrame(CLICKED_MERGED), CLICKED_MERGED, also=("a row twice", "a null as impression", "a null as document")),
)

room = importlib.import_module("ireval.correlation")
for name in ("correlate", "rank_pairs", "rank_table"):
    call(getattr(room, name), ORDERING, ORDERING)
call(room.correlate_runs, RUN, RUN, Given(["kendall"]))
call(room.correlation_matrix, MATRIX)

room = importlib.import_module("ireval.curves")
for name in ("cumulated_gain", "discounted_cumulated_gain", "precision_recall", "roc"):
    call(getattr(room, name), RUN, QRELS, cutoff=WHOLE)
call(room.interpolated_precisions, RUN, QRELS, levels=Given([0.1, 0.2], also=TABLES[:1]))
call(room.histogram, EVALUATION, EVALUATION, Given("P@1"))

room = importlib.import_module("ireval.diversity")
call(room.by_intent, RUN, QRELS)
call(room.intents_of, QRELS)

room = importlib.import_module("ireval.duplicates")
call(room.as_groups, Given({"a": "1", "b": "1"}, GROUPED, file=as_tsv))
call(room.near_duplicates, Given({"a": "to be"}, WRITTEN, also=("a null as text",), file=partial(as_tsv, header=False)))
call(room.write_groups, Given(room.as_groups({"a": "1", "b": "1"})))

room = importlib.import_module("ireval.planning")
call(room.days_needed, WHOLE, WHOLE)
call(room.detectable_delta, Given(1000, also=NUMBER))
call(room.detectable_effect, Given(1000, also=NUMBER), baseline=HALF)
call(room.detectable_preference, Given(50, also=NUMBER))
call(room.experiment_power, SHARE, Given(1000, also=NUMBER), baseline=HALF)
call(room.impressions_needed, SHARE)
call(room.interleaving_power, SHARE, Given(1000, also=NUMBER))
call(room.power, Given(0.1, also=NUMBER), Given(0.2, also=NUMBER), Given(30, also=(*NUMBER, "NaN")))
call(room.preference_power, HALF, Given(50, also=NUMBER))
call(room.ratio_deviation, *[Given(number, also=(*NUMBER, "NaN")) for number in (2.0, 4.0, 3.0, 8.0, 4.0)])
call(room.smallest_difference, Given(30, also=(*NUMBER, "NaN")), Given(0.2, also=NUMBER))
call(room.topics_for_preference, HALF)
call(room.topics_needed, Given(0.1, also=NUMBER), Given(0.2, also=NUMBER))
call(room.users_are_alike, Given(3, also=(*NUMBER, "NaN")), SHARE)
call(room.users_needed, SHARE, baseline=HALF)

room = importlib.import_module("ireval.pooling")
for name in ("difference_bounds", "next_documents", "predicted_scores"):
    call(getattr(room, name), DOCUMENTS, MEASURE)
call(room.draw_documents, DOCUMENTS, MEASURE, Given(2, also=NUMBER), RNG)
call(room.sampled_differences, DOCUMENTS, MEASURE, Given(DRAWS))
call(room.predict_grades, DOCUMENTS, Given(2, also=NUMBER))
call(room.pool, Given({"x": X, "y": Y}, also=(*LISTS, "a set", "a deep dictionary")), Given(2, also=NUMBER))
call(room.pooled_documents, Given({"x": X, "y": Y}), QRELS, depth=Given(2, also=("None", *NUMBER)))
call(room.sampled_topics, SCORES, Given(["1", "2", "3", "4"]))

room = importlib.import_module("ireval.significance")
for name in ("benjamini_hochberg", "bonferroni", "holm"):
    call(getattr(room, name), NUMBERS)
call(room.shares_of_alpha, NUMBERS, Given("holm"))
for name in ("cohens_d", "hedges_g", "paired_t", "sign_test", "superiority", "t_interval", "wilcoxon"):
    call(getattr(room, name), NUMBERS)
call(room.mean_interval, NUMBERS)
for name in ("bootstrap_interval", "bootstrap_test", "difference_interval", "randomisation"):
    call(getattr(room, name), NUMBERS, RNG)
for name in ("bootstrap", "randomise"):
    call(getattr(room, name), MATRIX, PAIRS, RNG)
call(room.tukey, MATRIX, PAIRS)
call(room.tukey_half_width, MATRIX)
call(room.randomised_ranges, MATRIX, RNG)
call(room.randomised_half_width, NUMBERS)
call(room.randomised_tukey, MATRIX, PAIRS, NUMBERS.right)
call(room.binomial_test, WHOLE, WHOLE)
call(room.trinomial_test, WHOLE, WHOLE, WHOLE)
call(room.sign_tests, "topics", WHOLE, WHOLE, WHOLE)
call(room.upper_tail, Given(3.5, also=(*NUMBER, "NaN", *TABLES)), 3, Given(20, also=(*NUMBER, "NaN")))
for name in ("compare", "pairs_of"):
    call(getattr(room, name), PAIRED_SCORES)
call(room.decide, Given([ESTIMATE]))
call(room.measure_interval, Given(EVALUATION.right.values), Given("RR"))
call(room.read_scores, SCORES._replace(right=pl.DataFrame(TABLE)))
call(room.scores_of, Given({"x": EVALUATION.right}), Given("RR"))

room = importlib.import_module("ireval.stability")
call(room.orders, Given({"majority": AGGREGATED.right}), PANEL, Given(ITEMS), MEASURE)
call(room.uncertainty, AGGREGATED, PANEL, Given(ITEMS), MEASURE)
call(room.redrawn, AGGREGATED, np.ones((1, 2), np.int64))

room = importlib.import_module("ireval.verdict")
call(room.verdict, Given([LINE]))
call(room.heterogeneity, Given({"grades": ESTIMATE}))
call(room.line_of_topics, "grades", "nDCG", NUMBERS, margin=Given(0.02, also=(*NUMBER, "NaN")))
SCORE = Given(preference(VOTES.right, "new", "old").score)
call(room.line_of_votes, "votes", SCORE, 4, margin=0.05)
call(room.line_of_interleaving, "clicks", SCORE, 4, margin=0.05, unit="impressions")
call(room.line_of_arms, "clicks", "ctr", Given(ESTIMATE), ([1, 0], [1, 1]), ([1, 0], [1, 1]), margin=0.05)
call(room.sentence, Given(room.verdict([LINE])), "old", "new")
BUNDLE = Given(Bundle("old", "new", [Scored("clicks", 0.02, 0.6, 0.02, 9, 100)]))
# Whoever writes may name any path.
TARGET = Given(io.BytesIO(), also=("a text", "an absent path"))
call(room.result_of, Given(BUNDLE.right.verdict()), BUNDLE)
call(room.write_bundle, BUNDLE, TARGET)
call(room.disagreements, Given(BUNDLE.right.evidence))
call(room.orders_of, [("x", "y")], Given([ESTIMATE]), planned=Given(50, also=NUMBER))
FRAMES = {"x": pl.DataFrame(RUN_COLUMNS), "y": pl.DataFrame(RUN_COLUMNS).with_columns(docno=pl.lit("b") + pl.col("docno"))}
call(room.orders_so_far, Given(FRAMES), Given(pl.DataFrame(QRELS_COLUMNS)), Given("P@1"), planned=50)

call(ireval.as_run, RUN)
call(ireval.as_qrels, QRELS)
call(
    ireval.evaluate,
    RUN,
    QRELS,
    Given("nDCG"),
    relevant_from=Given(1, also=(*NUMBER, "NaN")),
    depth=Given(5, also=("None", *NUMBER)),
)
call(ireval.Qrels, QRELS)
call(ireval.write_qrels, QRELS, Given(io.BytesIO()), Given("csv"))
call(ireval.write_run, RUN, TARGET)
FOLDER = tempfile.TemporaryDirectory()
RUN_FILE = Path(FOLDER.name) / "run"
RUN_FILE.write_text(as_trec(RUN_COLUMNS), encoding="utf-8")
call(ireval.evaluate_file, Given(RUN_FILE), QRELS, Given("nDCG"))
call(ireval.run_facts, RUN)
call(ireval.rankings_of, RUN, QRELS)
call(ireval.contingency, RUN, QRELS, documents=Given(10, also=("None", *NUMBER)))
call(ireval.coverage_and_novelty, RUN, QRELS, known=QRELS)
call(ireval.trec_lines, EVALUATION)
call(ireval.parse_measure, Given("nDCG"))
call(ireval.parse_measures, Given("nDCG AP"))
call(ireval.frame_of, Given([LINE, LINE], also=("a frame without columns",)))
call(ireval.to_pandas, Given(EVALUATION.right, also=("a frame of other columns", "a frame without columns")))
TWO: Columns = {"topic": ["1", "2"], "docno": ["a", "b"]}
call(Panel, Given(pl.DataFrame(TWO), TWO), Given({"x": X}, also=("a deep dictionary",)))

# What a file holds is checked where files are tested; here only what is no path.
READERS: list[Callable[..., Any]] = [
    function
    for name in ("labels", "preferences", "experiments", "clicks", "interleaving", "correlation", "duplicates", "verdict")
    for function in vars(importlib.import_module(f"ireval.{name}")).values()
    if inspect.isfunction(function) and function.__name__.startswith("read_")
]
READERS += [ireval.read_run, ireval.read_qrels, ireval.read_run_parquet, ireval.scan_run]


def public_functions() -> dict[str, Any]:
    rooms = [f"ireval.{room.name}" for room in pkgutil.iter_modules(ireval.__path__) if room.ispkg]
    modules = [importlib.import_module(name) for name in (*rooms, "ireval")]
    names = {f"{module.__name__}.{name}": getattr(module, name) for module in modules for name in getattr(module, "__all__", [])}
    return {name: thing for name, thing in names.items() if inspect.isfunction(thing)}


def test_each_public_function_is_listed():
    listed = {function for function, _, _ in CALLS} | set(READERS)
    forgotten = [name for name, function in public_functions().items() if function not in listed]
    assert not forgotten, f"call each of {forgotten} above"


def outcome_of(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    result = function(**arguments)
    return list(result) if inspect.isgenerator(result) else result


def name_of(function: Callable[..., Any]) -> str:
    return f"{function.__module__.removeprefix('ireval.')}.{function.__name__}"


@pytest.fixture(autouse=True)
def no_endless_loop():
    """A minute of the processor's time, not of the clock's: the machine may be busy."""

    def stop(*_: Any) -> None:
        raise AssertionError("it does not end")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, 60)
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)
    signal.signal(signal.SIGPROF, before)


def right(value: Any) -> Any:
    return value.right if isinstance(value, Given) else value


@pytest.mark.parametrize(("function", "arguments", "named"), CALLS, ids=[name_of(function) for function, _, _ in CALLS])
def test_what_is_wrong_ends_in_a_sentence(function, arguments, named):
    """One test per function: thousands of single ones would take longer to list than to run."""
    given = inspect.signature(function).bind(*arguments, **named).arguments
    good = {name: right(value) for name, value in given.items()}
    outcome_of(function, good)
    tried = [
        (f"{name} = {label}", complaint_about(function, {**good, name: value}, value))
        for name, replaced in given.items()
        if isinstance(replaced, Given)
        for label, value in wrong_values(replaced).items()
    ]
    assert not [": ".join(pair) for pair in tried if pair[1]]


def complaint_about(function: Callable[..., Any], arguments: dict[str, Any], value: Any) -> str:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = outcome_of(function, arguments)
    except BadInput as refusal:
        return "" if " " in str(refusal).strip() else f"says only {str(refusal)!r}"
    except FileNotFoundError as error:
        # As Python's own open says it, with the name of the file.
        return "" if error.filename and str(error.filename) == str(value) else f"{error!r}"
    except Exception as error:
        return f"{error!r:.200}"
    return f"gives {result!r:.80}"


def plain(result: Any) -> Any:
    """All that a result holds, to be compared."""
    if isinstance(result, pl.DataFrame):
        return repr(result.to_dict(as_series=False))
    if hasattr(result, "_asdict"):
        return plain(list(result._asdict().items()))
    if isinstance(result, list | tuple):
        return [plain(part) for part in result]
    is_ours = type(result).__module__.startswith("ireval.") and hasattr(result, "__dict__")
    return plain([field for field in vars(result).items() if not field[0].startswith("_")]) if is_ours else repr(result)


def result_of(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """What it gives; the refusal where it refuses, as sampled_topics does any table, since that names no measure."""
    try:
        return plain(outcome_of(function, arguments))
    except BadInput as refusal:
        return refusal.args


TAKES_TABLES = [
    (function, name, inspect.signature(function).bind(*arguments, **named).arguments)
    for function, arguments, named in CALLS
    for name, value in inspect.signature(function).bind(*arguments, **named).arguments.items()
    if isinstance(value, Given) and value.columns
]


@pytest.mark.parametrize(
    ("function", "name", "given"), TAKES_TABLES, ids=[f"{name_of(function)}-{name}" for function, name, _ in TAKES_TABLES]
)
def test_a_path_gives_what_its_table_gives(function, name, given, tmp_path):
    """Where no reader reads such a table, the refusal says to read the file first."""
    good = {other: right(value) for other, value in given.items()}
    columns, write = given[name].columns, given[name].file
    path = tmp_path / "table"
    path.write_text((write or as_csv)(columns), encoding="utf-8")
    if not write:
        with pytest.raises(BadInput, match=r"expected a frame of polars or pandas; found .*: read the file first"):
            outcome_of(function, {**good, name: path})
        return
    wanted = result_of(function, {**good, name: pl.DataFrame(columns)})
    assert result_of(function, {**good, name: path}) == wanted
    assert result_of(function, {**good, name: str(path)}) == wanted


@pytest.mark.parametrize("end", ["csv", "parquet", "ndjson"])
def test_a_file_of_documents_shown_is_read_first(end, tmp_path):
    """It is no log; the refusal says what to do with it."""
    path = tmp_path / f"shown.{end}"
    getattr(pl.DataFrame(SHOWN), f"write_{end}")(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(
            BadInput, match=r"no UBI queries.*\n.*: only logs are read here: .* for example with polars\.read_csv$"
        ):
            sessions_of(path)


@pytest.mark.parametrize("reader", READERS, ids=name_of)
@pytest.mark.parametrize("path", [None, 5, b"nonsense", {"a": 1}, ["a"], len], ids=repr)
def test_what_is_no_path_is_refused(reader, path):
    with pytest.raises(BadInput, match=r"expected|is no"):
        outcome_of(reader, {next(iter(inspect.signature(reader).parameters)): path})

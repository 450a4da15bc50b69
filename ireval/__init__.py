"""The metric engine: from files of runs and qrels to numbers. No Django: import it in a notebook and check us.

    from ireval import compare, evaluate, read_qrels, read_run, scores_of

Runs and qrels may be paths, frames of polars or pandas, or {topic: {docno: score}}: as_run and as_qrels check them. Functions of
labels, votes, experiments, clicks and scores take frames, too. Every refusal is a BadInput: of a table it names row, column and
remedy, of another argument what was expected. With frame_of any list of results is a frame, with to_pandas one of pandas.
docs/tutorial/notebook.md is a tutorial.

- Files: read_run, read_qrels, read_scores, read_ordering; write_run, write_qrels and trec_lines.
- Values: evaluate, for one run and every measure in MEASURES, with mean_interval, measure_interval and bootstrap_interval.
- Curves: precision_recall, roc, cumulated_gain and others.
- One topic at a time: contingency and coverage_and_novelty. For these and curves, rankings_of joins run and qrels once.
- Differences: scores_of several evaluations, then compare; each test, effect size and correction can also be called alone.
- Planning: topics_needed and smallest_difference.
- Correlation of orders: correlate, correlate_runs, correlation_matrix, with RBO and overlap among the methods; rank_table and
  rank_pairs say which things differ.
- Pooling: pool. What is still unjudged: pooled_documents, then difference_bounds, next_documents and predicted_scores;
  draw_documents and sampled_differences stop early with a known chance of error.
- Near-duplicates: near_duplicates or read_groups; Qrels(qrels, duplicates=groups) counts each group once.
- Diversity: intents_of and by_intent turn subtopics into topics; Ideal is the best order.
- Labels of workers: read_labels, read_gold, labels_of and gold_of.
- Agreement: agreement_of and its single coefficients, item_agreement, worker_table and confusion.
- Aggregation: aggregate gives one label per item; decide and replay a StoppingRule say when an item has enough.
- Side-by-side studies: read_votes or votes_of, then preference for two systems, bradley_terry or ladder for many.
  topics_for_preference plans them.
- Experiments on users: read_experiment or experiment_of, sample_ratio, then arm_effects. users_needed and detectable_effect plan
  them.
- Interleaving: interleave merges rankings of several systems into one; compare_interleaved evaluates the clicks: of
  what credits_of takes, or Credits.
- Verdict: which of two systems is better, from all of these together, is in ireval.verdict.
- Clicks: read_ubi or sessions_of, then ctr_by_rank, click_preferences and coec; click models are in ireval.clicks.

Functions for many pairs of systems at once are in ireval.significance, the measures in ireval.measures. ireval.stability says how
workers' labels affect systems (Panel, uncertainty, orders), ireval.preferences what votes say about workers (side_bias,
consistency, learning).
"""

import ast
import pkgutil
from importlib import import_module
from typing import Any

import ireval.diversity  # noqa: F401  its measures are in the catalogue whichever room is asked for

# Part of the hash of every report: raised whenever a number may come out differently.
ENGINE_VERSION = "10"

# The module of each name. Rooms that nobody asks for are not imported: a script that only evaluates starts a tenth sooner.
_MODULES = {
    name.name: statement.module
    for statement in ast.parse(pkgutil.get_data(__name__, "__init__.pyi") or b"").body  # also from within an archive
    if isinstance(statement, ast.ImportFrom) and statement.module
    for name in statement.names
}
_ROOMS = {module.split(".")[1] for module in _MODULES.values()}
__all__ = ["ENGINE_VERSION", *_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"ireval.{name}")
    if name not in _MODULES:
        raise AttributeError(f"module 'ireval' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})

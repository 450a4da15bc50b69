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

from ireval.aggregation import Aggregated, Decision, Replay, StoppingRule, accuracy_from_agreement, aggregate, decide, replay
from ireval.agreement import (
    Agreement,
    Resampling,
    agreement_of,
    cohen_kappa,
    confusion,
    fleiss_kappa,
    item_agreement,
    krippendorff_alpha,
    percent_agreement,
    wilson_interval,
    worker_table,
)
from ireval.clicks import BadClicks, Deviations, Sessions, click_preferences, coec, ctr_by_rank, read_ubi, sessions_of
from ireval.correlation.ordering_files import read_ordering
from ireval.correlation.orderings import METHODS, Correlation, correlate, correlate_runs, correlation_matrix
from ireval.correlation.rank_tables import rank_pairs, rank_table
from ireval.curves.curves import (
    GainCurve,
    PrecisionRecall,
    Roc,
    cumulated_gain,
    discounted_cumulated_gain,
    histogram,
    interpolated_precisions,
    precision_recall,
    roc,
)
from ireval.diversity.ideal import Ideal
from ireval.diversity.intents import Intents, by_intent, intents_of
from ireval.duplicates import near_duplicates, read_groups
from ireval.experiments import (
    BadExperiment,
    Experiment,
    Observed,
    always_valid,
    arm_effects,
    arm_means,
    experiment_from,
    experiment_from_counts,
    experiment_of,
    homogeneity,
    proportion_test,
    read_experiment,
    sample_ratio,
    sequence_half_width,
    sequence_rho,
)
from ireval.interleaving import (
    BadInterleaving,
    Credits,
    Interleaved,
    compare_interleaved,
    compare_multileaved,
    credit_table,
    credits_of,
    interleave,
    read_credits,
)
from ireval.io.files import BadFile, BadInput, IgnoredInput, Problem
from ireval.io.frames import as_qrels, as_run, frame_of, to_pandas
from ireval.io.profiles import DEFAULT_PROFILE, PROFILES
from ireval.io.qrels import read_qrels
from ireval.io.runs import read_run
from ireval.io.stored_runs import RunFacts, read_run_parquet, run_facts, scan_run, write_run
from ireval.io.written_qrels import write_qrels
from ireval.labels import BadLabels, Labels, gold_of, labels_of, read_gold, read_labels
from ireval.measures.arrangement import rankings_of
from ireval.measures.contingency import contingency
from ireval.measures.evaluation import Evaluation, evaluate, evaluate_file
from ireval.measures.names import parse_measure, parse_measures
from ireval.measures.rankings import Qrels, Rankings
from ireval.measures.registry import MEASURES, BadMeasure, Kind, Measure
from ireval.measures.trec_output import trec_lines
from ireval.measures.user_oriented import coverage_and_novelty
from ireval.planning import (
    days_needed,
    detectable_effect,
    detectable_preference,
    experiment_power,
    preference_power,
    ratio_deviation,
    topics_for_preference,
    users_needed,
)
from ireval.planning.topics import power, smallest_difference, topics_needed
from ireval.pooling import (
    DifferenceBounds,
    PooledDocuments,
    SampledDifferences,
    difference_bounds,
    draw_documents,
    next_documents,
    pool,
    pooled_documents,
    predicted_scores,
    sampled_differences,
    sampled_topics,
)
from ireval.preferences import (
    BadVotes,
    Ladder,
    Preference,
    Strengths,
    Votes,
    agreement_with_metric,
    bradley_terry,
    ladder,
    preference,
    read_votes,
    votes_of,
)
from ireval.significance import (
    CORRECTIONS,
    TESTS,
    BadComparison,
    Comparison,
    Rules,
    Scores,
    benjamini_hochberg,
    binomial_test,
    bonferroni,
    bootstrap_test,
    cohens_d,
    compare,
    difference_interval,
    hedges_g,
    holm,
    paired_t,
    randomisation,
    read_scores,
    scores_of,
    sign_test,
    superiority,
    t_interval,
    trinomial_test,
    wilcoxon,
)
from ireval.significance.intervals import Interval, bootstrap_interval, mean_interval, measure_interval

# Part of the hash of every report: raised whenever a number may come out differently.
ENGINE_VERSION = "9"

__all__ = [
    "CORRECTIONS",
    "DEFAULT_PROFILE",
    "ENGINE_VERSION",
    "MEASURES",
    "METHODS",
    "PROFILES",
    "TESTS",
    "Aggregated",
    "Agreement",
    "BadClicks",
    "BadComparison",
    "BadExperiment",
    "BadFile",
    "BadInput",
    "BadInterleaving",
    "BadLabels",
    "BadMeasure",
    "BadVotes",
    "Comparison",
    "Correlation",
    "Credits",
    "Decision",
    "Deviations",
    "DifferenceBounds",
    "Evaluation",
    "Experiment",
    "GainCurve",
    "Ideal",
    "IgnoredInput",
    "Intents",
    "Interleaved",
    "Interval",
    "Kind",
    "Labels",
    "Ladder",
    "Measure",
    "Observed",
    "PooledDocuments",
    "PrecisionRecall",
    "Preference",
    "Problem",
    "Qrels",
    "Rankings",
    "Replay",
    "Resampling",
    "Roc",
    "Rules",
    "RunFacts",
    "SampledDifferences",
    "Scores",
    "Sessions",
    "StoppingRule",
    "Strengths",
    "Votes",
    "accuracy_from_agreement",
    "aggregate",
    "agreement_of",
    "agreement_with_metric",
    "always_valid",
    "arm_effects",
    "arm_means",
    "as_qrels",
    "as_run",
    "benjamini_hochberg",
    "binomial_test",
    "bonferroni",
    "bootstrap_interval",
    "bootstrap_test",
    "bradley_terry",
    "by_intent",
    "click_preferences",
    "coec",
    "cohen_kappa",
    "cohens_d",
    "compare",
    "compare_interleaved",
    "compare_multileaved",
    "confusion",
    "contingency",
    "correlate",
    "correlate_runs",
    "correlation_matrix",
    "coverage_and_novelty",
    "credit_table",
    "credits_of",
    "ctr_by_rank",
    "cumulated_gain",
    "days_needed",
    "decide",
    "detectable_effect",
    "detectable_preference",
    "difference_bounds",
    "difference_interval",
    "discounted_cumulated_gain",
    "draw_documents",
    "evaluate",
    "evaluate_file",
    "experiment_from",
    "experiment_from_counts",
    "experiment_of",
    "experiment_power",
    "fleiss_kappa",
    "frame_of",
    "gold_of",
    "hedges_g",
    "histogram",
    "holm",
    "homogeneity",
    "intents_of",
    "interleave",
    "interpolated_precisions",
    "item_agreement",
    "krippendorff_alpha",
    "labels_of",
    "ladder",
    "mean_interval",
    "measure_interval",
    "near_duplicates",
    "next_documents",
    "paired_t",
    "parse_measure",
    "parse_measures",
    "percent_agreement",
    "pool",
    "pooled_documents",
    "power",
    "precision_recall",
    "predicted_scores",
    "preference",
    "preference_power",
    "proportion_test",
    "randomisation",
    "rank_pairs",
    "rank_table",
    "rankings_of",
    "ratio_deviation",
    "read_credits",
    "read_experiment",
    "read_gold",
    "read_groups",
    "read_labels",
    "read_ordering",
    "read_qrels",
    "read_run",
    "read_run_parquet",
    "read_scores",
    "read_ubi",
    "read_votes",
    "replay",
    "roc",
    "run_facts",
    "sample_ratio",
    "sampled_differences",
    "sampled_topics",
    "scan_run",
    "scores_of",
    "sequence_half_width",
    "sequence_rho",
    "sessions_of",
    "sign_test",
    "smallest_difference",
    "superiority",
    "t_interval",
    "to_pandas",
    "topics_for_preference",
    "topics_needed",
    "trec_lines",
    "trinomial_test",
    "users_needed",
    "votes_of",
    "wilcoxon",
    "wilson_interval",
    "worker_table",
    "write_qrels",
    "write_run",
]

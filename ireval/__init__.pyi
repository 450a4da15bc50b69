"""The names of `ireval` and their modules: what type checkers read, and what `__init__.py` imports when it is asked for."""

from ireval.aggregation import (
    Aggregated as Aggregated,
    Decision as Decision,
    Replay as Replay,
    StoppingRule as StoppingRule,
    accuracy_from_agreement as accuracy_from_agreement,
    aggregate as aggregate,
    decide as decide,
    replay as replay,
)
from ireval.agreement import (
    Agreement as Agreement,
    Resampling as Resampling,
    agreement_of as agreement_of,
    cohen_kappa as cohen_kappa,
    confusion as confusion,
    fleiss_kappa as fleiss_kappa,
    item_agreement as item_agreement,
    krippendorff_alpha as krippendorff_alpha,
    percent_agreement as percent_agreement,
    wilson_interval as wilson_interval,
    worker_table as worker_table,
)
from ireval.clicks import (
    BadClicks as BadClicks,
    Deviations as Deviations,
    Sessions as Sessions,
    click_preferences as click_preferences,
    coec as coec,
    ctr_by_rank as ctr_by_rank,
    read_ubi as read_ubi,
    sessions_of as sessions_of,
)
from ireval.correlation.ordering_files import read_ordering as read_ordering
from ireval.correlation.orderings import (
    METHODS as METHODS,
    Correlation as Correlation,
    correlate as correlate,
    correlate_runs as correlate_runs,
    correlation_matrix as correlation_matrix,
)
from ireval.correlation.rank_tables import (
    rank_pairs as rank_pairs,
    rank_table as rank_table,
)
from ireval.curves.curves import (
    GainCurve as GainCurve,
    PrecisionRecall as PrecisionRecall,
    Roc as Roc,
    cumulated_gain as cumulated_gain,
    discounted_cumulated_gain as discounted_cumulated_gain,
    histogram as histogram,
    interpolated_precisions as interpolated_precisions,
    precision_recall as precision_recall,
    roc as roc,
)
from ireval.diversity.ideal import Ideal as Ideal
from ireval.diversity.intents import (
    Intents as Intents,
    by_intent as by_intent,
    intents_of as intents_of,
)
from ireval.duplicates import (
    near_duplicates as near_duplicates,
    read_groups as read_groups,
)
from ireval.experiments import (
    BadExperiment as BadExperiment,
    Experiment as Experiment,
    Observed as Observed,
    always_valid as always_valid,
    arm_effects as arm_effects,
    arm_means as arm_means,
    experiment_from as experiment_from,
    experiment_from_counts as experiment_from_counts,
    experiment_of as experiment_of,
    homogeneity as homogeneity,
    proportion_test as proportion_test,
    read_experiment as read_experiment,
    sample_ratio as sample_ratio,
    sequence_half_width as sequence_half_width,
    sequence_rho as sequence_rho,
)
from ireval.interleaving import (
    BadInterleaving as BadInterleaving,
    Credits as Credits,
    Interleaved as Interleaved,
    compare_interleaved as compare_interleaved,
    compare_multileaved as compare_multileaved,
    credit_table as credit_table,
    credits_of as credits_of,
    interleave as interleave,
    read_credits as read_credits,
)
from ireval.io.files import (
    BadFile as BadFile,
    BadInput as BadInput,
    IgnoredInput as IgnoredInput,
    Problem as Problem,
)
from ireval.io.frames import (
    as_qrels as as_qrels,
    as_run as as_run,
    frame_of as frame_of,
    to_pandas as to_pandas,
)
from ireval.io.profiles import (
    DEFAULT_PROFILE as DEFAULT_PROFILE,
    PROFILES as PROFILES,
)
from ireval.io.qrels import read_qrels as read_qrels
from ireval.io.runs import read_run as read_run
from ireval.io.stored_runs import (
    RunFacts as RunFacts,
    read_run_parquet as read_run_parquet,
    run_facts as run_facts,
    scan_run as scan_run,
    write_run as write_run,
)
from ireval.io.written_qrels import write_qrels as write_qrels
from ireval.labels import (
    BadLabels as BadLabels,
    Labels as Labels,
    gold_of as gold_of,
    labels_of as labels_of,
    read_gold as read_gold,
    read_labels as read_labels,
)
from ireval.measures.arrangement import rankings_of as rankings_of
from ireval.measures.contingency import contingency as contingency
from ireval.measures.evaluation import (
    Evaluation as Evaluation,
    evaluate as evaluate,
    evaluate_file as evaluate_file,
)
from ireval.measures.names import (
    parse_measure as parse_measure,
    parse_measures as parse_measures,
)
from ireval.measures.rankings import (
    Qrels as Qrels,
    Rankings as Rankings,
)
from ireval.measures.registry import (
    MEASURES as MEASURES,
    BadMeasure as BadMeasure,
    Kind as Kind,
    Measure as Measure,
)
from ireval.measures.trec_output import trec_lines as trec_lines
from ireval.measures.user_oriented import coverage_and_novelty as coverage_and_novelty
from ireval.planning import (
    days_needed as days_needed,
    detectable_effect as detectable_effect,
    detectable_preference as detectable_preference,
    experiment_power as experiment_power,
    preference_power as preference_power,
    ratio_deviation as ratio_deviation,
    topics_for_preference as topics_for_preference,
    users_needed as users_needed,
)
from ireval.planning.topics import (
    power as power,
    smallest_difference as smallest_difference,
    topics_needed as topics_needed,
)
from ireval.pooling import (
    DifferenceBounds as DifferenceBounds,
    PooledDocuments as PooledDocuments,
    SampledDifferences as SampledDifferences,
    difference_bounds as difference_bounds,
    draw_documents as draw_documents,
    next_documents as next_documents,
    pool as pool,
    pooled_documents as pooled_documents,
    predicted_scores as predicted_scores,
    sampled_differences as sampled_differences,
    sampled_topics as sampled_topics,
)
from ireval.preferences import (
    BadVotes as BadVotes,
    Ladder as Ladder,
    Preference as Preference,
    Strengths as Strengths,
    Votes as Votes,
    agreement_with_metric as agreement_with_metric,
    bradley_terry as bradley_terry,
    ladder as ladder,
    preference as preference,
    read_votes as read_votes,
    votes_of as votes_of,
)
from ireval.significance import (
    CORRECTIONS as CORRECTIONS,
    TESTS as TESTS,
    BadComparison as BadComparison,
    Comparison as Comparison,
    Rules as Rules,
    Scores as Scores,
    benjamini_hochberg as benjamini_hochberg,
    binomial_test as binomial_test,
    bonferroni as bonferroni,
    bootstrap_test as bootstrap_test,
    cohens_d as cohens_d,
    compare as compare,
    difference_interval as difference_interval,
    hedges_g as hedges_g,
    holm as holm,
    paired_t as paired_t,
    randomisation as randomisation,
    read_scores as read_scores,
    scores_of as scores_of,
    sign_test as sign_test,
    superiority as superiority,
    t_interval as t_interval,
    trinomial_test as trinomial_test,
    wilcoxon as wilcoxon,
)
from ireval.significance.intervals import (
    Interval as Interval,
    bootstrap_interval as bootstrap_interval,
    mean_interval as mean_interval,
    measure_interval as measure_interval,
)

ENGINE_VERSION: str
__all__: list[str]

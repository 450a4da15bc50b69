"""How much it takes to find a difference: topics, side-by-side votes, users of an A/B test, interleaved impressions."""

from ireval.planning.detectable_preference import detectable_preference, preference_power, topics_for_preference
from ireval.planning.impressions import detectable_delta, impressions_needed, interleaving_power, users_are_alike
from ireval.planning.target import WORTH_TELLING, Target
from ireval.planning.topics import power, smallest_difference, topics_needed
from ireval.planning.users import days_needed, detectable_effect, experiment_power, ratio_deviation, users_needed

__all__ = [
    "WORTH_TELLING",
    "Target",
    "days_needed",
    "detectable_delta",
    "detectable_effect",
    "detectable_preference",
    "experiment_power",
    "impressions_needed",
    "interleaving_power",
    "power",
    "preference_power",
    "ratio_deviation",
    "smallest_difference",
    "topics_for_preference",
    "topics_needed",
    "users_are_alike",
    "users_needed",
]

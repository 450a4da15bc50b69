"""Diversity: topics with several intents, the order that serves all intents best, and measures of diversity and novelty."""

from ireval.diversity import intent_aware, novelty
from ireval.diversity.ideal import Ideal
from ireval.diversity.intents import Intents, by_intent, intents_of

__all__ = ["Ideal", "Intents", "by_intent", "intent_aware", "intents_of", "novelty"]

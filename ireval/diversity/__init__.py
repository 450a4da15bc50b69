"""What topics mean several things: the intents behind them, the best order for all of these at once, and measures of both."""

from ireval.diversity import intent_aware, novelty
from ireval.diversity.ideal import Ideal
from ireval.diversity.intents import Intents, by_intent, intents_of

__all__ = ["Ideal", "Intents", "by_intent", "intent_aware", "intents_of", "novelty"]

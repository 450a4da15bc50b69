"""The languages of documents: which words differ only in their endings, and which are in any text. For highlighting alone.

>>> english, italian = ENGLISH.stem, ITALIAN.stem
>>> english("Owls"), english("migrations"), english("injected") == english("injection")
('owl', 'migrat', True)
>>> italian("Gufi"), italian("laghi") == italian("lago"), italian("migrazione") == italian("migrazioni")
('guf', True, True)
"""

import re
import threading
from collections.abc import Callable
from functools import lru_cache

from Stemmer import Stemmer

WORD = re.compile(r"\w+")
SHORTEST = 3  # letters of a word that has an ending
ITALIAN_VOWELS = "aeiouàèéìòù"


class Snowball:
    """Porter's rules for a language. A stemmer belongs to one thread: each has its own."""

    def __init__(self, language: str):
        self.language = language
        self.threads = threading.local()

    def __call__(self, word: str) -> str:
        if not hasattr(self.threads, "stemmer"):
            self.threads.stemmer = Stemmer(self.language)
        return self.threads.stemmer.stemWord(word)


snowball_italian = Snowball("italian")


def italian_stem(word: str) -> str:
    """Fold singular and plural, masculine and feminine; adverbs and abstract nouns by Snowball.

    Snowball alone parts 5 of the 20 families of words in its tests: camera and camere, lago and laghi.
    """
    if word.endswith(("mente", "ità")):
        return snowball_italian(word)
    if len(word) < SHORTEST or word[-1] not in ITALIAN_VOWELS:
        return word
    stem = word[:-1].removesuffix("i")
    return stem[:-1] if stem.endswith(("ch", "gh")) else stem


class Language:
    """A stemmer of lower-case words, and function words. `telling` are words that no other of our languages has."""

    def __init__(self, stemmer: Callable[[str], str], function_words: str, telling: str):
        self.stemmer = stemmer
        self.function_words = frozenset(function_words.split())
        self.telling = [f" {word} " for word in telling.split()]
        # A cache for each language: looking a word up costs no more than it would with a single one.
        self.stem = lru_cache(maxsize=4096)(self._stem)
        self.stems = lru_cache(maxsize=1024)(self._stems)
        self.candidates = lru_cache(maxsize=1024)(self._candidates)

    def _stem(self, word: str) -> str:
        return self.stemmer(word.casefold())

    def _stems(self, query: str) -> frozenset[str]:
        """The stems of the query's words, without function words and single letters."""
        return frozenset(self.stem(word) for word in self.content_words(query))

    def _candidates(self, query: str) -> re.Pattern[str] | None:
        """Matches the words that begin like one of the query's; None if the query has none to look for."""
        letters = "".join(sorted({re.escape(word[0]) for word in self.content_words(query)}))
        return re.compile(rf"\b[{letters}]\w*", re.IGNORECASE) if letters else None

    def content_words(self, query: str) -> list[str]:
        words = [word for word in WORD.findall(query) if len(word) > 1]
        return [word for word in words if word.casefold() not in self.function_words]


ENGLISH = Language(
    Snowball("english"),
    "a about after all also am an and any are as at be because been before being between both but by can could did do does "
    "during each few for from had has have he her here him his how if in into is it its me more most my no nor not of off on "
    "once only or our out over own same she should so some such than that the their them then there these they this those "
    "through to too under until up very was we were what when where which while who whom why will with would you your",
    telling="the of and",
)
ITALIAN = Language(
    italian_stem,
    "a ad agli ai al all alla alle allo anche che chi ci come con cosa da dagli dai dal dall dalla dalle degli dei "
    "del dell della delle dello di dove e ed fra gli ha hanno i il in la le lo ma ne negli nei nel nell nella nelle "
    "nello non o per perché più qual quale quali quando quanto se si sono su sugli sui sul sull sulla sulle tra un "
    "una uno è",
    telling="di che della è sono gli",
)


@lru_cache(maxsize=1024)
def italian(query: str) -> int:
    """How Italian a query seems: below 0 not, above 0 it does, 0 if it could be either."""
    words = set(WORD.findall(query.casefold()))
    clear = len(words & ITALIAN.function_words) - len(words & ENGLISH.function_words)
    vowels = [word[-1] in ITALIAN_VOWELS for word in words]
    return clear or any(vowels) + all(vowels) - 1


def language_of(text: str, query: str) -> Language:
    """The text's language if the query could be in it. Where a text is too short to tell, the query decides."""
    seems = italian(query)
    if seems < 0:
        return ENGLISH  # the usual case, for the price of one look-up
    head = text[:500]
    score = sum(map(head.count, ITALIAN.telling)) - sum(map(head.count, ENGLISH.telling))
    return ITALIAN if (score or seems) > 0 else ENGLISH

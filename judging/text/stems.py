"""Which words of a text are the query's, give or take their endings. Only for marking; it decides nothing.

>>> english, italian = ENGLISH.stem, ITALIAN.stem
>>> english("Owls"), english("migrations"), english("bus"), english("injected") == english("injection")
('owl', 'migr', 'bus', False)
>>> italian("Gufi"), italian("laghi") == italian("lago"), italian("migrazione") == italian("migrazioni"), italian("città")
('guf', True, True, 'citt')
"""

import re
from functools import lru_cache

WORD = re.compile(r"\w+")


class Tongue:
    """What a language's words end in, by the letters that must be left, and words that are in any text but its subject."""

    def __init__(self, endings: dict[int, str], stop_words: str, telling: str):
        shortest = {ending: left + len(ending) for left, listed in endings.items() for ending in listed.split()}
        self.endings = sorted(shortest.items(), key=lambda pair: -len(pair[0]))
        self.stop_words = frozenset(stop_words.split())
        self.telling = [f" {word} " for word in telling.split()]  # in no other of our languages
        # A cache for each language: looking a word up costs no more than it would with a single one.
        self.stem = lru_cache(maxsize=4096)(self._stem)
        self.stems = lru_cache(maxsize=1024)(self._stems)
        self.pattern = lru_cache(maxsize=1024)(self._pattern)

    def _stem(self, word: str) -> str:
        word = word.casefold()
        for ending, shortest in self.endings:
            if word.endswith(ending) and len(word) >= shortest:
                return word[: -len(ending)]
        return word

    def _stems(self, query: str) -> frozenset[str]:
        """Of the words of a query that a document can be about."""
        words = (word for word in WORD.findall(query) if len(word) > 1)
        return frozenset(self.stem(word) for word in words if word.casefold() not in self.stop_words)

    def _pattern(self, query: str) -> re.Pattern[str] | None:
        """What finds the query's words, and words that only differ from them in their endings; None if it has none."""
        if not self.stems(query):
            return None
        longest_first = sorted(map(re.escape, self.stems(query)), key=len, reverse=True)
        return re.compile(rf"\b(?:{'|'.join(longest_first)})\w{{0,6}}\b", re.IGNORECASE)


ENGLISH = Tongue(
    {3: "ations ation ings ing ies ied ers ed es er s y"},
    "a an and are as at be by can do does for from how in is it its of on or that the their this to was were what when where "
    "which who why will with",
    telling="the of and",
)
ITALIAN = Tongue(
    {3: "a e i o à è é ì ò ù ia ie ii io he hi hia hie hio", 4: "azione azioni amento amenti amente emente mente ità"},
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
    clear = len(words & ITALIAN.stop_words) - len(words & ENGLISH.stop_words)
    vowels = [word[-1] in "aeiouàèéìòù" for word in words]
    return clear or any(vowels) + all(vowels) - 1


def tongue_of(text: str, query: str) -> Tongue:
    """The language whose endings to fold: the text's, if the query could be in it. A heading may be too short to tell."""
    asked = italian(query)
    if asked < 0:
        return ENGLISH  # the usual case, for the price of one look-up
    head = text[:500]
    told = sum(map(head.count, ITALIAN.telling)) - sum(map(head.count, ENGLISH.telling))
    return ITALIAN if (told or asked) > 0 else ENGLISH

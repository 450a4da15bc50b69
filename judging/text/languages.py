"""The languages of documents: which words differ only in their endings, and which are in any text.

>>> english, italian, german = ENGLISH.stem, ITALIAN.stem, GERMAN.stem
>>> english("Owls"), english("migrations"), english("injected") == english("injection")
('owl', 'migrat', True)
>>> italian("Gufi"), italian("laghi") == italian("lago"), italian("migrazione") == italian("migrazioni")
('guf', True, True)
>>> german("Eulen") == german("Eule"), german("Wälder") == german("Wald")
(True, True)
"""

import re
import threading
from collections.abc import Callable
from functools import lru_cache

from django.utils.translation import get_language
from Stemmer import Stemmer

WORD = re.compile(r"\w+")
SHORTEST = 3  # letters of a word that has an ending
HEAD = 500  # characters that tell a text's language
LEAST_KNOWN = 2  # function words that tell it; they are a fifth of all words at least
ITALIAN_VOWELS = "aeiouàèéìòù"
NO = "(?!)"  # matches nothing


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
    """Its code, a stemmer of lower-case words, and function words. `telling` are words that no other of our languages has.

    Words with one stem may begin with another of the letters that `alike` has side by side. `spelling` matches queries that may
    be in the language though they have no function words.
    """

    def __init__(
        self, code: str, stemmer: Callable[[str], str], function_words: str, telling: str, *, alike: str = "", spelling: str = NO
    ):
        self.code = code
        self.spelling = re.compile(spelling, re.IGNORECASE | re.DOTALL)
        self.stemmer = stemmer
        self.function_words = frozenset(function_words.casefold().split())
        self.alike = alike.split()
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
        letters = {word[0].lower() for word in self.content_words(query)}
        letters.update(*(pair for pair in self.alike if letters & set(pair)))
        return re.compile(rf"\b[{''.join(sorted(letters))}]\w*", re.IGNORECASE) if letters else None

    def content_words(self, query: str) -> list[str]:
        words = [word for word in WORD.findall(query) if len(word) > 1]
        return [word for word in words if word.casefold() not in self.function_words]


ENGLISH = Language(
    "en",
    Snowball("english"),
    "a about above across after again against all along already also although always am among an and another any are around "
    "as at be because been before being below between both but by can cannot could did do does doing done down during each "
    "either else etc even ever every few for from further get gets had has have having he hence her here hers herself him "
    "himself his how however if in instead into is it its itself just less let made make makes making many may me might "
    "more most much must my neither never no nor not now of off often on once one only onto or other others our ours out "
    "over own per rather same shall she should since so some still such than that the their theirs them themselves then "
    "there therefore these they this those though through throughout thus to together too toward towards under until up "
    "upon use used uses using very via was we well were what when where whereas whether which while who whom whose why will "
    "with within without would yet you your yours",
    telling="the of and",
)
ITALIAN = Language(
    "it",
    italian_stem,
    "a ad agli ai al all alla alle allo altre altri altro anche ancora avere aveva che chi ci ciò come con contro così cosa "
    "cui da dagli dai dal dall dalla dalle degli dei del dell della delle dello dopo di dove due e ed era erano essere fa "
    "fra già gli ha hanno i il in io la le lei li lo loro lui ma me mentre mi molto ne negli nei nel nell nella nelle nello "
    "nessuno noi non o ogni oppure per perché però più poi prima può qual quale quali qualche quando quanto quasi quella "
    "quelle quelli quello questa queste questi questo qui se secondo sempre senza si sia siano sono sopra sotto sta stata "
    "stati stato su sua sue sugli sui sul sull sulla sulle suo suoi tra tramite tutta tutte tutti tutto un una uno usa "
    "usare usato vi è",
    telling="di che della è sono gli",
    spelling=rf"(?!.*[^\W{ITALIAN_VOWELS}]\b)",  # no word ends otherwise
)
GERMAN = Language(
    "de",
    Snowball("german"),
    "aber alle allem allen aller alles als also am an andere anderem anderen anderer anderes auch auf aus außer bei beim bin "
    "bis bist da dabei dadurch dafür dagegen daher damit dann daran darauf daraus darin darüber das dass dein deine dem den "
    "denn der deren des deshalb dessen dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem "
    "einen einer eines einige einigen er es etwa etwas euch euer für gegen gibt habe haben hat hatte hatten hier hinter ich "
    "ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im immer in indem ins ist ja jede jedem jeden jeder jedes jene jenen "
    "jener kann kein keine keinem keinen keiner können könnte man mehr mein meine mich mir mit muss müssen nach neben nicht "
    "nichts noch nun nur ob oder ohne schon sehr sein seine seinem seinen seiner seines seit selbst sich sie sind so sogar "
    "solche solchen solcher soll sollen sollte sondern sonst über um und uns unser unsere unter viel viele vielen vom von vor "
    "war waren warum was weil welche welchem welchen welcher welches wenn wer werde werden wie wieder will wir wird wo wobei "
    "während wurde wurden würde würden zu zum zur zwar zwischen",
    telling="der und das ist nicht auf",
    alike="aä oö uü",
    spelling=".*[äöüß]",
)
FRENCH = Language(
    "fr",
    Snowball("french"),
    "à afin ai ainsi alors après assez au aucun aucune aussi autre autres aux avait avant avec avez avoir avons beaucoup bien "
    "car ce ceci cela celle celles celui cependant ces cet cette ceux chaque chez ci comme comment contre dans de depuis des "
    "donc dont du elle elles en encore entre es est et étaient était été être eu eux fait faire il ils je jusque la le les "
    "leur leurs lors lui ma mais me même mêmes mes moi moins mon ne ni non nos notre nous on ont ou où par parce pas pendant "
    "peu peut peuvent plus plusieurs pour pourquoi qu quand que quel quelle quelles quels qui quoi sa sans se selon sera ses "
    "si soi son sont sous sur ta te tes toi ton tous tout toute toutes très trop tu un une vers voici voilà vos votre vous y",
    telling="est dans pour une avec",
    spelling=".*[çêœû]",
)
SPANISH = Language(
    "es",
    Snowball("spanish"),
    "a al algo algún alguna algunas alguno algunos ante antes aquel aquella aquello así aún aunque bajo bien cada casi como "
    "cómo con contra cual cuál cuales cuando cuándo de del desde donde dónde dos durante e el él ella ellas ellos en entre era "
    "eran es esa esas ese eso esos esta está estaba están estar estas este esto estos fue fueron ha había han hasta hay he la "
    "las le les lo los más me mi mientras mis mucho muchos muy nada ni no nos nosotros o os otra otras otro otros para pero "
    "poco por porque pueda puede pueden pues que qué quien quién quienes se sea según ser será si sí sido sin sino sobre son "
    "su sus también tan tanto te tiene tienen toda todas todo todos tras tu tus u un una unas uno unos usted y ya yo",
    telling="el los las por más",
    spelling=".*[ñ¿¡]",
)
DUTCH = Language(
    "nl",
    Snowball("dutch"),
    "aan achter al alle alleen als altijd andere anders ben bij boven daar dan dat de deze die dit doen door dus een elk elke "
    "en er geen geweest haar had hadden hebben heb heeft heel hem het hier hij hoe hun iets ik in is ja je jij jou jouw kan "
    "kon kunnen maar me mee meer men met mij mijn moet moeten na naar nadat niet niets nog nu om omdat ons onze ook op over "
    "reeds sinds te tegen toch toen tot tussen uit uw van veel voor waar waarom waren was wat we wel welk welke werd wie wij "
    "wil worden wordt zal ze zeer zich zij zijn zo zoals zonder zou zouden",
    telling="het een van niet voor",
)
LANGUAGES = (ENGLISH, ITALIAN, GERMAN, FRENCH, SPANISH, DUTCH)

Guess = tuple[int, bool]  # the function words that a query has of a language, and whether its words are spelt as in it


@lru_cache(maxsize=1024)
def guesses(query: str) -> list[Guess] | None:
    """How far the query seems to be in each language; None where it is English by its function words."""
    words = set(WORD.findall(query.casefold()))
    english, *others = known = [len(words & language.function_words) for language in LANGUAGES]
    if english > max(others):
        return None
    return [(number, bool(language.spelling.match(query))) for number, language in zip(known, LANGUAGES, strict=True)]


def language_of(text: str, query: str) -> Language:
    """The text's language if the query could be in it. Where a text is too short to tell, the query decides."""
    seems = guesses(query)
    if seems is None:
        return ENGLISH  # for the price of one look-up
    head = text[:HEAD]
    scores = [sum(map(head.count, language.telling)) for language in LANGUAGES]
    return max(zip(scores, seems, LANGUAGES, strict=True), key=lambda row: row[:2])[2]


def spoken_in(text: str) -> str:
    """The code of the language that a text is in by its function words; empty where these do not tell, or tell two.

    >>> [spoken_in(text) for text in ("The diet of owls", "Was Eulen in der Nacht fressen", "Die Hard", "Les hiboux et la nuit")]
    ['en', 'de', '', '']
    """
    return language_by_head(text[:HEAD])


@lru_cache(maxsize=2048)
def language_by_head(text: str) -> str:
    words = WORD.findall(text.casefold())
    known = {language: sum(map(language.function_words.__contains__, words)) for language in LANGUAGES}
    second, first = sorted(LANGUAGES, key=known.__getitem__)[-2:]
    enough = known[first] >= max(LEAST_KNOWN, len(words) / 5) and known[first] >= 1.5 * known[second]
    return first.code if enough and any(word.strip() in words for word in first.telling) else ""


def foreign(text: str) -> str:
    """The code of a text's language where that is another than the page's, for its element's `lang`; else empty."""
    code, page = spoken_in(text), (get_language() or "").partition("-")[0]
    return code if code != page else ""

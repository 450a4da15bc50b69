"""The query's words in a document, in English, Italian and German, give or take their endings."""

import re

import pytest

from judging.text.highlights import marked
from judging.text.languages import ENGLISH, GERMAN, ITALIAN, LANGUAGES, language_of


def marks(text: str, query: str) -> list[str]:
    return re.findall("<mark>(.*?)</mark>", marked(text, query))


@pytest.mark.parametrize(
    ("query", "text", "words"),
    [
        ("diet of owls", "An owl's diet. The owlish of dieting.", ["owl", "diet", "dieting"]),
        ("data science", "The data of the scientific date; dates.", ["data"]),  # not what Italian endings would make of it
        ("hero", "The hero is here and of course heroes.", ["hero", "heroes"]),
        ("dieta dei gufi", "Il gufo mangia dei topi: è la dieta di molti gufi.", ["gufo", "dieta", "gufi"]),
        ("migrazione delle rondini", "Le migrazioni della rondine che parte.", ["migrazioni", "rondine"]),
        ("laghi d’Italia", "Il lago di Garda è in Italia.", ["lago", "Italia"]),
        ("università", "L’università e le università: universale, di che?", ["università", "università"]),
        ("amiche di Marco", "Gli amici, l’amica e l'amico di Marco.", ["amici", "amica", "amico", "Marco"]),
        (
            "studi recenti",
            "Recentemente uno studio sugli altri studi, che è recente.",
            ["Recentemente", "studio", "studi", "recente"],
        ),
        ("sport invernali", "Lo sport invernale è uno sport.", ["sport", "invernale", "sport"]),
        ("die Wanderung der Schwalben", "Die Schwalbe und der Zug: Wanderungen.", ["Schwalbe", "Wanderungen"]),
        ("Eulen Ernährung", "Die Eule ist nicht satt; ihre ERNÄHRUNG und ihr Ernährer.", ["Eule", "ERNÄHRUNG", "Ernährer"]),
        ("was tun gegen Ärzte", "Der Arzt und das Amt, und auf was wir gegen es tun.", ["Arzt", "tun"]),
        ("die große Straße", "Straßen", ["Straßen"]),
        ("Vögel", "Vogel", ["Vogel"]),  # too short a text to tell: the query does
        ("owl diet", "Die Eule ist in der Diet und das war’s; eat, diet.", ["Diet", "diet"]),
        ("The die is cast", "The die and the dies of the cast.", ["die", "dies", "cast"]),  # “die” is a word of English
        ("rondini", "Rondine", ["Rondine"]),  # too short a text to tell: the query does
        ("the the", "The of the", []),
        ("", "Il gufo", []),
    ],
)
def test_words_are_found_by_their_language(query, text, words):
    assert marks(text, query) == words


def test_words_that_stand_in_every_italian_text_are_not_marked():
    assert marks("Il gufo è nella foresta della Sila e non è la civetta", "il gufo nella sua foresta") == ["gufo", "foresta"]


def test_words_that_stand_in_every_german_text_are_not_marked():
    text = "Die Eule ist in der Nacht wach, und der Wald und das Feld sind die Jagd."
    assert marks(text, "wann und wo die Eule in der Nacht jagt") == ["Eule", "Nacht"]


@pytest.mark.parametrize("forms", ["Eule Eulen", "Wald Wälder Waldes", "Haus Häuser Hauses", "Wanderung Wanderungen"])
def test_german_singulars_and_plurals_have_one_stem(forms):
    assert len({GERMAN.stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(
    "forms",
    [
        "gufo gufi",
        "migrazione migrazioni",
        "elezione elezioni",
        "nazione nazioni",
        "stazione stazioni",
        "bandiera bandiere",
        "militare militari",
        "banca banche",
        "amico amici amica amiche",
        "occhio occhi",
        "vecchio vecchi vecchia vecchie",
        "malattia malattie",
        "olio oli",
        "città",
        "attività attivo attivi",
        "problema problemi",
        "genere generi",
        "camera camere",
        "inquinamento inquinamenti",
        "facilmente facile facili",
    ],
)
def test_italian_singulars_and_plurals_have_one_stem(forms):
    assert len({ITALIAN.stem(word) for word in forms.split()}) == 1


def test_italian_words_that_only_look_alike_stay_apart():
    words = ["est", "estate", "nazione", "stato", "stazione", "casa", "cassa", "pane", "panno"]
    assert len(set(map(ITALIAN.stem, words))) == len(words)


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        (
            "Les hiboux de la nuit mangent des souris, et la chouette est une espèce.",
            "que mangent les hiboux de la nuit",
            "Les <mark>hiboux</mark> de la <mark>nuit</mark> <mark>mangent</mark> des souris, et la chouette est une espèce.",
        ),
        (
            "Los búhos cazan en el bosque por la noche; comen ratones.",
            "qué comen los búhos de los bosques",
            "Los <mark>búhos</mark> cazan en el <mark>bosque</mark> por la noche; <mark>comen</mark> ratones.",
        ),
        (
            "De uil eet het liefst muizen en slaapt niet van de nacht.",
            "wat eten de uilen",
            "De <mark>uil</mark> <mark>eet</mark> het liefst muizen en slaapt niet van de nacht.",
        ),
    ],
    ids=["fr", "es", "nl"],
)
def test_function_words_of_other_languages_are_not_marked(text, query, shown):
    assert marked(text, query) == shown


def test_words_that_tell_a_language_are_of_no_other():
    for language in LANGUAGES:
        others = set().union(*(other.function_words for other in LANGUAGES if other is not language))
        telling = {word.strip() for word in language.telling}
        assert telling <= language.function_words and not telling & others, language.code


def test_a_query_of_english_words_does_not_even_look_at_the_text():
    class Unread(str):
        def __getitem__(self, _):
            raise AssertionError

    assert language_of(Unread("Il gufo"), "diet of owls") is ENGLISH
    assert language_of("Zu kurz", "swallow migration") is ENGLISH


def test_an_italian_query_on_an_english_text_is_matched_as_english():
    assert language_of("The owls of the night and the moon", "gufi della notte") is ENGLISH
    assert language_of("Il gufo che vola è di notte", "gufi della notte") is ITALIAN

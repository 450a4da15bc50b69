"""What the library says in English is known to whoever translates it, and keeps its numbers in every language."""

import pytest
from django.utils import translation

from ireval import MEASURES
from ireval.behaviour.definitions import DEFINITIONS
from ireval.clicks import MODELS
from ireval.clicks.rates import rates
from ireval.clicks.sessions import small
from ireval.planning import Target
from ireval.preferences import vote_agreement
from ireval.preferences import votes as votes_module
from judging.text.library_words import KNOWN, OF_MEASURES, in_reader_language, target_in_words, unit_of
from metrics.kinds.clicks.changes import time_change
from tests.messages import catalogues, read

SAID = [
    *(metric.sentence for metric in DEFINITIONS),
    *(unit_of(metric) for metric in DEFINITIONS),
    *(kind.title for kind in MODELS.values()),
    *(rate.title for rate in rates(small())),
    *(coefficient.title for coefficient in vote_agreement(votes_module.small())),
]


@pytest.mark.parametrize("text", dict.fromkeys(SAID))
def test_what_the_library_calls_its_metrics_models_and_coefficients_is_known(text):
    assert text in KNOWN or in_german(text) != text


def in_german(text):
    with translation.override("de"):
        return in_reader_language(text)


def catalogue_texts():
    for kind in MEASURES.values():
        yield from (kind.title, kind.degenerate, *(parameter.meaning for parameter in kind.all_parameters))


def test_what_the_catalogue_of_measures_says_is_known_clause_by_clause_and_no_more():
    assert set(OF_MEASURES) == {clause for text in catalogue_texts() for clause in text.split("; ")}


@pytest.mark.parametrize("language", [po.parents[1].name for po in catalogues()])
def test_every_text_of_the_catalogue_of_measures_is_said_in_each_language(language):
    (said,) = (read(po) for po in catalogues() if po.parents[1].name == language)
    with translation.override(language):
        for text in dict.fromkeys(catalogue_texts()):
            assert in_reader_language(text) == "; ".join(said[clause,][0] for clause in text.split("; "))


def test_numbers_in_a_text_stay_as_they_are():
    assert in_german("nobody clicked any of the 1,030 documents that workers judged") == (
        "niemand klickte eines der 1,030 Dokumente an, die beurteilt wurden"
    )


def test_texts_that_a_semicolon_joins_are_translated_each():
    assert in_german("all votes say the same; there is a single topic") == "alle Stimmen sagen dasselbe; es gibt nur ein Thema"


def test_a_text_that_nobody_knows_stays_as_it_is():
    assert in_german("the moon is full") == "the moon is full"


@pytest.mark.parametrize("target", [Target(0.05, "share of votes"), Target(0.02, "nDCG@10", comparisons=3)])
def test_in_english_a_target_is_worded_as_the_library_does(target):
    assert target_in_words(target) == str(target)


def test_the_time_of_two_click_reports_is_compared_in_the_readers_language():
    before = {"window": "of the last 7 days"}  # as earlier versions kept it
    after = {"window": "of the last 30 days", "period": {"days": 30, "since": None, "until": None}}
    assert time_change(before, after) == "of the last 30 days (was of the last 7 days)"
    with translation.override("it"):
        assert time_change(after, after) == "degli ultimi 30 giorni (prima degli ultimi 30 giorni)"

"""The catalogue of measures: all of them on a page and in the API, found by any of their names, and ready to be asked for."""

import re

import pytest
from django.utils.html import escape

from ireval import MEASURES, parse_measure
from ireval.measures import catalogue
from metrics.forms import common_measures

pytestmark = pytest.mark.django_db


def shown(rita, query=""):
    return re.findall(
        r'<section class="card section" id="([^"]+)"', rita.get("/reports/measures/", {"q": query}).content.decode()
    )


def test_it_shows_every_measure_with_formula_and_source(rita):
    assert shown(rita) == list(MEASURES)
    page = rita.get("/reports/measures/")
    for kind in MEASURES.values():
        for text in (kind.title, kind.citation):
            assert escape(text) in page.content.decode(), kind.name


@pytest.mark.parametrize("query", ["MAP", "map geometric", "gm_map", "GMAP", "robertson precision"])
def test_a_measure_is_found_by_any_name_title_or_source(rita, query):
    assert "GMAP" in shown(rita, query)


def test_titles_degenerate_cases_and_parameters_are_in_the_readers_language(rita):
    page = rita.get("/reports/measures/", {"q": "Precisione media graduata"}, headers={"Accept-Language": "it"}).content.decode()
    for text in ("Precisione media graduata", "0 senza documenti pertinenti; AP dove c’è un solo voto pertinente"):
        assert escape(text) in page
    assert "si guardano solo i primi k documenti" in page
    assert "Graded average precision" not in page


def test_the_form_names_measures_in_the_readers_language(rita, collection, runs, qrels):
    page = rita.get(f"/reports/new/?collection={collection.pk}", headers={"Accept-Language": "de"}).content.decode()
    for text in ("RR · Reziproker Rang", "AP_IA · Mittlere Precision, nach Absicht, für Qrels nach Unterthema"):
        assert text in page


def test_every_word_narrows_the_search(rita):
    assert shown(rita, "precision nonsense") == []
    assert "No measure like this" in rita.get("/reports/measures/?q=nonsense").content.decode()


def test_what_was_searched_for_is_shown_as_text(rita):
    assert "<script>alert" not in rita.get("/reports/measures/", {"q": "<script>alert(1)</script>"}).content.decode()


def test_every_example_can_be_asked_for():
    for kind in MEASURES.values():
        assert parse_measure(kind.example).kind is kind


def test_the_api_lists_them_too(rita):
    listed = rita.get("/api/v1/measures/").json()
    assert [measure["name"] for measure in listed] == list(MEASURES)
    matches = rita.get("/api/v1/measures/", {"search": "ndcg_cut"}).json()
    assert [measure["name"] for measure in matches] == [kind.name for kind in catalogue.search("ndcg_cut")]
    assert matches[0]["trec_eval"] == ["ndcg", "ndcg_cut_k"]
    assert [measure["name"] for measure in listed if measure["by_subtopic"]] == [
        kind.name for kind in MEASURES.values() if kind.by_intent
    ]


def test_measures_that_look_at_subtopics_are_marked(rita):
    marked = [
        query
        for query in ("alpha-nDCG", "MAP-IA", "map_cut")
        if ">by subtopic<" in rita.get("/reports/measures/", {"q": query}).content.decode()
    ]
    assert marked == ["alpha-nDCG", "MAP-IA"]


def test_the_form_offers_one_of_every_measure_that_can_be_better_or_worse(rita, collection, runs, qrels):
    html = rita.get(f"/reports/new/?collection={collection.pk}").content.decode()
    offered = {parse_measure(name).kind.name for name in re.findall(r'name="common" value="([^"]+)"', html)}
    assert offered == {name for name, kind in MEASURES.items() if kind.better != "neither" and not kind.asks} | {"Judged"}


def test_the_form_offers_no_measure_that_needs_a_number_of_the_collection():
    assert "Fallout(documents=1000)" not in dict(common_measures())
    assert not {kind.name for kind in MEASURES.values() if kind.asks} - {"Fallout", "Generality"}

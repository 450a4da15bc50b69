"""The suggested study can be read in two minutes, and its examples are real but give no topic away."""

import re

import pytest

from judging.demo import household
from judging.demo.suggested_study import suggest_study
from judging.models import Study
from judging.studies.translations import LANGUAGES, texts_of


@pytest.fixture(scope="module")
def study():
    return suggest_study()


def test_the_texts_are_short(study):
    assert len(study.instructions.split()) <= 350
    assert len(study.consent.split()) <= 150


def test_the_scale_has_four_steps_each_with_words(study):
    assert [step["grade"] for step in study.scale] == [0, 1, 2, 3]
    assert all(step["label"] and step["help"] for step in study.scale)


def test_the_instructions_explain_every_step_and_show_it_twice(study):
    for step in study.scale:
        assert f"**{step['grade']}, {step['label']}:**" in study.instructions
        assert len(re.findall(rf'^- \*\*{step["grade"]}\*\* "', study.instructions, re.MULTILINE)) == 2


def test_the_examples_are_documents_of_the_collection(study):
    examples = re.findall(r'^- \*\*\d\*\* "(.+)"\. ', study.instructions, re.MULTILINE)
    assert len(examples) == 8
    assert set(examples) <= {document.title for document in household.load().documents}


def test_the_example_queries_are_not_topics(study):
    queries = re.findall(r"\*([A-Z][^*]{15,})\*", study.instructions.replace("**", ""))
    assert len(queries) == 2
    assert not {query.strip(". ").lower() for query in queries} & {topic.title.lower() for topic in household.load().topics}


def test_every_text_is_there_in_every_language(study):
    words = {"name": study.name, "scale": study.scale, "instructions": study.instructions, "consent": study.consent}
    texts = {row.text for row in texts_of(Study(**words, questions=[]))}
    assert study.translations.keys() == LANGUAGES.keys()
    for words in study.translations.values():
        assert words.keys() == texts
        assert all(words.values())


def test_translated_instructions_show_the_same_grades_by_the_same_pages(study):
    shown = r'^- \*\*(\d)\*\* "(.+)"\. '
    for words in study.translations.values():
        instructions = words[study.instructions]
        assert re.findall(shown, instructions, re.MULTILINE) == re.findall(shown, study.instructions, re.MULTILINE)
        for step in study.scale:
            assert f"**{step['grade']}, {words[step['label']]}:**" in instructions

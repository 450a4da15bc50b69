"""The suggested study can be read in two minutes, and its examples are real but give no topic away."""

import re


def test_the_texts_are_short(demo):
    assert len(demo.study.instructions.split()) <= 350
    assert len(demo.study.consent.split()) <= 150


def test_the_scale_has_four_steps_each_with_words(demo):
    assert [step["grade"] for step in demo.study.scale] == [0, 1, 2, 3]
    assert all(step["label"] and step["help"] for step in demo.study.scale)


def test_the_instructions_explain_every_step_and_show_it_twice(demo):
    for step in demo.study.scale:
        assert f"**{step['grade']}, {step['label']}:**" in demo.study.instructions
        assert len(re.findall(rf'^- \*\*{step["grade"]}\*\* "', demo.study.instructions, re.MULTILINE)) == 2


def test_the_examples_are_documents_of_the_collection(demo):
    examples = re.findall(r'^- \*\*\d\*\* "(.+)"\. ', demo.study.instructions, re.MULTILINE)
    assert len(examples) == 8
    assert set(examples) <= {document.title for document in demo.documents}


def test_the_example_queries_are_not_topics(demo):
    queries = re.findall(r"\*([A-Z][^*]{15,})\*", demo.study.instructions.replace("**", ""))
    assert len(queries) == 2
    assert not {query.strip(". ").lower() for query in queries} & {topic.title.lower() for topic in demo.topics}

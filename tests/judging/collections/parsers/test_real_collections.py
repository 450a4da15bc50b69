"""The classic collections come in whole, with the counts that their SOURCE.txt files give."""

from collections import Counter

import pytest

from ireval.io.files import ProblemList
from judging.collections.parsers import read_documents, read_smart_qrels, read_topics


def everything(reader, path, **options):
    """All that a reader gives of a file in which nothing is wrong."""
    problems = ProblemList(path.name)
    records = list(reader(path, problems=problems, **options))
    problems.raise_if_any()
    return records


@pytest.fixture(scope="module")
def cranfield(shared_data):
    return shared_data / "cranfield"


@pytest.fixture(scope="module")
def cisi(shared_data):
    return shared_data / "cisi"


def test_cranfield_has_1400_documents_two_of_them_empty(cranfield):
    warnings = ProblemList("cran.all.1400")
    documents = everything(read_documents, cranfield / "cran.all.1400", warnings=warnings)
    assert [document.docno for document in documents] == [str(number) for number in range(1, 1401)]
    assert [document.docno for document in documents if not document.text] == ["471", "995"]
    assert [str(warning) for warning in warnings.problems] == [
        "cran.all.1400, line 13454: document 471 has neither title nor text; it is kept as it is",
        "cran.all.1400, line 27695: document 995 has neither title nor text; it is kept as it is",
    ]
    first = documents[0]
    assert first.title == "experimental investigation of the aerodynamics of a wing in a slipstream ."
    assert first.text.startswith("experimental investigation of the aerodynamics of a\nwing in a slipstream .\n")
    assert first.text.endswith("configuration of the experiment .")
    assert "brenckman" not in first.text


def test_a_second_text_field_goes_on_with_the_first(cranfield):
    document = everything(read_documents, cranfield / "cran.all.1400")[575]
    assert document.docno == "576"
    assert document.text.startswith("viscous and inviscid stagnation flow")
    assert "such compromises wo" in document.text


def test_cranfield_has_225_topics_numbered_as_its_relevance_file_counts(cranfield):
    warnings = ProblemList("cran.qry")
    topics = everything(read_topics, cranfield / "cran.qry", warnings=warnings)
    judgements = everything(read_smart_qrels, cranfield / "cranqrel")
    assert [topic.number for topic in topics] == [str(number) for number in range(1, 226)]
    assert {judgement.topic for judgement in judgements} == {topic.number for topic in topics}
    assert topics[2].title == "what problems of heat conduction in composite slabs have been solved so far ."
    assert "choose “as written” to keep them" in str(warnings.problems[0])


def test_cranfields_topics_as_written_are_not_those_of_its_relevance_file(cranfield):
    topics = everything(read_topics, cranfield / "cran.qry", number_topics="as written")
    assert [topic.number for topic in topics[:4]] == ["001", "002", "004", "008"]
    assert topics[-1].number == "365"


def test_cranfield_has_1837_judgements_whose_codes_fall(cranfield):
    as_written = everything(read_smart_qrels, cranfield / "cranqrel", scale="as written")
    assert Counter(judgement.grade for judgement in as_written) == {1: 128, 2: 387, 3: 734, 4: 363, -1: 225}
    graded = everything(read_smart_qrels, cranfield / "cranqrel")
    assert Counter(judgement.grade for judgement in graded) == {3: 128, 2: 387, 1: 734 + 363, -1: 225}
    lossless = everything(read_smart_qrels, cranfield / "cranqrel", scale="cranfield-0-4")
    assert Counter(judgement.grade for judgement in lossless) == {4: 128, 3: 387, 2: 734, 1: 363, -1: 225}
    assert tuple(as_written[0]) == ("1", "184", 2, 1)


def test_the_source_paper_of_every_cranfield_question_is_its_last_line(cranfield):
    """What the module says of the code -1: once for each topic, and last."""
    last = {judgement.topic: judgement for judgement in everything(read_smart_qrels, cranfield / "cranqrel")}
    assert len(last) == 225
    assert {judgement.grade for judgement in last.values()} == {-1}


def test_cisi_has_1460_documents(cisi):
    documents = everything(read_documents, cisi / "CISI.ALL.xz")
    assert [document.docno for document in documents] == [str(number) for number in range(1, 1461)]
    assert documents[0].title == "18 Editions of the Dewey Decimal Classifications"
    assert documents[0].text.endswith("librarianship in this country and abroad.")
    assert all(document.title and document.text for document in documents)


def test_cisi_has_112_topics_of_which_76_are_judged(cisi):
    topics = everything(read_topics, cisi / "CISI.QRY")
    judgements = everything(read_smart_qrels, cisi / "CISI.REL")
    assert [topic.number for topic in topics] == [str(number) for number in range(1, 113)]
    assert len(judgements) == 3114
    assert {judgement.grade for judgement in judgements} == {1}
    assert len({judgement.topic for judgement in judgements}) == 76
    assert {judgement.topic for judgement in judgements} < {topic.number for topic in topics}


def test_a_query_with_a_title_keeps_its_text_as_description(cisi):
    topics = everything(read_topics, cisi / "CISI.QRY")
    assert topics[0].title.startswith("What problems and concerns are there in making up descriptive titles? What")
    assert topics[0].description == ""
    assert topics[110].title == "Document Clustering Using an Inverted File Approach"
    assert topics[110].description.startswith("An automated document clustering procedure")


def test_trec_covid_has_30_topics(shared_data):
    topics = everything(read_topics, shared_data / "trec_covid_r1" / "topics.covid-round1.xml")
    assert [topic.number for topic in topics] == [str(number) for number in range(1, 31)]
    assert topics[0].title == "coronavirus origin"
    assert topics[0].description == "what is the origin of COVID-19"
    assert topics[0].narrative.startswith("seeking range of information about the SARS-CoV-2 virus's origin")
    assert topics[0].line == 2

"""The demo's qrels are MITRE's mappings and nothing more."""

import re


def of(demo, prefix):
    return {(topic, docno) for topic, docno, _ in demo.qrels.rows if topic.startswith(prefix)}


def test_categories_have_the_members_that_mitres_spreadsheet_lists(demo, owasp_top_ten):
    assert {docno for _, docno in of(demo, "A")} == set(owasp_top_ten)
    assert len(of(demo, "A")) == 182


def test_one_category_checked_by_hand(demo):
    logging_failures = {docno for topic, docno in of(demo, "A") if topic == "A09"}
    assert logging_failures == {"CWE-117", "CWE-223", "CWE-532", "CWE-778"}


def test_vulnerabilities_map_to_every_document_that_cites_them(demo, research_concepts):
    chosen = {topic.number for topic in demo.topics[10:]}
    cited = {
        (cve, docno)
        for docno, row in research_concepts.items()
        for cve in re.findall(r"::REFERENCE:(CVE-\d+-\d+):", f"::{row['Observed Examples']}")
        if cve in chosen
    }
    assert of(demo, "CVE-") == cited
    assert len(cited) == 103


def test_grades_are_binary_and_concern_documents_and_topics_of_the_demo(demo):
    docnos, topics = {document.docno for document in demo.documents}, {topic.number for topic in demo.topics}
    assert {grade for _, _, grade in demo.qrels.rows} == {1}
    assert {docno for _, docno, _ in demo.qrels.rows} <= docnos
    assert {topic for topic, _, _ in demo.qrels.rows} == topics
    assert len({(topic, docno) for topic, docno, _ in demo.qrels.rows}) == len(demo.qrels.rows)


def test_their_name_and_description_say_what_they_are(demo):
    assert demo.qrels.name == "MITRE mappings (CWE 4.14)"
    for phrase in ("285 mappings for 50 topics", "sparse and binary", "unmapped does not mean irrelevant", "13 more members"):
        assert phrase in demo.qrels.description


def test_only_categories_are_left_out(demo):
    from judging.demo.cwe import read_catalogue

    catalogue = read_catalogue()
    docnos = {document.docno for document in demo.documents}
    members = [number for shelf in catalogue.views[1344] for number in catalogue.categories[shelf].members]
    left_out = [number for number in members if f"CWE-{number}" not in docnos]
    assert len(left_out) == 13
    assert demo.qrels.recipe["left out"] == "13 mapped categories"
    assert set(left_out) <= set(catalogue.categories)

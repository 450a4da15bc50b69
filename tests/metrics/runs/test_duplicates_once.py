"""Reports that count near-duplicates once: asked for where there are groups, computed as the engine does, said everywhere."""

import json

import pytest

from ireval import Qrels, evaluate
from judging.collections.duplicate_search import find, groups_frame, search_near_duplicates
from judging.collections.storage import qrels_frame, run_frame
from judging.errors import BadFields
from judging.models import Collection, Document
from metrics.kinds.runs.curves import curves
from metrics.kinds.runs.question import ask_again
from metrics.kinds.runs.results import outcomes, values
from metrics.models import Report

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
MEASURES = ["nDCG@3", "AP", "P@2", "NumRel"]
SAID = "Near-duplicates counted once."
TABS = ["", "curves/", "differences/", "agreement/"]


@pytest.fixture
def duplicates(collection, researcher):
    """d1 and d2, both relevant for the first topic, have the same text, and so have d3 and d5."""
    for docno, other in (("d2", "d1"), ("d5", "d3")):
        source = Document.objects.get(docno=other)
        Document.objects.filter(docno=docno).update(title=source.title, text=source.text)
    search = search_near_duplicates(collection=collection, by=researcher)
    find(search.pk)
    search.refresh_from_db()
    return search


@pytest.mark.parametrize("rules", [{}, {"depth": 2}, {"judged_only": True}, {"topics": "qrels", "relevant_from": 2}], ids=str)
def test_its_values_are_the_engines(ask, compute, runs, qrels, duplicates, rules):
    report = compute(ask(measures=MEASURES, duplicates=duplicates, **rules))
    counted = Qrels(qrels_frame(qrels), duplicates=groups_frame(duplicates))
    for run in runs:
        expected = evaluate(run_frame(run), counted, MEASURES, **rules).values
        frame = values(report, qrels=qrels.pk, run=run.pk).select("topic", *MEASURES)
        assert frame.equals(expected)
    assert not frame.equals(evaluate(run_frame(run), qrels_frame(qrels), MEASURES, **rules).values)


def test_its_curves_and_a_topics_own_curve_count_once_too(ask, compute, qrels, runs, duplicates, rita):
    report = compute(ask(measures="CG@2 IDCG@2", runs=runs[:1], duplicates=duplicates))
    traces, outcome = curves(report, outcomes(report)[0]), outcomes(report)[0]
    assert traces["CG"][1][1] == pytest.approx(outcome.means["CG@2"].mean)
    assert traces["ideal DCG"][1][1] == pytest.approx(outcome.means["IDCG@2"].mean)
    answer = rita.get(f"/api/v1/reports/{report.pk}/curves/?topic=1").json()
    assert answer["curves"]["precision"] == {"x": [1.0], "value": [1.0]}
    assert rita.get(f"/reports/{report.pk}/topic/?topic=1").status_code == 200


def test_the_topic_marks_copies_of_what_stands_above(ask, compute, rita, report, duplicates):
    """Both runs retrieve d1 and d2 for the first topic, whose texts are the same: alpha d2 after d1, beta d1 after d2."""
    once = compute(ask(duplicates=duplicates))
    copies = [
        [result.docno for result in ranking.results if result.is_copy]
        for ranking in rita.get(f"/reports/{once.pk}/topic/?topic=1").context["rankings"]
    ]
    assert sorted(copies) == [["d1"], ["d2"]]
    copy = '<span class="badge">copy</span>'
    assert rita.get(f"/reports/{once.pk}/topic/?topic=1").content.decode().count(copy) == 2
    assert copy not in rita.get(f"/reports/{report.pk}/topic/?topic=1").content.decode()


def test_it_is_another_question_whose_digest_holds_the_groups(ask, duplicates, collection, researcher):
    plain, once = ask(), ask(duplicates=duplicates)
    assert once != plain and ask(duplicates=duplicates) == once
    assert plain.spec.keys() == once.spec.keys() - {"duplicates"}
    assert once.spec["duplicates"] == {"id": duplicates.pk, "sha256": duplicates.sha256}
    again = search_near_duplicates(collection=collection, by=researcher)
    find(again.pk)
    again.refresh_from_db()
    assert ask(duplicates=again) == once, "other searches that found the same are the same question"
    Document.objects.create(collection=collection, docno="d7", text=Document.objects.get(docno="d6").text, title="Ducks")
    other = search_near_duplicates(collection=collection, by=researcher)
    find(other.pk)
    other.refresh_from_db()
    assert ask(duplicates=other) != once


def test_a_question_without_the_choice_has_the_digest_that_it_had_before(ask, runs, qrels):
    """The digest of these facts as version 0010 of the database's schema knew them, written out."""
    import hashlib

    from ireval import ENGINE_VERSION

    facts = {
        "engine": ENGINE_VERSION,
        "measures": ["AP", "RR"],
        "profile": "trec_eval-9",
        "qrels": [[qrels.pk, qrels.sha256]],
        "relevant_from": 1,
        "runs": sorted([run.pk, run.sha256] for run in runs),
        "topics": "both",
    }
    written = json.dumps(facts, sort_keys=True, separators=(",", ":"))
    assert ask(measures="RR AP").digest == hashlib.sha256(written.encode()).hexdigest()


def test_asking_again_counts_the_same_groups(ask, compute, duplicates, researcher, monkeypatch):
    report = compute(ask(duplicates=duplicates))
    monkeypatch.setattr("metrics.kinds.runs.question.ENGINE_VERSION", "another")
    answer = ask_again(report, researcher)
    assert answer != report and answer.spec["duplicates"] == report.spec["duplicates"]


@pytest.mark.parametrize("tab", TABS)
def test_every_tab_says_so(ask, compute, rita, report, duplicates, tab):
    once = compute(ask(duplicates=duplicates))
    assert SAID in rita.get(f"/reports/{once.pk}/{tab}").content.decode()
    assert SAID not in rita.get(f"/reports/{report.pk}/{tab}").content.decode()


def test_its_origin_its_title_and_its_file_say_so(ask, compute, rita, report, duplicates):
    once = compute(ask(duplicates=duplicates))
    html = rita.get(f"/reports/{once.pk}/").content.decode()
    assert "group’s highest grade" in html and duplicates.sha256 in html
    assert once.title == "2 runs under ornithologists, duplicates once"
    for subject, expected in ((once, True), (report, False)):
        content = json.loads(rita.get(f"/reports/{subject.pk}/download/report.json").content)
        assert content["duplicates_once"] is expected


def test_what_does_not_go_together_is_refused(ask, duplicates, stranger):
    other = Collection.objects.create(name="Fish", owner=stranger)
    duplicates.collection = other
    for wrong, says in (({"ties": "best"}, "depends on the order"), ({"duplicates": duplicates}, "have not been found")):
        with pytest.raises(BadFields) as refused:
            ask(**{"duplicates": type(duplicates).objects.get()} | wrong)
        assert says in refused.value.message_dict["duplicates_once"][0]
    assert not Report.objects.exists()


def test_the_form_offers_it_only_where_there_are_groups(rita, collection, runs, qrels, researcher):
    path = f"/reports/new/?collection={collection.pk}"
    find(search_near_duplicates(collection=collection, by=researcher).pk)
    assert "duplicates_once" not in rita.get(path).content.decode()
    form = {"runs": [runs[0].pk], "qrels": [qrels.pk], "common": ["AP"], "topics": "both", "relevant_from": "1"}
    form |= {"profile": "trec_eval-9", "duplicates_once": "on"}
    rita.post(path, form)
    assert "duplicates" not in Report.objects.get().spec


def test_the_form_asks_for_it_and_says_what_does_not_go_with_it(rita, collection, runs, qrels, duplicates):
    path = f"/reports/new/?collection={collection.pk}"
    assert "4 documents are in 2 groups" in rita.get(path).content.decode()
    form = {"runs": [runs[0].pk], "qrels": [qrels.pk], "common": ["AP"], "topics": "both", "relevant_from": "1"}
    form |= {"profile": "trec_eval-9", "duplicates_once": "on"}
    refused = rita.post(path, form | {"ties": "best"})
    assert refused.status_code == 422 and "depends on the order" in refused.content.decode()
    assert refused.context["form"].asks_more
    rita.post(path, form)
    assert Report.objects.get().spec["duplicates"]["id"] == duplicates.pk


def test_the_api_asks_for_it_and_tells(rita, collection, runs, qrels, request):
    question = {"collection": collection.pk, "runs": [runs[0].pk], "qrels": [qrels.pk], "duplicates_once": True}
    refused = rita.post("/api/v1/reports/", question, "application/json")
    assert (refused.status_code, list(refused.json())) == (400, ["duplicates_once"])
    request.getfixturevalue("duplicates")
    assert rita.post("/api/v1/reports/", question, "application/json").json()["duplicates_once"] is True
    plain = rita.post("/api/v1/reports/", question | {"duplicates_once": False}, "application/json").json()
    assert plain["duplicates_once"] is False

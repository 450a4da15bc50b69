"""What a verdict said before its evidence changed, and what changed then."""

import pytest
from django.urls import reverse
from django.utils import timezone

from judging.collections.storage import store_qrels
from judging.work.exclusions import exclude
from metrics.kinds.answers import Answer, change, earlier_answers
from metrics.kinds.verdict.changes import facts
from metrics.kinds.verdict.evidence import LABELS
from metrics.kinds.verdict.parts import VERDICT
from metrics.kinds.verdict.words import sentence
from metrics.models import EarlierAnswer, Report
from metrics.pipeline import publish
from tests.metrics.verdict.conftest import frame

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def fewer_grades(collection, researcher):
    grades = frame([(str(topic), f"b{n}", n % 3) for topic in range(100, 110) for n in range(12)], ["topic", "docno", "grade"])
    return store_qrels(grades, collection=collection, name="fewer", by=researcher)


def test_each_answer_outlives_its_report(hypothesis, computed, collection, researcher):
    first = computed(hypothesis)
    told = sentence(first, researcher)
    fewer_grades(collection, researcher)
    second = computed(hypothesis)
    assert list(Report.objects.all()) == [second]
    (past,) = earlier_answers(second, researcher)
    assert (past.answer.computed, past.answer.sentence) == (first.finished, told)
    assert past.answer.evidence["outcome"] == first.result["outcome"]
    assert past.change == "Grades of experts: 24 → 10 topics."


def test_evidence_that_is_taken_back_is_a_change_like_any_other(hypothesis, computed, collection, researcher):
    computed(hypothesis)
    fewer = fewer_grades(collection, researcher)
    computed(hypothesis)
    fewer.delete()
    newest = computed(hypothesis)
    changes = [past.change for past in earlier_answers(newest, researcher)]
    assert changes == ["Grades of experts: 10 → 24 topics.", "Grades of experts: 24 → 10 topics."]
    assert newest.state == "done"


def test_the_page_lists_them_with_what_changed(rita, hypothesis, voted, computed, researcher):
    page = reverse("verdict", args=[hypothesis.pk])
    before = computed(hypothesis)
    assert "Earlier answers" not in rita.get(page).content.decode()
    exclude(voted.workers.order_by("pk").first(), by=researcher, reason="too fast")
    computed(hypothesis)
    html = rita.get(page).content.decode()
    assert "Earlier answers" in html
    assert before.result["sentence"] in html
    assert "Side-by-side votes: 96 → 72." in html


def test_publishing_twice_keeps_an_answer_once(hypothesis, computed, collection, researcher):
    computed(hypothesis)
    fewer_grades(collection, researcher)
    second = computed(hypothesis)
    publish(VERDICT, second, VERDICT.whole(second))
    assert EarlierAnswer.objects.count() == 1


def test_a_report_that_fails_leaves_the_answer_where_it_is(hypothesis, computed, collection):
    computed(hypothesis)
    collection.qrels.all().delete()
    assert computed(hypothesis).state == "failed"
    assert not EarlierAnswer.objects.exists()
    assert Report.objects.filter(state="done").count() == 1


def of(engine="5", **evidence):
    return Answer(timezone.now(), engine, "", {"sources": evidence})


KIND = {"n": 24, "unit": "topics", "facts": "x"}


@pytest.mark.parametrize("kind", LABELS)
def test_what_comes_and_goes_is_named(kind):
    nothing, something = of(), of(**{kind: KIND})
    text = change("verdict", nothing, something)
    assert text.endswith((" is new.", " are new."))
    assert change("verdict", something, nothing) == text.replace("new", "gone")
    assert LABELS[kind][1:] in text
    assert change("verdict", something, something) == "The same evidence."
    assert "changed" in change("verdict", something, of(**{kind: {**KIND, "facts": "y"}}))


def test_changes_are_told_in_the_order_of_the_table():
    before, after = of(votes=KIND | {"n": 96, "unit": "votes"}), of(experts=KIND, votes=KIND | {"n": 120, "unit": "votes"})
    assert change("verdict", before, after) == "Grades of experts are new; side-by-side votes: 96 → 120."


def test_another_engine_is_named_where_the_evidence_is_the_same():
    assert change("verdict", of("5", ab=KIND), of("6", ab=KIND)) == "Version 6 of the engine (was 5)."


def test_an_answer_is_made_of_what_the_report_read(hypothesis, voted, computed):
    report = computed(hypothesis)
    evidence = facts(report, report.hypothesis.created_by)["sources"]
    assert {kind: fields["facts"] for kind, fields in evidence.items()} == report.evidence
    assert {kind: (fields["n"], fields["unit"]) for kind, fields in evidence.items()} == {
        "experts": (24, "topics"), "votes": (96, "votes"),
    }  # fmt: skip

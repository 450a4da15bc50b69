"""A verdict by grades and side-by-side votes: its answer, its page, and what its numbers lead to."""

import html
import io
import re
from dataclasses import replace
from datetime import timedelta

import polars as pl
import pytest
from django.urls import reverse
from django.utils import timezone

from ireval.verdict import read_bundle, result_of
from judging.collections.storage import qrels_frame, run_frame, store_qrels
from judging.models import AuditEntry, Collection, Hypothesis, Judgement, Qrels, Study, User, Worker
from judging.models.hypothesis import USUAL
from judging.work.exclusions import exclude
from metrics.kinds.overview import sentence
from metrics.kinds.runs.question import request_report
from metrics.kinds.verdict.costs import cost, steps
from metrics.kinds.verdict.evidence import sources
from metrics.kinds.verdict.origins import origins as origins_of
from metrics.kinds.verdict.parts import is_current
from metrics.kinds.verdict.results import VerdictResults
from metrics.kinds.verdict.topic import topic_evidence
from metrics.kinds.verdict.words import cautions
from metrics.models import Report
from tests import conftest, sharing
from tests.metrics.logs.conftest import compute as compute_log  # noqa: F401
from tests.metrics.verdict import conftest as verdicts
from tests.metrics.verdict.conftest import frame
from tests.visible_words import expect_the_answer_first

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("hypothesis", "voted")]
db = sharing.db
researcher, collection, make_worker = map(sharing.once, (conftest.researcher, conftest.collection, conftest.make_worker))
birds, systems, hypothesis, voted = map(sharing.once, (verdicts.birds, verdicts.systems, verdicts.hypothesis, verdicts.voted))


def test_grades_and_votes_give_one_answer(hypothesis, voted, computed, researcher):
    report = computed(hypothesis)
    assert (report.state, report.error) == ("done", "")
    results = VerdictResults(report)
    assert results.sentence == "dense is better than lexical, by grades of experts and side-by-side votes."
    text = sentence(report, researcher)
    assert text.startswith(f"{results.sentence} By grades of experts: +")
    assert text.endswith("n = 24 topics.")
    assert [(row.kind, row.says, row.line.unit) for row in results.rows] == [
        ("grades of experts", "dense is better", "topics"), ("side-by-side votes", "dense is better", "votes"),
    ]  # fmt: skip
    assert results.rows[1].line.n == 24 * 4


def test_the_bundle_computes_the_same_again(rita, hypothesis, voted, computed):
    computed(hypothesis)
    answer = rita.get(reverse("verdict_bundle", args=[hypothesis.pk]))
    assert answer["Content-Type"] == "application/zip"
    bundle, kept = read_bundle(io.BytesIO(answer.content))
    assert kept["sentence"] == VerdictResults(Report.objects.get()).sentence
    assert bundle.about["why"] == "It reads meaning."
    assert {name for part in bundle.evidence for name in getattr(part, "frame", frame([], [])).columns} >= {"worker"}
    assert result_of(bundle.verdict(), bundle)["sentence"] == kept["sentence"]
    assert AuditEntry.objects.filter(deed="exported", by=hypothesis.created_by).count() == 1


def test_votes_of_a_worker_who_is_excluded_meanwhile_are_news(hypothesis, voted, computed, researcher):
    report = computed(hypothesis)
    exclude(voted.workers.order_by("pk").first(), by=researcher, reason="too fast")
    assert not is_current(report)


def test_qrels_of_other_topics_do_not_stop_it(hypothesis, voted, computed, collection, researcher):
    store_qrels(frame([("99", "b0", 1)], ["topic", "docno", "grade"]), collection=collection, name="other", by=researcher)
    results = VerdictResults(computed(hypothesis))
    assert results.sentence == "dense is better than lexical, by side-by-side votes; grades of experts cannot tell yet."


def test_the_page_says_the_sentence_first(rita, hypothesis, voted, computed):
    waiting = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    assert "Waiting to be computed" in waiting
    computed(hypothesis)
    page = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    assert "dense is better than lexical, by grades of experts and side-by-side votes." in page
    assert page.count('<svg class="forest"') == 2
    assert "It reads meaning." in page
    assert "dense is better" in rita.get(reverse("verdicts")).content.decode()
    assert "dense is better" in rita.get(reverse("reports")).content.decode()


def test_it_says_what_was_there_when_it_was_asked(rita, hypothesis, voted, computed):
    """The qrels were stored before, the study was launched after."""
    report = computed(hypothesis)
    assert VerdictResults(report).there_when_asked == ["grades of experts"]
    address = reverse("verdict", args=[hypothesis.pk])
    assert "Already there when it was asked: grades of experts." in rita.get(address).content.decode()
    Hypothesis.objects.update(created=timezone.now() - timedelta(days=1))
    assert "Asked before any evidence came." in rita.get(address).content.decode()


def test_a_topic_opens_to_both_rankings_grades_and_votes(rita, hypothesis, voted, computed, birds, collection):
    report = computed(hypothesis)
    apart = VerdictResults(report).topics
    assert [row["apart"] for row in apart] == sorted((row["apart"] for row in apart), reverse=True)
    number = apart[0]["topic"]
    address = f"{reverse('verdict_topic', args=[hypothesis.pk])}?topic={number}"
    assert address in rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    page = rita.get(address).content.decode()
    assert f"bird {number}" in page
    assert page.count('<svg class="forest"') == 2
    evidence = topic_evidence(VerdictResults(report), number)
    grades = dict(collection.qrels.get().grades.filter(topic=number).values_list("docno", "grade"))
    for side, run in (("a", "lexical-1"), ("b", "dense-v2")):
        order = run_frame(birds[run], topic=number)["docno"].head(10).to_list()
        assert [(row.docno, list(row.grades)) for row in evidence.rankings[side]] == [(docno, [grades[docno]]) for docno in order]
    assert sum(evidence.votes) == 4
    assert rita.get(address.replace(number, "nothing")).status_code == 404


def test_it_warns_of_votes_and_grades_that_no_person_gave_and_of_few_grades(rita, hypothesis, voted, computed):
    report = computed(hypothesis)
    few = cautions(VerdictResults(report))
    assert few == ["Under “experts” only 24 topics count: intervals of means may be too narrow, 50 are needed."]
    Worker.objects.filter(pk=voted.workers.first().pk).update(simulated=True)
    Qrels.objects.update(sparse=True, simulated_judgements=5)
    votes = Judgement.objects.filter(worker__simulated=True).count()
    shown = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    assert f"{votes} of {Judgement.objects.count()} votes are simulated, made by a program and not by people." in shown
    assert "is sparse: a relevant document may be missing" in shown
    assert "5 judgements are simulated" in shown


def test_it_warns_where_few_of_the_first_documents_have_a_grade(researcher, collection, hypothesis, computed, birds):
    """Half of the documents have none any more; the share is counted anew in another way."""
    graded = qrels_frame(collection.qrels.get()).filter(pl.col("docno").is_in([f"b{number}" for number in range(0, 12, 2)]))
    store_qrels(graded.select("topic", "docno", "grade"), collection=collection, name="experts", by=researcher)
    first = {name: run_frame(run).filter(pl.col("rank") <= 10) for name, run in birds.items()}
    judged = {name: top.join(graded, on=["topic", "docno"], how="semi").height / top.height for name, top in first.items()}
    name = "lexical" if judged["lexical-1"] < judged["dense-v2"] else "dense"
    (warning,) = (text for text in cautions(VerdictResults(computed(hypothesis))) if "first ten" in text)
    assert warning.startswith(f"Under “experts v2” only {100 * min(judged.values()):.0f} % of {name}'s first ten documents")
    assert warning.endswith("1 other run is below 60 % too. Unjudged documents count as not relevant.")


def test_intervals_are_those_of_p_and_the_end_of_a_one_sided_test_stands_beside_what_it_says(rita, hypothesis, voted, computed):
    report = computed(hypothesis)
    (answer, *_) = report.result["answers"]
    answer["word"], answer["low"] = "not worse", -0.0123
    report.save()
    shown = html.unescape(rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode())
    row = VerdictResults(report).rows[0]
    assert f"{row.decision.low:+.4f} to {row.decision.high:+.4f}" in shown
    assert 'dense is not worse <span class="ci">at least −0.0123</span>' in shown


def test_what_is_settled_is_not_to_be_settled(hypothesis, voted, computed):
    results = VerdictResults(computed(hypothesis))
    assert results.outcome == "better"
    lacking = [replace(row, word="unknown", needed=row.line.n + 1000) for row in results.rows]
    results.rows = lacking
    assert results.to_settle == []
    results.result["outcome"] = "unknown"
    assert results.to_settle == lacking


def test_each_kind_of_evidence_leads_to_where_it_came_from(rita, hypothesis, voted, computed, collection):
    report = computed(hypothesis)
    page = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    origins = [reverse("qrels", args=[collection.qrels.get().pk]), reverse("study_preferences", args=[Study.objects.get().pk])]
    for origin in origins:
        assert page.count(f'<a href="{origin}"') == 3  # its name, and beside its mark in the figure
    stranger = User.objects.create_user("sam", is_researcher=True)
    assert not set(origins) & set(origins_of(report, stranger).values())


def test_grades_lead_to_the_report_on_both_runs_under_them_once_there_is_one(
    hypothesis, voted, computed, collection, birds, researcher, compute
):
    verdict, qrels = computed(hypothesis), collection.qrels.get()
    asked = {"collection": collection, "qrels": [qrels], "by": researcher}
    compute(request_report(runs=[birds["dense-v2"]], **asked))
    assert origins_of(verdict, researcher)["grades of experts"] == reverse("qrels", args=[qrels.pk])
    both = compute(request_report(runs=list(birds.values()), **asked))
    assert origins_of(verdict, researcher)["grades of experts"] == f"{both.get_absolute_url()}?qrels={qrels.pk}"
    stranger = User.objects.create_user("sam", is_researcher=True)
    assert "grades of experts" not in origins_of(verdict, stranger)


def test_a_topic_tells_grades_apart_and_where_the_other_has_a_document(rita, hypothesis, voted, computed):
    report = computed(hypothesis)
    number = VerdictResults(report).topics[0]["topic"]
    evidence = topic_evidence(VerdictResults(report), number)
    page = rita.get(f"{reverse('verdict_topic', args=[hypothesis.pk])}?topic={number}").content.decode()
    for result in evidence.rankings["a"]:
        assert result.relevant == [grade is not None and grade > 0 for grade in result.grades]
    docnos = {side: [result.docno for result in evidence.rankings[side]] for side in "ab"}
    for result in evidence.rankings["a"]:
        assert result.there == (docnos["b"].index(result.docno) + 1 if result.docno in docnos["b"] else None)
        assert result.there is None or f"both, there {result.there}" in page
    assert f"{number}: bird {number}</h1>" in " ".join(page.split())


def test_a_topic_says_its_scale_and_has_the_systems_in_the_order_of_the_question(rita, hypothesis, voted, computed):
    report = computed(hypothesis)
    number = VerdictResults(report).topics[0]["topic"]
    page = " ".join(rita.get(f"{reverse('verdict_topic', args=[hypothesis.pk])}?topic={number}").content.decode().split())
    assert "grades of experts (from 0 to 2, relevant from 1)" in page
    assert re.search(r'<th scope="col">dense</th>\s*<th scope="col">lexical</th>', page)
    evidence = topic_evidence(VerdictResults(report), number)
    assert [b.docno for _, (b, a) in evidence.ranks] == [row.docno for row in evidence.rankings["b"]]
    assert "Judge what nobody has judged" not in page  # all is judged


def test_what_nobody_judged_of_a_topic_goes_to_a_study(rita, hypothesis, voted, computed, collection):
    number, docno = "100", run_frame(voted.runs.get(name="dense-v2"), topic="100")["docno"][0]
    is_left = ~((pl.col("topic") == number) & (pl.col("docno") == docno))
    fewer = qrels_frame(collection.qrels.get()).filter(is_left)
    store_qrels(fewer, collection=collection, name="fewer", by=hypothesis.created_by)
    computed(hypothesis)
    page = html.unescape(rita.get(f"{reverse('verdict_topic', args=[hypothesis.pk])}?topic={number}").content.decode())
    assert "Begin a study with 1 document" in page and f"{number} {docno}" in page
    runs = re.findall(r'name="runs" value="(\d+)"', page)
    sent = {"collection": collection.pk, "runs": runs, "documents": f"{number} {docno}"}
    rita.post(reverse("study_begin"), sent)
    assert Study.objects.latest("pk").chosen == [[number, docno]]


def test_what_settles_it_says_what_it_takes(hypothesis, voted, computed):
    Study.objects.update(seconds_a_judgement=30, pay_a_judgement="0.10")
    report = computed(hypothesis)
    votes = VerdictResults(report).rows[1]
    assert votes.more is None  # it is decided
    lacking = replace(votes, word="unknown", needed=votes.line.n + 1000)
    assert cost(report, lacking).words == "about 9 hours of work, 100.00 EUR"
    Study.objects.update(pay_a_judgement=0)
    assert cost(report, lacking).words == "about 9 hours of work"


def test_topics_cost_as_many_grades_as_those_there_are_and_time_where_a_study_says_it(hypothesis, voted, computed):
    report = computed(hypothesis)
    grades = VerdictResults(report).rows[0]
    lacking = replace(grades, word="unknown", needed=grades.line.n + 100)
    assert cost(report, lacking).words == "about 1,200 grades"
    graded = Study.objects.create(collection=voted.collection, name="Graded", created_by=hypothesis.created_by, instructions="x")
    graded.members.add(hypothesis.created_by)
    Study.objects.update(seconds_a_judgement=30, pay_a_judgement="0.10")
    assert cost(report, lacking).words == "about 1,200 grades, about 10 hours of work, 120.00 EUR as in “Graded”"


def test_what_would_settle_it_comes_the_cheapest_first_with_where_to_get_it(rita, hypothesis, voted, computed, researcher):
    report = computed(hypothesis)
    report.result["outcome"] = "unknown"
    for answer in report.result["answers"]:
        answer["word"], answer["needed"] = "unknown", answer["line"]["n"] + 100
    report.save()
    votes, grades = steps(VerdictResults(report), researcher)
    assert (votes.row.key, grades.row.key) == ("votes", "experts")  # that grades take hours nobody knows
    assert votes.links == [("Invite workers", reverse("study", args=[voted.pk]))]
    page = html.unescape(rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode())
    assert "to tell a difference of 0.02 in nDCG@10 with power .8, α = .05 / 2" in page
    for words, address in [*votes.links, *grades.links]:
        assert f'<a href="{address}">{words}</a>' in page and rita.get(address).status_code == 200


def test_what_the_asker_may_not_read_is_no_evidence(hypothesis, voted, collection, stranger):
    """Sid may read the collection and asks of its systems: Rita's study stays hers."""
    Collection.objects.update(shared=True)
    asked = Hypothesis.objects.create(a=hypothesis.a, b=hypothesis.b, created_by=stranger, expectations=USUAL)
    assert [source.kind for source in sources(asked)] == ["experts"]


def test_the_page_opens_with_the_answer(rita, hypothesis, voted, computed):
    computed(hypothesis)
    expect_the_answer_first(rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode())

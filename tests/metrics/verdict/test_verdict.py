"""The verdict: what counts as evidence, the answer and its page, and what is taken away and computed again."""

import html
import io
import math
import re
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import polars as pl
import pytest
from django.urls import reverse
from django.utils import timezone

import ireval
from ireval.verdict import read_bundle, result_of
from judging.collections import hypotheses
from judging.collections.storage import qrels_frame, run_frame, store_qrels
from judging.collections.systems import confirm
from judging.labels import results
from judging.models import Arm, AuditEntry, Collection, Experiment, Hypothesis, Judgement, Qrels, Site, Study, User, Worker
from judging.models.hypothesis import USUAL
from judging.studies.launch import launch
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from judging.work.exclusions import exclude
from metrics.kinds.overview import sentence
from metrics.kinds.verdict.costs import cost, steps
from metrics.kinds.verdict.freshness import follow, request_with_experiments
from metrics.kinds.verdict.origins import origins as origins_of
from metrics.kinds.verdict.parts import is_current, request_verdict
from metrics.kinds.verdict.results import VerdictResults
from metrics.kinds.verdict.sources import sources
from metrics.kinds.verdict.topic import topic_evidence
from metrics.models import Report
from metrics.tasks import begin_report, compute_part
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.logs.conftest import compute as compute_log  # noqa: F401
from tests.metrics.verdict.conftest import frame
from tests.visible_words import expect_the_answer_first

pytestmark = pytest.mark.django_db


def test_grades_and_votes_give_one_answer(hypothesis, voted, computed, researcher):
    report = computed(hypothesis)
    assert (report.state, report.error) == ("done", "")
    found = VerdictResults(report)
    assert found.sentence == "dense is better than lexical, by grades of experts and side-by-side votes."
    said = sentence(report, researcher)
    assert said.startswith(f"{found.sentence} By grades of experts: +")
    assert said.endswith("n = 24 topics.")
    assert [(row.kind, row.says, row.line.unit) for row in found.rows] == [
        ("grades of experts", "dense is better", "topics"), ("side-by-side votes", "dense is better", "votes"),
    ]  # fmt: skip
    assert found.rows[1].line.n == 24 * 4


def test_the_numbers_are_the_engines(hypothesis, birds, collection, computed):
    """By hand: the measure of both runs under the qrels, topic by topic."""
    (row,) = VerdictResults(computed(hypothesis)).rows
    qrels = frame(list(collection.qrels.get().grades.values_list("topic", "docno", "grade")), ["topic", "docno", "grade"])
    values = {}
    for name, run in birds.items():
        with run.file.open("rb") as stored:
            evaluated = ireval.evaluate(ireval.read_run_parquet(io.BytesIO(stored.read())), qrels, "nDCG@10")
        values[name] = evaluated.values["nDCG@10"].to_numpy()
    differences = values["dense-v2"] - values["lexical-1"]
    assert row.decision.value == pytest.approx(differences.mean())
    assert row.share.value == pytest.approx(ireval.superiority(differences))


def test_every_kind_of_evidence_is_found(collection, systems, birds, voted, researcher, make_worker, computed, compute_log):  # noqa: F811
    graded = Study.objects.create(
        collection=collection, name="Graded", depth=3, overlap=2, created_by=researcher, instructions="x"
    )
    graded.runs.set(birds.values())
    graded.members.add(researcher)
    launch(graded, seed=1)
    for _ in range(2):
        worker = make_worker(graded)
        while slots := next_slots(worker, count=1):
            record_judgement(worker=worker, item=slots[0].item, answer=Answer(key=uuid4(), grade=slots[0].item.pk % 3))
    results.settle_as_qrels(graded, by=researcher)
    for name, recipe in {
        "a model": {"machine": "a model"},
        "clicks": {"site": "shop"},
        "other": {"question": "credible"},
    }.items():
        grades = frame([("100", "b0", 1), ("101", "b1", 1)], ["topic", "docno", "grade"])
        store_qrels(grades, collection=collection, name=name, by=researcher, recipe=recipe)
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, collection=collection)
    for kind in ("ab", "interleaving"):
        experiment = started(site, researcher, name=kind, kind=kind, stopped=True, planned=40, metrics=["ctr"])
        for name, system in (("control", "lexical"), ("new", "dense")):
            confirm(collection, [(Arm.objects.get(experiment=experiment, name=name), system, "9")], by=researcher)
        send(site, searches(experiment, {"control": 60, "new": 60}) if kind == "ab" else impressions(experiment, 60))
        compute_log(experiment)
    hypothesis = hypotheses.ask(systems["lexical"], systems["dense"], by=researcher, expectations=USUAL)
    assert [source.kind for source in sources(hypothesis)] == [
        "experts", "workers", "machines", "clicks", "votes", "interleaving", "ab",
    ]  # fmt: skip
    report = computed(hypothesis)
    assert report.error == ""
    rows = {row.kind: row for row in VerdictResults(report).rows}
    assert len(rows) == 7
    assert rows["interleaving"].share.value > 0.5
    assert rows["the A/B test"].share.value > 0.5
    assert "topics and" not in rows["grades of workers"].line.caution
    experiment = Experiment.objects.get(kind="ab")
    users, days = rows["the A/B test"].line.n, (experiment.stopped - experiment.started).total_seconds() / 86400
    lacking = replace(rows["the A/B test"], word="unknown", needed=11 * users)
    assert cost(report, lacking).words == f"about {math.ceil(10 * max(days, 1))} days"
    topics = rows["grades of workers"].line.n
    lacking = replace(rows["grades of workers"], word="unknown", needed=3 * topics)
    slots = graded.slots.filter(number__isnull=False).count()
    assert cost(report, lacking).words.startswith(f"about {2 * slots:,} judgements, about ")
    lacking = replace(rows["grades of machines"], word="unknown", needed=3 * rows["grades of machines"].line.n)
    assert cost(report, lacking).words.endswith("grades")  # which nobody pays by the hour


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


def test_a_verdict_stays_until_evidence_comes(hypothesis, computed, collection, researcher):
    report = computed(hypothesis)
    assert is_current(report)
    assert request_verdict(hypothesis) == report
    grades = frame([("100", "b0", 2)], ["topic", "docno", "grade"])
    store_qrels(grades, collection=collection, name="experts", by=researcher)
    assert not is_current(report)
    assert request_verdict(hypothesis) != report


def test_votes_of_a_worker_who_is_excluded_meanwhile_are_news(hypothesis, voted, computed, researcher):
    report = computed(hypothesis)
    exclude(voted.workers.order_by("pk").first(), by=researcher, reason="too fast")
    assert not is_current(report)


def test_a_verdict_follows_its_experiments_reports(collection, systems, researcher, hypothesis, compute_log):  # noqa: F811
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, collection=collection)
    experiment = started(site, researcher, kind="ab", stopped=True, planned=40, metrics=["ctr"])
    for name, system in (("control", "lexical"), ("new", "dense")):
        confirm(collection, [(Arm.objects.get(experiment=experiment, name=name), system, "9")], by=researcher)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    request_with_experiments(hypothesis)
    (asked,) = Report.objects.all()
    assert asked.kind == "ab"
    request_with_experiments(hypothesis)
    assert Report.objects.get() == asked
    begin_report(asked.pk)
    for part in asked.parts.values_list("name", flat=True):
        compute_part(asked.pk, part)
    verdict = Report.objects.get(kind="verdict")
    assert verdict.hypothesis == hypothesis
    follow(Report.objects.get(kind="ab"))
    assert Report.objects.count() == 2


def test_a_verdict_that_had_read_its_evidence_before_an_experiments_report_is_asked_for_anew(
    collection,
    systems,
    researcher,
    hypothesis,
    compute_log,  # noqa: F811
):
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, collection=collection)
    experiment = started(site, researcher, kind="ab", stopped=True, planned=40, metrics=["ctr"])
    for name, system in (("control", "lexical"), ("new", "dense")):
        confirm(collection, [(Arm.objects.get(experiment=experiment, name=name), system, "9")], by=researcher)
    send(site, searches(experiment, {"control": 60, "new": 60}))
    verdict = request_verdict(hypothesis)
    begin_report(verdict.pk)
    request_with_experiments(hypothesis)
    asked = Report.objects.get(kind="ab")
    for report in (asked, verdict):
        begin_report(report.pk)
        for part in report.parts.values_list("name", flat=True):
            compute_part(report.pk, part)
    again = Report.objects.filter(kind="verdict").latest("pk")
    assert again != verdict
    begin_report(again.pk)
    for part in again.parts.values_list("name", flat=True):
        compute_part(again.pk, part)
    assert Report.objects.get(kind="verdict") == again  # and nothing asks for a third
    assert "ab" in Report.objects.get(pk=again.pk).spec["sources"]


def test_evidence_that_is_deleted_while_it_is_computed_is_named(hypothesis, collection):
    report = request_verdict(hypothesis)
    begin_report(report.pk)
    collection.qrels.all().delete()
    compute_part(report.pk, "experts")
    report.refresh_from_db()
    assert (report.state, report.error) == ("failed", "What the grades of experts came from was deleted meanwhile. Ask again.")


def test_qrels_of_other_topics_do_not_stop_it(hypothesis, voted, computed, collection, researcher):
    store_qrels(frame([("99", "b0", 1)], ["topic", "docno", "grade"]), collection=collection, name="other", by=researcher)
    found = VerdictResults(computed(hypothesis))
    assert found.sentence == "dense is better than lexical, by side-by-side votes; grades of experts cannot tell yet."


def test_without_evidence_it_says_what_is_missing(rita, hypothesis, collection, computed):
    collection.qrels.all().delete()
    report = computed(hypothesis)
    assert (report.state, "no evidence on both systems" in report.error) == ("failed", True)
    page = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    assert "No verdict" in page
    assert "Ask again" in page


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
    assert VerdictResults(report).cautions == []
    Worker.objects.filter(pk=voted.workers.first().pk).update(simulated=True)
    Qrels.objects.update(sparse=True, simulated_judgements=5)
    votes = Judgement.objects.filter(worker__simulated=True).count()
    shown = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    assert f"{votes} of {Judgement.objects.count()} votes are simulated, made by a program and not by people." in shown
    assert "is sparse: a relevant document may be missing" in shown
    assert "5 judgements are simulated" in shown


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


def test_a_question_is_asked_by_the_form(rita, systems, collection):
    address = f"{reverse('verdict_new')}?collection={collection.pk}"
    page = rita.get(address).content.decode()
    assert "Which of two systems is better?" in page
    form = {
        "a": systems["lexical"].pk, "b": systems["dense"].pk, "alpha": "0.05", "measure": "ndcg_cut_5", "grades": "0.03",
        "votes": "0.05", "interleaving": "0.02", "ab": "0.01", "why": "",
    }  # fmt: skip
    rita.post(address, form)
    asked = Hypothesis.objects.get()
    assert AuditEntry.objects.filter(deed="changed", about="asked whether “dense” is better than “lexical”").count() == 1
    assert asked.expectations["workers"] == {"measure": "nDCG@5", "margin": 0.03}
    for change, why in (
        ({"b": systems["lexical"].pk}, "Choose two systems"), ({"measure": "nonsense"}, "nonsense"),
        ({"grades": "0"}, "greater than or equal"), ({"measure": "NumRet"}, "no value for each topic"),
    ):  # fmt: skip
        refused = rita.post(address, form | change)
        assert (refused.status_code, why in refused.content.decode()) == (422, True)
    assert Hypothesis.objects.count() == 1


def test_systems_of_different_collections_are_not_compared(systems, researcher):
    other = Collection.objects.create(name="Fish", owner=researcher)
    fish = other.systems.create(name="sonar", created_by=researcher)
    with pytest.raises(hypotheses.CannotAsk):
        hypotheses.ask(systems["dense"], fish, by=researcher, expectations=USUAL)


def test_a_verdict_is_its_askers(client, hypothesis, computed, stranger, admin):
    computed(hypothesis)
    for name in ("verdict", "verdict_bundle"):
        client.force_login(stranger)
        assert client.get(reverse(name, args=[hypothesis.pk])).status_code == 404
        client.force_login(admin)
        assert client.get(reverse(name, args=[hypothesis.pk])).status_code == 200


def test_what_the_asker_may_not_read_is_no_evidence(hypothesis, voted, collection, stranger):
    """Sid may read the collection and asks of its systems: Rita's study stays hers."""
    Collection.objects.update(shared=True)
    asked = Hypothesis.objects.create(a=hypothesis.a, b=hypothesis.b, created_by=stranger, expectations=USUAL)
    assert [source.kind for source in sources(asked)] == ["experts"]


def test_the_api_asks_and_tells(rita, systems, computed):
    sent = {"a": systems["lexical"].pk, "b": systems["dense"].pk, "expectations": {"experts": {"measure": "ap", "margin": 0.1}}}
    asked = rita.post("/api/v1/verdicts/", sent, "application/json")
    assert (asked.status_code, asked.json()["state"]) == (201, "waiting")
    hypothesis = Hypothesis.objects.get()
    assert hypothesis.expectations["experts"] == {"measure": "AP", "margin": 0.1}
    assert hypothesis.expectations["votes"] == {"margin": 0.05}
    computed(hypothesis)
    told = rita.get(f"/api/v1/verdicts/{hypothesis.pk}/").json()
    assert (told["state"], told["is_current"], told["result"]["outcome"]) == ("done", True, "better")
    assert rita.post(f"/api/v1/verdicts/{hypothesis.pk}/again/").json()["state"] == "done"
    bundle, _ = read_bundle(io.BytesIO(rita.get(f"/api/v1/verdicts/{hypothesis.pk}/bundle/").content))
    assert bundle.evidence[0].measure == "AP"
    assert set(AuditEntry.objects.values_list("deed", flat=True)) >= {"changed", "exported"}


@pytest.mark.parametrize(
    "change",
    [
        {"expectations": {"stars": {"margin": 1}}}, {"expectations": {"votes": {}}}, {"expectations": 5}, {"alpha": 5},
        {"alpha": "nan"}, {"expectations": {"votes": {"margin": "nan"}}},
        {"expectations": {"experts": {"measure": "NumRet", "margin": 1}}},
    ],
)  # fmt: skip
def test_the_api_refuses_what_is_no_question(rita, systems, change):
    sent = {"a": systems["lexical"].pk, "b": systems["dense"].pk, **change}
    assert rita.post("/api/v1/verdicts/", sent, "application/json").status_code == 400
    assert not Hypothesis.objects.exists()


def test_the_page_opens_with_the_answer(rita, hypothesis, voted, computed):
    computed(hypothesis)
    expect_the_answer_first(rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode())

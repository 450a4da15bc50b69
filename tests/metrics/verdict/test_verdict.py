"""The verdict: what counts as evidence, when it is asked for anew, and who may ask."""

import io
import math
from dataclasses import replace
from uuid import uuid4

import pytest
from django.urls import reverse

import ireval
from ireval.verdict import read_bundle
from judging.collections import hypotheses
from judging.collections.storage import store_qrels
from judging.collections.systems import confirm
from judging.errors import BadFields
from judging.labels import settlement
from judging.models import Arm, AuditEntry, Collection, Experiment, Hypothesis, Site, Study
from judging.models.hypothesis import USUAL
from judging.studies.launch import launch
from judging.work.answers import Answer, record_judgement
from judging.work.assignment import next_slots
from metrics.kinds.interleaving.results import InterleavingResults
from metrics.kinds.verdict.costs import cost
from metrics.kinds.verdict.evidence import sources
from metrics.kinds.verdict.freshness import follow, request_with_experiments
from metrics.kinds.verdict.parts import is_current, request_verdict
from metrics.kinds.verdict.results import VerdictResults
from metrics.models import Report
from metrics.tasks import begin_report, compute_part
from tests.metrics.experiments.worlds import impressions, searches, send, started
from tests.metrics.logs.conftest import compute as compute_log  # noqa: F401
from tests.metrics.verdict.conftest import frame

pytestmark = pytest.mark.django_db


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


QUERIES = [f"query {number}" for number in range(20)]


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
    settlement.settle_as_qrels(graded, by=researcher)
    for name, recipe in {
        "a model": {"machine": "a model"},
        "clicks": {"site": "shop"},
        "other": {"question": "credible"},
    }.items():
        grades = frame([("100", "b0", 1), ("101", "b1", 1)], ["topic", "docno", "grade"])
        store_qrels(grades, collection=collection, name=name, by=researcher, recipe=recipe)
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, collection=collection)
    for kind in ("ab", "interleaving"):
        experiment = started(
            site, researcher, name=kind, kind=kind, stopped=True, planned=40, metrics=["ctr"], looks="always_valid"
        )
        for name, system in (("control", "lexical"), ("new", "dense")):
            confirm(collection, [(Arm.objects.get(experiment=experiment, name=name), system, "9")], by=researcher)
        send(
            site,
            searches(experiment, {"control": 60, "new": 60}) if kind == "ab" else impressions(experiment, 100, texts=QUERIES),
        )
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
    (duel,) = InterleavingResults(Report.objects.get(kind="interleaving"), researcher, {}).duels
    alone = [0.5 + duel.numbers()[end] for end in ("always_low", "always_high")]
    assert rows["interleaving"].share[2:4] == pytest.approx(alone)
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


def test_a_verdict_stays_until_evidence_comes(hypothesis, computed, collection, researcher):
    report = computed(hypothesis)
    assert is_current(report)
    assert request_verdict(hypothesis) == report
    grades = frame([("100", "b0", 2)], ["topic", "docno", "grade"])
    store_qrels(grades, collection=collection, name="experts", by=researcher)
    assert not is_current(report)
    assert request_verdict(hypothesis) != report


def test_a_verdict_follows_its_experiments_reports(collection, systems, researcher, hypothesis, compute_log):  # noqa: F811
    site = Site.objects.create(name="Shop", slug="shop", owner=researcher, collection=collection)
    experiment = started(site, researcher, kind="ab", stopped=True, planned=40, metrics=["ctr"], looks="always_valid")
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
    experiment = started(site, researcher, kind="ab", stopped=True, planned=40, metrics=["ctr"], looks="always_valid")
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


def test_without_evidence_it_says_what_is_missing(rita, hypothesis, collection, computed):
    collection.qrels.all().delete()
    report = computed(hypothesis)
    assert (report.state, "no evidence on both systems" in report.error) == ("failed", True)
    page = rita.get(reverse("verdict", args=[hypothesis.pk])).content.decode()
    assert "No verdict" in page
    assert "Ask again" in page
    german = {"Accept-Language": "de"}
    for address in (reverse("verdict", args=[hypothesis.pk]), reverse("verdicts")):
        assert "Zu beiden Systemen gibt es noch keine Belege" in rita.get(address, headers=german).content.decode()


def test_a_question_is_asked_by_the_form(rita, systems, collection):
    address = f"{reverse('verdict_new')}?collection={collection.pk}"
    page = rita.get(address).content.decode()
    assert "Which of two systems is better?" in page
    assert '<details class="field">' in page, "the level, which few change"
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
        ({"grades": "0"}, "greater than or equal"), ({"grades": "1.5"}, "No two systems lie further apart than 1 by nDCG@5."),
        ({"why": "w" * 2001}, "at most 2000 characters"), ({"measure": "NumRet"}, "no value for each topic"),
        ({"measure": "nDCG(average='micro')@10"}, "no value for each topic"),
        ({"alpha": "2"}, '<details class="field" open>'),
    ):  # fmt: skip
        refused = rita.post(address, form | change)
        assert (refused.status_code, why in refused.content.decode()) == (422, True)
    assert Hypothesis.objects.count() == 1


def test_runs_that_are_of_no_system_yet_are_told_of(rita, systems, collection, birds):
    """Each with the page on which it is said which is which; the fixture's runs are named already."""
    address = reverse("collection_systems", args=[collection.pk])
    assert address not in rita.get(reverse("verdict_new")).content.decode()
    type(birds["lexical-1"]).objects.filter(pk=birds["lexical-1"].pk).update(version=None)
    assert f'<a href="{address}">{collection.name}</a> has 1 run that belongs to no system yet.' in " ".join(
        rita.get(reverse("verdict_new")).content.decode().split()
    )


def test_systems_of_different_collections_are_not_compared(systems, researcher):
    other = Collection.objects.create(name="Fish", owner=researcher)
    fish = other.systems.create(name="sonar", created_by=researcher)
    with pytest.raises(BadFields):
        hypotheses.ask(systems["dense"], fish, by=researcher, expectations=USUAL)


def test_a_verdict_is_its_askers(client, hypothesis, computed, stranger, admin):
    computed(hypothesis)
    for name in ("verdict", "verdict_bundle"):
        client.force_login(stranger)
        assert client.get(reverse(name, args=[hypothesis.pk])).status_code == 404
        client.force_login(admin)
        assert client.get(reverse(name, args=[hypothesis.pk])).status_code == 200


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
        {"expectations": {"workers": {"measure": "AP", "margin": 1.5}}}, {"expectations": {"experts": {"margin": 1.5}}},
    ],
)  # fmt: skip
def test_the_api_refuses_what_is_no_question(rita, systems, change):
    sent = {"a": systems["lexical"].pk, "b": systems["dense"].pk, **change}
    assert rita.post("/api/v1/verdicts/", sent, "application/json").status_code == 400
    assert not Hypothesis.objects.exists()


def test_the_api_names_the_field_that_is_wrong(rita, systems):
    sent = {
        "a": systems["lexical"].pk,
        "b": systems["lexical"].pk,
        "expectations": {"experts": {"measure": "nonsense", "margin": 1}},
    }
    refused = rita.post("/api/v1/verdicts/", sent, "application/json")
    assert list(refused.json()["expectations"]["experts"]) == ["measure"]
    sent["expectations"]["experts"] = {"margin": 1.5}
    refused = rita.post("/api/v1/verdicts/", sent, "application/json")
    assert refused.json()["expectations"] == {"experts": ["No two systems lie further apart than 1 by nDCG@10."]}
    del sent["expectations"]
    refused = rita.post("/api/v1/verdicts/", sent, "application/json")
    assert (refused.status_code, refused.json()) == (400, {"b": ["Choose two systems."]})
